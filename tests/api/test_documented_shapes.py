"""Fields in the shapes that clients of the service know from its documentation: `summary`, `editors`, `editor`, `comments`."""

import pytest

from tests.kit import matchday
from tests.kit.event_desk import Desk, photo, post
from tests.kit.settings import configure

REF = {"_type", "local_id", "version", "local_status", "sort", "created_at"}


class KnownClient:
    """Reads a liveblog as the documentation of its fields says: by names and kinds, and by nothing else."""

    def __init__(self, game):
        self.game, self.summary = game, game["summary"]

    def newest(self):
        return self.summary["first_event"]["local_id"]

    def oldest(self):
        return self.summary["last_event"]["local_id"]

    def listed(self, name):
        return [ref["local_id"] for ref in self.summary[name]["refs"]]

    def of_player(self, name):
        (found,) = [each for each in self.summary["players"] if each["local_id"] == name]
        return [ref["local_id"] for ref in found["refs"]]

    def counts(self):
        return tuple(self.summary[f"{each}_cnt"] for each in ("event", "image", "video", "comment_channel"))


@pytest.fixture
async def derby(public):
    await public.add(matchday.derby())
    desk = Desk(public.http)
    await desk.create(post("Fans", local_id="efans", contents=[photo(), photo("https://img.example.org/2.jpg")]))
    await desk.create(post("Half-way", local_id="emark", highlight="milestone", headline="Half-way"))
    await desk.create(
        post("Hidden", local_id="esecret", contents=[photo("https://img.example.org/3.jpg")], local_status=60)
    )
    return desk


async def games(desk, auth):
    shown = await desk.show()
    found = await desk.http.get("/api/v5/write/ticker/search.json", params=auth)
    return [shown, (await desk.delta())["game"], *found.json()["objects"]]


async def test_the_summary_of_a_game_is_an_object(derby, auth):
    """In show, search and the delta read: published posts alone, each named by id, version, status, place and time."""
    for game in await games(derby, auth):
        client = KnownClient(game)
        assert (client.newest(), client.oldest()) == ("emark", matchday.PUBLIC[0])
        assert client.listed("milestones") == ["emark", "ewinner"]
        assert client.listed("goals") == ["ewinner", "equal", "egoal"]
        assert client.counts() == (len(matchday.PUBLIC) + 2, 2, 0, 0)
        assert client.summary["first_event"].keys() == REF
        assert client.summary["milestones"]["version"] == str(client.summary["first_event"]["version"])
        assert game["summary_text"] == "SV Hafenstadt – Alpenverein Bergheim 2-1"


async def test_players_of_a_summary_have_the_posts_in_which_they_took_part(derby):
    """By the id of the player."""
    player = {"_type": "Svc::Model::Player", "local_id": "p77", "name": "Kim"}
    part = {"_type": "Svc::Model::Content::SportEventPlayer", "event_player_type": "scorer", "player": player}
    incident = {
        "_type": "Svc::Model::Content::SportEventContentBlock",
        "event_type": "soccer.goal",
        "players": [part, part],
    }
    for name in ("eone", "etwo"):
        await derby.create(post("Goal", local_id=name, sport_event=incident))
    game = KnownClient((await derby.delta())["game"])

    assert game.of_player("p77") == ["etwo", "eone"]
    assert game.listed("goals")[:2] == ["etwo", "eone"]


async def test_editors_are_objects_and_no_reader_sees_them(derby):
    """Of a game a list, of an event one; what a client sends back in either form is ignored."""
    written = await derby.create(post("New", local_id="enew"))
    game = await derby.show()
    changed = await derby.update("enew", {**written, "headline": "Changed"})
    plain = await derby.update("enew", {**written, "headline": "Again", "editor": "desk", "comments": 3})

    desk = {"_type": "Svc::Model::Editor", "_id": "desk", "name": "desk"}
    assert desk in game["editors"]
    assert all(each["_type"] == "Svc::Model::Editor" for each in game["editors"])
    assert changed["editor"] == plain["editor"] == desk
    assert {each["local_id"]: each for each in (await derby.show())["events"]}["enew"]["editor"] == desk
    assert "desk" not in (await derby.http.get("/api/v6/ticker/show.json", params={"id": "gderby"})).text


async def test_comments_of_an_event_are_an_object(derby, public):
    """Its channel and how many there are, where the organization takes comments."""
    assert all("comments" not in each for each in (await derby.show())["events"])
    configure(public.services.settings, matchday.ORGANIZATION, comments="post")
    shown = {each["local_id"]: each for each in (await derby.show())["events"]}
    delta = {each["local_id"]: each for each in (await derby.delta())["events"]}

    channel = {"_type": "Svc::Model::EventComments", "channel_id": "emark", "count": 0}
    assert shown["emark"]["comments"] == delta["emark"]["comments"] == channel
    again = await derby.update("emark", {**shown["emark"], "headline": "Three quarters"})
    assert again["headline"] == "Three quarters"
