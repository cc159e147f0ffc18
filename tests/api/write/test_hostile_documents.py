"""Whatever strangers send: a clear 4xx with nothing written, or a document that breaks no feed and no page; never a 500."""

import json
from xml.etree import ElementTree as ET

import pytest

from tests.api.conftest import contents
from tests.kit import matchday
from tests.kit.event_desk import CONTENT, DESK, photo, post, text
from tests.kit.harmless import active_parts

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
