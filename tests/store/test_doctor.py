"""The doctor finds what is not in order, on both databases, while a store is open."""

import asyncio
import functools
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from sqlalchemy import text

from mapping.posts.reconcile import Entry
from store.engine.errors import StoreError
from store.engine.liveblog_records import Change
from store.following import ledger
from store.following.follow_rows import Attachment, NewFollow, attach, follow_for
from store.liveblogs.liveblogs import insert_game, record
from store.upkeep import command, doctor
from store.upkeep.doctor import examine
from store.webhooks import outbox, webhooks
from store.webhooks.webhooks import new_secret
from tests.kit.corrected_match import TWO, begun, edit
from tests.kit.scripted import OWNER
from tests.kit.sqlite import copied_url, filled_database
from tests.store.conftest import new_game, open_store, post, writing

GAME = new_game()
ROW = ledger.row_of(Entry(key="goal:1", kind="goal", source="play", local_id="e0"), placed=1)


@pytest.fixture
async def own_store(current_url):
    store = await open_store(current_url)
    yield store
    await store.close()


async def outcomes(url):
    return {finding.check: finding.outcome for finding in await asyncio.to_thread(examine, url)}


async def test_each_fault_is_found_and_only_it(current_url, own_store, monkeypatch, tmp_path):
    """One after the other: a post without its event, then what each database has of its own, then another revision."""

    async def execute(*statements):
        await own_store.write(lambda unit: [unit.conn.execute(text(each)) for each in statements] and None)

    await own_store.write(partial(insert_game, game=GAME))
    await own_store.write(writing(GAME.id, "e0"))
    await own_store.write(lambda unit: ledger.save(unit, GAME.id, [ROW]))
    sound = await outcomes(current_url)
    await execute("DELETE FROM events WHERE local_id = 'e0'")
    lost = await asyncio.to_thread(examine, current_url)
    await execute("UPDATE ledger SET state = 'gone'")
    gone = await outcomes(current_url)
    await execute("UPDATE alembic_version SET version_num = '0001'")
    old = await outcomes(current_url)
    await execute(f"UPDATE alembic_version SET version_num = '{doctor.migrate.head()}'")
    if current_url.startswith("postgresql"):
        monkeypatch.setattr(doctor, "CLOCK_TOLERANCE", -1.0)
        late = await outcomes(current_url)
        assert [item for item in late.items() if item[1] != "ok"] == [("clock", "warning")]
        monkeypatch.undo()
        collated = "UPDATE pg_database SET datcollversion = {} WHERE datname = current_database()"
        await execute(collated.format("'of another system'"))
        sorted_otherwise = await outcomes(current_url)
        assert [item for item in sorted_otherwise.items() if item[1] != "ok"] == [("collation", "fault")]
        await execute(collated.format("pg_database_collation_actual_version(oid)"))
        await execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ix_events_scheduled'::regclass")
        own = "indexes", "fault"
    else:
        with sqlite3.connect(tmp_path / "matchwire.db") as conn:  # without foreign keys
            conn.execute("INSERT INTO parts (local_id, event_id) VALUES ('p', 'nobody')")
        conn.close()
        own = "orphans", "fault"
    planted = await outcomes(current_url)

    assert set(sound.values()) == {"ok"}
    assert [(each.check, each.outcome) for each in lost if each.outcome != "ok"] == [("ledger", "fault")]
    assert any("e0" in each.detail for each in lost)
    assert gone == sound
    assert [check for check, outcome in old.items() if outcome != "ok"] == ["schema"]
    assert [item for item in planted.items() if item[1] != "ok"] == [own]


async def test_events_that_the_sync_does_not_know(current_url, own_store):
    """One of the provider's that the ledger lacks, in a liveblog made on its match; not one of a person, or of an earlier match."""

    def made(unit):
        insert_game(unit, GAME)
        match = NewFollow(
            endpoint="heim:x", provider="heim", organization_id="o", match_id="1", sport="soccer", status="live"
        )
        given = {"game_id": GAME.id, "organization_id": "o", "provider": "heim", "match_id": "1"}
        attach(unit, Attachment(**given, follow_id=follow_for(unit, match).id, selector={}, terms={}))
        writes = (post("e0", user_id="heim"), post("e1", user_id="desk"), post("e2", user_id="heim", local_status=100))
        record(unit, GAME.id, Change(events=writes))
        ledger.save(unit, GAME.id, [ROW])

    async def found(statement):
        await own_store.write(lambda unit: unit.conn.execute(text(statement)) and None)
        return {each.check: each for each in await asyncio.to_thread(examine, current_url)}["ledger"]

    await own_store.write(made)
    known = await found("SELECT 1")
    unknown = await found("DELETE FROM ledger")
    again = await found("UPDATE attachments SET created_at = created_at + 1")

    assert (known.outcome, unknown.outcome, again.outcome) == ("ok", "fault", "ok")
    assert "1 events of the sync are unknown to it, one is e0" in unknown.detail


