"""What a read costs the server while nothing changes, beside a bare hello: `python -m bench.reads`.

The daemon (SQLite, default settings, rate limits off, public feeds) and uvicorn with the smallest ASGI app run in one
process; one driver in another process reads from both in turn over the same number of kept connections. Requests for a
liveblog carry the client's id (`client_id`), as embeds and plug-ins send it, where the row says nothing else. CPU time of
the serving process in all its threads.
"""

# ruff: noqa: RUF001 -- prints multiples

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import httpx
import uvloop
from starlette.types import Receive, Scope, Send

from bench.measure import Figure, cpu, table
from config import Settings
from ingest.cli.shared import tune_interpreter
from ingest.daemon.run import run
from ingest.telemetry import logs
from providers.http_server import bind_socket, listening

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
SECRET = "a-secret-for-the-benchmark"
AUTHORIZATION = f"Basic {base64.b64encode(f'cms:{SECRET}'.encode()).decode()}"
FEED = "/api/embed/v4/feed/liveblog"
PREFETCH = "/api/embed/v4/prefetch/liveblog.json"
EVENTS = 20
CONNECTIONS = 32
WANTED = 3.0
"""A cached feed beside a bare server that sends the same bytes."""
LEAST, SAME_BYTES = "hello (uvicorn, bare ASGI)", "the bytes of the rss feed (uvicorn, bare ASGI)"
TEXT = "<p>A <b>fine</b> move down the left, and the keeper is <i>beaten</i>.</p>" * 3


async def hello(_scope: Scope, _receive: Receive, send: Send) -> None:
    """The smallest ASGI app."""
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"5")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"hello"})


class Repeated:
    """Sends the bytes of one response again and again, its headers included: what uvicorn alone takes for them."""

    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = b""

    async def take(self, address: str, path: str) -> None:
        """From now on, the response to this request."""
        async with httpx.AsyncClient(base_url=address, trust_env=False) as http:
            response = await http.get(path, headers={"Accept-Encoding": "identity"})
        self.headers = [pair for pair in response.headers.raw if pair[0].lower() != b"date"]
        self.body = response.content

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})


