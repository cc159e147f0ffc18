"""Who may not: each operation of liveblogs and master data against each kind of caller, and nothing changes."""

from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import func, select

from api.write import liveblogs, players, teams, ticker, tournaments
from store import clients
from store.tables import games, metadata
from tests.api import matchday
from tests.api.write.desk import WRITE, change, match, player, refused, team, tournament

OTHER, MISSING = matchday.OTHER, "5f0c1de2a1b2c3d4e5f60999"
RENAMED = {"name": "Taken over"}
SCORE = change("UpdateGameScoreInfo", score_info={"home_score": 9})
ROUTERS = (players.router, teams.router, tournaments.router, ticker.router, liveblogs.router)
OPERATIONS = {
    route.operation_id: (method, route.path)
    for router in ROUTERS
    for route in router.routes
    if route.include_in_schema
    for method in route.methods
}
ROWS = {
    "player.create": lambda _: player(),
    "player.update": lambda made: {**RENAMED, "_id": made["player"]},
    "player.show": lambda made: {"_id": made["player"]},
    "player.index": lambda _: {"owner_id": matchday.ORGANIZATION},
    "team.create": lambda _: team(),
    "team.update": lambda made: {**RENAMED, "_id": made["team"]},
    "team.show": lambda made: {"_id": made["team"]},
    "team.index": lambda _: {"owner_id": matchday.ORGANIZATION},
    "tournament.create": lambda _: tournament(),
    "tournament.update": lambda made: {**RENAMED, "_id": made["tournament"]},
    "tournament.show": lambda made: {"_id": made["tournament"]},
    "tournament.index": lambda _: {"owner_id": matchday.ORGANIZATION},
    "ticker.create": lambda _: match(),
    "ticker.show": lambda made: {"local_id": made["ticker"]},
    "ticker.search": lambda _: {"owner_id": matchday.ORGANIZATION},
    "ticker.post_modifications": lambda made: {"ticker_id": made["ticker"], "modifications": [SCORE]},
}
"""What a client of the owner would send, by operation."""
NAMED = [name for name in ROWS if not name.endswith(("create", "index", "search"))]
CALLERS = {
    "nobody": (None, 401),
    "wrong secret": (("desk", "wrong"), 401),
    "unknown": (("who", matchday.SECRET), 401),
    "revoked": (("temp", matchday.SECRET), 401),
    "wrong scope": (("stats-only", matchday.SECRET), 403),
    "other tenant": (("stranger", matchday.SECRET), None),
}


@pytest.fixture
async def made(server, desk):
    """The owner's records, and a client that was revoked."""
    await server.store.write(partial(clients.create, spec=matchday.client("temp", "read", "write")))
    await server.store.write(partial(clients.revoke, client_id="temp"))
    return {
        "player": (await desk.made("player/create", player()))["_id"],
        "team": (await desk.made("team/create", team()))["_id"],
        "tournament": (await desk.made("tournament/create", tournament()))["_id"],
        "ticker": (await desk.made("ticker/create", match()))["ticker_id"],
    }


async def ask(server, operation, content, auth):
    method, path = OPERATIONS[operation]
    sent = {"json": content} if method == "POST" else {"params": content}
    return await server.http.request(method, path, auth=auth, **sent)


async def contents(server):
    """Everything that is stored."""

    def read(conn):
        return {name: conn.execute(select(table)).all() for name, table in metadata.tables.items()}

    return await server.store.read(read)


def test_every_operation_has_a_row():
    """An operation without a row fails."""
    assert set(ROWS) == set(OPERATIONS)
    assert len(ROWS) == 16


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("operation", ROWS)
async def test_nobody_else_gets_in(server, made, operation, caller):
    """401, 403 or 404, and nothing is written."""
    auth, status = CALLERS[caller]
    before = await contents(server)

    answer = await ask(server, operation, ROWS[operation](made), auth)

    assert refused(answer)[0] == (status or (404 if operation in NAMED else 403))
    assert await contents(server) == before


@pytest.mark.parametrize("operation", ["player.create", "team.create", "tournament.create", "ticker.create"])
async def test_reading_is_not_writing(server, made, operation):
    """The scope `read` changes nothing."""
    answer = await ask(server, operation, ROWS[operation](made), ("reader", matchday.SECRET))

    assert refused(answer)[0] == 403


@pytest.mark.parametrize("operation", NAMED)
async def test_what_is_not_theirs_does_not_exist(server, made, operation):
    """The answer to another tenant is the one for a record that is not there."""
    stranger = ("stranger", matchday.SECRET)
    theirs = await ask(server, operation, ROWS[operation](made), stranger)
    missing = await ask(server, operation, ROWS[operation](dict.fromkeys(made, MISSING)), stranger)

    assert (theirs.status_code, theirs.json()) == (missing.status_code, missing.json())


async def test_the_stored_owner_decides(server, desk, stranger, made):
    """An owner in the document makes no difference: neither to change a record, nor to move one."""
    claim = {"_id": made["team"], "owner_id": OTHER, **RENAMED}
    assert refused(await stranger.post("team/update", claim)) == (404, "_id")

    moved = await desk.made("team/update", claim)
    assert moved["owner_id"] == matchday.ORGANIZATION


async def test_a_player_joins_teams_of_its_client_alone(desk, stranger, made):
    """Another tenant's team is as unknown as a missing one."""
    for team_id in (made["team"], MISSING):
        body = player(owner_id=OTHER, team_id=team_id)
        assert refused(await stranger.post("player/create", body)) == (422, "team_id")


async def test_searches_show_own_records_alone(server, stranger, made):
    """Without an owner they search what is the client's, which is nothing here."""
    for path in ("player/index", "team/index", "tournament/index", "ticker/search"):
        found = await stranger.read(path)
        assert (found["total"], found["objects"]) == (0, [])
    assert await server.store.read(lambda conn: conn.scalar(select(func.count()).select_from(games))) == 1


async def test_paths_of_the_rows_are_those_of_the_write_api():
    """All below one prefix."""
    assert all(path.startswith(f"{WRITE}/") for _, path in OPERATIONS.values())
