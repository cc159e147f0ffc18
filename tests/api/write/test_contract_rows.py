"""Rows of the interface that are easily broken, each by its own test: what is required, refused, free again or the same again."""

import json
from functools import partial
from xml.etree import ElementTree as ET

import pytest

from store.masterdata.declarations import Declaration, declare
from tests.api.conftest import contents
from tests.kit import matchday
from tests.kit.desk import BOARD, META, change, good, match, news, permission, refused
from tests.kit.event_desk import CONTENT, DESK, photo, post, text
from tests.kit.event_desk import Desk as Posts
from tests.kit.harmless import active_parts

STATE = {"_type": "Svc::Model::GameStateInfo::TimeBasedGameStateInfo", "gamestate": 1}
TIMED = {"_type": "Svc::Model::Options::TimedGameOptions"}
SCORE = {"_type": "Svc::Model::ScoreInfo::TeamGameScoreInfo", "home_score": 1, "away_score": 0}


async def test_the_type_is_first_in_every_object(desk):
    """Also in a meta info that has become another kind, and in what modifications clear and set."""
    game = await desk.made("ticker/create", match(scoreboard={"_type": f"{BOARD}TeamGameScoreboard"}))
    meta = {"title": "Calm", "_type": f"{META}TitleGameMetaInfo"}
    changed = good(await desk.modify(game, change("UpdateGameMetaInfo", meta_info=meta)))
    await Posts(desk.http, game["local_id"]).create(post(sport_event={"title": "Goal", "event_type": "soccer.goal"}))
    shown, found = await desk.read("ticker/show", local_id=game["local_id"]), await desk.read("ticker/search")

    assert [_misplaced(each) for each in (game, changed, shown, found)] == [[], [], [], []]


def _misplaced(value, path=""):
    if isinstance(value, list):
        return [found for index, each in enumerate(value) for found in _misplaced(each, f"{path}.{index}")]
    if not isinstance(value, dict):
        return []
    wrong = [path] if "_type" in value and next(iter(value)) != "_type" else []
    return wrong + [found for name, each in value.items() for found in _misplaced(each, f"{path}.{name}")]


@pytest.mark.parametrize(
    ("name", "kind", "value"),
    [
        ("scoreboard", "UpsertScoreboard", {"_type": f"{BOARD}TeamGameScoreboard"}),
        ("options", "UpdateGameOptions", TIMED),
        ("state_info", "UpdateGameState", STATE),
        ("score_info", "UpdateGameScoreInfo", SCORE),
    ],
)
async def test_news_has_no_match(desk, name, kind, value):
    """Scoreboard, options, state and score belong to a sport; they are fine once the liveblog is one."""
    game = await desk.made("ticker/create", news())
    to_sport = change(
        "UpdateGameMetaInfo", sportstype="soccer", meta_info={"_type": f"{META}TitleGameMetaInfo", "title": "Cup"}
    )
    if name in {"scoreboard", "options"}:
        assert refused(await desk.post("ticker/create", news(**{name: value}))) == (422, name)
    assert refused(await desk.modify(game, change(kind, **{name: value}))) == (422, f"modifications.0.{name}")
    assert (await desk.modify(game, to_sport, change(kind, **{name: value}))).status_code == 200


@pytest.mark.parametrize(("sport", "most"), [("baseball", 9), ("soccer", 4), ("softball", 7)])
async def test_a_game_has_as_many_phases_as_its_sport(desk, sport, most):
    """Nine innings in baseball, else four at most."""
    options = {**TIMED, "num_regular_phases": most}
    game = await desk.made("ticker/create", match(template_id=sport, options=options))
    field = "options.num_regular_phases"
    options = {**TIMED, "num_regular_phases": most + 1}

    assert game["options"]["num_regular_phases"] == most
    assert refused(await desk.post("ticker/create", match(template_id=sport, options=options))) == (422, field)
    wanted = change("UpdateGameOptions", options=options)
    assert refused(await desk.modify(game, wanted)) == (422, f"modifications.0.{field}")


