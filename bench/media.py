"""What images cost the server: `python -m bench.media`.

Cached  A variant from memory, beside nginx that serves the same bytes as a file; the driver of `bench.reads` reads from both
        in turn over kept connections. CPU of the daemon, of nginx's worker.
Miss    A JPEG of 0.8 MB to 500 pixels: CPU of the daemon for the whole request, beside Pillow alone that does the same in
        a loop, with its own draft.
Burst   200 variants of it wanted at once: how late the event loop of the daemon is meanwhile.
"""

# ruff: noqa: RUF001 -- prints multiples

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from statistics import median

import httpx
import uvloop
from PIL import Image

from api.media.disk_cache import DiskCache
from bench.measure import Figure, cpu, percentile, table
from bench.reads import ORGANIZATION, SECRET, Driver, daemon, driver
from providers.http_server import bind_socket

URL = "https://photos.example.org/a.jpg"
LINK = f"/api/mediaservice/v3/organization/{ORGANIZATION}/image.json"
BYTES = 800_000
MISSES = 30
BURST = 200
NGINX = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 64; }}
http {{
  access_log off;
  sendfile on;
  keepalive_requests 1000000;
  default_type image/jpeg;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {folder}/www; }}
}}
"""


def photo() -> bytes:
    """A JPEG of about BYTES bytes, with detail and smooth parts as photos have."""
    noise = Image.effect_noise((600, 400), 60).resize((3000, 2000), Image.Resampling.BICUBIC)
    image = Image.merge("RGB", (noise, Image.linear_gradient("L").resize((3000, 2000)), noise.rotate(180)))
    made = []
    for quality in range(95, 40, -5):
        file = BytesIO()
        image.save(file, "jpeg", quality=quality)
        made.append(file.getvalue())
    return min(made, key=lambda body: abs(len(body) - BYTES))


def prime(folder: Path, body: bytes) -> None:
    """Put the original into the daemon's cache, as if its origin had just given it."""
    cache = DiskCache(folder / "media" / "cache", 2**31)
    digest, now = hashlib.sha256(body).hexdigest(), time.time()
    cache.put(f"original {digest}", body)
    cache.put(f"origin {ORGANIZATION} {URL}", b"", digest=digest, etag=None, confirmed=now, fresh_until=now + 86400)


async def paths(address: str, widths: Sequence[int], urls: Sequence[str] = (URL,)) -> list[str]:
    """The signed path of each image in each width."""
    wanted = [{"url": url, "width": width} for url in urls for width in widths]
    async with httpx.AsyncClient(base_url=address, auth=("cms", SECRET), trust_env=False) as http:
        found = [(await http.get(LINK, params=each)).json()["url"] for each in wanted]
    return [url.removeprefix(address) for url in found]


def lay_out(folder: Path, body: bytes) -> int:
    """Write what nginx serves, and its settings; gives the port."""
    (folder / "www").mkdir()
    (folder / "www" / "variant").write_bytes(body)
    folder.chmod(0o755)  # its worker runs as another user
    with bind_socket("127.0.0.1", 0) as free:
        port: int = free.getsockname()[1]
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port), encoding="ascii")
    return port


def child(process: int) -> int:
    """The first child of a process."""
    return int(Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()[0])


