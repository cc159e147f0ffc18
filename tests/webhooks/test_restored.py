"""A backup that is put back: what comes afterwards is new to everybody, and a receiver drops nothing of it as known."""

import asyncio
import json
import os
import secrets
from contextlib import asynccontextmanager
from functools import partial

import httpx
import pytest
from sqlalchemy import NullPool, select
from sqlalchemy.ext.asyncio import create_async_engine

from config import Settings
from ingest.webhooks.dispatcher import SoleOwner
from store.engine import migrate
from store.engine.liveblog_records import Change
from store.liveblogs.liveblogs import insert_game, record
from store.tables import webhook_rounds, workers
from store.tables import webhooks as table
from store.upkeep.backup import backup, restore
from tests.kit.day import ORGANIZATION, configuration, running
from tests.kit.news_daemon import NEWS
from tests.kit.opening import store_at
from tests.store.conftest import new_game
from tests.webhooks.conftest import QUICK, delivering, subscribe

BASE = f"/apigw/webhooks/v2/organization/{ORGANIZATION}"
DELTA = "/api/v6/ticker/show.json"


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request, tmp_path, monkeypatch):
    database = None
    if request.param == "postgresql":
        cluster = request.getfixturevalue("postgres_cluster")
        monkeypatch.setenv("PATH", f"{cluster.programs}{os.pathsep}{os.environ['PATH']}")
        database = cluster.create_database(f"restored_{secrets.token_hex(4)}")
        migrate.upgrade(database)
    tables = configuration("http://127.0.0.1:9", tmp_path, database=database)
    tables["webhooks"] = {"allow_hosts": ["127.0.0.1"]}
    return Settings.model_validate(tables)


@asynccontextmanager
async def served(settings):
    secret = settings.clients["cms"].secret.get_secret_value()
    async with (
        running(settings) as address,
        httpx.AsyncClient(base_url=address, auth=("cms", secret), trust_env=False) as client,
    ):
        yield client


async def write(client, game, *names):
    for name in names:
        post = {"local_id": name, "headline": name}
        answer = await client.post("/api/v5/write/event/create.json", params={"ticker_local_id": game}, json=post)
        assert answer.status_code == 200


def kept_by_a_conforming_receiver(requests):
    """The bodies, without those whose `webhook-id` it has seen before."""
    known, kept = set(), []
    for each in requests:
        if each["headers"]["webhook-id"] not in known:
            kept.append(json.loads(each["body"]))
        known.add(each["headers"]["webhook-id"])
    return kept


@pytest.mark.proof
async def test_what_comes_after_a_restore_is_new_to_everybody(settings, receiver, tmp_path):
    """Seven versions were delivered and three are restored, twice: versions rise, no id comes again, open pages begin anew."""
    url, file = settings.database.url.get_secret_value(), tmp_path / "kept"
    async with served(settings) as client:
        await client.post(f"{BASE}/subscribe", json={"url": receiver.url("ok")})
        game = (await client.post("/api/v5/write/ticker/create.json", json=NEWS)).json()["local_id"]
        await write(client, game, "e2", "e3")
        await receiver.until(lambda: 3 in receiver.versions("ok"))
        await asyncio.to_thread(backup, url, file)
        await write(client, game, "e4", "e5", "e6", "e7")
        await receiver.until(lambda: 7 in receiver.versions("ok"))
        await client.post(f"{BASE}/ping", json={"url": receiver.url("ok")})
        await receiver.until(lambda: len(receiver.requests()) == 8)
    seen = 7
    for name in ("e8", "e9"):
        await asyncio.to_thread(restore, url, file, replace=True)
        async with served(settings) as client:
            await receiver.until(lambda seen=seen: max(receiver.versions("ok")) > seen)
            restored = max(receiver.versions("ok"))
            await write(client, game, name)
            await receiver.until(lambda restored=restored: max(receiver.versions("ok")) > restored)
            await client.post(f"{BASE}/ping", json={"url": receiver.url("ok")})
            page = (await client.get(f"/liveblogs/{game}", params={"fragment": 1, "refresh": seen})).json()
            delta = (await client.get(DELTA, params={"id": game, "refresh": seen})).json()
            later = (await client.get(DELTA, params={"id": game, "refresh": restored})).json()
            await receiver.until(lambda: json.loads(receiver.requests()[-1]["body"])["event_type"] == "ping")

        assert page["since"] == 0, "an open page forgets the posts that are gone"
        assert {name, "e2", "e3"} == {each["local_id"] for each in delta["events"]}
        assert delta["reset"]
        assert [name] == [each["local_id"] for each in later["events"]]
        assert "reset" not in later
        seen = max(receiver.versions("ok"))
    requests = receiver.requests()
    versions = [each for each in receiver.versions("ok") if each]  # a ping has none

    assert len(requests) == len(kept_by_a_conforming_receiver(requests)) == 8 + 2 * 3
    assert versions == sorted(versions)


PATIENT = QUICK.model_copy(update={"try_timeout": 30.0, "round_timeout": 60.0})
"""On a busy machine a response that is meant to take 0.2 s comes after the 0.4 s of QUICK, and a try is repeated."""


@pytest.fixture
async def store(postgres_url):
    store = await store_at(postgres_url)
    await store.write(lambda unit: unit.conn.execute(workers.insert().values(id="one", kind="", beat=0, seen_at=0)))
    yield store
    await store.close()


@pytest.fixture
def locked(postgres_url):
    """Somebody else's transaction that holds the row of a receiver, as a slow unsubscription or a person's session does."""

    @asynccontextmanager
    async def lock(webhook_id):
        engine = create_async_engine(postgres_url, poolclass=NullPool)
        async with engine.connect() as conn:
            await conn.execute(select(table.c.id).where(table.c.id == webhook_id).with_for_update())
            yield conn
        await engine.dispose()

    return lock


async def rounds_of(store, row):
    query = select(webhook_rounds.c.version).where(webhook_rounds.c.webhook_id == row.id).order_by(webhook_rounds.c.id)
    return await store.read(lambda conn: list(conn.scalars(query)))


async def until(condition):
    async with asyncio.timeout(30):
        while not await condition():
            await asyncio.sleep(0.05)


@pytest.mark.proof
async def test_the_records_of_others_go_on(store, receiver, locked):
    """While the row of one is locked everything of the other is delivered and recorded; when it is free again the first
    goes on where it was, and each version is recorded once."""
    game = await store.write(partial(insert_game, game=new_game(1)))
    stuck, free = [await subscribe(store, receiver.url("after-0.2", name)) for name in ("stuck", "free")]

    async def recorded(row, versions):
        return await rounds_of(store, row) == versions

    async with delivering(store, PATIENT, alone=False, claim_owner=SoleOwner("one")):
        versions = [await store.write(lambda unit: record(unit, game.id, Change())) for _ in range(10)]
        await until(partial(recorded, free, versions[:1]))
        async with locked(stuck.id):
            before = len(await rounds_of(store, stuck))
            await until(partial(recorded, free, versions))
            assert len(await rounds_of(store, stuck)) == before < 5
        await until(partial(recorded, stuck, versions))
        assert receiver.versions("stuck") == receiver.versions("free") == versions
