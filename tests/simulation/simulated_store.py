"""One database for several simulated processes: units run at one instant each, and what lies between is seeded.

What may happen to a unit: it takes its time, is refused, runs twice because it lost a race, is committed although its
caller hears that it is not, or is the last thing that its process did.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Callable, Mapping
from contextvars import copy_context
from functools import cache
from typing import TypeVar

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import StaticPool

from mapping.errors import StoreUnavailable
from store.engine.unit import Hear, HearWord, Unit
from tests.kit.sqlite import empty_database

T = TypeVar("T")


@cache
def _empty() -> sqlite3.Connection:
    """A current schema, in memory, where there is no write-ahead log, whatever the header of a file says."""
    file, connection = empty_database(), sqlite3.connect(":memory:", check_same_thread=False)
    connection.deserialize(file[:18] + b"\x01\x01" + file[20:])
    return connection


@cache
def _engine() -> tuple[sqlite3.Connection, Engine]:
    """One for all seeds, so that statements are compiled once."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    return connection, create_engine("sqlite+pysqlite://", creator=lambda: connection, poolclass=StaticPool)


class SimulatedDatabase:
    """What is committed. `committed` is called after each commit, with the backend that made it and what stepped."""

    def __init__(self, committed: Callable[[SimulatedBackend, Mapping[str, int]], None]) -> None:
        self.raw, self._engine = _engine()
        _empty().backup(self.raw)
        self.raw.execute("PRAGMA foreign_keys=ON")
        self.away = False
        """Nobody reaches it."""
        self.backends: list[SimulatedBackend] = []
        self._committed = committed

    def run(self, backend: SimulatedBackend, work: Callable[[Unit], T], now: int, *, twice: bool) -> T:
        """The result of the unit, committed; whatever it raises, nothing of it stays."""
        with self._engine.connect() as conn:
            if twice:
                self._attempt(conn, work, now)
                conn.rollback()
            unit, result = self._attempt(conn, work, now)
            conn.commit()
        self._committed(backend, unit.touched)
        return result

    def look(self, query: Callable[[Connection], T]) -> T:
        with self._engine.connect() as conn:
            return query(conn)

    @staticmethod
    def _attempt(conn: Connection, work: Callable[[Unit], T], now: int) -> tuple[Unit, T]:
        conn.exec_driver_sql("BEGIN IMMEDIATE")
        unit = Unit(conn, now)
        try:
            return unit, work(unit)
        except BaseException:
            conn.rollback()
            raise


class SimulatedBackend:
    """The database as one process reaches it: what `store.database.Store` drives."""

    def __init__(
        self, name: str, database: SimulatedDatabase, seeded: random.Random, clock: Callable[[], float]
    ) -> None:
        self.name = name
        self.liveness = self
        self.notices = self
        self.partitioned = False
        self.faulty = False
        """Units are refused, repeated or ambiguous now and then."""
        self.dies: Callable[[], None] | None = None
        """Kills the process at its next commit."""
        self._database = database
        self._seeded = seeded
        self._clock = clock
        self._hear: Callable[[Mapping[str, int]], None] | None = None
        self._hear_words: list[HearWord] = []
        database.backends.append(self)

    async def write(
        self, work: Callable[[Unit], T], group_key: str | None = None, committed: Callable[[], None] | None = None
    ) -> T:
        del group_key
        await self._reach()
        result = self._database.run(self, work, int(self._clock()), twice=self._chance(0.02))
        if self.dies is not None:
            self.dies()
        await asyncio.sleep(self._seeded.uniform(0.001, 0.05))
        if committed is not None:
            committed()
        if self._chance(0.01) or self._unreachable:
            raise StoreUnavailable("the connection ended in COMMIT")
        return result

    async def read(self, query: Callable[[Connection], T]) -> T:
        await self._reach()
        result = self._database.look(query)
        await asyncio.sleep(self._seeded.uniform(0.001, 0.02))
        return result

    read_for_write = read

    async def acquire(self, key: int) -> None:
        """No liveness lock: the others go by heartbeats alone."""

    async def is_locked(self) -> bool:
        return True

    def start(self, hear: Hear) -> None:
        context, loop = copy_context(), asyncio.get_running_loop()

        def later(stepped: Mapping[str, int]) -> None:
            loop.call_later(self._seeded.uniform(0.001, 0.5), hear, dict(stepped), context=context)

        self._hear = later

    def notify(self, stepped: Mapping[str, int]) -> None:
        """The other processes hear of it later, or not at all."""
        for other in self._others():
            if not self._chance(0.2):
                other._hear(stepped)

    def announce(self, word: str) -> None:
        """The same, with words."""
        for other in self._others():
            for hear in other._hear_words:
                if not self._chance(0.2):
                    hear(word)

    def on_word(self, hear: HearWord) -> None:
        context, loop = copy_context(), asyncio.get_running_loop()

        def later(word: str) -> None:
            loop.call_later(self._seeded.uniform(0.001, 0.5), hear, word, context=context)

        self._hear_words.append(later)

    def _others(self) -> list[SimulatedBackend]:
        """The other processes that listen and can be reached."""
        backends = self._database.backends
        return [each for each in backends if each is not self and each._hear is not None and not each._unreachable]

    async def ping(self) -> None:
        await self._reach()

    async def close(self) -> None:
        """Nothing to close: the database is everybody's."""

    @property
    def _unreachable(self) -> bool:
        return self.partitioned or self._database.away

    def _chance(self, probability: float) -> bool:
        return self.faulty and self._seeded.random() < probability

    async def _reach(self) -> None:
        await asyncio.sleep(self._seeded.uniform(0.001, 0.05))
        if self._unreachable:
            await asyncio.sleep(self._seeded.uniform(0.0, 3.0))  # a refusal is soon known, a time-out late
            raise StoreUnavailable("the database does not answer")
        if self._chance(0.02):
            raise StoreUnavailable("too many writes are waiting for the database")
