"""Whatever strangers send: a clear 4xx with nothing written, or a document that breaks no feed and no page; never a 500."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mapping.documents.event import Event
from tests.api.conftest import contents
from tests.kit import matchday
from tests.kit.desk import BOARD, META, change, match, permission, player, team, tournament
from tests.kit.event_desk import CONTENT, DESK, photo, post, text
from tests.kit.examples import examples
from tests.kit.harmless import active_parts
from tests.kit.hostile import places, spoilt

MANY = settings(
    max_examples=examples(80),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
BLOCKS = [
    f"{CONTENT}::{kind}ContentBlock"
    for kind in (
        "RichText",
        "MultiMedia",
        "WebEmbed",
        "Quote",
        "Emoji",
        "PlayerCard",
        "SportEvent",
        "Scoreboard",
        "Poll",
        "Quiz",
    )
]
NAMES = ("_type", "_id", "local_id", "text", "url", "items", "options", "player", "players", "team", "phase", "score", "name",
         "media_local_id", "source_url", "id", "scoreboard", "attributes_json", "web_embed_urls", "title", "\0")  # fmt: skip
WORDS = [
    *("", "\0", "\ud800", "]]>", "<script>", "javascript:1", "http://", "https://x", "../..", "x" * 5000, "2147483648"),
    *("Svc::Model::Team", "Svc::Model::Game", f"{CONTENT}::ImageMediaContent", matchday.OTHER, '{"text":"x"}'),
    *BLOCKS,
]
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=12),
    st.sampled_from([10**11, -(10**11), 60, 100]), st.sampled_from(WORDS),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=10,
)
OF_BLOCKS = st.builds(
    lambda kind, more: {**more, "_type": kind},
    st.sampled_from(BLOCKS),
    st.dictionaries(st.sampled_from(NAMES[2:]), VALUES, max_size=3),
)
EVENTS = st.dictionaries(
    st.sampled_from([field.alias or name for name, field in Event.model_fields.items()]), VALUES, max_size=5
) | st.fixed_dictionaries(
    {"contents": st.lists(OF_BLOCKS, max_size=3)}, optional={"sport_event": VALUES, "media": VALUES}
)
GOOD = {
    "event/create": post(
        sport_event={"title": "Goal", "event_type": "soccer.goal"}, media=[{"url": "https://x.example/a.jpg"}]
    ),
    "event/update": post(headline="Goal"),
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
NAMED = {"event/create": {"ticker_local_id": "gderby"}, "event/update": {"event_local_id": "egoal"}}
LISTS = ["player/index", "team/index", "tournament/index", "ticker/search", "player/show"]
PARAMETERS = ["q", "owner_id", "limit", "page", "more", "timeframe", "tag", "team_id", "_id", "sportstype"]


@st.composite
def spoilt_documents(draw):
    """An operation, and its good document with up to three values replaced."""
    path = draw(st.sampled_from(sorted(GOOD)))
    document = GOOD[path]
    for _ in range(draw(st.integers(1, 3))):
        if where := list(places(document)):
            document = spoilt(document, draw(st.sampled_from(where)), draw(VALUES))
    return path, document


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


@pytest.mark.proof
@MANY
@given(wanted=spoilt_documents() | st.tuples(st.sampled_from(["event/create", "event/update"]), EVENTS))
@example(
    wanted=("event/create", {"contents": [{"_type": f"{CONTENT}::EmojiContentBlock", "options": [None, {"id": []}]}]})
)
async def test_strange_documents_are_refused_without_a_trace_or_harmless(derby, wanted):
    """Good documents with strange values in them, some of which are fine, and posts of any fields and blocks."""
    path, document = wanted
    if await checked(derby, path, body_of(document)) == 200 and path.startswith("event"):
        await read_everywhere(derby)


@pytest.mark.proof
@MANY
@given(path=st.sampled_from(sorted(GOOD)), body=st.binary(max_size=60) | VALUES.map(body_of))
async def test_strange_bodies_are_refused_without_a_trace(derby, path, body):
    """Bytes that are no JSON are 400, JSON that is no document has its 4xx, too."""
    assert await checked(derby, path, body) == 400 or is_json(body)


def is_json(raw):
    try:
        json.loads(raw)
    except ValueError:
        return False
    return True


@pytest.mark.proof
@MANY
@given(
    path=st.sampled_from(LISTS),
    query=st.dictionaries(
        st.sampled_from(PARAMETERS), st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=3
    ),
)
async def test_strange_questions_are_answered_or_refused(derby, path, query):
    """A page, or a clear 4xx."""
    response = await derby.http.get(f"/api/v5/write/{path}.json", params=query, auth=DESK)
    assert response.status_code in {200, 400, 403, 404}, response.text


@pytest.mark.parametrize("path", GOOD)
async def test_the_good_documents_are_good(derby, path):
    """What is spoilt above would be understood as it is: only what it refers to is missing."""
    response = await derby.http.post(f"/api/v5/write/{path}.json", params=NAMED.get(path), json=GOOD[path], auth=DESK)
    assert response.status_code == 200 or response.json()["field"] in {"_id", "marketplace_info.pricing._id"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"headline": "\\ud800"}', 400),
        (b'{"headline": "\\u0000"}', 400),
        (b'{"created_at": NaN}', 400),
        (b'{"created_at": 99999999999999999999}', 400),
        (b'{"created_at": "\xd9\xa1\xd9\xa2\xd9\xa3"}', 422),
        (b'{"created_at": "1_000"}', 422),
        (b'{"created_at": " 7 "}', 422),
        (b'{"headline": "\xff"}', 400),
        (b"[" * 100_000, 400),
        (b'{"contents":' * 70 + b"[]" + b"}" * 70, 400),
        (b"", 400),
        (b"null", 422),
        (b'"' + b"x" * 1_100_000 + b'"', 413),
    ],
    ids=lambda value: repr(value)[:40],
)
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
