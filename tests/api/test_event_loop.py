"""Whatever a stranger asks for of a large liveblog, the event loop has hardly any of the work: others are served meanwhile."""

import asyncio
import sys
from urllib.parse import urlencode

import pytest
from sqlalchemy import insert

from api.routes import ROUTES
from api.statistics.endpoint import _zones
from mapping.statistics.reader_sketch import ReaderSketch
from store.clients import clients
from store.comments.tables import comments
from store.engine.liveblog_records import EventWrite, NewGame
from store.liveblogs import liveblogs
from store.statistics.tables import load_counts, reader_sketches
from store.upkeep.command import run
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.kit.delayed import EMBED
from tests.kit.opening import pool_settings, store_at
from tests.kit.polling_readers import POLL
from tests.kit.settings import configure
from tests.kit.sqlite import migrated_url

TICKER_ID, GAME = "10" * 12, "glong"
POSTS, COMMENTS, LOADS, SKETCHES = 600, 200, 5_000, 60
MOST = 2_500
"""Calls of functions, of all turns of the event loop for one request together; each post, comment or row would be some."""
NAME = {"liveblogId": GAME}
HUGE = {
    **{f"{EMBED}/feed/liveblog.{form}": {**NAME, "limit": 1000} for form in ("rss", "atom", "json")},
    f"{EMBED}/prefetch/liveblog.json": NAME,
    f"{EMBED}/prefetch/liveblog-teaser.json": NAME,
    f"{EMBED}/stream": NAME,
    "/embed/{liveblogId}": {},
    "/oembed": {"url": f"https://live.example.org/blogs/liveblogs/{GAME}"},
    "/liveblogs/{liveblogId}/snippets": {},
    "/liveblogs/{liveblogId}/card.png": {},
    "/liveblogs/{liveblogId}": {"limit": 300},
    "/api/v6/ticker/show.json": {"id": GAME, "refresh": 0, "limit": 1000},
    "/api/comments/v1/liveblog/{liveblogId}/counts.json": {},
    "/api/comments/v1/owner/{ORGANIZATION_ID}/public/{CHANNEL_ID}/comments.json": {"limit": 100},
    "/apigw/polls/v1/polls/{POLL_ID}": {},
    "/": {},
    "/openapi.json": {},
}
"""Of each read of what is stored, what asks for most."""
FILES = {
    "/desk/static/{version}/{name}", "/livez", "/readyz", "/docs", "/docs/{name}", "/static/{name}",
    "/static/{version}/{name}", "/media/{signature}/video/{media}/play", "/media/{signature}/{options}/{media}",
}  # fmt: skip
"""What reads no documents: files, which are read in threads, and probes."""
STATISTICS = (
    "overview.json",
    "2026-09/periods.json",
    "all/origins.json",
    "all/origin/https://news.example/locations.json",
)


