"""Events of the write API: what is stored, what is answered, what is refused."""

from functools import partial

import pytest

from store.liveblogs import publishing
from store.masterdata import masterdata
from store.masterdata.declarations import Declaration, declare
from store.tables import outbox, players
from tests.kit import matchday
from tests.kit.event_desk import CONTENT, STRANGER, Desk, photo, post, text

TICKER = matchday.Liveblog().ticker_id
BLOCKS = [
    text("<p>Hello <b>there</b></p>"),
    photo(credit="Kim", title="The goal"),
    {"_type": f"{CONTENT}::WebEmbedContentBlock", "url": "https://video.example.org/v/1"},
    {"_type": f"{CONTENT}::QuoteContentBlock", "text": "Well", "author": "Kim", "source": "TV"},
    {"_type": f"{CONTENT}::EmojiContentBlock", "emoji": "⚽", "size": "large"},
    {"_type": f"{CONTENT}::PlayerCardContentBlock", "player": {"name": "Kim", "local_id": "p1"}, "style": "wide"},
    {"_type": f"{CONTENT}::SportEventContentBlock", "event_type": "soccer.goal", "title": "Goal"},
    {"_type": f"{CONTENT}::ScoreboardContentBlock", "note": None},
    {"_type": f"{CONTENT}::PollContentBlock", "question": "Who?", "options": [{"text": "Us"}, {"text": "Them"}]},
    {"_type": f"{CONTENT}::QuizContentBlock", "question": "When?", "correct_option_id": "1"},
]
PLAY = {
    "sportstype": "soccer",
    "event_type": "soccer.goal",
    "title": "Goal",
    "time_of_play": "12'",
    "phase": {"name": "1st half"},
    "score": {"home_score": "1", "away_score": "0"},
    "players": [{"event_player_type": "scorer", "player": {"local_id": "p1", "name": "Kim", "team_local_id": "t1"}}],
}


@pytest.fixture
async def desk(server):
    await server.add(matchday.Liveblog())
    return Desk(server.http)


@pytest.fixture
async def steps(store):
    """The versions of which readers have been notified."""

    async def versions():
        query = outbox.select().order_by(outbox.c.id)
        return [row.version for row in await store.read(lambda conn: conn.execute(query).all())]

    return versions


def player(owner, name):
    return {
        "id": name, "owner_id": owner, "source": "", "ext_id": None, "sportstype": "soccer", "name": f"Name of {name}",
        "doc": {"number": "9"}, "written": {}, "created_at": 1, "updated_at": 1, "team_id": None, "inactive": False,
    }  # fmt: skip


async def test_all_ten_blocks_are_kept_in_their_order(desk):
    """Each block gets an id, open ones keep unknown fields, and an update that sends all back changes nothing."""
    event = await desk.create({"contents": BLOCKS})
    again = await desk.update(event["local_id"], event)

    assert [block["_type"] for block in event["contents"]] == [block["_type"] for block in BLOCKS]
    assert len({block["local_id"] for block in event["contents"]}) == 10
    assert (event["contents"][4]["size"], event["contents"][7]["note"]) == ("large", None)
    assert [option["id"] for option in event["contents"][8]["options"]] == ["1", "2"]
    assert again["contents"] == event["contents"]
    assert again["media"] == event["media"]


async def test_an_incident_keeps_phase_score_and_embedded_players(desk):
    """`sport_event` comes back with all that was said; fields that an update leaves out stay, null clears."""
    event = await desk.create(post(sport_event=PLAY))
    after = await desk.update(event["local_id"], {"sport_event": {"title": "Own goal", "phase": None}})

    assert event["sport_event"]["score"]["home_score"] == "1"
    assert event["sport_event"]["phase"]["name"] == "1st half"
    assert event["sport_event"]["players"][0]["player"]["team_local_id"] == "t1"
    assert after["sport_event"]["title"] == "Own goal"
    assert "phase" not in after["sport_event"]
    assert after["sport_event"]["players"] == event["sport_event"]["players"]


