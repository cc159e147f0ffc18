"""Tournaments, teams and players that documents give by their name are records of the owner, made on the fly."""

import pytest

from tests.kit import matchday
from tests.kit.event_desk import DESK, Desk, post

WRITE = "/api/v5/write"
SCORER = "Svc::Model::Content::SportEventPlayer"


@pytest.fixture
async def desk(public):
    await public.add(matchday.derby())
    return Desk(public.http)


async def listed(desk, noun, **query):
    response = await desk.http.get(f"{WRITE}/{noun}/index.json", params=query, auth=DESK)
    assert response.status_code == 200
    return response.json()["objects"]


def goal(*players, **more):
    parts = [{"_type": SCORER, "event_player_type": "scorer", "player": each} for each in players]
    block = {"_type": "Svc::Model::Content::SportEventContentBlock", "event_type": "soccer.goal", "players": parts}
    return {**block, **more}


async def test_a_tournament_by_name_is_made_once(desk):
    """A second liveblog names the same one, as a change of the meta info does; the answer has its id."""
    meta = {
        "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
        "home_team": {"name": "A"},
        "away_team": {"name": "B"},
        "tournament": {"_type": "Svc::Model::Tournament", "name": "Küstencup"},
    }
    draft = {
        "_type": "Svc::Model::Game",
        "organization_id": matchday.ORGANIZATION,
        "template_id": "soccer",
        "meta_info": meta,
    }
    games = [(await desk.http.post(f"{WRITE}/ticker/create.json", json=draft, auth=DESK)).json() for _ in range(2)]

    (record,) = await listed(desk, "tournament", q="Küstencup")
    assert [each["meta_info"]["tournament"]["_id"] for each in games] == [record["_id"]] * 2
    assert (record["name"], record["sportstype"], record["owner_id"]) == ("Küstencup", "soccer", matchday.ORGANIZATION)


async def test_players_and_teams_of_a_post_by_name(desk):
    """Each is made once, also where a post names it twice; what the post says beside the name stays."""
    kim = {"_type": "Svc::Model::Player", "name": "Kim Neu", "number": "7"}
    team = {"_type": "Svc::Model::Team", "name": "Neue Elf"}
    incident = goal(kim, kim, team=team)
    written = await desk.create(post(local_id="eone", sport_event=incident))
    second = await desk.create(post(local_id="etwo", sport_event=goal(kim)))
    changed = await desk.update("etwo", {"sport_event": goal({**kim, "number": "8"})})

    (record,) = await listed(desk, "player", q="Kim Neu")
    (club,) = await listed(desk, "team", q="Neue Elf")
    for event in (written, second, changed):
        assert {each["player"]["_id"] for each in event["sport_event"]["players"]} == {record["_id"]}
    assert written["sport_event"]["team"]["_id"] == club["_id"]
    assert written["sport_event"]["players"][0]["player"]["number"] == "7"
    assert changed["sport_event"]["players"][0]["player"]["number"] == "8"
    assert await desk.create(post(local_id="eone", sport_event=incident)) == written


async def test_who_has_an_id_is_no_new_record(desk):
    """Of an import, by `local_id`; or nobody, without a name."""
    people = [{"_type": "Svc::Model::Player", "local_id": "p9", "name": "Imp Ort"}, {"number": "3"}]
    await desk.create(post(sport_event=goal(*people)))

    assert await listed(desk, "player") == []


async def test_a_player_card_and_the_older_form_name_players_too(desk):
    """Wherever a post shows a player."""
    card = {"_type": "Svc::Model::Content::PlayerCardContentBlock", "player": {"name": "Card Player"}, "title": "Man"}
    info = {"_type": "Svc::Model::EventInfo::BasicEventInfo", "event_type": 1, "player": {"name": "Old Player"}}
    await desk.create(post(contents=[card]))
    await desk.create({"_type": "Svc::Model::Event", "event_info": info})

    assert {each["name"] for each in await listed(desk, "player")} == {"Card Player", "Old Player"}
