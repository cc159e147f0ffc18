"""What images cost everybody else: `python -m bench.media_others`.

Polls    100 live matches, each polled every second, while 200 variants of a photo of 0.8 MB are wanted at once: how late
         their polls begin, and are through.
Hostile  Posts, feeds and pages at a fixed rate over HTTP, without and with strangers who have hostile images shown again and
         again; rounds in turn. The origin adds some bytes to each file, so that none of them is known already.

The origin and the strangers are processes of their own, at the lowest priority: in life they run elsewhere.
"""

# ruff: noqa: RUF001 -- prints multiples

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import count, cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp
import httpx
import uvloop

from bench.measure import Figure, percentile, table
from bench.media import BURST, paths, photo, prime, requested
from bench.reads import AUTHORIZATION, FEED, ORGANIZATION, SECRET, TEXT, daemon, liveblog
from bench.upstream import upstream
from ingest.sync.follower import Followers
from ingest.sync.poll import FollowedMatch
from tests.kit import pictures

MATCHES = 100
FIRST_ID = 5_000_000
IMPORT = f"/apigw/sports/v2/{ORGANIZATION}/liveblog/createFromExternal"
RATE = 40
"""Requests of others a second."""
STRANGERS = 8
"""Hostile images that are wanted at a time."""
ROUND = 10.0
LINKS = 700
"""Hostile images of a round, more than are shown in it."""
HOSTILE: dict[str, Callable[[], bytes]] = {
    "flood": pictures.flood,
    "bomb": pictures.bomb,
    "bomb-within-the-limits": lambda: pictures.bomb(3600, 3600),
    "frames": pictures.many_frames,
    "truncated": pictures.truncated,
    "polyglot": pictures.polyglot,
    "segments": lambda: b"\xff\xd8" + b"\xff\xfe\x00\x02" * 100_000,
}


def settings(address: str) -> dict[str, Any]:
    """What the daemon follows matches with, and may fetch from this machine."""
    provider = {"heim": {"base_url": address, "text_content": True}}
    scopes = ["read", "write", "external"]
    return {
        "organizations": {ORGANIZATION: {"name": "Bench", "providers": provider}},
        "clients": {"cms": {"secret": SECRET, "organizations": [ORGANIZATION], "scopes": scopes}},
        "polling": {"live": 1.0, "pause": 1.0, "rate": 0},
        "webhooks": {"allow_hosts": ["127.0.0.1"]},
    }


# Polls


class Lateness:
    """Seconds from the instant for which each poll was planned until it began, and until it was through."""

    def __init__(self) -> None:
        self.begun: list[float] = []
        self.through: list[float] = []
        self._poll = Followers.poll

    async def poll(self, followers: Followers, match: FollowedMatch) -> None:
        due = match.due
        self.begun.append(time.monotonic() - due)
        await self._poll(followers, match)
        self.through.append(time.monotonic() - due)

    def taken(self) -> tuple[list[float], list[float]]:
        """What has been noted since the last time."""
        taken = self.begun, self.through
        self.begun, self.through = [], []
        return taken


@asynccontextmanager
async def noted() -> AsyncIterator[Lateness]:
    """Notes each poll of this process."""
    lateness, original = Lateness(), Followers.poll

    async def poll(followers: Followers, match: FollowedMatch) -> None:
        await lateness.poll(followers, match)

    Followers.poll = poll  # type: ignore[method-assign]
    try:
        yield lateness
    finally:
        Followers.poll = original  # type: ignore[method-assign]


async def follow(address: str) -> None:
    """A liveblog for each of the matches."""
    async with httpx.AsyncClient(base_url=address, auth=("cms", SECRET), trust_env=False, timeout=60) as http:
        for number in range(MATCHES):
            match = {"provider": "heim", "matchId": str(FIRST_ID + number), "autoPostEnabled": True}
            (await http.post(IMPORT, json=match)).raise_for_status()


async def polls(address: str, lateness: Lateness) -> list[Figure]:
    wanted = await paths(address, range(600, 600 + BURST))
    await asyncio.sleep(3)
    lateness.taken()
    await asyncio.sleep(10)
    before = lateness.taken()
    statuses = await requested(address, wanted)
    meanwhile = lateness.taken()
    return [
        *(late(what, before[place], meanwhile[place], 0.1) for place, what in enumerate(("begun", "through"))),
        Figure(
            f"… variants that were shown, of {BURST}",
            f"{statuses.count(200)}",
            f"{BURST}",
            statuses.count(200) == BURST,
        ),
    ]


def late(what: str, before: Sequence[float], meanwhile: Sequence[float], most: float) -> Figure:
    """The 99th percentile of a lateness; only that of polls that begin has a target."""
    without, beside = percentile(before, 0.99), percentile(meanwhile, 0.99)
    name = f"polls of {MATCHES} matches {what} after their instant while {BURST} variants are made, p99"
    value = f"{beside * 1000:.0f} ms ({len(meanwhile)} polls), without {without * 1000:.0f} ms ({len(before)})"
    return Figure(name, value, *((f"≤ {most * 1000:.0f} ms", beside <= most) if what == "begun" else ()))


