"""The doctor finds what is not in order, on both databases, while a store is open."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
from functools import partial

import pytest
from sqlalchemy import text

from store import doctor, ledger
from store.doctor import examine
from store.errors import StoreError
from store.liveblogs import Change, insert_game, record
from store.sync import Attachment, NewFollow, attach, follow_for
from tests.store.conftest import new_game, open_store, post, writing

GAME = new_game()
ROW = ledger.LedgerRow(key="goal:1", kind="goal", state="posted", local_id="e0")


@pytest.fixture(params=["sqlite", "postgresql"])
def own_url(request):
    """A database of the test's own, with a current schema."""
    if request.param == "sqlite":
        return request.getfixturevalue("migrated_sqlite_url")
    cluster, template = request.getfixturevalue("postgres_cluster"), request.getfixturevalue("postgres_template")
    return cluster.create_database(f"doctor_{secrets.token_hex(4)}", template)


@pytest.fixture
async def own_store(own_url):
    store = await open_store(own_url)
    yield store
    await store.close()


async def outcomes(url):
    return {finding.check: finding.outcome for finding in await asyncio.to_thread(examine, url)}


async def test_each_fault_is_found_and_only_it(own_url, own_store, monkeypatch, tmp_path):
    """One after the other: a post without its event, then what each database has of its own, then another revision."""

    async def execute(*statements):
        await own_store.write(lambda unit: [unit.conn.execute(text(each)) for each in statements] and None)

    await own_store.write(partial(insert_game, game=GAME))
    await own_store.write(writing(GAME.id, "e0"))
    await own_store.write(lambda unit: ledger.save(unit, GAME.id, [ROW]))
    sound = await outcomes(own_url)
    await execute("DELETE FROM events WHERE local_id = 'e0'")
    lost = await asyncio.to_thread(examine, own_url)
    await execute("UPDATE ledger SET state = 'gone'")
    gone = await outcomes(own_url)
    await execute("UPDATE alembic_version SET version_num = '0001'")
    old = await outcomes(own_url)
    await execute(f"UPDATE alembic_version SET version_num = '{doctor.migrate.head()}'")
    if own_url.startswith("postgresql"):
        monkeypatch.setattr(doctor, "CLOCK_TOLERANCE", -1.0)
        late = await outcomes(own_url)
        assert [item for item in late.items() if item[1] != "ok"] == [("clock", "warning")]
        monkeypatch.undo()
        await execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ix_events_publish_at'::regclass")
        own = "indexes", "fault"
    else:
        with sqlite3.connect(tmp_path / "matchwire.db") as conn:  # without foreign keys
            conn.execute("INSERT INTO parts (local_id, event_id) VALUES ('p', 'nobody')")
        conn.close()
        own = "orphans", "fault"
    planted = await outcomes(own_url)

    assert set(sound.values()) == {"ok"}
    assert [(each.check, each.outcome) for each in lost if each.outcome != "ok"] == [("ledger", "fault")]
    assert "e0" in lost[-1].detail
    assert gone == sound
    assert [check for check, outcome in old.items() if outcome != "ok"] == ["schema"]
    assert [item for item in planted.items() if item[1] != "ok"] == [own]


async def test_events_that_the_sync_does_not_know(own_url, own_store):
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
        return {each.check: each for each in await asyncio.to_thread(examine, own_url)}["ledger"]

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
