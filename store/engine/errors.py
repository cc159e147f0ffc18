"""Errors of the database itself, and which of them pass by waiting.

    StoreError
    ├── AlreadyRunning    another process holds the database file
    ├── DatabaseAway      it was not available for as long as a start waits
    ├── DatabaseRefused   the server does not let this user in, or do what it has to
    └── SchemaOutdated    the schema is not the one that this version needs
        └── SchemaMissing it has no schema at all

What passes by itself (locked, full, gone away, too slow) becomes `mapping.errors.StoreUnavailable` for the callers.
"""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import exc
from sqlalchemy.engine import URL

from mapping.errors import StoreUnavailable

SQLITE_PASSING = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)
"""Primary result codes that say nothing about the statement, only about the moment."""

POSTGRES_PASSING = ("08", "25006", "40", "53", "55P03", "57", "58")
"""Beginnings of SQLSTATEs of the same kind: connection, read-only, rolled back, resources, lock, operator, system."""

POSTGRES_RACES = frozenset({"23505", "40001", "40P01"})
"""SQLSTATEs of a transaction that lost against a concurrent one and finds the other's rows when run again."""

OLD_PLAN = "0A000"
"""SQLSTATE of a statement that was prepared before the schema changed."""

UNDEFINED_TABLE = "42P01"
"""SQLSTATE of a statement that names a table that is not there."""

POSTGRES_RETRIED = POSTGRES_RACES | {OLD_PLAN}
"""SQLSTATEs of a unit that may well succeed when it runs again at once."""

POSTGRES_REFUSED = ("28", "3D", "42501")
"""Beginnings of SQLSTATEs that waiting does not mend: credentials, no such database, no right to do it."""

NOT_CONNECTED = re.compile(r"connection failed: connection to server .*? failed: (FATAL: *)?(?P<words>.*)")
"""How libpq reports a server that it did not come to terms with: the address, then the words of the server or the system."""

QUOTES = "\"'`\u00ab\u00bb\u201e\u201c\u201d\u2018\u2019\u201a"
"""What PostgreSQL puts around names, in whatever language it speaks."""

FAULTS = (StoreUnavailable, exc.SQLAlchemyError)
"""What comes from the database itself, whether it passes or not."""

BRIEF = 300
"""Characters of an error's own words that are logged."""


class UnreadableRow(Exception):
    """A row of ours is in a form that this version cannot read: a newer version's, or another hand's. The text says which."""


class StoreError(Exception):
    """A fault of the deployment that only its operator can mend."""


class AlreadyRunning(StoreError):
    """Another process serves this database file."""


class DatabaseAway(StoreError):
    """The database was not available for as long as a start waits for it."""


class DatabaseRefused(StoreError):
    """The server does not accept the credentials, the database's name, or what the user may not do."""


class SchemaOutdated(StoreError):
    """The database's schema is not the one that this version of matchwire needs."""


class SchemaMissing(SchemaOutdated):
    """The database is empty."""


def sqlstate(error: BaseException) -> str | None:
    """PostgreSQL's code for `error`, None for anything else."""
    code = getattr(getattr(error, "orig", error), "sqlstate", None)
    return code if isinstance(code, str) else None


def no_such_table(error: exc.DBAPIError) -> bool:
    """Whether the statement named a table that the database does not have; SQLite has no code for that."""
    return sqlstate(error) == UNDEFINED_TABLE or str(error.orig).startswith("no such table: ")


def passing(error: BaseException) -> bool:
    """Whether the same unit may well succeed later."""
    match error:
        case StoreUnavailable() | exc.TimeoutError() | OSError():
            return True
        case exc.DBAPIError(connection_invalidated=True) | exc.InterfaceError():
            return True
        case exc.DBAPIError() if isinstance(error.orig, sqlite3.Error):
            # The primary result code; a closed connection carries none and counts as one that cannot be opened.
            return getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_CANTOPEN) & 0xFF in SQLITE_PASSING
        case exc.OperationalError() if sqlstate(error) is None:
            return True
        case exc.DBAPIError():
            return (sqlstate(error) or "").startswith(POSTGRES_PASSING)
        case _:
            return False