async def test_a_label_is_one_that_the_owner_declares(desk, store):
    """Any other is 422 with its place, and nothing is written; one that stands may stay when it is declared no more."""
    event = await desk.create(post(tag_ids=["b", "a"]))
    for unknown in ("c", matchday.OTHER, "A"):
        tags = {"tag_ids": ["a", unknown]}
        assert await desk.refused("create", post(**tags), ticker_id=TICKER) == (422, "tag_ids.1")
        assert await desk.refused("update", tags, event_local_id=event["local_id"]) == (422, "tag_ids.1")
    foreign = Declaration(owner_id=matchday.OTHER, kind="tag", id="c", fields={"name": "Theirs"})
    pricing = Declaration(owner_id=matchday.ORGANIZATION, kind="pricing", id="d", fields={"name": "No label"})
    await store.write(lambda unit: declare(unit, [foreign, pricing, matchday.TAGS[1]]))
    for unknown in ("a", "c", "d"):
        assert await desk.refused("create", post(tag_ids=[unknown]), ticker_id=TICKER) == (422, "tag_ids.0")
    kept = await desk.update(event["local_id"], {"tag_ids": ["a"]})

    assert (kept["tag_ids"], kept["version"]) == (["a"], 3)


async def test_absent_fields_stay_and_empty_ones_are_cleared(desk):
    """Null and the empty string clear, what is not there is kept."""
    event = await desk.create(post(headline="Head", highlight="milestone", tag_ids=["t1"], sport_event=PLAY))
    kept = await desk.update(event["local_id"], {})
    cleared = await desk.update(
        event["local_id"], {"headline": "", "highlight": None, "tag_ids": None, "contents": None, "sport_event": None}
    )

    names = ("headline", "highlight", "contents", "tag_ids", "sport_event")
    assert {name: kept[name] for name in names} == {name: event[name] for name in names}
    assert (cleared["headline"], cleared["highlight"], cleared["contents"]) == ("", "", [])
    assert not {"tag_ids", "sport_event"} & set(cleared)


@pytest.mark.parametrize(
    ("sent", "highlight", "sticky"),
    [
        ({"highlight": "sticky"}, "sticky", True),
        ({"highlight": "stickyNoHighlight"}, "stickyNoHighlight", True),
        ({"highlight": "inplace"}, "inplace", False),
        ({"is_sticky": True}, "sticky", True),
        ({"is_sticky": False}, "", False),
        ({"highlight": "milestone", "is_sticky": False}, "milestone", False),
    ],
)
async def test_highlight_is_understood_and_given_in_both_forms(desk, sent, highlight, sticky):
    """`is_sticky` is the older form of `highlight`."""
    event = await desk.create(post(**sent))

    assert (event["highlight"], event["is_sticky"]) == (highlight, sticky)


async def test_a_changed_older_highlight_wins_over_one_that_came_back(desk):
    """A client of the older form sends the whole event back with `is_sticky` changed."""
    event = await desk.create(post(highlight="sticky"))
    after = await desk.update(event["local_id"], {**event, "is_sticky": False})

    assert (after["highlight"], after["is_sticky"]) == ("", False)


async def test_markup_is_sanitised_when_it_is_written(desk):
    """Nothing that could run is stored."""
    event = await desk.create(post('<p onclick="x()">Hi<script>alert(1)</script><a href="javascript:1">a</a></p>'))

    assert event["contents"][0]["text"] == '<p>Hi<a rel="noopener noreferrer nofollow">a</a></p>'


async def test_source_url_becomes_a_full_media_entry(desk):
    """The shortcut is expanded in the response, once: the same URL sent again is the same file."""
    event = await desk.create({"contents": [photo(title="Goal")]})
    [file], item = event["media"], event["contents"][0]["items"][0]
    again = await desk.update(event["local_id"], {"contents": [photo(title="Goal", credit="Kim")]})

    assert (file["url"], file["subtype"], file["local_status"], file["duration_ms"]) == (
        "https://img.example.org/1.jpg", "i", 0, 0,
    )  # fmt: skip
    assert (file["user_id"], file["version"]) == ("desk", 2)
    assert file["created_at"] == file["updated_at"]
    assert item["media_local_id"] == file["local_id"] == again["contents"][0]["items"][0]["media_local_id"]
    assert again["media"] == [file]
    assert again["contents"][0]["items"][0]["credit"] == "Kim"
    assert again["contents"][0]["local_id"] == event["contents"][0]["local_id"]