@asynccontextmanager
async def nginx(folder: Path, body: bytes) -> AsyncIterator[tuple[str, int]]:
    """Its address, and the process id of its worker."""
    port = lay_out(folder, body)
    process = await asyncio.create_subprocess_exec("nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder))
    try:
        await asyncio.sleep(0.5)
        yield f"http://127.0.0.1:{port}", child(process.pid)
    finally:
        process.terminate()
        await process.wait()


def used(process: int) -> float:
    """CPU seconds of another process of one thread."""
    return int(Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


async def cached(address: str, drive: Driver, width: int, rounds: int, count: int) -> list[Figure]:
    (path,) = await paths(address, [width])
    async with httpx.AsyncClient(base_url=address, trust_env=False) as http:
        body = (await http.get(path, headers={"Accept": "image/*"})).content
    name = f"variant of {len(body) // 1000} KB from the cache"
    ours: list[float] = []
    theirs: list[float] = []
    if shutil.which("nginx") is None:
        return [Figure(f"{name}; nginx is not installed", "")]
    with tempfile.TemporaryDirectory() as folder:
        async with nginx(Path(folder), body) as (other, worker):
            for _ in range(rounds + 1):
                ours.append(await cpu(lambda: drive(address, path, {"Accept": "image/*"}, count)) / count * 1e6)
                before = used(worker)
                await drive(other, "/variant", {}, count)
                theirs.append((used(worker) - before) / count * 1e6)
    ratio = median(one / other for one, other in list(zip(ours, theirs, strict=True))[1:])
    value = f"{median(ours[1:]):.0f} µs, nginx {median(theirs[1:]):.0f} µs, {ratio:.1f} ×"
    return [Figure(name, value, "≤ 1.7 ×", ratio <= 1.7)]


def alone(body: bytes, width: int) -> None:
    """What Pillow needs for the same variant."""
    image = Image.open(BytesIO(body))
    image.thumbnail((width, width), Image.Resampling.LANCZOS)
    image.save(BytesIO(), "jpeg", quality=80, progressive=True, optimize=True)


async def missed(address: str, body: bytes) -> Figure:
    widths = range(500, 500 + MISSES)
    async with httpx.AsyncClient(base_url=address, trust_env=False) as http:
        wanted = await paths(address, widths)

        async def request() -> None:
            for path in wanted:
                (await http.get(path, headers={"Accept": "image/*"})).raise_for_status()

        ours = await cpu(request) / MISSES * 1000
    alone(body, 500)
    began = time.process_time()
    for width in widths:
        alone(body, width)
    theirs = (time.process_time() - began) / MISSES * 1000
    value = f"{ours:.1f} ms, Pillow alone {theirs:.1f} ms, {ours / theirs:.1f} ×"
    return Figure(f"miss, {len(body) / 1e6:.1f} MB to 500 pixels", value, "≤ 2 ×", ours / theirs <= 2)


async def burst(address: str) -> list[Figure]:
    wanted = await paths(address, range(600, 600 + BURST))
    late: list[float] = []

    async def watch() -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + 0.005
            await asyncio.sleep(0.005)
            late.append((loop.time() - due) * 1000)

    watching = asyncio.create_task(watch())
    began = time.monotonic()
    statuses = await requested(address, wanted)
    watching.cancel()
    p99 = percentile(late, 0.99)
    return [
        Figure(f"lateness of the loop while {BURST} variants are made, p99", f"{p99:.0f} ms", "≤ 100 ms", p99 <= 100),
        Figure("… the latest", f"{max(late):.0f} ms"),
        Figure(f"… all of them after, {statuses.count(200)} with 200", f"{time.monotonic() - began:.1f} s"),
    ]


async def requested(address: str, wanted: Sequence[str]) -> list[int]:
    """The statuses of BURST images that another process wants at once."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.media", "--burst", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    statuses: list[int] = json.loads((await process.communicate(json.dumps([address, wanted]).encode()))[0])
    return statuses


async def serve_burst() -> None:
    address, wanted = json.loads(sys.stdin.read())
    limits = httpx.Limits(max_connections=BURST)
    async with httpx.AsyncClient(base_url=address, trust_env=False, limits=limits, timeout=120) as http:
        found = await asyncio.gather(*(http.get(path, headers={"Accept": "image/*"}) for path in wanted))
    print(json.dumps([response.status_code for response in found]))


async def measured(rounds: int, count: int) -> list[Figure]:
    body = photo()
    with tempfile.TemporaryDirectory() as folder:
        prime(Path(folder), body)
        async with daemon(Path(folder)) as address, driver() as drive:
            await asyncio.sleep(2)  # Pillow is loaded a moment after the start
            return [
                *await cached(address, drive, 320, rounds, count),
                *await cached(address, drive, 2000, rounds, count // 4),
                await missed(address, body),
                *await burst(address),
            ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--count", type=int, default=8000, help="requests of a cached variant a round")
    options.add_argument("--burst", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.burst:
        uvloop.run(serve_burst())
        return
    print(table(uvloop.run(measured(chosen.rounds, chosen.count))))


if __name__ == "__main__":
    main()
