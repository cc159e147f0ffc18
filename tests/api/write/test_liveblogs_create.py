"""Liveblogs that clients create: with a title or with teams, once for an `external_id`."""

from functools import partial

import pytest

from store.masterdata.declarations import Declaration, declare
from tests.kit import matchday
from tests.kit.desk import BOARD, META, TEAM, good, match, news, refused, team, team_meta

ORGANIZATION = matchday.ORGANIZATION
DECLARED = (
    Declaration(owner_id=ORGANIZATION, kind="template", id="cup-special", fields={"sportstype": "soccer"}),
    Declaration(owner_id=ORGANIZATION, kind="pricing", id="gold", fields={"name": "Gold"}),
    Declaration(owner_id=ORGANIZATION, kind="tag", id="tag1", fields={"name": "Derby"}),
    Declaration(owner_id=ORGANIZATION, kind="location", id="kai", fields={"name": "Stadion am Kai", "city": "Kiel"}),
    Declaration(owner_id=matchday.OTHER, kind="pricing", id="theirs", fields={}),
)


@pytest.fixture
async def declared(server):
    await server.store.write(partial(declare, declared=DECLARED))


async def total(desk, path="ticker/search"):
    return (await desk.read(path, limit=1))["total"]


async def test_a_title_is_enough(desk):
    """A news liveblog is its title; it starts published, at version 1."""
    game = await desk.made("ticker/create", news())

    assert (game["version"], game["local_status"], game["sportstype"]) == (1, 0, "news")
    assert game["meta_info"]["title"] == game["summary_text"] == "Storm warning"
    assert game["local_id"].startswith("g")
    assert game["owner"]["_id"] == ORGANIZATION
    assert game == await desk.read("ticker/show", ticker_id=game["ticker_id"])


async def test_new_teams_are_created_once(desk):
    """A team by name becomes master data; the scoreboard's team of the same side and name is the same one."""
    names = {"home_team": {"name": "SV Hafenstadt", "short_name": "HAF"}, "away_team": {"name": "AV Bergheim"}}
    board = {"_type": f"{BOARD}TeamGameScoreboard", **names, "score": {"home_score": "0", "away_score": "0"}}
    body = match(*names.values(), scoreboard=board)

    game = await desk.made("ticker/create", body)

    home, away = (game["meta_info"][side] for side in ("home_team", "away_team"))
    assert (
        game["scoreboard"]["home_team"]["_id"] == home["_id"] != away["_id"] == game["scoreboard"]["away_team"]["_id"]
    )
    assert game["meta_info"]["title"] == "SV Hafenstadt – AV Bergheim"
    assert await desk.read("team/show", _id=home["_id"]) == {
        "_type": TEAM, "_id": home["_id"], "owner_id": ORGANIZATION, "sportstype": "soccer",
        "name": "SV Hafenstadt", "short_name": "HAF",
    }  # fmt: skip
    assert await total(desk, "team/index") == 2


async def test_known_teams_are_resolved_and_follow_their_record(desk):
    """A reference by `_id` shows the record as it is now, whatever a client says beside it."""
    home = await desk.made("team/create", team())
    game = await desk.made("ticker/create", match({"_type": TEAM, "_id": home["_id"], "name": "Something else"}))
    await desk.made("team/update", {"_id": home["_id"], "name": "SV Hafenstadt 1899"})

    shown = await desk.read("ticker/show", local_id=game["local_id"])
    assert shown["meta_info"]["home_team"]["name"] == "SV Hafenstadt 1899"


async def test_an_external_id_names_one_liveblog(desk):
    """`<organization>_<external_id>`; the same document again is the same liveblog, another one is 409."""
    first = await desk.made("ticker/create", match(external_id="cms-1"))
    again = await desk.made("ticker/create", match(external_id="cms-1"))
    other = await desk.post("ticker/create", news(external_id="cms-1"))

    assert first["local_id"] == f"{ORGANIZATION}_cms-1"
    assert first["external_id"] == "cms-1"
    assert again == first
    assert refused(other) == (409, "external_id")
    assert (await total(desk), await total(desk, "team/index")) == (1, 2)


