"""Eight clients at once: whatever they do, versions have no gap, and whoever knows one version is led to the last."""

import asyncio
import random

import pytest

from store.clients import clients
from store.tables import outbox
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.kit.desk import BOARD, META, change, permission
from tests.kit.event_desk import DESK, Desk, applied, post
from tests.kit.opening import store_at
from tests.kit.sqlite import migrated_url

MODIFY = "/api/v5/write/ticker/post_modifications.json"
WHOLE = 1000
"""Posts on one page: more than there are, so that a read is of one moment."""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.proof)])
def database(request, tmp_path):
    """The address of an empty database, once of each kind."""
    return migrated_url(tmp_path / "test.db") if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.fixture
async def server(database):
    store = await store_at(database, migrate=True, clock=lambda: NOW - 60)
    try:
        await store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
        async with serving(store, client_per_second=0, public_per_second=0) as running:
            await running.add(matchday.Liveblog())
            yield running
    finally:
        await store.close()


@pytest.fixture
def desk(server):
    return Desk(server.http)


class Newsroom:
    """Clients that create, edit, delete and modify at random, and what they know exists."""

    ACTS = ("create", "create", "edit", "edit", "hide", "delete", "modify")

    def __init__(self, desk, seed):
        self.desk, self.random, self.known = desk, random.Random(seed), []

    async def work(self, steps):
        for _ in range(steps):
            await getattr(self, self.random.choice(self.ACTS))()

    async def create(self):
        at = {"created_at": self.random.randrange(1000)} if self.random.random() < 0.5 else {}
        self.known.append((await self.desk.create(post(str(self.random.random()), **at)))["local_id"])

    async def edit(self):
        await self._change({"headline": str(self.random.random()), "created_at": self.random.randrange(1000)})

    async def hide(self):
        await self._change({"local_status": self.random.choice((0, 60))})

    async def delete(self):
        if self.known:
            await self.desk.delete(self.random.choice(self.known))

    async def modify(self):
        """Up to three modifications at once, sometimes none, sometimes one that is refused with all the others."""
        chosen = self.random.sample(self._modifications(), self.random.randrange(4))
        wrong = self.random.random() < 0.2
        body = {"local_id": self.desk.liveblog, "modifications": [*chosen, *([change("Unknown")] if wrong else [])]}
        response = await self.desk.http.post(MODIFY, json=body, auth=DESK)
        assert response.status_code == (422 if wrong else 200), response.text

    def _modifications(self):
        goals = self.random.randrange(9)
        score = {"_type": f"{BOARD}ScoreboardScore", "home_score": str(goals), "away_score": "0"}
        state = {
            "_type": "Svc::Model::GameStateInfo::TimeBasedGameStateInfo",
            "gamestate": 1,
            "recurrence": 1 + goals % 2,
        }
        shown = {"_type": "Svc::Model::ScoreInfo::TeamGameScoreInfo", "home_score": goals, "away_score": goals}
        return (
            change("UpdateGameMetaInfo", meta_info={"_type": f"{META}TeamGameMetaInfo", "title": f"Derby {goals}"}),
            change("UpdateGameMarketplaceInfo", marketplace_info={"detail": f"{goals}"}),
            change("UpsertScoreboard", scoreboard={"_type": f"{BOARD}TeamGameScoreboard", "score": score}),
            change("UpdateGameState", state_info=state),
            change("UpdateGameOptions", options={"_type": "Svc::Model::Options::BasicGameOptions", "goals": goals}),
            change("UpdateGameScoreInfo", score_info=shown),
            change("UpsertPermission", permission=permission(matchday.OTHER)),
            change("DeletePermission", refid=matchday.OTHER),
        )

    async def _change(self, body):
        if self.known:
            response = await self.desk.send("update", body, event_local_id=self.random.choice(self.known))
            assert response.status_code in {200, 404}  # deleted by another client


@pytest.mark.parametrize("seed", [0, *(pytest.param(each, marks=pytest.mark.proof) for each in (1, 2))])
async def test_eight_clients_at_once_leave_no_gap_and_deltas_rebuild_the_whole(desk, server, seed):
    """Versions are 1..n, and from any version that a reader has held the delta leads to the full read."""
    room = Newsroom(desk, seed)
    seen = {}
    done = asyncio.Event()

    async def look():
        while not done.is_set():
            version, events = await desk.whole(limit=WHOLE)
            seen[version] = events
            await asyncio.sleep(0)

    looking = asyncio.create_task(look())
    await asyncio.gather(*(room.work(12) for _ in range(8)))
    done.set()
    await looking
    query = outbox.select().order_by(outbox.c.id)
    versions = [row.version for row in await server.store.read(lambda conn: conn.execute(query).all())]
    last, full = await desk.whole()

    assert versions == list(range(1, last + 1))
    assert last > 40
    assert set(await desk.feed()) == set(full)
    assert len(seen) >= 3
    for version, kept in seen.items():
        assert applied(kept, (await desk.whole(refresh=version))[1]) == full
