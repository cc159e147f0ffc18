"""Connections to PostgreSQL: how they are made, and transactions on one of them.

SQLAlchemy sees a connection in autocommit. BEGIN, COMMIT and ROLLBACK go to the driver itself, so that a connection that
was lost while nobody used it is noticed by the BEGIN, before anything has happened, without a round trip for that alone.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from contextlib import contextmanager, suppress
from traceback import clear_frames
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, create_engine, exc
from sqlalchemy.pool import NullPool

from store.engine.errors import StoreError, commit_unknown, connect_error
from store.engine.records import StoredGame
from store.engine.sql.compiled_query import translate_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine
    from sqlalchemy.engine import URL

    from store.engine.settings import PoolSettings

T = TypeVar("T")
Locked = dict[str, StoredGame]
Work = Callable[[Connection, Locked], T]
"""A unit: given the connection and the liveblogs that its transaction has locked already."""

WRITE = "BEGIN"
READ = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
"""One snapshot for all statements."""
ALONE = ""
"""No transaction, for a single statement."""
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


class PooledConnection:
    """A connection that is made when it is needed, and given up when it fails. One thread uses it at a time."""

    def __init__(self, engine: Engine, settings: PoolSettings, *, pooler: bool) -> None:
        local, milliseconds = "LOCAL " if pooler else "", int(settings.timeout * 1000)
        limits = "; ".join(f"SET {local}{name} = {milliseconds}" for name in LIMITS)
        self._at_begin, self._at_connect = (f"; {limits}", "") if pooler else ("", limits)
        self._engine = engine
        self._conn: Connection | None = None
        self._handle: socket.socket | None = None
        self._user: object = None
        self._interrupted = False
        self._lock = threading.Lock()

    def transact(self, begin: str, work: Work[T]) -> T:
        """The result of `work`, committed. Raises the errors of SQLAlchemy and what `work` raises."""
        conn = self._begun(begin and begin + self._at_begin)
        try:
            result = work(conn, {})
            _commit(conn)
        except BaseException:
            self._undo(conn)
            raise
        return result

    def used_by(self, user: object) -> None:
        """Name for whom the connection works from now on."""
        with self._lock:
            self._user, self._interrupted = user, False

    def interrupt(self, user: object) -> None:
        """Break the connection off from another thread, as long as it works for `user`: what waits for the server fails."""
        with self._lock:
            if self._user is user:
                self._interrupted = True
                if self._handle is not None:
                    shut_down(self._handle)

    def abort(self) -> None:
        """Break the connection off from another thread, for whomever it works."""
        self.interrupt(self._user)

    def close(self) -> None:
        """Give the connection up as it is; the server undoes what was not committed."""
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
                raise commit_unknown(error) from error
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