async def test_a_location_shows_the_fields_of_the_interface_alone(server, desk):
    """Not who owns it or from where it came."""
    kai = Declaration(
        owner_id=matchday.ORGANIZATION, kind="location", id="kai", fields={"name": "Stadion am Kai", "city": "Kiel"}
    )
    await server.store.write(partial(declare, declared=(kai,)))
    body = match()
    body["meta_info"]["location"] = {"_type": "Svc::Model::Location", "_id": "kai"}
    game = await desk.made("ticker/create", body)

    assert game["meta_info"]["location"] == {
        "_type": "Svc::Model::Location", "_id": "kai", "name": "Stadion am Kai", "city": "Kiel",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("letter", "reftype", "refid", "field"),
    [
        ("r", "Organization", matchday.OTHER, "permission"),
        ("w", "User", matchday.OTHER, "reftype"),
        ("w", "Organization", "stranger", "refid"),
        ("w", "Client", matchday.OTHER, "refid"),
    ],
)
async def test_a_permission_without_effect_is_refused(desk, letter, reftype, refid, field):
    """What the product does not act on, or names nobody who is there, would only look like access."""
    given = permission(refid, reftype, letter)
    game = await desk.made("ticker/create", news())
    at_create = refused(await desk.post("ticker/create", news(permissions=[given])))
    later = refused(await desk.modify(game, change("UpsertPermission", permission=given)))

    assert at_create == (422, f"permissions.0.{field}")
    assert later == (422, f"modifications.0.permission.{field}")


@pytest.mark.parametrize("holder", [(matchday.OTHER, "Organization"), ("stranger", "Client")])
async def test_a_partner_finds_the_liveblog_in_search(desk, stranger, holder):
    """As long as it may write there, by its words too; without an `owner_id`, which names the owners that count."""
    await desk.made("ticker/create", news("Ours alone"))
    game = await desk.made("ticker/create", match(permissions=[permission(*holder)]))
    everything = await stranger.read("ticker/search")
    words = await stranger.read("ticker/search", q="hafenst bergheim")
    owned = await stranger.read("ticker/search", owner_id=matchday.OTHER)
    await desk.modify(game, change("DeletePermission", refid=holder[0]))

    assert [each["local_id"] for each in everything["objects"]] == [game["local_id"]]
    assert [each["local_id"] for each in words["objects"]] == [game["local_id"]]
    assert owned["objects"] == []
    assert (await stranger.read("ticker/search"))["objects"] == []


async def test_the_external_id_of_a_deleted_liveblog_is_free_again(desk):
    """Another one may have it, and is the one that the name means from then on."""
    first = await desk.made("ticker/create", news(external_id="cms-1"))
    await desk.modify(first, change("DeleteGame", local_status="100"))
    second = await desk.made("ticker/create", news("Another storm", external_id="cms-1"))

    assert second["local_id"] == first["local_id"]
    assert second["ticker_id"] != first["ticker_id"]
    assert await desk.read("ticker/show", local_id=first["local_id"]) == second
    assert (await desk.get("ticker/show", ticker_id=first["ticker_id"])).status_code == 404


async def test_locale_and_tags_change_with_the_meta_info(desk):
    """They stand beside it; what is absent stays, null clears."""
    game = await desk.made("ticker/create", news(locale="en", tags=["storm"]))
    meta = {"_type": f"{META}TitleGameMetaInfo", "title": "Calm"}
    kept = good(await desk.modify(game, change("UpdateGameMetaInfo", meta_info=meta)))
    changed = good(await desk.modify(game, change("UpdateGameMetaInfo", meta_info=meta, locale="de", tags=["calm"])))
    found = await desk.read("ticker/search", tag="calm")
    cleared = good(await desk.modify(game, change("UpdateGameMetaInfo", meta_info=meta, locale="", tags=[])))

    assert (kept["locale"], kept["tags"]) == ("en", ["storm"])
    assert (changed["locale"], changed["tags"]) == ("de", ["calm"])
    assert [each["local_id"] for each in found["objects"]] == [game["local_id"]]
    assert (cleared["locale"], cleared["tags"]) == ("", [])


async def test_the_second_delete_of_a_liveblog_answers_with_nothing(desk, stranger):
    """A client that tries again gets no error; nobody else learns anything."""
    game = await desk.made("ticker/create", news())
    await desk.modify(game, change("DeleteGame", local_status="100"))
    again = await desk.modify(game, change("DeleteGame", local_status=100))

    assert (again.status_code, again.json()) == (200, {})
    assert refused(await stranger.modify(game, change("DeleteGame", local_status="100"))) == (404, "local_id")
    assert refused(await desk.modify(game, change("DeleteGame", local_status="0"))) == (404, "local_id")


async def test_an_idempotency_key_makes_one_liveblog(desk):
    """The same key and document give the same one, another document is a conflict, a deleted one is made anew."""
    first = good(await desk.post("ticker/create", news(), Idempotency_Key="k1"))
    again = good(await desk.post("ticker/create", news(), Idempotency_Key="k1"))
    other = good(await desk.post("ticker/create", news(), Idempotency_Key="k2"))
    conflict = refused(await desk.post("ticker/create", news("Calm"), Idempotency_Key="k1"))
    await desk.modify(first, change("DeleteGame", local_status="100"))
    anew = good(await desk.post("ticker/create", news(), Idempotency_Key="k1"))

    assert again == first
    assert len({first["local_id"], other["local_id"], anew["local_id"]}) == 3
    assert conflict == (409, "Idempotency-Key")
    assert refused(await desk.post("ticker/create", news(), Idempotency_Key="k 1")) == (400, "Idempotency-Key")


