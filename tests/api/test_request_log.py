"""What operators see of requests: ordinary reads are counted, everything else has a line; health, metrics and their access."""

import asyncio
import logging
import re
import sys
from asyncio.subprocess import PIPE

import pytest
import structlog
from structlog.testing import capture_logs

from api.middleware.outermost import RequestLog
from mapping.errors import StoreUnavailable
from tests.api.conftest import NOW, declared_database, serving
from tests.kit import matchday
from tests.kit.event_desk import Desk, post
from tests.kit.opening import pool_settings, store_at
from tests.kit.sqlite import copied_url

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
    monkeypatch.setattr("api.middleware.outermost.EVERY", 0.05)
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


async def test_livez_is_always_200(server):
    """As long as the loop turns."""
    assert (await server.http.get("/livez")).json() == {"status": "alive"}


async def test_readyz_asks_store_and_process(server, monkeypatch):
    """503 with the reasons when either is not ready."""
    assert (await server.http.get("/readyz")).json() == {"ready": True, "store": "ok"}

    server.ready = {"ready": False, "scheduler": "stopped"}
    response = await server.http.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"ready": False, "store": "ok", "scheduler": "stopped"})

    async def fails():
        raise StoreUnavailable("gone")

    server.ready = {"ready": True}
    monkeypatch.setattr(server.store, "ping", fails)
    response = await server.http.get("/readyz")
    said = response.json()
    assert (response.status_code, said["store"], said["ready"]) == (503, "unavailable", False)

    monkeypatch.undo()
    monkeypatch.setattr(server.store, "check_writes", fails)
    response = await server.http.get("/readyz")
    said = response.json()
    assert (response.status_code, said["store"], said["ready"], "cause" in said) == (503, "unwritable", False, True)


async def test_readyz_takes_no_longer_than_one_of_its_questions(store, monkeypatch):
    """Reads, writes and the process are tried at once: each may have to wait for a database that somebody else has locked."""
    all_begun = asyncio.Barrier(3)

    async def waits():
        async with asyncio.timeout(10):
            await all_begun.wait()

    async def ready():
        await waits()
        return {}

    monkeypatch.setattr(store, "ping", waits)
    monkeypatch.setattr(store, "check_writes", waits)
    async with serving(store, parts={"ready": ready}) as server:
        assert (await server.http.get("/readyz")).json() == {"ready": True, "store": "ok"}


LOCKING = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX, 8, 120)
    print("locked", flush=True)
    sys.stdin.read()
"""
"""A program that keeps the locks by which SQLite's readers begin."""


async def test_readyz_reads_the_file_which_another_program_may_keep_locked(tmp_path):
    """503 after `database.timeout` with the reason, and 200 once it is let go."""
    url = copied_url(tmp_path / "test.db", declared_database)
    opened = await store_at(url, clock=lambda: NOW, pool=pool_settings(timeout=0.5))
    async with serving(opened) as server:
        other = await asyncio.create_subprocess_exec(
            sys.executable, "-c", LOCKING, str(tmp_path / "test.db-shm"), stdin=PIPE, stdout=PIPE
        )
        await other.stdout.readline()
        locked = await server.http.get("/readyz")
        other.stdin.close()
        await other.wait()
        async with asyncio.timeout(30):
            while (let_go := await server.http.get("/readyz")).status_code != 200:
                await asyncio.sleep(0.1)
    await opened.close()

    assert (locked.status_code, locked.json()["store"], locked.json()["cause"]) == (
        503, "unavailable", "it does not answer in time",
    )  # fmt: skip
    assert let_go.json()["store"] == "ok"


async def test_the_docs_page_loads_nothing_from_elsewhere(server):
    """All that it refers to ships with it."""
    page = await server.http.get("/docs")
    assert page.status_code == 200
    assert "unsafe-eval" not in page.headers["content-security-policy"]
    found = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(found) == 5
    for name in found:
        assert (await server.http.get(f"/{name}")).status_code == 200, name
    assert "http" not in page.text


async def test_the_document_has_the_limits_of_the_configuration(store):
    """What a parameter may be is what the server takes."""
    async with serving(store, delay_max=120, feed_limit_max=50, public_feeds=True) as server:
        await server.add(matchday.derby())
        server.now += 1000
        paths = (await server.http.get("/openapi.json")).json()["paths"]
        path = "/api/embed/v4/feed/liveblog.json"
        most = {each["name"]: each["schema"].get("maximum") for each in paths[path]["get"]["parameters"]}
        assert (most["delay"], most["limit"]) == (120, 50)
        for name in ("delay", "limit"):
            for value, status in ((most[name], 200), (most[name] + 1, 400)):
                response = await server.http.get(path, params={"liveblogId": "gderby", "sort": "asc", name: value})
                assert response.status_code == status