def test_a_file_that_is_damaged_or_missing(migrated_sqlite_url, tmp_path):
    file = tmp_path / "matchwire.db"
    content = bytearray(file.read_bytes())
    content[4096 * 3 : 4096 * 6] = b"\xff" * 4096 * 3
    file.write_bytes(content)

    assert [(each.check, each.outcome) for each in examine(migrated_sqlite_url)] == [("integrity", "fault")]
    with pytest.raises(StoreError, match="no database"):
        examine(f"sqlite+aiosqlite:///{tmp_path / 'other.db'}")
    assert not (tmp_path / "other.db").exists()


POST = "(SELECT local_id FROM ledger WHERE key = 'incident:11')"
DAMAGES = {
    "a post that is no JSON": (f"UPDATE events SET doc = '{{' WHERE local_id = {POST}", "posts"),
    "a post whose status is none": (f"UPDATE events SET local_status = 7 WHERE local_id = {POST}", "posts"),
    "a liveblog that is no JSON": ("UPDATE games SET doc = '['", "liveblogs"),
    "a liveblog whose status is none": ("UPDATE games SET local_status = 7", "liveblogs"),
    "a version below that of a post": ("UPDATE games SET version = 1", "liveblogs"),
    "the newest row of the outbox gone": ("DELETE FROM outbox WHERE id = (SELECT max(id) FROM outbox)", "outbox"),
    "a sequence that is behind": ("UPDATE outbox_sequence SET last = 1", "outbox"),
    "a row of the ledger gone": (f"DELETE FROM ledger WHERE local_id = {POST}", "ledger"),
    "the liveblog's own row of the ledger gone": ("DELETE FROM ledger WHERE key = 'game'", "ledger-rows"),
    "a row of the ledger that is no JSON": (f"UPDATE ledger SET written = '{{' WHERE local_id = {POST}", "ledger-rows"),
    "a state of the ledger that is none": (f"UPDATE ledger SET state = 'x' WHERE local_id = {POST}", "ledger-rows"),
    "a post deleted though posted": (f"UPDATE events SET local_status = 100 WHERE local_id = {POST}", "ledger-rows"),
    "a belief that cannot be read": ("UPDATE beliefs SET belief = :bytes", "matches"),
    "an answer that cannot be read": ("UPDATE resources SET body = :bytes", "matches"),
    "terms of another form": ("UPDATE attachments SET terms = '{\"sport\": 5}'", "matches"),
    "terms that are no JSON": ("UPDATE attachments SET terms = '{'", "matches"),
    "a match whose status is none": ("UPDATE follows SET status = 'x'", "matches"),
    "words of a liveblog gone": ("DELETE FROM tokens WHERE kind = 'games'", "liveblogs"),
    "words of a team gone": ("DELETE FROM tokens WHERE kind = 'teams'", "master-data"),
    "a team that is no JSON": ("UPDATE teams SET doc = '{'", "master-data"),
    "ids of blocks gone": ("DELETE FROM parts", "posts"),
    "links to master data gone": ("DELETE FROM game_records", "posts"),
    "a question that is none": ("INSERT INTO standby_searches VALUES ('g', 'pa', 'o', 'open', '[]', 0, 1)", "rules"),
    "a cursor beyond the numbers": ("UPDATE webhooks SET cursor = 1000", "webhooks"),
    "a subscription whose status is none": ("UPDATE webhooks SET status = 'x'", "webhooks"),
}


async def lived(store):
    """A match with goals and a webhook that is behind; an editor has written in one post and deleted another."""
    process, ticker_id = await begun(store, TWO)
    await edit(process, ticker_id, "incident:12", headline="What a goal")
    await edit(process, ticker_id, "period:soccer.start", local_status=100)
    await process.settle()
    url = "https://cms.example.org/hook"
    await store.write(partial(webhooks.subscribe, organization_id=OWNER, url=url, secret=new_secret(), limit=9))
    await edit(process, ticker_id, "incident:12", headline="What a goal!")
    await store.write(lambda unit: outbox.number_committed(unit) and None)


async def fill(url):
    store = await open_store(url)
    await lived(store)
    await store.close()


@functools.cache
def lived_file():
    """The bytes of a SQLite file that a match has filled."""
    return filled_database(fill)


@pytest.fixture(scope="session")
def lived_template(postgres_cluster, postgres_template):
    """The name of such a database of PostgreSQL."""
    url = postgres_cluster.create_database("lived", postgres_template)
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, fill(url)).result()
    return "lived"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.proof)])
def lived_url(request, tmp_path):
    if request.param == "sqlite":
        yield copied_url(tmp_path / "lived.db", lived_file)
        return
    cluster, template = request.getfixturevalue("postgres_cluster"), request.getfixturevalue("lived_template")
    yield cluster.create_database("damaged", template)
    cluster.drop_database("damaged")


def test_what_a_match_has_filled_is_sound(lived_url):
    """Each check says so."""
    assert {each.outcome for each in examine(lived_url)} == {"ok"}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_where_it_is(lived_url, name):
    """In a database that a match has filled, one thing is spoilt; that check names it, and an example of it."""
    statement, check = DAMAGES[name]
    given = {"bytes": b"\0"} if ":bytes" in statement else {}
    command.run(lived_url, lambda unit: unit.conn.execute(text(statement), given) and None, timeout=60)
    found = {each.check: each for each in examine(lived_url)}

    assert found[check].outcome == "fault"
    assert "one is" in found[check].detail