def unusable(error: StoreUnavailable) -> bool:
    """Whether waiting mends nothing: what was to be the database is another file, or one that is damaged."""
    return isinstance(error.__cause__, exc.DatabaseError) and not passing(error.__cause__)


def transient(error: BaseException) -> bool:
    """Whether `error` says nothing about what a unit was to write: the same unit may well succeed when it runs again."""
    return passing(error) or sqlstate(error) in POSTGRES_RETRIED


def brief_reason(error: BaseException) -> str:
    """What may be said of an error in a log line: never a statement with its parameters."""
    if isinstance(error, UnreadableRow):
        return str(error)[:BRIEF]
    said = getattr(error, "orig", None) or error
    return f"{type(said).__name__}: {said}"[:BRIEF]


def is_refused(error: BaseException) -> bool:
    """Whether the server will say the same until its operator, or the setting `database.url`, says otherwise."""
    return (sqlstate(error) or "").startswith(POSTGRES_REFUSED)


def reason(error: BaseException | None) -> str:
    """The database's own words for why it is not available, in one line and without an address or a secret."""
    cause = error  # down to what the driver or the operating system has raised
    while isinstance(cause, StoreUnavailable | exc.DBAPIError):
        cause = cause.__cause__ if isinstance(cause, StoreUnavailable) else cause.orig
    if cause is None or isinstance(cause, TimeoutError | exc.TimeoutError | asyncio.CancelledError):
        return "it does not answer in time"
    if isinstance(cause, OSError) and (cause.errno or 0) > 0:
        return os.strerror(cause.errno or 0)  # asyncio's own text says less
    said = NOT_CONNECTED.match(str(cause))
    return " ".join((said["words"] if said else str(cause)).split()) or type(cause).__name__


@contextmanager
def store_errors() -> Iterator[None]:
    """What passes by itself is raised as StoreUnavailable, what the server refuses as DatabaseRefused, the rest as it is."""
    try:
        yield
    except (exc.SQLAlchemyError, OSError) as error:
        translated = caller_error(error)
        if translated is error:
            raise
        raise translated from error


def unavailable(cause: BaseException | None = None) -> StoreUnavailable:
    """The store's error for `cause`, which stays inside."""
    error = StoreUnavailable("the database is not available at the moment; try again", retry_after=1)
    error.__cause__ = cause
    return error


def late() -> StoreUnavailable:
    """The store's error for what has taken too long; nobody can say whether it will still be done."""
    return StoreUnavailable(
        "the database did not answer in time; a write may still be done, and asking again with the same local_id is safe",
        retry_after=1,
    )


def connect_error(error: Exception, url: URL) -> Exception:
    """What a connection that did not come about means for its caller: DatabaseRefused, or `error` where waiting helps.

    The driver has no SQLSTATE for it, and the server's words come in its own language. A server that refuses names the
    user or the database; one that starts, stops or is full names neither.
    """
    said = NOT_CONNECTED.match(str(getattr(error, "orig", error)))
    words = "" if said is None or "too many connections" in said["words"] else said["words"]
    names = (re.escape(name) for name in (url.username, url.database) if name)
    if any(re.search(rf"[{QUOTES}]\s*{name}", words) for name in names):
        return DatabaseRefused(f"the database refuses: {reason(error)} (setting database.url)")
    return error


def caller_error(error: BaseException) -> BaseException:
    """The error that the caller of a failed unit sees."""
    if isinstance(error, StopIteration):  # a future cannot carry one
        return RuntimeError("a unit raised StopIteration")
    if isinstance(error, StoreUnavailable):
        return error
    if is_refused(error):
        return DatabaseRefused(f"the database refuses: {reason(error)} (setting database.url)")
    return unavailable(error) if passing(error) or isinstance(error, asyncio.CancelledError) else error
