"""Memory of one process with many live matches, cached feeds and open streams, all at the same time: `python -m bench.memory`.

The daemon (`matchwire run`, SQLite, defaults, but no rate limits, room for all connections and bodies, and longer intervals
between polls) is a process of its own, and so is the provider; the readers are in this one. Each match has 62 events and a
liveblog of its own, and is polled all the time. Resident memory of the daemon after each step:

Matches  All are imported; then each has been polled and changed several times.
Feeds    The feeds have been read several times, while all liveblogs change: RSS of each, and the other forms where more are wanted.
Streams  Readers of all liveblogs; each liveblog has changed since, and the feeds are read on.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import ExitStack, closing
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import httpx
import uvloop

from bench.measure import Figure, table
from bench.polling import changing
from bench.streams import ROOM, Crowd, stream_of
from bench.upstream import EVENTS, NOTHING, upstream
from tests.kit.bounded_server import ORGANIZATION, SECRET, Daemon, daemon

WANTED = 1024
FIRST_ID = 5_000_000
AT_ONCE = 4
CHANGED_EVERY = 2
"""So many polls of a match find the same events."""
BEGAN = time.monotonic()
FORMS = ("rss", "atom", "json")
CREATE = f"/apigw/sports/v2/{ORGANIZATION}/liveblog/createFromExternal"
CONFIG = """
connections_per_address = 0
read_cache_bytes = {read_cache}
[clients.desk]
secret = "{secret}"
organizations = ["{organization}"]
scopes = ["external"]
[organizations.{organization}.providers.heim]
base_url = "{address}"
[polling]
rate = 0
live = {interval}
pause = {interval}
"""


async def by_turns(work: Iterable[Awaitable[None]]) -> None:
    """All of them, AT_ONCE at a time."""
    left = iter(work)

    async def turns() -> None:
        for each in left:
            await each

    await asyncio.gather(*(turns() for _ in range(AT_ONCE)))


class Bench:
    """The daemon, and the requests to it."""

    def __init__(self, running: Daemon, file: Path, given: argparse.Namespace) -> None:
        self._running = running
        self._given = given
        self._file = f"file:{file}?mode=ro"
        self._rows: list[Figure] = []
        self._last = 0.0
        self.names: list[str] = []
        self.feed_bytes = 0
        self.late = 0
        self.crowds: list[Crowd] = []

    async def create(self) -> None:
        await by_turns(self._create(FIRST_ID + number) for number in range(self._given.matches))

    async def _create(self, match_id: int) -> None:
        body = {"provider": "heim", "matchId": str(match_id), "autoPostEnabled": True}
        headers = {"Idempotency-Key": str(match_id)}
        send = partial(self._running.http.post, CREATE, json=body, auth=("desk", SECRET), headers=headers)
        response = await self._until_available(send)
        self.names.append(response.json()["local_id"])
        if len(self.names) % 500 == 0:
            print(len(self.names), "imported", round(time.monotonic() - BEGAN), "s", file=sys.stderr, flush=True)

    async def read_feeds(self) -> None:
        wanted = [f"{form}?liveblogId={name}" for form in FORMS for name in self.names][: self._given.feeds]
        self.feed_bytes = 0
        await by_turns(self._read_feed(each) for each in wanted)

    async def _read_feed(self, name: str) -> None:
        send = partial(self._running.http.get, f"/api/embed/v4/feed/liveblog.{name}")
        response = await self._until_available(send)
        self.feed_bytes += len(response.content)

    async def _until_available(self, send: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
        """What the daemon says to it; a machine that is so busy that the database is late makes it try again."""
        while (response := await send()).status_code == httpx.codes.SERVICE_UNAVAILABLE:
            self.late += 1
        assert response.status_code == 200, response.text
        return response

    async def open_streams(self) -> None:
        await by_turns(self._open_stream(name) for name in islice(cycle(self.names), self._given.streams))

    async def _open_stream(self, name: str) -> None:
        """As a feed is read: until the database is in time."""
        while True:
            crowd = Crowd(self._running.port, stream_of(name))
            await crowd.open(1, 0)
            await crowd.until_answered(1)
            if crowd.statuses == {200: 1}:
                break
            assert crowd.statuses == {503: 1}, (name, crowd.statuses)
            self.late += 1
        self.crowds.append(crowd)

    async def changed(self, times: int, meanwhile: Callable[[], Awaitable[None]] | None = None) -> None:
        """Wait until the liveblogs have stepped so often from now on, on average: a busy machine polls some late."""
        enough = self._steps() + times * len(self.names)
        while self._steps() < enough:
            await asyncio.sleep(15)
            if meanwhile is not None:
                await meanwhile()

    def _steps(self) -> int:
        with closing(sqlite3.connect(self._file, uri=True)) as database:
            [[steps]] = database.execute("SELECT sum(version) FROM games")
        return int(steps)

    def note(self, name: str, each: int = 0) -> None:
        """The resident memory now; `each`: so many have come since the last time."""
        now = self._running.memory()
        more = f", {(now - self._last) * 1024 / each:.1f} KiB each" if each else ""
        self._rows.append(Figure(name, f"{now:.0f} MiB (+ {now - self._last:.0f}{more})"))
        print(name, self._rows[-1].value, file=sys.stderr, flush=True)
        self._last = now

    def figures(self) -> list[Figure]:
        status = Path(f"/proc/{self._running.process.pid}/status").read_text(encoding="ascii")
        peak = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]
        together = Figure("together, at most", f"{peak:.0f} MiB", f"≤ {WANTED} MiB", peak <= WANTED)
        had, lost = sum(crowd.messages > 0 for crowd in self.crowds), sum(crowd.lost for crowd in self.crowds)
        streams = Figure("streams that have had a version; lost", f"{had}; {lost}", f"{len(self.crowds)}; 0")
        late = Figure("requests that came again, as the database was late", str(self.late))
        return [*self._rows, together, streams, late]


async def measured(given: argparse.Namespace) -> list[Figure]:
    with ExitStack() as cleanup:
        folder: Path = given.folder or Path(
            cleanup.enter_context(tempfile.TemporaryDirectory(prefix="matchwire-bench-"))
        )
        async with upstream(CHANGED_EVERY) as address:
            await changing(address, NOTHING)
            limits = CONFIG.format(
                address=address, interval=given.interval, organization=ORGANIZATION, secret=SECRET,
                read_cache=given.read_cache * 2**20,
            )  # fmt: skip
            async with daemon(folder, server=ROOM, limits=limits) as running:
                bench = Bench(running, folder / "matchwire.db", given)
                await steps(bench, given, partial(changing, address, EVENTS))
                return bench.figures()


async def steps(bench: Bench, given: argparse.Namespace, change: Callable[[], Awaitable[None]]) -> None:
    """All of them, one on top of the other."""
    bench.note("ready")
    await bench.create()
    bench.note(f"{given.matches} matches imported", given.matches)
    await change()
    await bench.changed(given.changes)
    bench.note(f"each polled, and changed {given.changes} times on average", given.matches)
    await bench.changed(1, bench.read_feeds)
    size = bench.feed_bytes / given.feeds / 1000
    bench.note(f"{given.feeds} feeds of {size:.1f} kB in the cache, with changes going on", given.feeds)
    await bench.open_streams()
    await bench.changed(1, bench.read_feeds)
    bench.note(f"{given.streams} streams, with feeds and changes going on", given.streams)


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=5000)
    parser.add_argument("--feeds", type=int, default=5000)
    parser.add_argument("--streams", type=int, default=5000)
    parser.add_argument("--interval", type=float, default=60.0, help="seconds between polls of a match")
    parser.add_argument("--changes", type=int, default=2, help="of each match before its feed is read")
    parser.add_argument("--read-cache", type=int, default=256, help="limits.read_cache_bytes, in MiB")
    parser.add_argument("--folder", type=Path, help="where the database stays: a second run has its matches already")
    given = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    figures = uvloop.run(measured(given))
    print(table(figures))
    return all(figure.met is not False for figure in figures)


if __name__ == "__main__":
    sys.exit(not main())
