"""Backups are whole, while others write, and come back as they were."""

import asyncio
import os
import re
import secrets
from functools import partial
from pathlib import Path
from pkgutil import resolve_name

import pytest
from sqlalchemy import func, make_url, select

from store.engine import migrate
from store.engine.errors import AlreadyRunning, SchemaOutdated, StoreError
from store.engine.settings import database_file
from store.liveblogs.liveblogs import events, find_game, insert_game
from store.schema import metadata
from store.tables import outbox
from store.upkeep.backup import backup, restore
from store.upkeep.portable_rows import PORTABLE
from tests.kit.opening import pool_settings
from tests.store.conftest import new_game, open_store, writing

GAME = new_game()


def held(conn):
    """The version, the posts and the notifications: one of each for every write, or the copy is of no instant."""
    game = find_game(conn, GAME.id)
    posts = {event.local_id for event in events(conn, GAME.id)}
    return game.version, posts, conn.execute(select(func.count()).select_from(outbox)).scalar_one()


async def filled(url, posts=3):
    store = await open_store(url, pool=pool_settings(timeout=60.0))
    await store.write(partial(insert_game, game=GAME))
    for number in range(posts):
        await store.write(writing(GAME.id, f"e{number}"))
    return store


async def looked_at(url):
    store = await open_store(url)
    try:
        return await store.read(held)
    finally:
        await store.close()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.proof)])
def urls(request, tmp_path, monkeypatch):
    """A database with a current schema, and one where nothing is yet."""
    if request.param == "sqlite":
        return request.getfixturevalue("migrated_sqlite_url"), f"sqlite+aiosqlite:///{tmp_path / 'other.db'}"
    cluster = request.getfixturevalue("postgres_cluster")
    monkeypatch.setenv("PATH", f"{cluster.programs}{os.pathsep}{os.environ['PATH']}")
    name = f"kept_{secrets.token_hex(4)}"
    full = cluster.create_database(name)
    migrate.upgrade(full)
    return full, cluster.create_database(f"{name}_again")


def test_the_page_names_each_secret_that_a_backup_holds():
    """An export has none of them, but addresses of webhooks and digests of tokens that were used."""
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text(encoding="utf-8")
    rows = page.partition("\n## Backups\n")[2].partition("\n## ")[0].split("\n|")[1:]
    named = {name for row in rows for name in re.findall(r"`(\w+\.\w+)`", row.partition("\n")[0])}
    columns = {f"{table.name}.{column.name}" for table in metadata.tables.values() for column in table.c}
    exported = {f"{each.table.name}.{column.name}" for each in PORTABLE for column in each.columns}

    called_so = {each for each in columns if re.search(r"\..*(secret|hash|jti)", each)}
    assert named == called_so | {"reader_salts.value", "service_keys.value", "webhooks.url"}
    assert named & exported == {"reader_sign_ins.jti_digest", "webhooks.url"}


async def test_a_backup_is_of_one_instant_and_comes_back(urls, tmp_path):
    """Writers go on while it is taken; what comes back is a version with all its posts, and a daemon can go on with it."""
    url, other = urls
    store = await filled(url)
    stop = asyncio.Event()

    async def write(writer):
        for number in range(10_000):
            if stop.is_set():
                return
            await store.write(writing(GAME.id, f"w{writer}n{number}"))

    writers = [asyncio.create_task(write(writer)) for writer in range(4)]
    await asyncio.sleep(0.1)
    before, _, _ = await store.read(held)
    await asyncio.to_thread(backup, url, tmp_path / "kept")
    after, _, _ = await store.read(held)
    stop.set()
    await asyncio.gather(*writers)
    await store.close()
    await asyncio.to_thread(restore, other, tmp_path / "kept")
    version, posts, notifications = await looked_at(other)

    assert after > before  # somebody wrote meanwhile
    assert before <= len(posts) + 1 <= after
    assert version > after
    assert notifications == 1  # of the step that the restore is; none of those before it had its number
    assert (tmp_path / "kept").stat().st_mode & 0o027 == 0  # it holds secrets of webhooks

    again = await open_store(other)
    await again.write(writing(GAME.id, "elater"))
    assert (await again.read(held))[0] == version + 1
    await again.close()


@pytest.mark.proof
async def test_what_is_there_is_only_replaced_on_demand(urls, tmp_path):
    """Neither a backup nor a database is overwritten by accident; a daemon that runs is not pulled from under."""
    url, _ = urls
    store = await filled(url)
    await asyncio.to_thread(backup, url, tmp_path / "kept")
    await store.write(writing(GAME.id, "elater"))
    with pytest.raises(StoreError, match="there already"):
        await asyncio.to_thread(backup, url, tmp_path / "kept")
    with pytest.raises((StoreError, AlreadyRunning)):
        await asyncio.to_thread(restore, url, tmp_path / "kept")
    with pytest.raises(AlreadyRunning):
        await asyncio.to_thread(partial(restore, replace=True), url, tmp_path / "kept")
    await store.close()

    aside = await asyncio.to_thread(partial(restore, replace=True), url, tmp_path / "kept")

    assert (await looked_at(url))[1:] == ({"e0", "e1", "e2"}, 1)
    assert aside is None or "elater" in (await looked_at(f"sqlite+aiosqlite:///{aside}"))[1]


