"""The history of the schema ends where the tables of the code begin."""

import asyncio
import shutil
from functools import partial
from importlib import import_module

import pytest
from alembic import command as alembic
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect, select, text

from store.accounts.tables import accounts
from store.engine import migrate
from store.engine.errors import SchemaOutdated
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import insert_game
from store.schema import metadata
from store.upkeep import command
from store.upkeep.portable_rows import PORTABLE
from tests.kit.opening import pool_settings, store_at
from tests.store.conftest import ORGANIZATION, new_game, writing

NEXT = """
from alembic import op
from sqlalchemy import Column, Text

from store.migrations.locks import lock_tables

revision, down_revision = "9998", "{head}"


def upgrade():
    lock_tables("games", "events", "webhooks", "outbox")
    op.add_column("games", Column("rehearsed", Text()))
    op.create_index("ix_events_rehearsed", "events", ["updated_at"])
    {then}
"""


def rehearse(monkeypatch, folder, then="pass"):
    """From now on the history has one revision more, which does `then` at its end."""
    shutil.copytree(migrate.HISTORY, folder)
    (folder / "versions/v9998_rehearsed.py").write_text(NEXT.format(head=migrate.head(), then=then))
    monkeypatch.setattr(migrate, "HISTORY", folder)


async def test_the_migrated_schema_is_the_metadata(store):
    """Alembic finds nothing to add, drop or alter between migrated database and tables."""

    def differences(unit):
        context = MigrationContext.configure(unit.conn, opts={"compare_type": True, "compare_server_default": True})
        return compare_metadata(context, metadata)

    assert await store.write(differences) == []
    assert len(metadata.tables) == len(await store.read(lambda conn: inspect(conn).get_table_names())) - 1


async def test_whoever_only_looked_is_a_viewer(store):
    """And all others are what they were."""

    def upgraded(unit):
        new = {"password_hash": None, "created_at": 1, "updated_at": 1, "organization_id": ORGANIZATION}
        for role in ("reader", "editor"):
            unit.conn.execute(accounts.insert().values(id=role, email=role, name=role, role=role, **new))
        with Operations.context(MigrationContext.configure(unit.conn)):
            import_module("store.migrations.versions.v0118_viewers").upgrade()
        return unit.conn.execute(select(accounts.c.role).order_by(accounts.c.id)).scalars().all()

    assert await store.write(upgraded) == ["editor", "viewer"]


async def test_an_upgrade_is_repeatable_and_leads_to_the_head(url):
    """`upgrade` brings an empty database to the head, does nothing a second time, and `current` says so."""
    assert await asyncio.to_thread(migrate.current, url) is None
    await asyncio.to_thread(migrate.upgrade, url)
    await asyncio.to_thread(migrate.upgrade, url)

    assert await asyncio.to_thread(migrate.current, url) == migrate.head()
    store = await store_at(url, migrate=False)
    await store.ping()
    await store.close()


async def test_two_processes_upgrade_one_after_the_other(bare_postgres_url):
    """Simultaneous upgrades of a shared database build it once."""
    patient = pool_settings(timeout=60.0)
    stores = await asyncio.gather(*(store_at(bare_postgres_url, pool=patient, migrate=True) for _ in range(3)))
    for store in stores:
        await store.close()

    assert await asyncio.to_thread(migrate.current, bare_postgres_url) == migrate.head()


