"""Prepared statements: the same rows as by SQLAlchemy's own way, in fewer steps, with the same errors."""

from __future__ import annotations

import asyncio
from functools import partial

import psycopg
import pytest
from sqlalchemy import bindparam, create_engine, exc, insert, select, text

from mapping.errors import NotFound
from store.engine.sql.bulk_write import insert_ignore, insert_rows, update_rows, upsert, write_batch
from store.engine.sql.compiled_query import Among, CompiledQuery, compiled_for
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import Change, EventWrite, insert_game, lock_event, lock_game, record
from store.tables import block_ids, clients, events, follows, games, ledger, outbox, players, resources
from tests.kit.opening import store_at
from tests.store.conftest import GAME, new_game, open_store

ODD = "quote ' double \" backslash \\ tab \t brace {} \U0001f945 é"
FOLLOW = {
    "id": "f1", "endpoint": "heim:a", "provider": "heim", "organization_id": "o", "match_id": "1", "sport": "soccer",
    "status": ODD, "kickoff": -1, "next_poll_at": 0.1 + 0.2, "good_at": None, "changed_at": 2**62, "failures": 0,
    "failing_since": None, "last_error": None, "hints": {ODD: [None, "\0", 1.5, {}]}, "pending": None, "closed_at": None,
    "owner": None, "fence": 3, "joined": 0, "edition": 1, "teams": ODD,
}  # fmt: skip
RESOURCE = {
    "follow_id": "f1", "name": "play", "etag": None, "digest": ODD, "rows": 2, "body": bytes(range(256)),
    "good_at": 1, "changed_at": None, "failures": 0, "last_error": None, "faults": [ODD],
}  # fmt: skip
CLIENT = {
    "id": "c1", "secrets": ["s"], "organizations": [], "scopes": ["write"], "response_prefix": "Tik", "declared": True,
    "revoked_at": None, "created_at": 1,
}  # fmt: skip
ROWS = {follows: FOLLOW, resources: RESOURCE, clients: CLIENT}
LINE = {"local_id": None, "kind": "incident", "state": "posted", "reason": "", "written": {}}


class Undone(Exception):
    """Ends a unit whose rows nobody shall find."""


async def undone(store, work):
    """The result of a unit that leaves nothing."""
    results = []

    def failing(unit):
        results.append(work(unit))
        raise Undone

    with pytest.raises(Undone):
        await store.write(failing)
    return results[-1]


OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"


@pytest.fixture
def seen(monkeypatch):
    """The statements that PostgreSQL's driver is given between BEGIN and COMMIT, compiled or by SQLAlchemy."""
    found, execute = [], psycopg.Cursor.execute

    def noted(cursor, statement, values=None, **more):
        if not statement.startswith(("BEGIN", "SET ")):
            found.append(statement)
        return execute(cursor, statement, values, **more)

    monkeypatch.setattr(psycopg.Cursor, "execute", noted)
    return found


def core(conn, table):
    return [dict(row) for row in conn.execute(select(table)).mappings()]


def post(local_id, **document):
    return EventWrite.new(local_id=local_id, document=document, created_at=1)


async def test_prepared_rows_equal_cores(store):
    """Whatever a column holds goes in and comes out as it does by SQLAlchemy's own execution."""

    def by_core(unit):
        for table, row in ROWS.items():
            unit.conn.execute(insert(table).values(row))
        return [core(unit.conn, table) for table in ROWS]

    def prepared(unit):
        write_batch(unit.conn, insert_rows(follows, [FOLLOW]), insert_rows(clients, [CLIENT]))
        write_batch(unit.conn, insert_rows(resources, [RESOURCE]))
        return [
            [core(unit.conn, table) for table in ROWS],
            [CompiledQuery(select(table)).mappings(unit.conn) for table in ROWS],
        ]

    wanted = await undone(store, by_core)

    assert await undone(store, prepared) == [wanted, wanted]
    assert wanted == [[row] for row in ROWS.values()]
    assert type(wanted[2][0]["declared"]) is bool


async def test_a_query_takes_named_parameters_and_fixed_values(store, game):
    """Those of the call, and those that the statement was made with."""
    query = CompiledQuery(
        select(games.c.id).where(games.c.id == bindparam("name"), games.c.local_status != 100).limit(5)
    )

    def rows(conn):
        return query.all(conn, name=game.id), query.first(conn, name=game.id), query.first(conn, name="nobody")

    assert await store.read(rows) == ([(game.id,)], (game.id,), None)


@pytest.mark.parametrize("more", [0, 5_000])
async def test_a_query_takes_any_number_of_values(store, game, more):
    """In one parameter, whatever stands in them; none finds nothing."""
    query = CompiledQuery(select(games.c.id).where(Among(games.c.id, "names"), games.c.local_status != 100))
    odd = [ODD, "'", '"', "[]", ","]

    def rows(conn, names):
        return query.all(conn, names=names)

    assert await store.read(partial(rows, names=[*odd, *map(str, range(more)), game.id])) == [(game.id,)]
    assert await store.read(partial(rows, names=odd)) == await store.read(partial(rows, names=[])) == []