async def test_the_older_media_form_gets_its_block(desk):
    """An entry without id, with title and credit, is shown by a block that the service makes."""
    file = {"url": "https://cdn.example.org/clip.mp4", "title": "Clip", "credit": "Kim", "subtype": "v"}
    event = await desk.create(post(media=[file]))

    [item] = event["contents"][1]["items"]
    assert item["_type"] == f"{CONTENT}::VideoMediaContent"
    assert (item["title"], item["credit"], item["media_local_id"]) == ("Clip", "Kim", event["media"][0]["local_id"])


async def test_deleted_files_stay_deleted(desk):
    """`local_status` of a file: 0 and 60 either way, 100 for good."""
    event = await desk.create({"contents": [photo()]})
    file = event["media"][0]
    hidden = await desk.update(event["local_id"], {"media": [{**file, "local_status": 60}]})
    await desk.update(event["local_id"], {"media": [{**file, "local_status": 100}]})

    assert (hidden["media"][0]["local_status"], hidden["media"][0]["version"]) == (60, 3)
    back = {"media": [{**file, "local_status": 0}]}
    assert await desk.refused("update", back, event_local_id=event["local_id"]) == (422, "media.0.local_status")


async def test_references_must_be_visible_to_the_caller(desk, store):
    """An `_id` of one's own resolves; another tenant's and an unknown one are the same 422 with the path."""
    rows = [player(matchday.ORGANIZATION, "p-own"), player(matchday.OTHER, "p-other")]
    await store.write(lambda unit: unit.conn.execute(players.insert(), rows))

    def named(name):
        return post(sport_event={"players": [{"player": {"_type": "Svc::Model::Player", "_id": name}}]})

    event = await desk.create(named("p-own"))
    field = "sport_event.players.0.player._id"
    refused = [await desk.refused("create", named(name), ticker_local_id="gderby") for name in ("p-other", "p-none")]

    assert event["sport_event"]["players"][0]["player"]["name"] == "Name of p-own"
    assert refused == [(422, field), (422, field)]
    assert len(await store.read(lambda conn: masterdata.find(conn, players, ["p-own"]))) == 1


async def test_status_goes_between_published_and_withdrawn_until_deleted(desk, steps):
    """0 and 60 either way, 100 is final; every write is one step, also one that changes nothing."""
    event = (await desk.create(post(local_id="mine")))["local_id"]
    statuses = [(await desk.update(event, {"local_status": status}))["local_status"] for status in (60, 0, 0, 60, 100)]

    assert statuses == [60, 0, 0, 60, 100]
    assert await desk.refused("update", {"local_status": 0}, event_local_id=event) == (404, "event_local_id")
    assert await desk.refused("create", post(local_status=100), ticker_local_id="gderby") == (422, "local_status")
    assert await steps() == [1, 2, 3, 4, 5, 6, 7]


async def test_editorial_publishing_makes_drafts(desk, server):
    """A new post starts at 60 unless its writer says 0; it is in no public read."""
    meta = {**matchday.document()["meta_info"], "editorial_publishing": True}
    await server.add(matchday.Liveblog("gdraft", "6b" * 12, document=matchday.document(meta_info=meta)))
    careful = Desk(server.http, "gdraft")
    draft, clear = await careful.create(), await careful.create(post(local_status=0))

    assert (draft["local_status"], clear["local_status"]) == (60, 0)
    assert await careful.feed() == [clear["local_id"]]
    await careful.update(draft["local_id"], {"local_status": 0})
    assert set(await careful.feed()) == {clear["local_id"], draft["local_id"]}