async def test_an_upgrade_is_whole_or_nothing(current_url, monkeypatch, tmp_path):
    """What breaks off at its end has changed nothing, and the version of before goes on; the next one comes through."""

    def seen(unit):
        found = inspect(unit.conn)
        columns = {each["name"] for each in found.get_columns("games")}
        return "rehearsed" in columns, "ix_events_rehearsed" in {each["name"] for each in found.get_indexes("events")}

    with monkeypatch.context() as broken:
        rehearse(broken, tmp_path / "broken", "raise KeyError")
        with pytest.raises(KeyError):
            await asyncio.to_thread(migrate.upgrade, current_url)
    store = await store_at(current_url, migrate=False)
    assert await store.write(seen) == (False, False)
    await store.close()
    rehearse(monkeypatch, tmp_path / "whole")
    with pytest.raises(SchemaOutdated, match="this version of matchwire needs 9998: run `matchwire db upgrade`"):
        await store_at(current_url, migrate=False)
    store = await store_at(current_url, migrate=True)
    assert await store.write(seen) == (True, True)
    await store.close()


@pytest.mark.proof
async def test_units_go_on_while_the_schema_is_upgraded(postgres_url, monkeypatch, tmp_path):
    """Those of a process that was started before: none fails, none is lost, and the upgrade comes through beside them."""
    store = await store_at(postgres_url, pool=pool_settings(timeout=60.0), migrate=False)
    ids = [(await store.write(partial(insert_game, game=new_game(number)))).id for number in range(1, 5)]
    upgraded = asyncio.Event()

    async def go_on(game_id):
        written = 0
        while written < 10 or not upgraded.is_set():
            await store.write(writing(game_id, f"e{game_id[-4:]}{written}"))
            await store.read(partial(liveblogs.events, game_id=game_id))
            written += 1
        return written

    writers = [asyncio.create_task(go_on(game_id)) for game_id in ids]
    await asyncio.sleep(0.1)
    rehearse(monkeypatch, tmp_path / "next")
    await asyncio.to_thread(migrate.upgrade, postgres_url)
    upgraded.set()
    written = await asyncio.gather(*writers)
    stored = [await store.read(partial(liveblogs.events, game_id=game_id)) for game_id in ids]
    await store.close()

    assert [*map(len, stored)] == written
    assert await asyncio.to_thread(migrate.current, postgres_url) == "9998"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("9999", "of a newer version of matchwire than this one, which knows .*: install that one again, or restore"),
        ("0112", r"of before 0\.1\.0: upgrade it to 0113 with the last version of before, or begin with a new one"),
        ("0025", r"of before 0\.1\.0: upgrade it to 0113 with the last version of before, or begin with a new one"),
    ],
)
async def test_a_schema_that_this_version_does_not_know_is_left_alone(current_url, schema, said):
    """Neither a daemon nor a command runs on it or touches it; the line says what to do."""
    store = await store_at(current_url, migrate=True)
    await store.write(lambda unit: unit.conn.execute(text(f"UPDATE alembic_version SET version_num = '{schema}'")))
    await store.close()

    for opening in (
        store_at(current_url, migrate=True),
        store_at(current_url, migrate=False),
        asyncio.to_thread(migrate.upgrade, current_url),
        asyncio.to_thread(command.run, current_url, lambda unit: unit.now, timeout=60),
    ):
        with pytest.raises(SchemaOutdated, match=f"schema {schema} {said}"):
            await opening
    assert await asyncio.to_thread(migrate.current, current_url) == schema


def test_exported_tables_have_the_columns_of_the_first_export_that_is_taken(tmp_path):
    """With another column, or one less, exports of before cannot be read: `SAME_EXPORTS_SINCE` is then the schema with it."""
    engine = create_engine(f"sqlite:///{tmp_path / 'first.db'}")
    with engine.begin() as conn:
        config = Config(attributes={"connection": conn})
        config.set_main_option("script_location", str(migrate.HISTORY))
        alembic.upgrade(config, migrate.SAME_EXPORTS_SINCE)
    inspector = inspect(engine)
    exported = {each.table.name: {column.name for column in each.table.columns} for each in PORTABLE}
    first = {name: {each["name"] for each in inspector.get_columns(name)} for name in inspector.get_table_names()}
    engine.dispose()
    both = exported.keys() & first.keys()
    assert len(both) > 20
    assert {name: exported[name] for name in both} == {name: first[name] for name in both}
