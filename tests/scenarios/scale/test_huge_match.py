"""A match of very many rows: it is refused by a limit that is named, or written in steps while nobody else waits for it."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import httpx
import pytest
import structlog
from sqlalchemy import func, select
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from config import Settings
from ingest.cli.explain import explain
from ingest.cli.shared import tune_interpreter
from ingest.daemon import run as daemon
from ingest.sync import batches
from providers.heim.translate import translate
from providers.http_server import bind_socket, listening
from store.engine.sqlite.writer import Writer
from store.tables import outbox
from tests.kit.day import CREATE, ORGANIZATION, SHOW, configuration
from tests.kit.opening import look
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import BERLIN, NAMES, encoded, row, wrapped

pytestmark = pytest.mark.proof

HUGE = "9000900"
OTHERS = [str(9000901 + number) for number in range(5)]
INTERVAL = 0.2
CREATE_EVENT = "/api/v5/write/event/create.json"


def rows(number: int, *, player: int = 3) -> bytes:
    """Valid rows of some 770 bytes."""
    return encoded([row(1000 + n, "card/yellow", 1 + n % 90, "home", player + n % 200) for n in range(number)])


@dataclass
class Upstream:
    """A provider with a huge match and some small ones; notes the requests for each."""

    events: bytes = b"[]"
    requests: dict[str, list[float]] = field(default_factory=dict)
    address: str = ""

    async def answer(self, request: Request) -> Response:
        kind, _, name = request.path_params["rest"].partition("/ma")
        self.requests.setdefault(name, []).append(time.monotonic())
        body = encoded(wrapped(id=name)) if kind == "match" else self.events if name == HUGE else b"[]"
        return Response(body, media_type="application/json")

    @asynccontextmanager
    async def serve(self) -> Any:
        app = Starlette(routes=[Route("/{rest:path}", self.answer)])
        async with listening(app, bind_socket("127.0.0.1", 0)) as self.address:
            yield self

    def late(self, since: float) -> list[float]:
        """By how much polls of the small matches came later than planned, at most; sorted."""
        found = []
        for name in OTHERS:
            times = [at for at in self.requests[name][::2] if at >= since]  # two resources a poll
            found += [max(0.0, b - a - INTERVAL) for a, b in pairwise(times)]
        return sorted(found)


@dataclass
class Seen:
    """What the others met while something was going on (seconds)."""

    stalls: list[float]
    turns: list[float]
    """CPU of the event loop's thread between two of its wakings: what it does without letting anybody else in."""
    writes: list[float]
    late: list[float]
    took: float

    def figures(self) -> str:
        def figures(values: list[float]) -> str:
            p99 = values[min(int(len(values) * 0.99), len(values) - 1)]
            return f"{values[len(values) // 2] * 1000:.0f} / {p99 * 1000:.0f} / {values[-1] * 1000:.0f}"

        return (
            f"{self.took:.1f} s; median / p99 / longest in ms: event loop late {figures(self.stalls)}, "
            f"its turns {figures(self.turns)}, API writes {figures(self.writes)}, lateness of others' polls {figures(self.late)}"
        )


@dataclass
class Day:
    http: httpx.AsyncClient
    upstream: Upstream
    url: str
    liveblogs: dict[str, str]
    written: int = 0

    async def version(self) -> int:
        answer = await self.http.get("/api/v6/ticker/show.json", params={"id": self.liveblogs[HUGE], "refresh": 10**9})
        return answer.json()["game"]["version"]

    async def last_step(self) -> int:
        return await look(self.url, lambda conn: conn.scalar(select(func.max(outbox.c.id))) or 0)

    async def steps(self, after: int) -> list[str]:
        """The liveblogs that have stepped since then, in order."""
        query = select(outbox.c.local_id).where(outbox.c.id > after).order_by(outbox.c.id)
        return await look(self.url, lambda conn: list(conn.scalars(query)))

    async def quiet(self, since: int, seconds: float = 1.0) -> int:
        """The version of the huge liveblog once it has stepped beyond `since` and has come to rest."""
        last, at = since, time.monotonic()
        while last == since or time.monotonic() < at + seconds:
            await asyncio.sleep(0.1)
            if (now := await self.version()) != last:
                last, at = now, time.monotonic()
        return last

    async def during(self, events: bytes, within: float = 60.0) -> Seen:
        """What the others meet while the huge match changes to these events."""
        before, began = await self.version(), time.monotonic()
        stalls: list[float] = []
        turns: list[float] = []
        writes: list[float] = []
        beside = [asyncio.create_task(beat(stalls, turns)), asyncio.create_task(self.write(writes))]
        self.upstream.events = events
        try:
            async with asyncio.timeout(within):
                await self.quiet(before)
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
        took = time.monotonic() - began
        return Seen(sorted(stalls), sorted(turns), sorted(writes), self.upstream.late(began), took)

    async def write(self, seconds: list[float]) -> None:
        """Somebody who writes into another liveblog all the time."""
        while True:
            began = time.monotonic()
            answer = await self.http.post(
                CREATE_EVENT,
                params={"ticker_local_id": self.liveblogs[OTHERS[0]]},
                json={"headline": f"editor {self.written}", "contents": []},
            )
            assert answer.status_code == 200, answer.text
            self.written += 1
            seconds.append(time.monotonic() - began)
            await asyncio.sleep(0.02)


async def beat(stalls: list[float], turns: list[float]) -> None:
    while True:
        began, worked = time.monotonic(), time.thread_time()
        await asyncio.sleep(0.005)
        stalls.append(time.monotonic() - began - 0.005)
        turns.append(time.thread_time() - worked)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    if request.param == "sqlite":
        return migrated_url(tmp_path / "huge.db")
    return request.getfixturevalue("postgres_url")


