"""Probes, and the OpenAPI document that must be true to what is served."""

import asyncio
import re
import sys
from asyncio.subprocess import PIPE

from mapping.errors import StoreUnavailable
from tests.api.conftest import NOW, declared_database, serving
from tests.kit import matchday
from tests.kit.opening import pool_settings, store_at
from tests.kit.sqlite import copied_url


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