class Reader(asyncio.Protocol):
    """Sends one request again and again on one connection; equal requests have responses of equal length."""

    def __init__(self, request: bytes, count: int) -> None:
        self._request, self._left = request, count
        self._received = self._length = 0
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        if not self._length:
            head, _, _ = data.partition(b"\r\n\r\n")
            assert head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 304", b"HTTP/1.1 204")), head
            lengths = [int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            self._length = len(head) + 4 + sum(lengths)
        if self._received < self._length:
            return
        assert self._received == self._length, "the responses differ in length"
        self._received, self._left = 0, self._left - 1
        if self._left:
            self._transport.write(self._request)
        else:
            self._transport.close()
            self.done.set_result(None)


async def drive(address: str, request: bytes, count: int, connections: int) -> None:
    """`count` requests over so many connections."""
    where, loop = urlsplit(address), asyncio.get_running_loop()
    made = [
        await loop.create_connection(lambda: Reader(request, count // connections), where.hostname, where.port)
        for _ in range(connections)
    ]
    await asyncio.gather(*(reader.done for _, reader in made))


async def serve_driver() -> None:
    """Drive what comes on standard input, a job a line, until there is no more."""
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        address, request, count, connections = json.loads(line)
        await drive(address, request.encode(), count, connections)
        print("done", flush=True)


class Driver:
    """The other process."""

    def __init__(self, process: asyncio.subprocess.Process, connections: int) -> None:
        self._process = process
        self._connections = connections

    async def __call__(self, address: str, path: str, headers: dict[str, str], count: int) -> None:
        fields = "".join(f"{name}: {value}\r\n" for name, value in {"Host": "localhost", **headers}.items())
        job = json.dumps([address, f"GET {path} HTTP/1.1\r\n{fields}\r\n", count, self._connections])
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(job.encode() + b"\n")
        assert await self._process.stdout.readline() == b"done\n"


@asynccontextmanager
async def driver(connections: int = CONNECTIONS) -> AsyncIterator[Driver]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.reads", "--drive",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[1],
    )  # fmt: skip
    try:
        yield Driver(process, connections)
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def daemon(folder: Path, **sections: object) -> AsyncIterator[str]:
    """Its address; `sections` of the settings take the place of those here."""
    settings = Settings.model_validate({
        "database": {"url": f"sqlite+aiosqlite:///{folder / 'bench.db'}"},
        "server": {"port": 0, "public_feeds": True},
        "media": {"folder": str(folder / "media")},
        "limits": {"client_per_second": 0, "public_per_second": 0, "connections_per_address": 0},
        "organizations": {ORGANIZATION: {"name": "Bench"}},
        "clients": {"cms": {"secret": SECRET, "organizations": [ORGANIZATION], "scopes": ["read", "write"]}},
        **sections,
    })  # fmt: skip
    logs.configure(settings.logging.level, "json", logs.LogFile(folder / "bench.log"))
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    running = asyncio.create_task(run(settings, announce=address.set_result, stop=stop))
    try:
        await asyncio.wait({running, address}, return_when=asyncio.FIRST_COMPLETED)
        tune_interpreter()
        yield await address
    finally:
        stop.set()
        await running


async def liveblog(address: str) -> str:
    """The `local_id` of a new liveblog with EVENTS events."""
    game = {
        "_type": "Svc::Model::Game", "organization_id": ORGANIZATION, "template_id": "soccer",
        "meta_info": {
            "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
            "home_team": {"_type": "Svc::Model::Team", "name": "SV Hafenstadt"},
            "away_team": {"_type": "Svc::Model::Team", "name": "Alpenverein Bergheim"},
        },
    }  # fmt: skip
    async with httpx.AsyncClient(base_url=address, auth=("cms", SECRET), trust_env=False) as http:
        local_id: str = (await http.post("/api/v5/write/ticker/create.json", json=game)).json()["local_id"]
        for number in range(EVENTS):
            block = {"_type": "Svc::Model::Content::RichTextContentBlock", "text": f"{TEXT}<p>{number}</p>"}
            event = {"_type": "Svc::Model::Event", "headline": f"Post {number}", "contents": [block]}
            path = f"/api/v5/write/event/create.json?ticker_local_id={local_id}"
            (await http.post(path, json=event)).raise_for_status()
    return local_id


async def etag(address: str, path: str) -> str:
    async with httpx.AsyncClient(base_url=address, trust_env=False) as http:
        return (await http.get(path)).headers["etag"]


async def measured(rounds: int, count: int, connections: int = CONNECTIONS) -> list[Figure]:
    repeated = Repeated()
    with tempfile.TemporaryDirectory() as folder:
        async with (
            daemon(Path(folder)) as address,
            listening(hello, bind_socket("127.0.0.1", 0), timeout_keep_alive=75) as bare,
            listening(repeated, bind_socket("127.0.0.1", 0), timeout_keep_alive=75) as bare_feed,
            driver(connections) as drive,
        ):
            name = await liveblog(address)
            await asyncio.sleep(1.5)  # the date of the last change is sent from the second after it on
            feed = f"{FEED}.{{}}?liveblogId={name}&client_id=cms"
            rss, page = feed.format("rss"), f"/liveblogs/{name}?client_id=cms"
            prefetch, delta = (
                f"{PREFETCH}?liveblogId={name}&client_id=cms",
                f"/api/v6/ticker/show.json?id={name}&client_id=cms",
            )
            gzip = {"Accept-Encoding": "gzip"}
            await repeated.take(address, rss)
            rows: dict[str, tuple[str, str, dict[str, str]]] = {
                LEAST: (bare, "/", {}),
                SAME_BYTES: (bare_feed, "/", {}),
                **{f"feed, {each}": (address, feed.format(each), {}) for each in ("rss", "atom", "json")},
                "feed, rss, without client_id": (address, f"{FEED}.rss?liveblogId={name}", {}),
                "feed, rss, with client and secret (Basic)": (
                    address, f"{FEED}.rss?liveblogId={name}", {"Authorization": AUTHORIZATION}
                ),
                "feed, rss, 304": (address, rss, {"If-None-Match": await etag(address, rss)}),
                "feed, rss, gzip": (address, rss, gzip),
                "page": (address, page, {}),
                "page, gzip": (address, page, gzip),
                "embed (prefetch)": (address, prefetch, {}),
                "embed (prefetch), gzip": (address, prefetch, gzip),
                "changes of a page, 204": (address, f"{page}&fragment=1&refresh={EVENTS + 1}", {}),
                "delta, nothing new": (address, f"{delta}&refresh={EVENTS + 1}", {}),
                "/livez": (address, "/livez", {}),
            }  # fmt: skip
            costs: dict[str, list[float]] = {row: [] for row in rows}
            for number in range(rounds + 1):
                for row, job in rows.items():
                    seconds = await cpu(lambda job=job: drive(*job, count))  # type: ignore[misc]
                    if number:  # the first round warms up
                        costs[row].append(seconds / count * 1e6)
    least, same = costs[LEAST], costs[SAME_BYTES]
    return [
        *(_figure(row, each, least) for row, each in costs.items()),
        _figure("feed, rss, beside the same bytes", costs["feed, rss"], same, WANTED),
    ]


def _figure(row: str, costs: list[float], base: list[float], wanted: float | None = None) -> Figure:
    ratio = median(one / other for one, other in zip(costs, base, strict=True))
    value = f"{median(costs):.0f} µs ({min(costs):.0f}–{max(costs):.0f}), {ratio:.1f} ×"
    return Figure(row, value, f"≤ {wanted} ×" if wanted else "", ratio <= wanted if wanted else None)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--count", type=int, default=4000, help="requests of each kind a round")
    options.add_argument("--connections", type=int, default=CONNECTIONS)
    options.add_argument("--drive", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.drive:
        uvloop.run(serve_driver())
        return
    print(table(uvloop.run(measured(chosen.rounds, chosen.count, chosen.connections))))


if __name__ == "__main__":
    main()