async def test_an_idempotency_key_makes_one_event(desk):
    """The same key and document give the same event and no further version, another document is a conflict."""
    game = await desk.made("ticker/create", news())
    posts = Posts(desk.http, game["local_id"])
    first, again = [await posts.create(post("One"), headers={"Idempotency-Key": "k1"}) for _ in range(2)]
    other = await posts.create(post("One"), headers={"Idempotency-Key": "k2"})
    name = {"ticker_local_id": game["local_id"]}
    conflict = await posts.refused("create", post("Two"), headers={"Idempotency-Key": "k1"}, **name)

    assert again == first
    assert (first["version"], other["version"]) == (2, 3)
    assert conflict[0] == 409


NAMED = {"event/create": {"ticker_local_id": "gderby"}, "event/update": {"event_local_id": "egoal"}}


@pytest.fixture
async def derby(public):
    await public.add(matchday.Liveblog(events=(matchday.event("egoal", matchday.KICK_OFF, headline="Goal"),)))
    return public


async def checked(server, path, body):
    """The status of the response to it, which must hold whatever it was."""
    before = await contents(server)
    response = await server.http.post(f"/api/v5/write/{path}.json", params=NAMED.get(path), content=body, auth=DESK)
    if response.status_code == 200:
        assert "::Model::" in response.json()["_type"]
    else:
        assert response.status_code in {400, 403, 404, 409, 413, 422}, response.text
        error = response.json()
        assert error.keys() <= {"code", "message", "field", "retryable"}
        assert error["code"]
        assert error["message"]
        assert await contents(server) == before, "something is written"
    return response.status_code


async def read_everywhere(server):
    """Every public read takes what was stored last, and nothing in it could run."""
    for form in ("rss", "atom", "json"):
        feed = await server.http.get(f"/api/embed/v4/feed/liveblog.{form}", params={"liveblogId": "gderby", "limit": 1})
        assert feed.status_code == 200
        assert json.loads(feed.content) if form == "json" else ET.fromstring(feed.content) is not None
    page = await server.http.get("/liveblogs/gderby", params={"limit": 1})
    assert page.status_code == 200
    assert active_parts(page.text) == []
    delta = await server.http.get("/api/v6/ticker/show.json", params={"id": "gderby", "limit": 1})
    assert delta.json()["events"]


def body_of(value):
    """JSON as strangers write it: NaN, lone surrogates and huge numbers included."""
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"headline": "\\ud800"}', 400), (b'{"headline": "\\u0000"}', 400), (b'{"created_at": NaN}', 400),
        (b'{"created_at": 99999999999999999999}', 400), (b'{"created_at": "\xd9\xa1\xd9\xa2\xd9\xa3"}', 422),
        (b'{"created_at": "1_000"}', 422), (b'{"created_at": " 7 "}', 422), (b'{"headline": "\xff"}', 400),
        (b"[" * 100_000, 400), (b'{"contents":' * 70 + b"[]" + b"}" * 70, 400), (b"", 400), (b"null", 422),
        (b'"' + b"x" * 1_100_000 + b'"', 413),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
async def test_known_poison_is_refused_at_the_edge(derby, body, status):
    """What Python's reader would let through; what is too large before it is read."""
    assert await checked(derby, "event/create", body) == status


@pytest.mark.parametrize(
    "body",
    [
        post("]]><script>alert(1)</script>\x0b\x1f", headline="\x01]]>", created_at=-(10**11)),
        post("<a href='jav&#x09;ascript:x'>x</a>" * 50, created_at=10**11),
        {"contents": [photo('https://x/"onerror=1', title='"><script>', content_warning="<b>")]},
        {"contents": [{"_type": f"{CONTENT}::QuoteContentBlock", "text": "<script>", "source": "javascript:1"}]},
        {"contents": [{"_type": f"{CONTENT}::WebEmbedContentBlock", "url": "https://x/<script>"}]},
        {"contents": [text("<p>" * 1000)]},
        {"sport_event": {"title": "<img src=x onerror=1>", "time_of_play": "<svg/onload=1>"}},
        {"event_info": {"attributes_json": json.dumps({"text": "x", "spans": [
            {"type": "Ref", "start": 0, "end": 1, "url": "javascript:alert(1)"}]})}},
    ],
)  # fmt: skip
async def test_one_poisoned_event_breaks_no_feed(derby, body):
    """It is stored, or refused; every feed and page goes on, and nothing in them could run."""
    await checked(derby, "event/create", body_of(body))
    await read_everywhere(derby)
