"""The log of requests: ordinary reads are counted, everything else has a line."""

import asyncio
import logging

import pytest
import structlog
from structlog.testing import capture_logs

from api.middleware import request_log
from api.middleware.request_log import RequestLog
from tests.api.conftest import serving
from tests.kit import matchday
from tests.kit.event_desk import Desk, post

FEED = "/api/embed/v4/feed/liveblog.json"


@pytest.fixture
def at_info():
    """Logs as a daemon with its default settings does."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
    yield
    structlog.reset_defaults()


@pytest.fixture
async def public(store, at_info):
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True) as server:
        await server.add(matchday.Liveblog())
        yield server


def served(logs):
    return [(line["method"], line["path"], line["status"]) for line in logs if line["event"] == "request.served"]


async def test_ordinary_reads_are_counted_and_have_no_line(public):
    """Whatever their status below 400; the counts name the route and not the liveblog."""
    with capture_logs() as logs:
        tag = (await public.http.get(f"{FEED}?liveblogId=gderby")).headers["etag"]
        await public.http.get(f"{FEED}?liveblogId=gderby", headers={"If-None-Match": tag})
        for _ in range(3):
            await public.http.head("/liveblogs/gderby")

    assert served(logs) == []
    assert public.services[RequestLog].counts == {
        ("GET", FEED, 200): 1,
        ("GET", FEED, 304): 1,
        ("HEAD", "/liveblogs/{liveblogId}", 200): 3,
    }


async def test_what_is_refused_and_what_is_written_has_a_line(public):
    """And is counted; what no route has is counted as one thing, whatever a stranger calls it."""
    with capture_logs() as logs:
        await public.http.get(f"{FEED}?liveblogId=gnone")
        await public.http.get("/nowhere/at/all")
        await public.http.request("BREW", "/coffee")
        await Desk(public.http).create(post())

    assert served(logs) == [
        ("GET", FEED, 404),
        ("GET", "/nowhere/at/all", 404),
        ("BREW", "/coffee", 404),
        ("POST", "/api/v5/write/event/create.json", 200),
    ]
    assert set(public.services[RequestLog].counts) == {
        ("GET", FEED, 404),
        ("GET", "other", 404),
        ("other", "other", 404),
        ("POST", "/api/v5/write/event/create.json", 200),
    }


async def test_what_fails_has_a_line(public, monkeypatch, failed_requests):
    """Beside the one that holds the trace."""

    async def fails(_):
        raise RuntimeError

    monkeypatch.setattr(public.store, "read", fails)
    with capture_logs() as logs:
        await public.http.get(f"{FEED}?liveblogId=gderby")

    assert [line["event"] for line in logs] == ["request.failed", "request.served"]
    failed_requests.clear()


async def test_a_slow_read_has_a_line(public, monkeypatch):
    """One whose response begins late, by the monotonic clock."""
    read = public.store.read

    async def slow(query, **given):
        public.ticks += 1.0
        return await read(query, **given)

    monkeypatch.setattr(public.store, "read", slow)
    with capture_logs() as logs:
        await public.http.get(f"{FEED}?liveblogId=gderby")
        monkeypatch.undo()
        await public.http.get(f"{FEED}?liveblogId=gderby")

    assert served(logs) == [("GET", FEED, 200)]


async def test_counts_are_logged_now_and_then_and_at_the_end(public, monkeypatch):
    """Each line counts what came since the last one; without requests there is none."""
    monkeypatch.setattr(request_log, "EVERY", 0.05)
    counted = public.services[RequestLog]
    with capture_logs() as logs:
        running = asyncio.create_task(counted.run())
        await public.http.get(f"{FEED}?liveblogId=gderby")
        while not logs:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.15)
        await public.http.get("/livez")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    lines = [line["counts"] for line in logs if line["event"] == "requests.served"]
    assert lines == [{f"GET {FEED} 200": 1}, {"GET /livez 200": 1}]