# Hostile images


def origin() -> None:
    """Serve the hostile images until the end, each with its number behind it."""
    bodies = {name: make() for name, make in HOSTILE.items()}

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        _, name, number = head.split(b" ")[1].decode().split("/")
        body = bodies[name] + number.encode()
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(respond, "127.0.0.1", 0)
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()

    os.nice(19)
    uvloop.run(serve())


async def strange(address: str, links: Sequence[str], seconds: float) -> dict[str, int]:
    """Have the images shown, STRANGERS at a time; how many of each status, over all."""
    os.nice(19)
    rest, found = iter(links), dict[str, int]()
    ends = time.monotonic() + seconds

    async def stranger(http: aiohttp.ClientSession) -> None:
        for link in rest:
            async with http.get(link, headers={"Accept": "image/*"}) as response:
                await response.read()
                found[str(response.status)] = found.get(str(response.status), 0) + 1
            if time.monotonic() > ends:
                return

    async with aiohttp.ClientSession(address) as http:
        await asyncio.gather(*(stranger(http) for _ in range(STRANGERS)))
    return found


async def mixed(address: str, name: str, seconds: float) -> list[float]:
    """Milliseconds from the instant for which each request was planned until its response was there."""
    took: list[float] = []
    block = {"_type": "Svc::Model::Content::RichTextContentBlock", "text": TEXT}
    event = {"_type": "Svc::Model::Event", "headline": "Post", "contents": [block]}
    write = f"/api/v5/write/event/create.json?ticker_local_id={name}"
    reads = (f"{FEED}.rss?liveblogId={name}", f"/liveblogs/{name}", f"{FEED}.json?liveblogId={name}")

    async def request(http: aiohttp.ClientSession, path: str, due: float) -> None:
        await asyncio.sleep(due - time.monotonic())
        sent = {"json": event, "headers": {"Authorization": AUTHORIZATION}} if path == write else {}
        async with http.request("POST" if sent else "GET", path, **sent) as response:  # type: ignore[arg-type]
            await response.read()
            response.raise_for_status()
        took.append((time.monotonic() - due) * 1000)

    began = time.monotonic() + 0.5
    wanted = islice(cycle((write, *reads * 3)), int(RATE * seconds))
    async with aiohttp.ClientSession(address) as http:
        await asyncio.gather(*(request(http, path, began + number / RATE) for number, path in enumerate(wanted)))
    return took


async def elsewhere(part: str, *job: object) -> Any:
    """What a part of this module gives in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.media_others", "--part", part,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    return json.loads((await process.communicate(json.dumps(job).encode()))[0])


@asynccontextmanager
async def origin_beside() -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.media_others", "--part", "origin", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.terminate()
        await process.wait()


async def hostile(address: str, rounds: int) -> list[Figure]:
    name = await liveblog(address)
    alone, beside = list[float](), list[float]()
    statuses = dict[str, int]()
    numbers = count()
    async with origin_beside() as files:
        await elsewhere("mixed", address, name, 3)
        for number in range(rounds):
            urls = [f"{files}/{kind}/{next(numbers)}" for _, kind in zip(range(LINKS), cycle(HOSTILE), strict=False)]
            links = await paths(address, [300], urls)
            for is_beside in (False, True) if number % 2 else (True, False):
                if not is_beside:
                    alone.append(percentile(await elsewhere("mixed", address, name, ROUND), 0.99))
                    continue
                strangers = asyncio.create_task(elsewhere("strange", address, links, ROUND + 2))
                await asyncio.sleep(1)
                beside.append(percentile(await elsewhere("mixed", address, name, ROUND), 0.99))
                for status, times in (await strangers).items():
                    statuses[status] = statuses.get(status, 0) + times
    ratio = median(one / other for one, other in zip(beside, alone, strict=True))
    value = f"{median(beside):.0f} ms, without {median(alone):.0f} ms, {ratio:.1f} ×"
    shown = ", ".join(f"{times} with {status}" for status, times in sorted(statuses.items()))
    return [
        Figure("posts, feeds and pages while hostile images are wanted, p99", value, "≤ 2 ×", ratio <= 2),
        Figure(f"… of those, {rounds} rounds of {ROUND:.0f} s", shown),
    ]


async def measured(rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        prime(Path(folder), photo())
        async with noted() as lateness, upstream() as provider, daemon(Path(folder), **settings(provider)) as address:
            await follow(address)
            return [*await polls(address, lateness), *await hostile(address, rounds)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--part", choices=["origin", "strange", "mixed"], help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.part == "origin":
        origin()
    elif chosen.part:
        work = {"strange": strange, "mixed": mixed}[chosen.part]
        print(json.dumps(uvloop.run(work(*json.loads(sys.stdin.read())))))
    else:
        print(table(uvloop.run(measured(chosen.rounds))))


if __name__ == "__main__":
    main()