def liveblog():
    words = "<p>What happened in that minute, in as many words as a person writes of it in a liveblog.</p>" * 4
    rich = {"_type": "Svc::Model::Content::RichTextContentBlock", "text": words}
    meta = {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": "A long day", "allow_comments": True}
    posts = (
        EventWrite.new(
            local_id=f"e{each}",
            document={"headline": f"Post {each}", "contents": [{**rich, "local_id": f"b{each}"}]},
            created_at=NOW - 2 * POSTS + each,
        )
        for each in range(POSTS)
    )
    poll = EventWrite.new(local_id="epoll", document={"contents": [POLL]}, created_at=NOW - 60)
    return NewGame(
        id=TICKER_ID,
        local_id=GAME,
        organization_id=matchday.ORGANIZATION,
        sportstype="soccer",
        template_id="soccer",
        document={
            "meta_info": meta,
            "locale": "en",
            "scoreboard": {"home_team": matchday.HOME, "away_team": matchday.AWAY},
        },
        events=(*posts, poll),
    )


def fill(unit):
    clients.declare(unit, matchday.CLIENTS)
    liveblogs.insert_game(unit, liveblog())
    comment = {
        "game_id": TICKER_ID, "channel_id": "e1", "organization_id": matchday.ORGANIZATION, "reader_id": "r",
        "text": "What a day!", "status": "approved", "created_at": NOW - 900, "updated_at": NOW - 900,
    }  # fmt: skip
    unit.conn.execute(insert(comments), [{**comment, "id": f"c{each}"} for each in range(COMMENTS)])
    counted = {"game_id": TICKER_ID, "origin": "https://news.example", "loads": 3, "more": 0, "sampled": 1}
    unit.conn.execute(
        insert(load_counts),
        [
            {
                **counted,
                "slot": NOW - NOW % 900 - 900 * (each // 200),
                "location": f"https://news.example/{each % 200}",
                "retention_ms": 1000,
                "retention_views": 1,
            }
            for each in range(LOADS)
        ],
    )
    sketch = ReaderSketch()
    sketch.add(set(range(1, 1 << 62, 1 << 50)))
    stored = {
        "game_id": TICKER_ID,
        "salt": "2026-09",
        "slot": NOW,
        "origin": "https://news.example",
        "sketch": sketch.to_bytes(),
    }
    unit.conn.execute(
        insert(reader_sketches), [{**stored, "location": f"https://news.example/{each}"} for each in range(SKETCHES)]
    )


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A database that only reads come to."""
    url = migrated_url(tmp_path_factory.mktemp("long") / "long.db")

    run(url, fill, timeout=60)
    _zones()  # which a process reads once
    return url


@pytest.fixture
async def server(filled):
    store = await store_at(filled, clock=lambda: float(NOW), pool=pool_settings(timeout=60.0))
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True) as made:
        configure(made.services.settings, matchday.ORGANIZATION, comments="post")
        yield made
    await store.close()


async def loop_calls_of(server, path, query, *headers):
    """The status of the response, and how many functions the event loop's thread called for it."""
    status, began = [], asyncio.Event()

    async def send(message):
        if message["type"] == "http.response.start":
            status.append(message["status"])
        elif message.get("body"):
            began.set()

    async def receive():
        if began.is_set() or not server.sent:
            await began.wait()
            return {"type": "http.disconnect"}
        server.sent = False
        return {"type": "http.request", "body": b"", "more_body": False}

    server.sent = True
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "https",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": urlencode(query).encode(),
        "headers": [(b"host", b"live.example.org"), *headers],
        "client": ("192.0.2.1", 1),
        "server": ("live.example.org", 443),
    }
    calls = 0

    def count(_frame, what, _argument):
        nonlocal calls
        calls += what in {"call", "c_call"}

    sys.setprofile(count)  # of this thread
    try:
        await server.app(scope, receive, send)
    finally:
        sys.setprofile(None)
    return status[0], calls


def test_every_read_of_a_stranger_is_among_them():
    reads = {row.path for row in ROUTES if row.method == "GET" and row.access in {"open", "page", "feed", "reader"}}
    assert reads == {*HUGE, *FILES}


@pytest.mark.parametrize("path", HUGE)
async def test_a_read_costs_the_event_loop_little(server, path):
    names = {
        "liveblogId": GAME,
        "ORGANIZATION_ID": matchday.ORGANIZATION,
        "CHANNEL_ID": "e1",
        "POLL_ID": POLL["local_id"],
    }
    status, calls = await loop_calls_of(server, path.format(**names), HUGE[path], (b"accept-encoding", b"gzip"))

    assert status == 200
    assert calls < MOST


@pytest.mark.parametrize("what", STATISTICS)
async def test_statistics_cost_the_event_loop_little(server, what):
    path = f"/api/analytics/v6/stats/liveblog/{GAME}/{what}"
    status, calls = await loop_calls_of(server, path, {}, (b"authorization", f"Bearer desk.{matchday.SECRET}".encode()))

    assert status == 200
    assert calls < MOST
