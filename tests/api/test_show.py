"""ticker/show: who sees which liveblog, decorated or compact."""

from functools import partial

import pytest

from mapping.documents.base import parse
from mapping.documents.game import Game
from mapping.match.match import Match, Named, Person, Side, Status
from store.masterdata import masterdata
from tests.kit import matchday

SHOW = "/api/v5/write/ticker/show.json"


@pytest.fixture
async def derby(server):
    await server.add(matchday.derby())
    return server


async def show(server, auth, **params):
    return await server.http.get(SHOW, params={**auth, **params})


async def test_the_liveblog_is_named_by_either_id(derby, auth):
    """`local_id`, `ticker_id` or both, where they agree."""
    by_local = await show(derby, auth, local_id="gderby")
    by_ticker = await show(derby, auth, ticker_id="6a" * 12)
    by_both = await show(derby, auth, ticker_id="6a" * 12, local_id="gderby")

    assert by_local.status_code == 200
    assert by_local.json() == by_ticker.json() == by_both.json()


async def test_all_of_a_decorated_game_is_there(derby, auth):
    """The fields that clients of the interface rely on, `_type` first, and a document that our own model accepts."""
    game = (await show(derby, auth, local_id="gderby")).json()

    assert next(iter(game)) == "_type"
    decorated = {"sportstype", "editors", "summary", "owner", "permissions", "marketplace_info", "custom_template"}
    assert decorated | {"options", "state_info", "scoreboard", "events"} <= game.keys()
    assert game["owner"] == {
        "_type": "Svc::Model::Organization",
        "_id": matchday.ORGANIZATION,
        "name": "Example Newsroom",
    }
    assert game["summary_text"] == "SV Hafenstadt – Alpenverein Bergheim 2-1"
    assert game["editors"] == [{"_type": "Svc::Model::Editor", "_id": "heim", "name": "heim"}]
    assert parse(Game, game).local_id == "gderby"


async def test_editors_see_drafts_and_scheduled_posts_oldest_first(derby, auth):
    """Everything but what is deleted, in the order of `sort`."""
    events = (await show(derby, auth, local_id="gderby")).json()["events"]

    assert [event["local_id"] for event in events] == [*matchday.PUBLIC, "edraft", "elater"]
    assert events[-2]["local_status"] == 60
    assert events[-1]["publish_at"] == matchday.KICK_OFF + 99_999


@pytest.mark.parametrize("compact", ["true", "1"])
async def test_compact_events_hold_six_fields(derby, auth, compact):
    """Ids, version, status, sort and tags; the game itself is whole."""
    game = (await show(derby, auth, local_id="gderby", compact=compact)).json()

    assert {tuple(event) for event in game["events"]} == {
        ("_type", "local_id", "version", "local_status", "sort", "tag_ids")
    }
    assert game["scoreboard"]["score"]["home_score"] == "2"


async def test_references_are_resolved(server, auth):
    """A team named by `_id` alone is shown with what master data knows of it; what the document says wins."""
    people = (Person(ext_id="p1", name="Ole Brandt", number="1", position="keeper"),)
    home, away = Side(ext_id="t1", name="SV Hafenstadt", short_name="HAF", lineup=people), Side(ext_id="t2", name="AVB")
    match = Match(
        provider="heim",
        match_id="1",
        sport="soccer",
        status=Status.LIVE,
        home=home,
        away=away,
        tournament=Named(ext_id="c1", name="Küstencup"),
    )
    known = await server.store.write(
        partial(masterdata.import_match, owner_id=matchday.ORGANIZATION, source="heim", match=match)
    )
    teams = {"_type": "Svc::Model::Team", "_id": known.teams["t1"]}
    player = {"_type": "Svc::Model::Player", "_id": known.players["p1"], "number": "12"}
    meta = {
        "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
        "home_team": teams,
        "tournament": {"_type": "Svc::Model::Tournament", "_id": known.tournament},
    }
    document = {"meta_info": meta, "squads": {"home": {"team": teams, "lineup": [player], "bench": []}}}
    await server.add(matchday.Liveblog(document=document))

    game = (await show(server, auth, local_id="gderby")).json()

    assert game["meta_info"]["home_team"]["name"] == "SV Hafenstadt"
    assert game["meta_info"]["home_team"]["short_name"] == "HAF"
    assert game["meta_info"]["tournament"]["name"] == "Küstencup"
    shown = game["squads"]["home"]["lineup"][0]
    assert (shown["name"], shown["number"]) == ("Ole Brandt", "12")


async def test_head_gives_the_headers_alone(derby, auth):
    """The same status and length, no body."""
    full = await show(derby, auth, local_id="gderby")
    head = await derby.http.head(SHOW, params={**auth, "local_id": "gderby"})

    assert head.status_code == 200
    assert head.headers["content-length"] == full.headers["content-length"]
    assert head.content == b""
    assert full.headers["cache-control"] == "no-store"
