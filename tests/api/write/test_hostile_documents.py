"""Whatever strangers send: a clear 4xx or a document, never a 500, and nothing is written where it is refused."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.clients import clients
from tests.api.conftest import NOW, contents, serving
from tests.kit import matchday
from tests.kit.desk import BOARD, META, Desk, change, match, news, permission, player, team, tournament
from tests.kit.examples import examples
from tests.kit.hostile import places, spoilt
from tests.kit.opening import store_at
from tests.kit.sqlite import migrated_url

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**65), 2**65),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(st.characters(), max_size=12),
    st.sampled_from(
        ["", "\0", "\ud800", "Svc::Model::Team", "Svc::Model::Game", "x" * 5000, "2147483648", matchday.OTHER]
    ),
)
VALUES: SearchStrategy = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["_id", "_type", "name", "title", "\0", "text"]), inner, max_size=3)
    ),
    max_leaves=6,
)
GOOD = {
    "player/create": player(ext_id=None, team_id=None, number="9", birthdate=1, gender="m", image=None, weight=1),
    "player/update": {"_id": "x", "name": "x", "country": "DE", "height": 1},
    "team/create": team(short_name="HAF", image=None),
    "team/update": {"_id": "x", "name": "x"},
    "tournament/create": tournament(),
    "tournament/update": {"_id": "x", "name": "x"},
    "ticker/create": match(
        scoreboard={"_type": f"{BOARD}TeamGameScoreboard", "home_team": {"name": "A"}, "score": {"home_score": "1"}},
        options={"_type": "Svc::Model::Options::TimedGameOptions", "num_regular_phases": 2},
        tags=["a", {"name": "b"}],
        permissions=[permission("x")],
        locale="de",
        external_id="1",
        marketplace_info={"pricing": {"_id": "x"}},
    ),
    "ticker/post_modifications": {
        "local_id": "gderby",
        "modifications": [
            change("UpdateGameMetaInfo", meta_info={"_type": f"{META}TitleGameMetaInfo", "title": "x", "starts_at": 1}),
            change("UpdateGameScoreInfo", score_info={"home_score": 1}),
            change("UpdateGameState", state_info={"_type": "Svc::Model::GameStateInfo::RankedGameStateInfo"}),
            change("DeletePermission", refid="x"),
        ],
    },
}


@st.composite
def hostile(draw):
    """An operation, and its good document with up to three values replaced."""
    path = draw(st.sampled_from(sorted(GOOD)))
    document = GOOD[path]
    for _ in range(draw(st.integers(1, 3))):
        if where := list(places(document)):
            document = spoilt(document, draw(st.sampled_from(where)), draw(VALUES))
    return path, document


async def check(server, path, body):
    before = await contents(server)
    response = await server.http.post(f"/api/v5/write/{path}.json", content=body, auth=("desk", matchday.SECRET))
    if response.status_code == 200:
        assert response.json()["_type"].startswith("Svc::Model::")
        return
    assert response.status_code in {400, 403, 404, 409, 422}, response.text
    assert {"code", "message", "retryable"} <= set(response.json())
    assert await contents(server) == before


@pytest.fixture
async def derby(server):
    await server.add(matchday.derby())
    return server


MANY = settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@MANY
@given(st.data())
def test_strange_documents_are_refused_without_a_trace(loop_server, data):
    """Good documents with strange values in them, some of which are fine."""
    loop, server = loop_server
    path, document = data.draw(hostile())
    body = json.dumps(document).encode("utf-8", "surrogatepass")
    loop.run_until_complete(check(server, path, body))


@MANY
@given(path=st.sampled_from(sorted(GOOD)), body=st.binary(max_size=60) | VALUES.map(lambda v: json.dumps(v).encode()))
def test_strange_bodies_are_refused_without_a_trace(loop_server, path, body):
    """Bytes that are no JSON, and JSON that is no document."""
    loop, server = loop_server
    loop.run_until_complete(check(server, path, body))


@MANY
@given(
    path=st.sampled_from(["player/index", "team/index", "tournament/index", "ticker/search", "player/show"]),
    query=st.dictionaries(
        st.sampled_from(["q", "owner_id", "limit", "page", "more", "timeframe", "tag", "team_id", "_id", "sportstype"]),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
        max_size=3,
    ),
)
def test_strange_questions_are_answered_or_refused(loop_server, path, query):
    """A page, or a clear 4xx."""
    loop, server = loop_server
    response = loop.run_until_complete(Desk(server.http).get(path, **query))

    assert response.status_code in {200, 400, 403, 404}, response.text


@pytest.fixture
def loop_server(tmp_path):
    """A server in a loop of its own, because hypothesis calls plain functions."""
    loop = asyncio.new_event_loop()

    async def start():
        store = await store_at(migrated_url(tmp_path / "hostile.db"), clock=lambda: NOW - 60)
        await store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
        running = serving(store, client_per_second=0, public_per_second=0)
        server = await running.__aenter__()
        await server.add(matchday.derby())
        return store, running, server

    store, running, server = loop.run_until_complete(start())
    yield loop, server
    loop.run_until_complete(running.__aexit__(None, None, None))
    loop.run_until_complete(store.close())
    loop.close()


async def test_the_good_documents_are_good(derby, desk):
    """What is spoilt above would be understood as it is: only what it refers to is missing."""
    for path, body in GOOD.items():
        response = await desk.post(path, body)
        assert response.status_code == 200 or response.json().get("field") in {"_id", "marketplace_info.pricing._id"}, (
            path
        )
    assert (await desk.read("ticker/search", q=news()["meta_info"]["title"]))["total"] == 0
