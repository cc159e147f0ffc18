"""The writer thread of SQLite is bounded and out of the readers' way, and whoever waits for it hears in time."""

import asyncio
import sqlite3
import threading
from functools import partial

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from sqlalchemy import func, select, text

from mapping.errors import StoreUnavailable
from store.engine import spans
from store.engine.liveblog_records import Change
from store.engine.sqlite import backend
from store.liveblogs.liveblogs import insert_game, record, require_game
from store.tables import games, service_keys
from tests.kit.opening import pool_settings, store_at
from tests.store.conftest import new_game, post, writing


async def test_readers_see_committed_data_while_the_writer_is_busy(sqlite_store, sqlite_game):
    """A unit that takes its time delays no reader, and nobody sees what is not committed."""
    written, gate = threading.Event(), threading.Event()

    def slow(unit):
        record(unit, sqlite_game.id, Change(events=(post("e1"),)))
        written.set()
        gate.wait(60)

    writer = asyncio.create_task(sqlite_store.write(slow))
    assert await asyncio.to_thread(written.wait, 60)
    during = await sqlite_store.read(partial(require_game, name=sqlite_game.id))
    gate.set()
    await writer
    after = await sqlite_store.read(partial(require_game, name=sqlite_game.id))

    assert (during.version, after.version) == (1, 2)


async def test_foreign_keys_and_durability_are_on(sqlite_store):
    """The writer's connection syncs every commit, checks references and keeps a write-ahead log."""

    def work(unit):
        return [unit.conn.execute(text(f"PRAGMA {name}")).scalar() for name in PRAGMAS]

    assert await sqlite_store.write(work) == ["wal", 2, 1, 60_000]


PRAGMAS = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")


async def test_a_caller_hears_in_time_whatever_the_writer_is_at(migrated_sqlite_url, clock):
    """A unit or a disk that hangs: 503 for whoever waits, what had not begun is left undone, what had is done and reported."""
    store = await store_at(migrated_sqlite_url, clock=clock, pool=pool_settings(timeout=0.5))
    game = await store.write(partial(insert_game, game=new_game()))
    gate, heard, ran = threading.Event(), [], []
    store.on_step(heard.append)

    def hangs(unit):
        gate.wait(30)
        return writing(game.id, "begun")(unit)

    calls = [store.write(hangs), *(store.write(ran.append) for _ in range(3)), store.read_for_write(ran.append)]
    outcomes = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 60)
    assert {StoreUnavailable} == {type(each) for each in outcomes}
    assert all(each.retryable for each in outcomes)
    gate.set()
    async with asyncio.timeout(60):
        while not heard:
            await asyncio.sleep(0.01)
    found = await store.read(partial(require_game, name=game.id))
    again = await store.read(lambda conn: conn.execute(select(func.count()).select_from(games)).scalar())
    await store.close()

    assert (2, 1, []) == (found.version, again, ran)
    assert heard == [{game.id: 2}]


async def test_who_comes_while_a_lock_is_waited_for_in_vain_has_a_try_of_their_own(
    migrated_sqlite_url, clock, monkeypatch
):
    """A transaction that cannot begin refuses whoever waited for it from its beginning; who came later has not waited yet."""
    store = await store_at(migrated_sqlite_url, clock=clock, pool=pool_settings(timeout=60.0))
    game = await store.write(partial(insert_game, game=new_game()))
    begins, fails, execute = threading.Event(), threading.Event(), backend.execute

    def locked_once(conn, sql, values=()):
        if sql == "BEGIN IMMEDIATE" and not begins.is_set():
            begins.set()
            fails.wait(60)
            raise sqlite3.OperationalError("database is locked")
        return execute(conn, sql, values)

    monkeypatch.setattr(backend, "execute", locked_once)
    waited = asyncio.create_task(store.write(writing(game.id, "waited")))
    await asyncio.to_thread(begins.wait, 60)
    came = asyncio.create_task(store.write(writing(game.id, "came")))
    while store.waiting < 2:
        await asyncio.sleep(0)
    fails.set()
    outcomes = await asyncio.gather(waited, came, return_exceptions=True)
    await store.close()

    assert [StoreUnavailable, int] == [type(each) for each in outcomes]


PRIVATE = "what-nobody-should-see"


@pytest.fixture
def made():
    """Spans are made; gives those that have ended."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans.use(provider.get_tracer("tests"))
    yield exporter.get_finished_spans
    spans.use(None)
    provider.shutdown()


def keys_of(conn):
    return conn.execute(service_keys.select()).all()


def named(names, conn):
    return [row for row in keys_of(conn) if row.name in names]


def save_key(unit, name):
    unit.conn.execute(service_keys.insert().values(name=name, value=b""))


async def test_a_unit_and_a_read_are_spans_below_what_they_are_for(store, made):
    """Named after the function that they run, below what it is wrapped into; without a request or a poll there is none."""
    await store.read(keys_of)
    await store.write(partial(save_key, name="alone"))
    assert made() == ()

    with spans.beginning("poll") as poll:
        await store.write(partial(save_key, name="other"))
        await store.read(partial(named, {"other"}), at=2_000_000_000)
        await store.read_for_write(keys_of)

    *below, whole = made()
    assert [each.name for each in below] == ["store.write save_key", "store.read named", "store.read_for_write keys_of"]
    assert {each.parent.span_id for each in below} == {poll.get_span_context().span_id}
    assert (whole.name, whole.parent) == ("poll", None)


async def test_an_error_leaves_no_text_in_a_span(store, made):
    """Neither in its status nor as an event."""

    def fail(_):
        raise ValueError(PRIVATE)

    async def poll():
        with spans.beginning("poll") as span:
            spans.mark(span, failed=True)
            await store.write(fail)

    with pytest.raises(ValueError, match=PRIVATE):
        await poll()

    assert [(each.status.status_code, each.events) for each in made()] == [
        (StatusCode.UNSET, ()),
        (StatusCode.ERROR, ()),
    ]
    assert PRIVATE not in "".join(each.to_json() for each in made())
