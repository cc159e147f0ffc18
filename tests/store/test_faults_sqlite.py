"""What happens to the file: killed writers, second daemons, full disks, foreign locks."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from api.http.errors import status_of
from mapping.errors import StoreUnavailable
from store.engine import migrate
from store.engine.errors import AlreadyRunning
from store.liveblogs.liveblogs import events, insert_game, require_game
from store.tables import outbox
from tests.kit.opening import pool_settings, store_at
from tests.store.conftest import new_game, writing

ROOT = Path(__file__).parents[2]


def spawn(module, *arguments):
    command = [sys.executable, "-m", f"tests.kit.{module}", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.mark.proof
async def test_what_was_acknowledged_survives_a_kill(migrated_sqlite_url):
    """After SIGKILL every acknowledged write is there once, versions and outbox agree, the file is intact."""
    for run in range(1, 4):
        process = spawn("store_writer", migrated_sqlite_url, run)
        lines = [process.stdout.readline().split() for _ in range(120 * run)]
        os.kill(process.pid, signal.SIGKILL)
        lines += [line.split() for line in process.stdout.read().split("\n")[:-1]]
        process.wait()
        process.stdout.close()
        acknowledged = {local_id: int(version) for local_id, version in lines[1:]}

        store = await store_at(migrated_sqlite_url)
        game = await store.read(partial(require_game, name=new_game(run).id))
        stored = {item.local_id: item.version for item in await store.read(partial(events, game_id=game.id))}
        versions = await store.read(
            lambda conn, game=game: (
                conn.execute(outbox.select().with_only_columns(outbox.c.version).where(outbox.c.game_id == game.id))
                .scalars()
                .all()
            )
        )
        intact = await store.read(lambda conn: conn.execute(text("PRAGMA integrity_check")).scalar())
        await store.close()

        assert acknowledged.items() <= stored.items()
        assert sorted(stored.values()) == list(range(2, game.version + 1))
        assert sorted(versions) == list(range(1, game.version + 1))
        assert intact == "ok"


async def test_a_second_daemon_is_refused(sqlite_store, sqlite_url, tmp_path):
    """Whoever opens the file while another has it gets AlreadyRunning, under another name of the file too."""
    alias = tmp_path / "alias.db"
    alias.symlink_to(tmp_path / "matchwire.db")
    for address in (sqlite_url, f"sqlite+aiosqlite:///{alias}"):
        with pytest.raises(AlreadyRunning, match="in use by another matchwire process"):
            await store_at(address)
    with pytest.raises(AlreadyRunning):
        await asyncio.to_thread(migrate.upgrade, sqlite_url)

    await sqlite_store.ping()


@pytest.mark.proof
async def test_the_lock_goes_with_its_process(migrated_sqlite_url):
    """A daemon in another process keeps the file; the moment it is dead the next one has it."""
    process = spawn("store_writer", migrated_sqlite_url, 1)
    process.stdout.readline()
    with pytest.raises(AlreadyRunning, match=f"pid {process.pid}"):
        await store_at(migrated_sqlite_url)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()

    store = await store_at(migrated_sqlite_url)
    await store.ping()
    await store.close()


async def test_a_full_database_refuses_writes_and_serves_reads(sqlite_store, sqlite_game):
    """What does not fit is StoreUnavailable for its caller alone; the store recovers as soon as there is room."""
    await sqlite_store.write(writing(sqlite_game.id, "before"))
    large = writing(sqlite_game.id, "large", {"headline": "x" * 1_000_000})

    def cap(pages):
        return lambda unit: unit.conn.execute(text(f"PRAGMA max_page_count={pages}")).scalar()

    pages = await sqlite_store.write(lambda unit: unit.conn.execute(text("PRAGMA page_count")).scalar())
    await sqlite_store.write(cap(pages))

    outcomes = await asyncio.gather(
        sqlite_store.write(large), sqlite_store.write(lambda unit: unit.now), return_exceptions=True
    )
    assert isinstance(outcomes[0], StoreUnavailable)
    assert (status_of(type(outcomes[0])), outcomes[0].retryable) == (503, True)
    stored = await sqlite_store.read(partial(events, game_id=sqlite_game.id))
    assert [item.local_id for item in stored] == ["before"]
    await sqlite_store.ping()

    await sqlite_store.write(cap(1_000_000))
    await sqlite_store.write(large)
    stored = await sqlite_store.read(partial(events, game_id=sqlite_game.id))
    assert sorted(item.local_id for item in stored) == ["before", "large"]


@pytest.mark.proof
async def test_a_commit_that_fails_fails_all_its_units(migrated_sqlite_url, tmp_path):
    """With no room for the log nobody hears of success, reads go on, and afterwards everything works again."""
    process = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "tests.kit.full_disk_writer", migrated_sqlite_url, str(tmp_path / "matchwire.db-wal")],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    result = json.loads(process.stdout)

    assert result == {
        "before": 2,
        "small": ["internal"],
        "large": "internal",
        "read": ["before"],
        "after": 3,
        "intact": "ok",
        "stored": ["after", "before"],
    }


async def test_a_foreign_lock_delays_but_never_kills(migrated_sqlite_url, tmp_path, clock):
    """While another program holds the write lock all callers get StoreUnavailable; then writing goes on."""
    store = await store_at(migrated_sqlite_url, clock=clock, pool=pool_settings(timeout=1.0))
    game = await store.write(partial(insert_game, game=new_game()))
    foreign = sqlite3.connect(tmp_path / "matchwire.db", isolation_level=None)
    foreign.execute("BEGIN IMMEDIATE")

    outcomes = await asyncio.gather(
        *(store.write(writing(game.id, f"e{number}")) for number in range(200)), return_exceptions=True
    )
    assert {type(outcome) for outcome in outcomes} == {StoreUnavailable}
    assert (await store.read(partial(require_game, name=game.id))).version == 1

    foreign.execute("ROLLBACK")
    foreign.close()
    assert await store.write(writing(game.id, "e")) == 2
    await store.close()


async def test_a_rolled_back_transaction_is_not_taken_for_success(sqlite_store, sqlite_game):
    """When the transaction is gone under a unit, its batch is refused and nothing is written outside a transaction."""

    def tear(unit):
        unit.conn.exec_driver_sql("ROLLBACK")

    outcomes = await asyncio.gather(
        sqlite_store.write(writing(sqlite_game.id, "a")),
        sqlite_store.write(tear),
        sqlite_store.write(writing(sqlite_game.id, "b")),
        return_exceptions=True,
    )
    stored = {item.local_id for item in await sqlite_store.read(partial(events, game_id=sqlite_game.id))}
    acknowledged = {name for name, outcome in zip(["a", "b"], outcomes[::2], strict=True) if isinstance(outcome, int)}

    assert isinstance(outcomes[1], StoreUnavailable)
    assert stored == acknowledged
    assert isinstance(await sqlite_store.write(writing(sqlite_game.id, "after")), int)
