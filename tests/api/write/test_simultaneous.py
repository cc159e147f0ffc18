"""Clients that write at the same time, on both databases: one liveblog for an `external_id`, no lost modification."""

import asyncio
from functools import partial

import pytest

from store.clients import clients
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.kit.desk import Desk, change, good, match, permission, player
from tests.kit.opening import store_at
from tests.kit.sqlite import migrated_url

GRANTED = tuple(f"partner{index}" for index in range(8))


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return migrated_url(tmp_path / "both.db")
    return request.getfixturevalue("postgres_url")


@pytest.fixture
async def desk(url):
    store = await store_at(url, clock=lambda: NOW - 60, migrate=True)
    granted = (matchday.client(each, "write", organization=matchday.OTHER) for each in GRANTED)
    await store.write(partial(clients.declare, declared=(*matchday.CLIENTS, *granted)))
    async with serving(store, client_per_second=0) as server:
        yield Desk(server.http)
    await store.close()


async def test_one_liveblog_for_an_external_id(desk):
    """Eight clients create it, each gets the same, and its teams are made once."""
    made = await asyncio.gather(*(desk.made("ticker/create", match(external_id="7")) for _ in range(8)))

    assert len({game["ticker_id"] for game in made}) == 1
    assert (await desk.read("ticker/search"))["total"] == 1
    assert (await desk.read("team/index"))["total"] == 2


async def test_no_modification_is_lost(desk):
    """Eight at once are eight steps, each with its effect; of eight with the same `If-Match` one wins."""
    game = await desk.made("ticker/create", match())
    grants = [change("UpsertPermission", permission=permission(each, "Client")) for each in GRANTED]
    await asyncio.gather(*(desk.modify(game, grant) for grant in grants))
    shown = await desk.read("ticker/show", local_id=game["local_id"])

    assert shown["version"] == 9
    assert {each["refid"] for each in shown["permissions"]} == set(GRANTED)
    scores = [change("UpdateGameScoreInfo", score_info={"home_score": index}) for index in range(8)]
    raced = await asyncio.gather(*(desk.modify(game, score, If_Match="9") for score in scores))
    assert sorted(response.status_code for response in raced) == [200, *[409] * 7]


async def test_an_ext_id_may_be_given_several_times_at_once(desk):
    """Eight clients record a player under it, each gets a record of its own."""
    made = await asyncio.gather(*(desk.made("player/create", player(ext_id="7")) for _ in range(8)))

    assert len({each["_id"] for each in made}) == 8
    assert {each["ext_id"] for each in made} == {"7"}


async def test_updates_of_one_record_add_up(desk):
    """Fields that different clients change at once all stay."""
    made = await desk.made("player/create", player())
    texts = ("short_name", "about", "facebook", "twitter", "instagram", "number", "position")
    base = {"_id": made["_id"], "name": made["name"]}
    for response in await asyncio.gather(*(desk.post("player/update", {**base, name: name}) for name in texts)):
        good(response)

    shown = await desk.read("player/show", _id=made["_id"])
    assert {name: shown[name] for name in texts} == {name: name for name in texts}
