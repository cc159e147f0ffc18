"""The store as the rest of the service sees it: open, write a unit, read, close."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection, delete, insert
from sqlalchemy.engine import URL

from mapping.errors import StoreUnavailable
from store.engine import migrate as migrations
from store.engine import spans
from store.engine.errors import SchemaMissing, StoreError
from store.engine.settings import PoolSettings, parse_url
from store.engine.spans import Durations
from store.engine.unit import Hear, Stepped, Unit
from store.liveblogs.history import read_at
from store.tables import service_keys

if TYPE_CHECKING:
    from store.engine.postgres.backend import PostgresBackend
    from store.engine.postgres.sessions import LivenessLock
    from store.engine.sqlite.backend import NoOtherProcess, SqliteBackend

__all__ = ["PoolSettings", "Store", "Unit"]

T = TypeVar("T")


class Store:
    """One database, opened. Safe to use from any task of the event loop that opened it."""

    def __init__(self, backend: SqliteBackend | PostgresBackend) -> None:
        self._backend = backend
        self._closed = False
        self._unwritten = False
        self.units = Durations()
        """Units that were committed, from their call to their commit."""
        self.failed_units = 0
        self._listeners: list[Hear] = []

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        pool: PoolSettings,
        direct_url: str | None = None,
        clock: Callable[[], float] = time.time,
        migrate: bool | None = None,
    ) -> Store:
        """Open `sqlite+aiosqlite:///path` or `postgresql://…`, whose schema is current afterwards.

        `direct_url`: where `url` leads through a transaction pooler, the same database straight at its server, for what
        needs a session of its own. `clock` gives Unix seconds. `migrate` None migrates on SQLite only; without migration
        a schema that is not current raises SchemaOutdated. Raises AlreadyRunning when another process holds the SQLite
        file, DatabaseRefused when the server does not let the user in, StoreError when sessions do not last on the way to
        it, and StoreUnavailable when the database does not answer.
        """
        parsed = parse_url(url)
        store = cls(_backend(parsed, clock, pool, None if direct_url is None else parse_url(direct_url)))
        try:
            await store._backend.check()
            await store._prepare(migrate=parsed.get_backend_name() == "sqlite" if migrate is None else migrate)
        except BaseException:
            await store.close()
            raise
        return store

    async def write(self, work: Callable[[Unit], T], *, group_key: str | None = None) -> T:
        """The result of `work`, once it is committed.

        `group_key` names the liveblog that `work` steps, where that is known: such units take turns instead of waiting
        for each other's locks, and share a transaction while many wait.
        What `work` raises is raised here, and nothing of it stays. StoreUnavailable: not written, or (PostgreSQL lost
        in the middle of COMMIT, a disk that hangs under SQLite) not known; it comes after `timeout` seconds at the latest.
        A caller that is cancelled does not cancel the unit.
        """
        self._check_open()
        stepped: dict[str, int] = {}

        def watched(unit: Unit) -> T:
            result = work(unit)
            stepped.update(unit.touched)  # versions only rise, so a unit that ran twice leaves the last run's
            return result

        def committed() -> None:
            if stepped:
                self._call_listeners(stepped)
                self._backend.notices.notify(stepped)

        began = time.monotonic()
        try:
            with spans.child("store.write", work):
                result = await self._backend.write(watched, group_key, committed)
        except StoreUnavailable:
            self._unwritten = True
            self.failed_units += 1
            raise
        self._unwritten = False
        self.units.observe(time.monotonic() - began)
        return result

    async def check_writes(self) -> None:
        """Raises StoreUnavailable when the last write failed for want of the database, and a small one fails as well."""
        if self._unwritten:
            await self.write(_try_to_write)

    def on_step(self, listener: Hear) -> None:
        """Call `listener`, in the event loop, with the liveblogs that stepped, right after each commit of any process.

        A hint, not a guarantee: one step may come twice, late, or as None, which means that anything may have stepped
        because the connection on which PostgreSQL notifies was lost for a while.
        """
        self._listeners.append(listener)
        self._backend.notices.start(self._call_listeners)

    def announce(self, topic: str, word: str) -> None:
        """Say something to the other processes on this database, where there may be some; nothing of it is stored.

        It may be lost, and comes a moment later. `topic`: one word without spaces, by which listeners are found.
        """
        self._backend.notices.announce(f"{topic} {word}")

    def on_announcement(self, topic: str, listener: Callable[[str], None]) -> None:
        """Call `listener`, in the event loop, with what other processes announce under this topic."""

        def hear(word: str) -> None:
            about, _, rest = word.partition(" ")
            if about == topic:
                listener(rest)

        self._backend.notices.on_word(hear)

    async def read(self, query: Callable[[Connection], T], *, at: int | None = None) -> T:
        """The result of `query` on one snapshot of committed data. Never waits for a writer; cannot write.

        `at`: a moment in Unix seconds; liveblogs and master data are read as they stood before that second began.
        """
        self._check_open()
        with spans.child("store.read", query):
            return await self._backend.read(query if at is None else partial(read_at, moment=at, query=query))

    async def read_for_write(self, query: Callable[[Connection], T]) -> T:
        """Like `read`, for a few rows by their key that are wanted for a write: it waits its turn with the writes.

        On SQLite that costs a tenth of a reader's connection; PostgreSQL has no cheaper way than `read`.
        """
        self._check_open()
        with spans.child("store.read_for_write", query):
            return await self._backend.read_for_write(query)

    @property
    def waiting(self) -> int:
        """How many units, on PostgreSQL reads as well, wait for their turn or are under way."""
        return self._backend.waiting

    @property
    def liveness(self) -> LivenessLock | NoOtherProcess:
        """The sign of life by which other processes on the database know that this one has not ended."""
        return self._backend.liveness

    async def ping(self) -> None:
        """Raises StoreUnavailable unless the database answers."""
        self._check_open()
        await self._backend.ping()

    async def close(self) -> None:
        """Finish the units under way (bounded), then let go of the database. May be called twice."""
        if not self._closed:
            self._closed = True
            await self._backend.close()

    def _call_listeners(self, stepped: Stepped) -> None:
        for listener in self._listeners:
            listener(stepped)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the database is closed")

    async def _prepare(self, *, migrate: bool) -> None:
        current = await self._revision()
        if current == migrations.head():
            return
        if not migrate:
            raise migrations.other_schema(current, "run `matchwire db upgrade`")
        await self._backend.prepare(lambda unit: migrations.upgrade_connection(unit.conn))

    async def _revision(self) -> str | None:
        try:
            return await self._backend.prepare(lambda unit: migrations.current_of(unit.conn))
        except SchemaMissing:
            return None


def _try_to_write(unit: Unit) -> None:
    """Write a row that is gone again at the end: a full disk refuses it, as it would not refuse a change of nothing."""
    name = f"tried {secrets.token_hex(8)}"
    unit.conn.execute(insert(service_keys).values(name=name, value=b""))
    unit.conn.execute(delete(service_keys).where(service_keys.c.name == name))


def _backend(
    url: URL, clock: Callable[[], float], pool: PoolSettings, direct_url: URL | None
) -> SqliteBackend | PostgresBackend:
    match url.get_backend_name():
        case "sqlite":  # each loads the driver of its own kind, which the other does not need
            from store.engine.sqlite.backend import SqliteBackend

            return SqliteBackend(url, clock, pool)
        case "postgresql":
            from store.engine.postgres.backend import PostgresBackend

            return PostgresBackend(url, clock, pool, direct_url)
        case other:
            raise StoreError(f"no such database: {other} (sqlite+aiosqlite:///path or postgresql://…)")