async def test_what_is_no_sound_backup_is_refused(migrated_sqlite_url, tmp_path):
    """A file cut short, one of something else, none: the database stays as it is."""
    await (await filled(migrated_sqlite_url, posts=300)).close()
    await asyncio.to_thread(backup, migrated_sqlite_url, tmp_path / "kept")
    whole = (tmp_path / "kept").read_bytes()
    (tmp_path / "short").write_bytes(whole[: len(whole) // 2 // 4096 * 4096])
    (tmp_path / "text").write_text("no database at all")
    bring_back = partial(restore, migrated_sqlite_url, replace=True)

    for name in ("short", "text", "missing"):
        with pytest.raises(StoreError, match=name):
            await asyncio.to_thread(bring_back, tmp_path / name)
    assert (await looked_at(migrated_sqlite_url))[0] == 301
    assert not [each for each in tmp_path.iterdir() if "replaced" in each.name or "restored" in each.name]


@pytest.mark.parametrize(("schema", "said"), [("9999", "a newer version"), ("0112", r"before 0\.1\.0: upgrade it to")])
async def test_a_backup_of_another_schema_is_refused(urls, schema, said, tmp_path):
    """One of a newer version, and one of before the release: the database stays as it is."""
    url, _ = urls

    async def bring_to(schema):
        marking = f"UPDATE alembic_version SET version_num = '{schema}'"
        await store.write(lambda unit: unit.conn.exec_driver_sql(marking) and None)

    store = await filled(url)
    await bring_to(schema)
    await asyncio.to_thread(backup, url, tmp_path / "kept")
    await bring_to(migrate.head())
    await store.close()
    with pytest.raises(SchemaOutdated, match=f"kept has the schema {schema} of {said}"):
        await asyncio.to_thread(partial(restore, replace=True), url, tmp_path / "kept")
    assert (await looked_at(url))[1] == {"e0", "e1", "e2"}


async def test_an_empty_database_and_a_missing_tool_are_said(bare_postgres_url, postgres_url, tmp_path, monkeypatch):
    """In words that say what to do; nothing is left beside."""
    with pytest.raises(StoreError, match="nothing to keep"):
        await asyncio.to_thread(backup, bare_postgres_url, tmp_path / "kept")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StoreError, match="postgresql-client"):
        await asyncio.to_thread(backup, postgres_url, tmp_path / "kept")
    assert list(tmp_path.iterdir()) == []


class Broken(BaseException):
    """The process ends here."""


REFUSED = "a backup is being restored into the database, or that was broken off: run matchwire restore"
STEPS = {
    "sqlite": [
        "store.engine.sqlite.file_copy.copy", "store.engine.sqlite.backend.run_once", "store.upkeep.backup.begin_anew",
        "store.engine.sqlite.file_copy.exchange", "store.engine.sqlite.file_copy.os.link", "pathlib.Path.replace",
    ],
    "postgresql": [
        "store.engine.postgres.dump.load", "store.engine.postgres.dump._run", "store.upkeep.backup.begin_anew",
        "store.engine.migrate.upgrade_connection",
    ],
}  # fmt: skip


@pytest.mark.proof
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_restore_that_is_broken_off_leaves_no_empty_database(urls, when, tmp_path, monkeypatch):
    """At each of its steps: what is there is the old database or the new one, or says that it has to be restored."""
    full, _ = urls
    store = await filled(full)
    await asyncio.to_thread(backup, full, tmp_path / "kept")
    await store.write(writing(GAME.id, "elater"))
    await store.close()
    outcomes = set()
    for step in STEPS[make_url(full).get_backend_name()]:
        with monkeypatch.context() as patched:
            owner, _, name = step.rpartition(".")
            whole = resolve_name(step)

            def broken(*arguments, whole=whole, **named):
                if when == "after":
                    whole(*arguments, **named)
                raise Broken

            patched.setattr(resolve_name(owner), name, broken)
            with pytest.raises(Broken):
                await asyncio.to_thread(partial(restore, replace=True), full, tmp_path / "kept")
        try:
            outcomes.add(frozenset((await looked_at(full))[1]))
        except StoreError as error:
            outcomes.add(str(error))
    await asyncio.to_thread(partial(restore, replace=True), full, tmp_path / "kept")
    old, new = frozenset({"e0", "e1", "e2", "elater"}), frozenset({"e0", "e1", "e2"})

    assert outcomes <= {old, new, REFUSED}
    assert frozenset((await looked_at(full))[1]) == new


@pytest.mark.parametrize("left", [".restored", ".replaced-1", "-wal"])
async def test_no_empty_database_is_made_beside_what_is_left_of_another(migrated_sqlite_url, tmp_path, left):
    """A start beside a database that was taken away, or beside half a restore, says so; a restore goes on."""
    await (await filled(migrated_sqlite_url)).close()
    await asyncio.to_thread(backup, migrated_sqlite_url, tmp_path / "kept")
    file = database_file(make_url(migrated_sqlite_url))
    file.rename(f"{file}{left}")
    with pytest.raises(StoreError, match=f"{file.name}{left}"):
        await asyncio.to_thread(migrate.upgrade, migrated_sqlite_url)
    assert not file.exists()

    await asyncio.to_thread(restore, migrated_sqlite_url, tmp_path / "kept")
    assert (await looked_at(migrated_sqlite_url))[1] == {"e0", "e1", "e2"}