@pytest.mark.parametrize(("table", "column"), [(players, "ext_id"), (ledger, "key")], ids=["players", "ledger"])
def test_any_number_of_values_are_searched_by_the_index(table, column):
    """On SQLite too: otherwise each poll that finds a goal reads all players that the organization ever had."""
    keys = [each for each in ("owner_id", "source", "sportstype", "game_id", "follow_id") if each in table.c]
    statement = select(table).where(
        *(table.c[each] == bindparam(each) for each in keys), Among(table.c[column], "values")
    )
    engine = create_engine("sqlite://")
    table.metadata.create_all(engine)
    with engine.connect() as conn:
        compiled = compiled_for(engine.dialect, statement)
        plan = conn.exec_driver_sql(
            f"EXPLAIN QUERY PLAN {compiled.sql}", compiled.values(dict.fromkeys([*keys, "values"], "[]"))
        )
        searched = plan.first().detail
    engine.dispose()

    assert f"{column}=?" in searched


async def test_put_left_and_changed_differ_in_what_becomes_of_a_taken_key(store, game):
    """`upsert` replaces what it names, `insert_ignore` nothing, `update_rows` only what is there."""
    known = {"game_id": game.id, "follow_id": "f1", "key": "a", **LINE}

    def work(unit):
        write_batch(unit.conn, insert_rows(ledger, [known, known | {"key": "b"}]))
        write_batch(unit.conn, upsert(ledger, [known | {"state": "gone", "written": {"x": ODD}}, known | {"key": "c"}]))
        write_batch(unit.conn, insert_ignore(ledger, [known | {"key": "b", "state": "gone"}, known | {"key": "d"}]))
        of_match = {"game_id": game.id, "follow_id": "f1", "reason": "gone"}
        write_batch(unit.conn, update_rows(ledger, [{**of_match, "key": k} for k in ("c", "nobody")]))
        return {row["key"]: (row["state"], row["reason"], row["written"]) for row in core(unit.conn, ledger)}

    assert await undone(store, work) == {
        "a": ("gone", "", {"x": ODD}), "b": ("posted", "", {}), "c": ("posted", "gone", {}), "d": ("posted", "", {}),
    }  # fmt: skip


async def test_what_a_put_does_not_name_stays(store):
    """A resource that is answered without a body keeps the one it had."""
    without_body = {name: value for name, value in RESOURCE.items() if name != "body"} | {"etag": "2"}

    def work(unit):
        write_batch(unit.conn, insert_rows(follows, [FOLLOW]))
        write_batch(unit.conn, upsert(resources, [RESOURCE]))
        write_batch(unit.conn, upsert(resources, [without_body]))
        return core(unit.conn, resources)

    assert await undone(store, work) == [RESOURCE | {"etag": "2"}]


async def test_nothing_to_send_is_nothing(store):
    """Rows may be missing altogether."""
    await store.write(lambda unit: write_batch(unit.conn, insert_rows(games, []), upsert(ledger, [])))


async def test_rows_of_several_tables_are_one_statement_on_postgresql(postgres_url, seen):
    """A change with new and replaced events is read, then written at once; others are notified of it afterwards."""
    store = await store_at(postgres_url)
    await store.write(lambda unit: insert_game(unit, new_game()))
    await store.write(lambda unit: record(unit, GAME, Change(events=(post("e1"),))))
    seen.clear()
    await store.write(lambda unit: record(unit, GAME, Change(events=(post("e1", headline="x"), post("e2")))))
    await store.close()

    statements = [each for each in seen if "pg_notify" not in each]
    assert len(statements) == 3  # the liveblog, its events, everything that is written
    written = {table.name for table in (games, events, outbox) if f" {table.name} " in statements[-1]}
    assert written == {"games", "events", "outbox"}
    assert len(seen) > len(statements)


async def test_a_schema_that_changes_costs_a_unit_nothing(postgres_url):
    """Statements that a connection has prepared before do not outlive it; the unit runs again."""
    store = await store_at(postgres_url)
    try:
        await store.write(lambda unit: insert_game(unit, new_game()))
        before = await store.write(lambda unit: lock_game(unit, GAME))
        await store.write(lambda unit: unit.conn.execute(text("ALTER TABLE games ALTER COLUMN serial TYPE integer")))

        assert await store.write(lambda unit: lock_game(unit, GAME)) == before
    finally:
        await store.close()


async def test_a_taken_key_is_an_integrity_error_of_its_own_unit(store, game):
    """Nothing of that unit stays, not even what it wrote before; its neighbours count on without a gap."""

    def doomed(unit):
        record(unit, game.id, Change(events=(post("lost"),)))
        write_batch(unit.conn, insert_rows(games, [{"id": game.id, "local_id": "other", **REST}]))

    works = [
        doomed if n % 2 else (lambda unit, n=n: record(unit, game.id, Change(events=(post(f"e{n}"),))))
        for n in range(8)
    ]
    outcomes = await asyncio.gather(*map(store.write, works), return_exceptions=True)
    stored = await store.read(lambda conn: liveblogs.events(conn, game.id))
    versions = await store.read(
        lambda conn: [row["version"] for row in core(conn, outbox) if row["game_id"] == game.id]
    )

    assert [type(outcome) for outcome in outcomes[1::2]] == [exc.IntegrityError] * 4
    assert sorted(outcomes[::2]) == [2, 3, 4, 5]
    assert {each.local_id for each in stored} == {"e0", "e2", "e4", "e6"}
    assert sorted(versions) == [1, 2, 3, 4, 5]


