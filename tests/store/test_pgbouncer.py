"""PgBouncer in transaction mode: what is needed beside it, and what a start says where that is missing."""

import asyncio
import secrets
import subprocess
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from store.engine.errors import StoreError
from store.engine.liveblog_records import Change
from store.engine.postgres.sessions import Session, sessions_last
from store.engine.settings import parse_url
from store.liveblogs.liveblogs import insert_game, record
from tests.kit.command import MATCHWIRE
from tests.kit.opening import pool_settings, store_at
from tests.store.conftest import new_game, open_store

pytestmark = pytest.mark.proof

ROOT = Path(__file__).resolve().parents[2]


async def test_a_pooler_without_a_direct_address_stops_the_start(postgres_url, pgbouncer_url):
    """The store does not open, and the error names the setting that is missing."""
    with pytest.raises(StoreError, match=r"database\.direct_url"):
        await store_at(pgbouncer_url)


async def test_the_daemon_ends_with_the_status_of_a_configuration(tmp_path, postgres_url, pgbouncer_url):
    """Exit status 2 and one line that names the setting; no password in it."""
    (tmp_path / "matchwire.toml").write_text(f'[server]\nport = 0\n[database]\nurl = "{pgbouncer_url}"\ntimeout = 1\n')
    command = [*MATCHWIRE, "run", "--config", "matchwire.toml"]
    ended = await asyncio.to_thread(
        partial(
            subprocess.run, command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
            timeout=60, check=False,
        )
    )  # fmt: skip
    (line,) = [line for line in ended.stderr.splitlines() if line.startswith("matchwire:")]

    assert ended.returncode == 2
    assert "database.direct_url" in line
    assert parse_url(postgres_url).password not in ended.stderr


async def test_the_direct_address_must_lead_past_the_pooler(postgres_url, pgbouncer_url):
    """A direct address that is a pooler's too is refused as well."""
    with pytest.raises(StoreError, match=r"database\.direct_url"):
        await store_at(pgbouncer_url, direct_url=pgbouncer_url)


@pytest.mark.parametrize(("way", "lasting"), [("postgres_url", True), ("pgbouncer_url", False)])
async def test_whether_sessions_last_is_found_out_while_others_use_the_pooler(request, way, lasting):
    """Whoever else the pooler's connections are given to meanwhile."""
    connect = partial(Session.open, parse_url(request.getfixturevalue(way)), pool_settings(), "test")
    busy = await connect()

    async def keep_busy():
        while True:
            await busy.execute("SELECT pg_sleep(0.001)")

    task = asyncio.create_task(keep_busy())
    found = [await sessions_last(connect, 0.3) for _ in range(5)]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await busy.close()

    assert found == [lasting] * 5


async def test_limits_hold_in_each_transaction_and_nothing_stays_in_the_session(postgres_url, pgbouncer_url):
    """The server bounds statements behind the pooler as well, and no other client of it inherits that."""
    limit = text("SELECT current_setting('statement_timeout')")
    store = await open_store(pgbouncer_url, pool=pool_settings(timeout=3))
    inside = await store.read(lambda conn: conn.execute(limit).scalar_one())
    session = await Session.open(parse_url(pgbouncer_url), pool_settings(), "test")
    after = await (await session.execute(limit.text)).fetchone()
    prepared = await (await session.execute("SELECT count(*) FROM pg_prepared_statements")).fetchone()
    await session.close()
    await store.close()

    assert (inside, after, prepared) == ("3s", ("0",), (0,))


async def test_steps_are_heard_across_processes_behind_a_pooler(postgres_url, pgbouncer_url):
    """NOTIFY goes through the pooler, LISTEN past it."""
    one, other = await open_store(pgbouncer_url), await open_store(pgbouncer_url)
    heard = asyncio.Queue()
    other.on_step(heard.put_nowait)
    async with asyncio.timeout(60):
        assert await heard.get() is None
        game = await one.write(partial(insert_game, game=new_game()))
        assert await heard.get() == {game.id: 1}
        await one.write(partial(record, game_id=game.id, change=Change(local_status=0)))
        assert await heard.get() == {game.id: 2}
    await one.close()
    await other.close()


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg", "postgresql+asyncpg"])
async def test_three_schemes_name_the_same_database(postgres_url, scheme):
    """What one has written, each of the others reads."""
    store = await store_at(postgres_url)
    name = secrets.token_hex(4)
    await store.write(lambda unit: insert_game(unit, new_game(document={"meta_info": {"title": name}})))
    await store.close()
    other = await store_at(f"{scheme}://{postgres_url.partition('://')[2]}")
    titles = await other.read(lambda conn: conn.execute(text("SELECT title FROM games")).scalars().all())
    await other.close()

    assert titles == [name]


def test_what_asyncpg_calls_ssl_is_sslmode():
    """An address that was written for the other driver keeps its meaning."""
    assert parse_url("postgresql+asyncpg://u@h/d?ssl=require") == parse_url("postgresql://u@h/d?sslmode=require")
