"""The server that other tests rely on is real, private and comes back."""

import asyncpg
import pytest


def dsn(url):
    return url.replace("postgresql+asyncpg://", "postgresql://")


async def count_tables(url):
    connection = await asyncpg.connect(dsn(url))
    try:
        return await connection.fetchval("select count(*) from information_schema.tables where table_schema = 'public'")
    finally:
        await connection.close()


@pytest.mark.parametrize("_time", [1, 2])
async def test_each_test_has_an_empty_database(bare_postgres_url, _time):
    """What one test writes is not there in the next."""
    before = await count_tables(bare_postgres_url)
    connection = await asyncpg.connect(dsn(bare_postgres_url))
    await connection.execute("create table seen (id int)")
    await connection.close()

    assert (before, await count_tables(bare_postgres_url)) == (0, 1)


async def test_a_wrong_password_is_refused(postgres_url, postgres_cluster):
    """Nobody else on the machine can use the server."""
    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(dsn(postgres_url).replace(postgres_cluster.password, "guess"))


@pytest.mark.proof
async def test_what_was_committed_survives_a_kill(bare_postgres_url, postgres_cluster):
    """After `kill` and `start` the same address serves the same data."""
    connection = await asyncpg.connect(dsn(bare_postgres_url))
    await connection.execute("create table seen (id int)")

    postgres_cluster.kill()
    with pytest.raises((OSError, asyncpg.PostgresError, asyncpg.InterfaceError)):
        await connection.execute("select 1")
    postgres_cluster.start()

    assert await count_tables(bare_postgres_url) == 1
