"""The API beside a match of two sources: what people and clients change of them is seen to by the sync itself."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from store.clients import clients
from store.liveblogs import liveblogs
from tests.api.conftest import Server, serving
from tests.kit import matchday
from tests.kit.opening import pool_settings, store_at
from tests.kit.scripted import Clock, Scripted
from tests.kit.source_pair import Second, TwoSources, as_second_source
from tests.providers.heim.feed import MATCH_ID, person, results, row, wrapped

SEED = 7
SECOND_ID, THIRD_ID = f"z{MATCH_ID}", f"y{MATCH_ID}"
LIVEBLOG = f"/apigw/sports/v2/{matchday.ORGANIZATION}/liveblog"
DESK = ("desk", matchday.SECRET)
KICK_OFF = row(1, "match/game-start", 1, created="14.06.2025 18:00:05")
FIRST_GOAL = row(2, "goal/head", 15, "home", 9, 7, content="1:0", created="14.06.2025 18:15:10")
SQUADS = [
    row(100 + number, "playing/lineup", 0, side, number)
    for side, numbers in (("home", range(1, 12)), ("away", range(51, 62)))
    for number in numbers
]
SECOND_GOAL = row(5, "goal/head", 50, "home", 9, 7, content="2:0", created="14.06.2025 18:50:10")


def bodies(*rows: dict[str, Any], score: str, **changes: Any) -> dict[str, bytes]:
    """What the first provider answers."""
    match = wrapped(match_result=results(p0=score), **changes)
    events = json.dumps([*rows, *SQUADS]).encode()
    return {"match": json.dumps(match).encode(), "match-event": events, "liveticker": b"[]"}


BEFORE = bodies(KICK_OFF, FIRST_GOAL, score="1:0")
AFTER = bodies(KICK_OFF, FIRST_GOAL, SECOND_GOAL, score="2:0")
OTHER_SCORER = bodies(KICK_OFF, {**FIRST_GOAL, "person": person(11)}, score="1:0")


@dataclass
class SourceService:
    """The service and the sync behind it; `name` and `ticker_id` are the liveblog's, once it is created."""

    server: Server
    process: TwoSources
    name: str = ""
    ticker_id: str = ""
    versions: dict[str, Any] = field(default_factory=dict)

    async def create(self, **wishes: Any) -> None:
        """A liveblog of the first source's match."""
        self.ticker_id = await self.process.create(**{"text": False, **wishes})
        game = await self.process.store.read(lambda conn: liveblogs.require_game(conn, self.ticker_id))
        self.name = game.local_id

    async def send(self, path: str = "external.json", auth: tuple[str, str] = DESK, **more: Any) -> httpx.Response:
        """What a client sends to the liveblog's external source: with `json` it changes it."""
        method = "POST" if "json" in more or "/" in path else "GET"
        return await self.server.http.request(method, f"{LIVEBLOG}/{self.name}/{path}", auth=auth, **more)

    async def source(self) -> dict[str, Any]:
        """What a client is shown of the liveblog's external source."""
        return (await self.send()).json()

    async def change(self, **change: Any) -> dict[str, Any]:
        """The external source after a change, which is taken."""
        answer = await self.send(json=change)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def first_says(self, given: dict[str, bytes]) -> None:
        self.process.adapter.bodies = given

    def second_says(self, given: dict[str, bytes], **changes: Any) -> None:
        """The second source has what the first one says by these bodies, in its own words."""
        match = self.process.adapter.translate(MATCH_ID, given)
        self.process.second.match = replace(as_second_source(match, SEED), **changes)

    def third_says(self, given: dict[str, bytes]) -> None:
        """The third source has it too, under the ids of the second one."""
        match = self.process.adapter.translate(MATCH_ID, given)
        self.process.more[0].match = replace(as_second_source(match, SEED), provider="third", match_id=THIRD_ID)

    async def go_on(self, seconds: float = 10.0, *, first: bool = True) -> None:
        """So much time passes, in which both sources are polled, or the second one alone."""
        for _ in range(max(1, round(seconds / 5))):
            failing = frozenset() if first else frozenset({"match", "match-event", "liveticker"})
            await self.process.poll(failing=failing)
            await self.process.watch.look()
        self.server.now = self.process.clock.now
        self.server.ticks += seconds

    async def switched(self) -> None:
        """The first source answers with errors until the second one leads."""
        while (await self.process.state(self.ticker_id)).lead.source == "first":
            await self.go_on(first=False)


@asynccontextmanager
async def source_service(url: str, *, third: bool = False, **settings: Any) -> AsyncIterator[SourceService]:
    """The API over a migrated database, with the match at both sources, or three, and nobody's liveblog on it."""
    clock = Clock()
    store = await store_at(url, clock=lambda: clock.now, pool=pool_settings(timeout=60.0))
    await store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
    more = [Second("third")] if third else []
    process = TwoSources(store, MATCH_ID, clock=clock, adapter=Scripted(), more=more)
    parts = {
        "importer": process.importer,
        "providers": frozenset({"heim", "second", "gn-gsd", *(each.id for each in more)}),
    }
    async with serving(store, client_per_second=0, public_per_second=0, parts=parts, **settings) as server:
        server.now = clock.now
        service = SourceService(server, process)
        service.first_says(BEFORE)
        service.second_says(BEFORE)
        if third:
            service.third_says(BEFORE)
        yield service
    await store.close()