async def test_two_organizations_may_use_the_same_external_id(desk, stranger):
    """The organization is part of the name."""
    ours = await desk.made("ticker/create", news(external_id="1"))
    theirs = await stranger.made("ticker/create", news(external_id="1", organization_id=matchday.OTHER))

    assert ours["local_id"] != theirs["local_id"]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 422, "_type"),
        ({"_type": "Svc::Model::Game"}, 422, "organization_id"),
        (news(organization_id=None), 422, "organization_id"),
        (news(organization_id=matchday.OTHER), 403, "organization_id"),
        (news(organization_id="nobody"), 403, "organization_id"),
        (news(template_id=""), 422, "template_id"),
        (news(template_id="5f0c1de2a1b2c3d4e5f60999"), 422, "template_id"),
        (news(template_id="No Such Template"), 422, "template_id"),
        (news(meta_info=None), 422, "meta_info._type"),
        (news(meta_info={"title": "x"}), 422, "meta_info._type"),
        (news(locale="tlh"), 422, "locale"),
        (news(tags=[""]), 422, "tags.0"),
        (news(tags=["x" * 300]), 422, "tags.0"),
        (news(tags=[{"_id": "unknown"}]), 422, "tags.0._id"),
        (news(tags=[{}]), 422, "tags.0"),
        (news(marketplace_info={"pricing": {"_id": "unknown"}}), 422, "marketplace_info.pricing._id"),
        (news(marketplace_info={"pricing": {"_id": "theirs"}}), 422, "marketplace_info.pricing._id"),
        (news(permissions=[{"permission": "w"}]), 422, "permissions.0.reftype"),
        (news(external_id="a\nb"), 422, "external_id"),
        (news(external_id="2026/11/derby"), 422, "external_id"),
        (news(external_id="x" * 250), 422, "external_id"),
        (match({"_id": "5f0c1de2a1b2c3d4e5f60999"}), 422, "meta_info.home_team._id"),
        (match({"short_name": "HAF"}), 422, "meta_info.home_team"),
        (match({"_type": "Svc::Model::PlayersTeam", "name": "A/B"}), 422, "meta_info.home_team._type"),
        (match(scoreboard={"_type": "Svc::Unknown"}), 422, "scoreboard._type"),
        (news(meta_info=team_meta({"name": "A"}, {"name": "B"}, location={"_id": "no"})), 422, "meta_info.location._id"),
        (news(meta_info={"_type": f"{META}TitleGameMetaInfo", "starts_at": 10**12}), 422, "meta_info.starts_at"),
        ([], 422, None),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_named_and_nothing_is_written(desk, declared, body, status, field):
    """A clear error with the path, no liveblog, and no team created on the way."""
    assert refused(await desk.post("ticker/create", body)) == (status, field)
    assert await total(desk) == await total(desk, "team/index") == 0


async def test_any_content_type_and_any_prefix_will_do(server, desk):
    """A client that sends JSON as `text/plain`, floats as timestamps, with its own type prefix."""
    body = (
        f'{{"_type": "Other::Model::Game", "organization_id": "{ORGANIZATION}", "template_id": "news", "surplus": 1,'
        ' "meta_info": {"_type": "Other::Model::GameMetaInfo::TitleGameMetaInfo", "starts_at": 1789995600.9}}'
    )
    headers = {"Content-Type": "text/plain"}
    game = good(
        await server.http.post(
            "/api/v5/write/ticker/create.json", content=body, headers=headers, auth=("desk", matchday.SECRET)
        )
    )

    assert game["_type"] == "Other::Model::Game"
    assert game["meta_info"]["starts_at"] == 1_789_995_600