async def test_a_scheduled_event_waits_without_a_step(desk, server, store, steps):
    """Writers see it, readers do not; at its time a tick steps the version, and it stands at `publish_at`."""
    later = 1_790_000_000 + 3_600
    event = await desk.create(post(local_id="later", publish_at=later, created_at=5))
    edited = await desk.update("later", {"headline": "Soon"})

    assert (event["publish_at"], edited["version"]) == (later, 1)
    assert (await steps(), await desk.feed()) == ([1], [])
    assert [each["local_id"] for each in (await desk.show())["events"]] == ["later"]
    assert (await desk.delta())["events"] == []

    store._backend._clock = lambda: later + 7
    due = await store.read(lambda conn: publishing.due(conn, later + 7))
    published = [await store.write(partial(publishing.publish, game_id=TICKER)) for _ in range(2)]
    [shown] = (await desk.delta(refresh=1))["events"]

    assert (due, published, await steps()) == ([TICKER], [2, None], [1, 2])
    assert (shown["created_at"], shown["version"], "publish_at" in shown) == (later, 2, False)


async def test_clearing_publish_at_publishes_at_once(desk, steps):
    """The event stands at the time of the writing, and steps."""
    await desk.create(post(local_id="later", publish_at=1_990_000_000))
    event = await desk.update("later", {"publish_at": None})

    assert (event["version"], event["created_at"], await steps()) == (2, event["updated_at"], [1, 2])
    assert await desk.feed() == ["later"]


async def test_if_match_stops_whoever_was_slower(desk):
    """The event's or the liveblog's version will do; one from before the last change or after all changes is 409."""
    await desk.create(post(local_id="mine"))
    await desk.create(post(local_id="other"))
    await desk.update("mine", {"headline": "1"}, headers={"If-Match": "2"})
    await desk.update("mine", {"headline": "2"}, headers={"If-Match": '"4"'})

    for version, expected in (("4", 409), ("99", 409), ("x", 400)):
        response = await desk.send("update", {}, event_local_id="mine", headers={"If-Match": version})
        assert (response.status_code, response.json()["field"]) == (expected, "If-Match")
    assert (await desk.send("delete", event_local_id="mine", headers={"If-Match": "2"})).status_code == 409
    stale = await desk.send("create", post(), ticker_local_id="gderby", headers={"If-Match": "1"})
    assert (stale.status_code, (await desk.show())["version"]) == (409, 5)


async def test_another_tenants_id_is_a_conflict_that_reveals_nothing(desk, server):
    """409 for the same document too; the response is that of an id taken by oneself."""
    await desk.create(post(local_id="mine"))
    await server.add(matchday.Liveblog("gtheirs", "6c" * 12, organization_id=matchday.OTHER))
    theirs = await Desk(server.http, "gtheirs", STRANGER).send(
        "create", post(local_id="mine"), ticker_local_id="gtheirs"
    )
    own = await desk.send("create", post("Other", local_id="mine"), ticker_local_id="gderby")

    assert (theirs.status_code, theirs.json()) == (409, own.json())


@pytest.mark.parametrize(
    ("part", "field"),
    [
        ({"contents": [text(local_id="bmine")]}, "contents.0.local_id"),
        ({"media": [{"local_id": "bmine", "url": "https://a.example/b.png"}]}, "media.0.local_id"),
        ({"sport_event": {"local_id": "bmine", "title": "x"}}, "sport_event.local_id"),
    ],
)
async def test_ids_of_parts_belong_to_one_event(desk, server, part, field):
    """A block, file or incident of somebody else keeps its id; given up, it is free."""
    event = await desk.create({"contents": [text(local_id="bmine")]})
    await server.add(matchday.Liveblog("gtheirs", "6c" * 12, organization_id=matchday.OTHER))
    theirs = Desk(server.http, "gtheirs", STRANGER)

    assert await theirs.refused("create", part, ticker_local_id="gtheirs") == (409, field)
    await desk.update(event["local_id"], {"contents": []})
    assert (await theirs.create(part))["version"] == 2


async def test_writes_leave_an_audit_line(desk, capsys):
    """Who, what, version; a repeated creation is none."""
    await desk.create(post(local_id="mine"))
    await desk.create(post(local_id="mine"))
    await desk.delete("mine")
    lines = [line for line in capsys.readouterr().out.splitlines() if "audit.write" in line]

    assert len(lines) == 2
    assert all(
        word in lines[0] for word in ("desk", "event.create", "gderby", "version=2", "record=mine", "request_id")
    )