@asynccontextmanager
async def day(folder, database, **limits) -> Any:
    """A daemon that follows the small matches and the huge one, which has no rows yet."""
    async with Upstream().serve() as upstream:
        tables = configuration(upstream.address, folder, database, live=INTERVAL)
        tables["organizations"][ORGANIZATION]["providers"]["heim"]["text_content"] = False
        tables["limits"] |= limits
        settings = Settings.model_validate(tables)
        stop, address = asyncio.Event(), asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(daemon.run(settings, announce=address.set_result, stop=stop))
        try:
            secret = settings.clients["cms"].secret.get_secret_value()
            async with httpx.AsyncClient(
                base_url=await address, auth=("cms", secret), trust_env=False, verify=False, timeout=60
            ) as http:
                made = {}
                for match in (HUGE, *OTHERS):
                    answer = await http.post(
                        CREATE, json={"provider": "heim", "matchId": match, "autoPostEnabled": True}
                    )
                    assert answer.status_code == 200, answer.text
                    made[match] = answer.json()["local_id"]
                yield Day(http, upstream, database, made)
        finally:
            stop.set()
            await serving


def cpu_of(work: Any, *arguments: Any, **named: Any) -> float:
    began = time.thread_time()
    work(*arguments, **named)
    return time.thread_time() - began


def in_between(outbox: list[str], game: str) -> int:
    """How many steps of others lie between the first and the last one of the liveblog."""
    mine = [at for at, each in enumerate(outbox) if each == game]
    return sum(each != game for each in outbox[mine[0] : mine[-1]])


async def test_a_large_change_blocks_neither_the_loop_nor_the_writer(tmp_path, database):
    """1,500 rows at once are many steps; editors write between them, and no turn of the loop is a good part of the work."""
    async with day(tmp_path, database) as running:
        for attempt in range(3):  # the interpreter may be looking for garbage in the one moment or the other
            body = rows(1500, player=3 + attempt)
            bodies = {"match": encoded(wrapped(id=HUGE)), "match-event": body}
            translating = cpu_of(translate, HUGE, bodies, names=NAMES, zone=BERLIN)
            before = await running.last_step()
            seen = await running.during(body)
            steps = await running.steps(before)
            huge = steps.count(running.liveblogs[HUGE])
            assert huge >= 1500 // batches.BATCH
            if seen.turns[-1] < 0.5 * translating and in_between(steps, running.liveblogs[HUGE]) >= huge // 3:
                return
        pytest.fail(f"{translating * 1000:.0f} ms to translate; {huge} steps; {seen.figures()}")


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"provider_rows": 50}, "match-event: 60 rows are more than limits.provider_rows = 50 allows"),
        ({"match_rows": 50}, "more than limits.match_rows = 50 allows"),
    ],
)
async def test_what_is_larger_than_a_limit_is_a_fault_that_names_it(tmp_path, limits, said):
    """The last good snapshot stands; as soon as the answer is within the limit again, it counts."""
    async with day(tmp_path, migrated_url(tmp_path / "capped.db"), **limits) as running:
        started = await running.version()
        running.upstream.events = rows(40)
        before = await running.quiet(started)
        running.upstream.events = rows(60)

        async def refused() -> bool:
            found = await look(running.url, lambda conn: explain(conn, running.liveblogs[HUGE]))
            return any(said in (each["last_error"] or "") for each in found["match"]["resources"].values())

        async with asyncio.timeout(30):
            while not await refused():
                await asyncio.sleep(0.1)
        assert await running.version() == before
        running.upstream.events = rows(45)
        await running.quiet(before)
        shown = (await running.http.get(SHOW, params={"local_id": running.liveblogs[HUGE]})).json()
        assert (
            len([each for each in shown["events"] if each["sport_event"]["event_type"] == "soccer.yellow-card"]) == 45
        )


def held_for(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """For how long each transaction has SQLite's one writer (s)."""
    held: list[float] = []
    transact = Writer._transact

    def timed(self: Writer, *arguments: Any) -> None:
        began = time.monotonic()
        transact(self, *arguments)
        held.append(time.monotonic() - began)

    monkeypatch.setattr(Writer, "_transact", timed)
    return held


@pytest.mark.soak
@pytest.mark.parametrize("number", [13_000, 20_000])
async def test_a_huge_match_costs_the_others_little(tmp_path, database, number, monkeypatch):
    """10 MB and 20,000 incidents, with limits that let them pass: all of them at once, one more, a correction of all.

    Nothing holds SQLite's one writer for longer than 250 ms, nor the loop for 50 ms of its own time.
    """
    tune_interpreter()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    wide = {"provider_rows": 10**6, "match_rows": 10**6, "provider_bytes": 10**8}
    late: list[float] = []
    writes: list[float] = []
    turns: list[float] = []
    held = held_for(monkeypatch)
    async with day(tmp_path, database, **wide) as running:
        for what, body in (
            ("at once", rows(number)),
            ("one more", rows(number + 1)),
            ("all corrected", rows(number + 1, player=4)),
        ):
            seen = await running.during(body, within=600)
            print(f"\n{number} rows, {len(body) / 1e6:.1f} MB, {what}: {seen.figures()}")  # noqa: T201
            late += seen.late
            writes += seen.writes
            turns += seen.turns
    print(f"longest transaction of SQLite's writer: {max(held, default=0) * 1000:.0f} ms")  # noqa: T201
    assert max(held, default=0) <= 0.25
    assert max(turns) <= 0.05
    assert sorted(late)[int(len(late) * 0.99)] <= 0.25
    assert sorted(writes)[int(len(writes) * 0.99)] <= 0.5
