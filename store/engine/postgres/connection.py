"""Connections to PostgreSQL: how they are made, and units on one of them.

SQLAlchemy sees a connection in autocommit. BEGIN, COMMIT and ROLLBACK go to the driver itself, so that a connection that
was lost while nobody used it is noticed by the BEGIN, before anything has happened, without a round trip for that alone.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from traceback import clear_frames
from typing import Any, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, Engine, create_engine, exc
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from store.engine.errors import (
    POSTGRES_RETRIED,
    StoreError,
    caller_error,
    connect_error,
    late,
    passing,
    sqlstate,
    unavailable,
)
from store.engine.settings import PoolSettings
from store.engine.statements import translate_error
from store.engine.unit import Locked, PooledConnection, QueuedUnit, Transaction, UnitOutcome, Work, answer

T = TypeVar("T")
BEGIN = {
    Transaction.WRITE: "BEGIN",
    Transaction.READ: "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    Transaction.NONE: "",
}
ATTEMPTS = 3
"""Runs of a unit by itself, after it has lost against others (unique key, deadlock, a new schema), before its error counts."""
CONNECT = 10.0
"""Seconds after which a connection that does not come about is given up, however patient the statements are."""
LIMITS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
"""What the server bounds by itself, whatever becomes of this process."""


def make_engine(url: URL, settings: PoolSettings, *, pooler: bool) -> Engine:
    """An engine without a pool, whose connections are in no transaction.

    `pooler`: a transaction pooler is on the way, where a prepared statement is gone with its transaction.
    """
    named = {"application_name": "matchwire", "connect_timeout": connect_timeout(settings)}
    return create_engine(
        url,
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,  # they are what readers and clients sent
        paramstyle="format",  # by position, as the compiled queries are given
        use_native_hstore=False,  # nothing of ours: a request for it would only make the start longer
        connect_args=named | ({"prepare_threshold": None} if pooler else {}),
    )


def connect_timeout(settings: PoolSettings) -> int:
    """Seconds for a connection to come about; the driver takes whole ones, and two at least."""
    return max(2, round(min(settings.timeout, CONNECT)))


def close_attempt(error: BaseException) -> None:
    """Close what an attempt to connect that ended with `error` had opened.

    The driver leaves that to the next garbage collection: the frames of the error hold the connection that has not come
    about. A server that is back would keep a place for each of them until its `authentication_timeout`, a minute.
    """
    clear_frames(error.__traceback__)


def socket_handle(driver: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> socket.socket:
    """A second handle on the socket of the connection: shutting it down ends every wait for the server."""
    return socket.socket(fileno=os.dup(driver.fileno()))


def shut_down(handle: socket.socket) -> None:
    """End the connection under whoever uses it."""
    with suppress(OSError):  # it is gone already
        handle.shutdown(socket.SHUT_RDWR)


class PostgresConnection(PooledConnection):
    """A connection on which units share a transaction, and have one each where that fails by one of them.

    SAVEPOINTs would cost as many round trips as transactions.
    """

    def __init__(self, engine: Engine, settings: PoolSettings, *, pooler: bool) -> None:
        local, milliseconds = "LOCAL " if pooler else "", int(settings.timeout * 1000)
        limits = "; ".join(f"SET {local}{name} = {milliseconds}" for name in LIMITS)
        self._at_begin, self._at_connect = (f"; {limits}", "") if pooler else ("", limits)
        self._engine = engine
        self._conn: Connection | None = None
        self._handle: socket.socket | None = None
        self._user: QueuedUnit | None = None
        self._interrupted = False
        self._lock = threading.Lock()

    def run(self, first: QueuedUnit, more: Iterator[QueuedUnit]) -> list[UnitOutcome]:
        taken: list[QueuedUnit] = []

        def together(conn: Connection, locked: Locked) -> list[UnitOutcome]:
            outcomes = []
            for unit in chain((first,), more):
                taken.append(unit)
                outcomes.append(UnitOutcome(unit, _work(unit, conn, locked)))
            return outcomes

        try:
            return self._transact(first.transaction, together)
        except BaseException as error:
            if not _is_retried(error) and (len(taken) < 2 or passing(error)):
                raise
        for unit in taken or [first]:  # each is answered at once: the next may wait for a lock
            self.begin_for(unit)
            answer([self._run_alone(unit)])
        return []

    def _run_alone(self, unit: QueuedUnit) -> UnitOutcome:
        """Run the unit in a transaction of its own, again where it loses against others."""
        error: BaseException = unavailable()
        for _ in range(ATTEMPTS):
            if unit.late:
                break
            try:
                return UnitOutcome(unit, self._transact(unit.transaction, partial(_work, unit)))
            except BaseException as failed:  # noqa: BLE001 -- whatever it is belongs to the caller, not to this thread
                error = failed
                if not _is_retried(failed):
                    break
        return UnitOutcome(unit, error=caller_error(error))

    def _transact(self, transaction: Transaction, work: Work[T]) -> T:
        """The result of `work`, committed. Raises the errors of SQLAlchemy and what `work` raises."""
        begin = BEGIN[transaction]
        conn = self._begun(begin and begin + self._at_begin)
        try:
            result = work(conn, {})
            _commit(conn)
        except BaseException:
            self._undo(conn)
            raise
        return result

    def used_by(self, user: QueuedUnit | None) -> None:
        with self._lock:
            self._user, self._interrupted = user, False

    def interrupt(self, user: QueuedUnit | None) -> None:
        with self._lock:
            if self._user is user:
                self._interrupted = True
                if self._handle is not None:
                    shut_down(self._handle)

    def abort(self) -> None:
        self.interrupt(self._user)

    def close(self) -> None:
        conn, self._conn = self._conn, None
        if conn is not None:
            with suppress(exc.SQLAlchemyError, psycopg.Error):
                conn.invalidate()
                conn.close()
        with self._lock:
            handle, self._handle = self._handle, None
        if handle is not None:
            handle.close()

    def _begun(self, begin: str) -> Connection:
        """The connection, in a transaction. One that was lost since its last use is made anew: nothing has happened."""
        if self._conn is not None:
            try:
                _send(self._conn, begin)
            except exc.DBAPIError:
                self.close()
                if self._interrupted:
                    raise
            else:
                return self._conn
        conn = self._connected()
        try:
            _send(conn, self._at_connect)
            _send(conn, begin)
        except exc.DBAPIError:
            self.close()
            raise
        return conn

    def _connected(self) -> Connection:
        try:
            conn = self._conn = self._engine.connect()
        except exc.OperationalError as error:
            if isinstance(error.orig, psycopg.errors.ConnectionTimeout):
                close_attempt(error.orig)
                raise TimeoutError from error
            raise connect_error(error, self._engine.url) from error
        handle = socket_handle(driver_of(conn))
        with self._lock:
            self._handle = handle
            if self._interrupted:
                shut_down(handle)
        return conn

    def _undo(self, conn: Connection) -> None:
        """Back to a connection without a transaction, or to none where that cannot be."""
        if not conn.invalidated and not driver_of(conn).closed:
            with suppress(exc.SQLAlchemyError, psycopg.Error):
                driver_of(conn).rollback()
                conn.rollback()  # SQLAlchemy's own state; the server hears nothing of it
                return
        self.close()


def _work(unit: QueuedUnit, conn: Connection, locked: Locked) -> Any:
    """Run the unit, unless making the connection has taken all of its time."""
    if unit.late:
        raise unavailable()
    return unit.work(conn, locked)


def _is_retried(error: BaseException) -> bool:
    """Whether the same unit may find what it lost against when it runs once more."""
    return sqlstate(error) in POSTGRES_RETRIED


def driver_of(conn: Connection) -> psycopg.Connection[Any]:
    """The driver's connection."""
    driver: Any = conn.connection.driver_connection
    return driver  # type: ignore[no-any-return]


def _commit(conn: Connection) -> None:
    driver = driver_of(conn)
    if driver.info.transaction_status is TransactionStatus.INERROR:
        raise StoreError("a unit went on after one of its statements had failed: nothing of it was written")
    with _errors(conn, "COMMIT"):
        try:
            driver.commit()
        except psycopg.OperationalError as error:
            if driver.closed:
                raise late() from error
            raise
    conn.commit()  # SQLAlchemy's own state; the server hears nothing of it


def _send(conn: Connection, sql: str) -> None:
    if sql:
        with _errors(conn, sql):
            driver_of(conn).execute(sql, prepare=False)


@contextmanager
def _errors(conn: Connection, sql: str) -> Iterator[None]:
    """The driver's errors as those of SQLAlchemy."""
    try:
        yield
    except psycopg.Error as error:
        raise translate_error(conn, sql, error) from error
