"""Readers of SQLite: few threads, whoever waits gets its turn, and nobody's failure or departure is another's."""

from __future__ import annotations

import asyncio
import threading

import pytest
from sqlalchemy import make_url, text

from mapping.errors import StoreUnavailable
from store.engine.sqlite.read_threads import ReadThreads
from tests.kit.opening import pool_settings
from tests.kit.sqlite import migrated_url

THREADS = 2


@pytest.fixture
async def readers(tmp_path):
    made = ReadThreads(make_url(migrated_url(tmp_path / "read.db")), pool_settings(pool_size=THREADS, timeout=2.0))
    yield made
    await made.close()


def thread_of(conn):
    conn.execute(text("SELECT 1"))
    return threading.current_thread()


async def test_a_reader_that_is_idle_is_used_again(readers):
    """The one that read last, off the event loop, with the pages that are read at the moment."""
    used = {await readers.submit(thread_of) for _ in range(5)}

    assert len(used) == 1
    assert threading.current_thread() not in used


async def test_more_reads_than_threads_wait_for_their_turn(readers):
    """In the order of their coming; a caller that gives up while it waits has nothing begun."""
    free, read = threading.Event(), []

    def query(number, conn):
        assert free.wait(5)
        read.append(number)
        return thread_of(conn)

    waiting = [readers.submit(lambda conn, number=number: query(number, conn)) for number in range(6)]
    waiting[3].cancel()
    await asyncio.sleep(0.05)
    free.set()
    used = await asyncio.gather(*waiting, return_exceptions=True)

    assert len({each for each in used if isinstance(each, threading.Thread)}) == THREADS
    assert sorted(read) == [0, 1, 2, 4, 5]


async def test_a_failed_read_leaves_the_next_one_alone(readers):
    """It cannot write, and what it raises is its caller's, on a connection that reads on."""

    def write(conn):
        conn.execute(text("DELETE FROM games"))

    def stop(_conn):
        raise StopIteration

    with pytest.raises(StoreUnavailable) as caught:
        await readers.submit(write)
    assert "readonly" in str(caught.value.__cause__)
    with pytest.raises(RuntimeError, match="StopIteration"):
        await readers.submit(stop)
    assert isinstance(await readers.submit(thread_of), threading.Thread)


async def test_a_close_waits_for_what_has_been_taken(readers):
    """Also for what waits for a thread; nothing is taken afterwards."""
    slow = threading.Event()
    asyncio.get_running_loop().call_later(0.1, slow.set)
    under_way = [readers.submit(lambda conn: (slow.wait(5), thread_of(conn))[0]) for _ in range(THREADS + 2)]
    await readers.close()

    assert [each.done() and each.result() for each in under_way] == [True] * (THREADS + 2)
    with pytest.raises(StoreUnavailable):
        readers.submit(thread_of)
