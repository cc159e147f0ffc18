"""Whatever is sent to the event operations: a clear 4xx with nothing written, or an event that breaks nothing."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mapping.documents.event import Event
from tests.kit import matchday
from tests.kit.event_desk import CONTENT, DESK, PATH, Desk, photo, post, text
from tests.kit.examples import examples
from tests.kit.harmless import active_parts

EXAMPLES = settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
BLOCKS = (
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
NAMES = ("_type", "_id", "local_id", "text", "url", "items", "options", "player", "players", "team", "phase", "score",
         "media_local_id", "source_url", "id", "scoreboard", "attributes_json", "web_embed_urls", "title")  # fmt: skip
WORDS = st.one_of(
    st.text(max_size=12),
    st.sampled_from([
        "", "\0", "\ud800", "]]>", "<script>", "javascript:1", "http://", "https://x", "../..", "Svc::Model::Team",
        *(f"{CONTENT}::{name}ContentBlock" for name in BLOCKS), f"{CONTENT}::ImageMediaContent", '{"text":"x"}',
    ]),
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(), st.integers(-(2**70), 2**70), st.floats(), st.sampled_from([10**11, -(10**11), 60, 100])
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(NAMES), st.text(max_size=5)), inner, max_size=4),
    ),
    max_leaves=12,
)
EVENTS = st.dictionaries(st.sampled_from([f.alias or n for n, f in Event.model_fields.items()]), VALUES, max_size=5)
PLAUSIBLE = st.fixed_dictionaries(
    {
        "contents": st.lists(
            st.builds(
                lambda name, more: {**more, "_type": f"{CONTENT}::{name}ContentBlock"},
                st.sampled_from(BLOCKS),
                st.dictionaries(st.sampled_from(NAMES[2:]), VALUES, max_size=3),
            ),
            max_size=3,
        )
    },
    optional={"headline": WORDS, "highlight": WORDS, "sport_event": VALUES, "media": VALUES, "event_info": VALUES},
)


@pytest.fixture
async def desk(server):
    await server.add(matchday.Liveblog())
    desk = Desk(server.http)
    await desk.create(post(local_id="target", sport_event={"title": "Goal"}))
    return desk


async def checked(desk, operation, body, **params):
    """Send it, and check what must hold whatever it was."""
    before = (await desk.show())["version"]
    response = await desk.http.post(f"{PATH}/{operation}.json", params=params, content=body, auth=DESK)
    after = (await desk.show())["version"]

    assert response.status_code == 200 or 400 <= response.status_code < 500, response.text
    if response.status_code != 200:
        error = response.json()
        assert error["code"] in {"invalid_request", "conflict", "not_found"}
        assert after == before, "nothing is written"
        assert operation != "create" or error["message"]
    return response.status_code


async def read_everywhere(desk):
    """Every public read takes what is stored."""
    params = {"liveblogId": "gderby", "limit": 1000}
    for form in ("rss", "atom", "json"):
        feed = await desk.http.get(f"/api/embed/v4/feed/liveblog.{form}", params=params, auth=DESK)
        assert feed.status_code == 200
        assert json.loads(feed.content) if form == "json" else ET.fromstring(feed.content) is not None
    page = await desk.http.get("/liveblogs/gderby", auth=DESK)
    assert page.status_code == 200
    assert active_parts(page.text) == []
    assert (await desk.delta(limit=1000))["events"]
    await desk.feed()


def body_of(value):
    """JSON as strangers write it: NaN, lone surrogates and huge numbers included."""
    return json.dumps(value).encode()


@EXAMPLES
@given(value=st.one_of(EVENTS, PLAUSIBLE, VALUES))
@example(value={"contents": [{"_type": f"{CONTENT}::EmojiContentBlock", "options": [None, {"id": []}]}]})
async def test_any_json_is_refused_or_harmless(desk, value):
    """Create and update: 200 or a 4xx of the one shape, never a 500."""
    await checked(desk, "create", body_of(value), ticker_local_id="gderby")
    await checked(desk, "update", body_of(value), event_local_id="target")
    await read_everywhere(desk)


@EXAMPLES
@given(raw=st.one_of(st.binary(max_size=60), st.text(max_size=60).map(lambda words: words.encode("utf-8", "replace"))))
async def test_bytes_that_are_no_json_are_malformed(desk, raw):
    """Always 400, unless they happen to be JSON."""
    status = await checked(desk, "create", raw, ticker_local_id="gderby")
    assert status == 400 or is_json(raw)


def is_json(raw: bytes) -> bool:
    try:
        json.loads(raw)
    except ValueError:
        return False
    return True


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
    ],
)
async def test_known_poison_is_refused_at_the_edge(desk, body, status):
    """What Python's reader would let through."""
    assert await checked(desk, "create", body, ticker_local_id="gderby") == status


@pytest.mark.parametrize(
    "body",
    [
        post("]]><script>alert(1)</script>\x0b\x1f", headline="\x01]]>", created_at=-(10**11)),
        post("<a href='jav&#x09;ascript:x'>x</a>" * 50, created_at=10**11),
        {"contents": [photo('https://x/"onerror=1', title='"><script>', content_warning="<b>")]},
        {"contents": [{"_type": f"{CONTENT}::QuoteContentBlock", "text": "<script>", "source": "javascript:1"}]},
        {"contents": [{"_type": f"{CONTENT}::WebEmbedContentBlock", "url": "https://x/<script>"}]},
        {"contents": [text("<p>" * 5000)]},
        {"sport_event": {"title": "<img src=x onerror=1>", "time_of_play": "<svg/onload=1>"}},
        {"event_info": {"attributes_json": json.dumps({"text": "x", "spans": [
            {"type": "Ref", "start": 0, "end": 1, "url": "javascript:alert(1)"}]})}},
    ],
)  # fmt: skip
async def test_one_poisoned_event_breaks_no_feed(desk, body):
    """It is stored, or refused; every feed and page goes on, and nothing in them could run."""
    await checked(desk, "create", body_of(body), ticker_local_id="gderby")
    await read_everywhere(desk)


async def test_a_body_that_is_too_large_is_413(desk):
    """Before it is read as JSON."""
    response = await desk.http.post(
        f"{PATH}/create.json", params={"ticker_local_id": "gderby"}, content=b'"' + b"x" * 1_100_000 + b'"', auth=DESK
    )

    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")
