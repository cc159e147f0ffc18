"""Connections to an SQLite file: how they are made, and units on one of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, exc
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool, StaticPool

from store.engine.errors import caller_error, late, unavailable
from store.engine.settings import PoolSettings
from store.engine.sql.compiled_query import execute
from store.engine.unit_pool import Locked, PooledConnection, QueuedUnit, Transaction, UnitOutcome

READER_PRAGMAS = ("query_only=ON",)
WRITER_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",  # an acknowledged write survives the loss of power
    "foreign_keys=ON",
    "cache_size=-49152",  # KiB; the default of 2 MB reads pages of many liveblogs again and again, more saves nothing
    "temp_store=MEMORY",  # the journal of a statement is no file: none can be opened where descriptors have run out
    "journal_size_limit=67108864",  # a WAL that had to grow shrinks again at the next checkpoint
)


def make_engine(url: URL, settings: PoolSettings, pragmas: tuple[str, ...]) -> Engine:
    """An engine without a pool, whose connections begin nothing by themselves and run `pragmas` first."""
    engine = create_engine(
        url.set(drivername="sqlite+pysqlite"),
        hide_parameters=True,  # they are what readers and clients sent
        connect_args={"isolation_level": None, "timeout": settings.timeout, "check_same_thread": False},
        poolclass=NullPool if url.database and url.database != ":memory:" else StaticPool,
    )
    run_pragmas(engine, pragmas)
    return engine


def run_pragmas(engine: Engine, pragmas: tuple[str, ...]) -> None:
    """Have each connection of the engine run these first."""

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()


class TransactionLost(Exception):
    """SQLite has rolled the whole transaction back under a failing unit."""


class SqliteConnection(PooledConnection):
    """A connection on which units that write have a SAVEPOINT each, and share a commit."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._conn: Connection | None = None

    def run(self, first: QueuedUnit, more: Iterator[QueuedUnit]) -> list[UnitOutcome]:
        locked: Locked = {}
        try:
            conn = self._begun(first.transaction)
            outcomes = [self._attempt(conn, unit, locked) for unit in chain((first,), more)]
            conn.commit()
        except BaseException as error:
            self._undo()
            raise unavailable(error) from error
        return outcomes

    def close(self) -> None:
        conn, self._conn = self._conn, None
        if conn is not None:
            with suppress(exc.SQLAlchemyError):  # it may be broken
                conn.invalidate()
                conn.close()

    def _begun(self, transaction: Transaction) -> Connection:
        if self._conn is None:
            self._conn = self._engine.connect()
        self._conn.begin()
        # The driver's own transaction control is off (isolation_level None), so that this BEGIN is the only one.
        execute(self._conn, "BEGIN IMMEDIATE" if transaction is Transaction.WRITE else "BEGIN")
        return self._conn

    def _attempt(self, conn: Connection, unit: QueuedUnit, locked: Locked) -> UnitOutcome:
        """Run one unit; the failure of one that writes undoes what it did and nothing else."""
        if unit.late:  # waiting for somebody else's lock has taken longer than its caller waited
            return UnitOutcome(unit, error=late())
        try:
            if unit.transaction is not Transaction.WRITE:
                return UnitOutcome(unit, unit.work(conn, locked))
            execute(conn, "SAVEPOINT unit")
            result = unit.work(conn, locked)
            execute(conn, "RELEASE unit")
        except BaseException as error:  # noqa: BLE001 -- whatever it is belongs to the caller, not to this thread
            outcome = UnitOutcome(unit, error=caller_error(error))
            locked.clear()
            if unit.transaction is Transaction.WRITE:
                with suppress(exc.DBAPIError):  # already gone when SQLite has rolled the transaction back: checked next
                    execute(conn, "ROLLBACK TO unit")
                    execute(conn, "RELEASE unit")
        else:
            outcome = UnitOutcome(unit, result)
        if not _in_transaction(conn):
            raise TransactionLost
        return outcome

    def _undo(self) -> None:
        """Back to a connection without a transaction, or to none where that cannot be."""
        if self._conn is not None:
            with suppress(exc.SQLAlchemyError):
                self._conn.rollback()
                if not _in_transaction(self._conn):
                    return
        self.close()


def _in_transaction(conn: Connection) -> bool:
    driver = conn.connection.driver_connection
    return driver is not None and bool(driver.in_transaction)
