"""What costs more beside more records: every kind of read, write, tick, poll and start with few and with very many liveblogs.

`python -m bench.growth` fills a SQLite file for each of the sizes with liveblogs, posts, players, matches, statistics and all
that belongs to them, and starts a daemon on each. The same requests go to all of them in turn; what counts is the CPU time of
the daemons. `--sizes 1 1000 100000 --posts 20` is the size of 2,000,000 posts: it takes some ten minutes and 3 GB below
`TMPDIR`. A ratio is that of the largest size to the smallest one that has whole pages (1,000 where it is there).
"""

# ruff: noqa: RUF001 -- prints multiples

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from sqlalchemy import create_engine

from bench.daemon_process import RUN, BenchProcess, start, upgrade
from bench.measure import Figure, table
from bench.upstream import upstream
from tests.kit.bulk_rows import BORN, FIRST, GAME, fill
from tests.kit.day import CREATE, ORGANIZATION

WANTED = 1.2
PAGES = 1000
"""Liveblogs from which on lists have whole pages, and a liveblog the statistics of its days."""
QUIET, POLLED = 3600.0, 0.25
"""Seconds between polls of a live match: none while requests are measured, and many afterwards."""
KEPT = 10 * 365 * 86_400
"""Seconds: the rows are some years old, and a purge that deletes them all at once is no cost of every day."""
OVERWRITTEN = 1_000
"""Rows of what was overwritten: of the quarter of an hour for which it is kept."""
HISTORIES = ("event_history", "game_versions", "game_documents", "master_history")
MATCHES = 8
NUMBERS = count(5_000_000)
WRITE = "/api/v5/write"
SECRET = secrets.token_hex(16)
CONFIG = """
[database]
url = "sqlite+aiosqlite:///{folder}/growth.db"
[server]
public_feeds = true
[logging]
level = "error"
[limits]
client_per_second = 0
public_per_second = 0
[organizations.{organization}]
name = "Example"
[organizations.{organization}.providers.heim]
base_url = "{provider}"
[clients.desk]
secret = "{secret}"
organizations = ["{organization}"]
scopes = ["read", "write", "external", "stats", "webhooks"]
[statistics]
kept = {kept}
minutes_kept = {kept}
[webhooks]
log_kept = {kept}
[comments]
rejected_kept = {kept}
[desk]
audit_kept = {kept}
[polling]
rate = 0
live = {interval}
pause = {interval}
"""
TEXT = {"_type": "Svc::Model::Content::RichTextContentBlock", "text": "<p>The wind gets stronger.</p>" * 5}
NEWS = {
    "_type": "Svc::Model::Game",
    "organization_id": ORGANIZATION,
    "template_id": "news",
    "meta_info": {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": "Storm"},
}


@dataclass
class Side:
    """A daemon on a database of so many liveblogs."""

    size: int
    folder: Path
    process: BenchProcess | None = None
    http: httpx.AsyncClient | None = None
    liveblog: str = ""
    event: str = ""
    cpu: dict[str, list[float]] = field(default_factory=dict)

    async def request(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The document of a response that has to be there."""
        assert self.http is not None
        response = await self.http.request(method, path, json=body, params=query)
        assert response.status_code in {200, 204}, (path, response.text)
        return response.json() if response.content and "json" in response.headers["content-type"] else None

    async def prepare(self) -> None:
        """The liveblog that the requests are about: the same beside few and many others."""
        made = await self.request("POST", f"{WRITE}/ticker/create.json", NEWS)
        self.liveblog = made["local_id"]
        for _ in range(20):
            await self.create_event()

    async def create_event(self) -> None:
        path = f"{WRITE}/event/create.json"
        self.event = (await self.request("POST", path, {"contents": [TEXT]}, ticker_local_id=self.liveblog))["local_id"]

    async def update_event(self) -> None:
        headline = f"Storm {time.monotonic_ns()}"
        await self.request("POST", f"{WRITE}/event/update.json", {"headline": headline}, event_local_id=self.event)

    async def create_player(self) -> None:
        player = {"name": f"Kim {next(NUMBERS)}", "sportstype": "soccer", "owner_id": ORGANIZATION}
        await self.request("POST", f"{WRITE}/player/create.json", player)

    async def create_from_external(self) -> None:
        wanted = {"provider": "heim", "matchId": str(next(NUMBERS)), "autoPostEnabled": True}
        await self.request("POST", CREATE, wanted)

    def used(self) -> float:
        """CPU seconds of the daemon so far, in all its threads, to the nanosecond."""
        assert self.process is not None
        threads = Path(f"/proc/{self.process.process.pid}/task").glob("*/schedstat")
        return sum(int(each.read_text(encoding="ascii").split()[0]) for each in threads) / 1e9

    def note(self, name: str, seconds: float) -> None:
        self.cpu.setdefault(name, []).append(seconds)


Operation = Callable[[Side], Awaitable[object]]


def get(path: str, **query: str) -> Operation:
    """A read; `{liveblog}` stands for the liveblog of the side."""

    async def read(side: Side) -> None:
        named = {key: value.format(liveblog=side.liveblog) for key, value in query.items()}
        await side.request("GET", path.format(liveblog=side.liveblog), **named)

    return read


STATISTICS = f"/api/analytics/v6/stats/liveblog/{GAME}{FIRST}"
OWN = {"owner_id": ORGANIZATION}
OPERATIONS: dict[str, Operation] = {
    "read: show a liveblog": get(f"{WRITE}/ticker/show.json", local_id="{liveblog}"),
    "read: delta, nothing new": get("/api/v6/ticker/show.json", id="{liveblog}"),
    "read: feed": get("/api/embed/v4/feed/liveblog.rss", liveblogId="{liveblog}"),
    "read: page": get("/liveblogs/{liveblog}"),
    "search: liveblogs, all": get(f"{WRITE}/ticker/search.json", **OWN),
    "search: liveblogs, a word of one": get(f"{WRITE}/ticker/search.json", q="storm", **OWN),
    "search: liveblogs, a word of none": get(f"{WRITE}/ticker/search.json", q="zebra", **OWN),
    "search: players, all": get(f"{WRITE}/player/index.json", **OWN),
    "search: players, a word of all": get(f"{WRITE}/player/index.json", q="word", **OWN),
    "search: players, a word of one in a thousand": get(f"{WRITE}/player/index.json", q="word5x5", **OWN),
    "statistics: overview": get(f"{STATISTICS}/overview.json"),
    "statistics: origins": get(f"{STATISTICS}/all/origins.json"),
    "statistics: days of a month": get(f"{STATISTICS}/{time.strftime('%Y-%m', time.gmtime(BORN))}/periods.json"),
    "webhooks: list": get(f"/apigw/webhooks/v2/organization/{ORGANIZATION}/list"),
    "webhooks: log": get(f"/apigw/webhooks/v2/organization/{ORGANIZATION}/deliveries"),
    "webhooks: log, failures": get(f"/apigw/webhooks/v2/organization/{ORGANIZATION}/deliveries", outcome="failed"),
    "write: event create": Side.create_event,
    "write: event update": Side.update_event,
    "write: player create": Side.create_player,
    "write: createFromExternal": Side.create_from_external,
}
ONE_PAGE = ("search: liveblogs, all", "search: players, all", "search: players, a word", "statistics:", "webhooks:")
"""What grows with what it shows until that is a page, or a liveblog's own days: compared with 1,000 liveblogs."""
REASONS = {
    "start": "a start looks once at all matches that were ever followed",
}


def database(side: Side, provider: str, posts: int) -> None:
    """The folder of a side: its configuration, and the database with all records."""
    side.folder.mkdir()
    configure(side, provider, QUIET)
    upgrade(side.folder)
    began, many = time.monotonic(), side.size * posts
    engine = create_engine(f"sqlite:///{side.folder}/growth.db")
    with engine.begin() as connection:
        fill(
            connection,
            side.size,
            events=many,
            parts=many,
            ledger=many,
            load_counts=min(many, 1_000_000),
            webhook_waiting=0,
            **dict.fromkeys(HISTORIES, min(side.size, OVERWRITTEN)),
        )
    engine.dispose()
    print(
        f"{side.size} liveblogs, {many} posts: filled in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True
    )


def configure(side: Side, provider: str, interval: float) -> None:
    text = CONFIG.format(
        folder=side.folder, organization=ORGANIZATION, provider=provider, secret=SECRET, interval=interval, kept=KEPT
    )
    (side.folder / "matchwire.toml").write_text(text)


async def begin(side: Side) -> None:
    """Start the daemon, and note the CPU time that it takes until it is ready."""
    side.process = await asyncio.to_thread(start, RUN, side.folder)
    side.note("start", side.used())
    side.http = httpx.AsyncClient(base_url=side.process.address, auth=("desk", SECRET), timeout=60, trust_env=False)


async def end(side: Side) -> None:
    if side.http is not None and side.process is not None:
        await side.http.aclose()
        await asyncio.to_thread(side.process.end)


async def measure(sides: Sequence[Side], name: str, operation: Operation, rounds: int, times: int) -> None:
    """CPU seconds of one such request, by rounds in which all sides have their turn."""
    for side in sides:
        await operation(side)
    for number in range(rounds):
        for side in sides if number % 2 else reversed(sides):
            before = side.used()
            for _ in range(times):
                await operation(side)
            side.note(name, (side.used() - before) / times)


async def wait(sides: Sequence[Side], name: str, rounds: int, seconds: float) -> None:
    """CPU seconds of a second in which nobody wants anything."""
    for _ in range(rounds):
        before = [side.used() for side in sides]
        await asyncio.sleep(seconds)
        for side, used in zip(sides, before, strict=True):
            side.note(name, (side.used() - used) / seconds)


async def run(given: argparse.Namespace, folder: Path) -> list[Side]:
    sides = [Side(size, folder / str(size)) for size in sorted(given.sizes)]
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(upstream())
        for side in sides:
            database(side, provider, given.posts)
            stack.push_async_callback(end, side)
        for number in range(given.starts):
            for side in sides:
                await begin(side)
                if number < given.starts - 1:
                    await end(side)
        for side in sides:
            await side.prepare()
        await asyncio.sleep(given.settle)
        await wait(sides, "tick: a second without requests", given.rounds, given.seconds)
        for name, operation in OPERATIONS.items():
            await measure(sides, name, operation, given.rounds, MATCHES if "External" in name else given.count)
        for side in sides:
            await end(side)
            configure(side, provider, POLLED)
            await begin(side)
        await asyncio.sleep(given.settle)
        await wait(sides, "poll: a second of live matches", given.rounds, given.seconds)
    return sides


def figures(sides: Sequence[Side]) -> list[Figure]:
    """A row for each kind: what it costs beside each number of liveblogs, and the ratio of the largest."""
    large = sides[-1]
    whole = next((side for side in sides if side.size >= PAGES), large)
    found = []
    for name, seconds in large.cpu.items():
        base = whole if name.startswith(ONE_PAGE) else sides[0]
        ratio = median(one / other for one, other in zip(seconds, base.cpu[name], strict=True))
        costs = " : ".join(f"{median(side.cpu[name]) * 1000:.2f}" for side in sides)
        why = next((f"; {reason}" for part, reason in REASONS.items() if name.startswith(part)), "")
        against = f", beside {base.size}" if base is not sides[0] else ""
        found.append(Figure(name, f"{ratio:.2f} × ({costs} ms{against}{why})", f"≤ {WANTED} ×", ratio <= WANTED))
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=[1, 1000, 20_000], metavar="LIVEBLOGS")
    options.add_argument("--posts", type=int, default=20, help="of each liveblog")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--count", type=int, default=100, help="requests of a round")
    options.add_argument("--starts", type=int, default=5)
    options.add_argument("--seconds", type=float, default=5, help="of a round without requests")
    options.add_argument("--settle", type=float, default=15, help="seconds after a start")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print(table(figures(asyncio.run(run(given, Path(name))))))


if __name__ == "__main__":
    main()