REST = {
    "organization_id": "o", "external_id": None, "version": 1, "local_status": 0, "sportstype": "s", "template_id": "s",
    "title": "", "starts_at": None, "created_at": 1, "updated_at": 1, "serial": 0, "doc": {},
}  # fmt: skip


async def test_a_unit_that_survives_its_error_keeps_what_came_before(sqlite_store, sqlite_game):
    """On SQLite a refused statement undoes itself alone; the unit may go on."""

    def work(unit):
        version = record(unit, sqlite_game.id, Change(events=(post("e1"),)))
        with pytest.raises(exc.IntegrityError):
            write_batch(unit.conn, insert_rows(block_ids, [{"local_id": "b1", "event_id": "nobody"}]))
        return version

    assert await sqlite_store.write(work) == 2
    assert await sqlite_store.read(lambda conn: liveblogs.event(conn, "e1")) is not None


async def test_what_was_written_is_what_is_read(store, game):
    """The records that a write answers with are those that a later read finds: created, replaced, with media."""
    media = [{"local_id": "m1", "url": "http://a/b.png"}]

    def work(unit, writes, known=None):
        return liveblogs.write(unit, lock_game(unit, game.id), Change(events=writes), known=known)

    first = await store.write(lambda unit: work(unit, (post("e1", media=media), post("e2", headline=ODD)), {}))
    again = await store.write(lambda unit: work(unit, (post("e1", media=media, headline="2"), post("e3"))))
    stored = await store.read(lambda conn: {each.local_id: each for each in liveblogs.events(conn, game.id)})

    assert (first.version, again.version) == (2, 3)
    assert {**first.events, **again.events} == stored
    assert stored["e1"].document["media"][0]["version"] == 2


async def test_only_what_differs_is_written(store, game):
    """Status and time of an event change when they do, although a change writes only the columns that differ."""
    await store.write(lambda unit: record(unit, game.id, Change(events=(post("e1"), post("e2")))))
    hidden = EventWrite.new(local_id="e1", document={"headline": "x"}, created_at=5, local_status=60, user_id="u")
    await store.write(lambda unit: record(unit, game.id, Change(events=(post("e2"), hidden))))
    e1, e2 = await store.read(lambda conn: [liveblogs.event(conn, name) for name in ("e1", "e2")])

    assert (e1.local_status, e1.created_at, e1.user_id, e1.version, e1.serial) == (60, 5, "u", 3, 1)
    assert e1.sort == f"{5:016x}{1:08x}"
    assert (e2.local_status, e2.created_at, e2.version) == (0, 1, 3)


async def test_events_that_are_read_under_their_lock_lose_no_change(store_url, clock, game, store):
    """Two processes (on SQLite two callers) that count up in one event, each from what it reads, count everything."""
    other = store if store_url.startswith("sqlite") else await open_store(store_url, clock=clock)
    await store.write(lambda unit: record(unit, game.id, Change(events=(post("e1", count=0),))))

    def count(unit):
        before, locked = lock_event(unit, "e1")
        write = post("e1", count=before.document["count"] + 1)
        return liveblogs.write(unit, locked, Change(events=(write,)), known={"e1": before}).version

    versions = await asyncio.gather(*(each.write(count) for _ in range(10) for each in (store, other)))
    final = await store.read(lambda conn: liveblogs.event(conn, "e1"))
    if other is not store:
        await other.close()

    assert final.document == {"count": 20}
    assert sorted(versions) == list(range(3, 23))


async def test_an_event_of_a_deleted_liveblog_is_not_there(store, game):
    """Neither is one that never was."""
    await store.write(lambda unit: record(unit, game.id, Change(events=(post("e1"),))))
    await store.write(lambda unit: record(unit, game.id, Change(local_status=100)))
    for name in ("e1", "e2"):
        with pytest.raises(NotFound):
            await store.write(lambda unit, name=name: lock_event(unit, name))


async def test_a_connection_that_died_in_idleness_is_made_again(postgres_url):
    """Nobody hears of it: it is noticed by the BEGIN, before anything has happened."""
    store = await store_at(postgres_url)
    control = await store_at(postgres_url)
    game = await store.write(lambda unit: insert_game(unit, new_game()))
    for number in range(3):
        assert await control.write(lambda unit: unit.conn.execute(text(OTHERS)).all())
        await store.write(lambda unit, name=f"e{number}": record(unit, game.id, Change(events=(post(name),))))
        assert await control.write(lambda unit: unit.conn.execute(text(OTHERS)).all())
        await store.ping()
    await store.close()
    await control.close()
