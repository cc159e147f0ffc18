"""A store whose units run at once, in memory: for very many short histories in one process."""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from sqlalchemy import Connection

from store.engine.unit import Unit
from store.files.disk import DiskFiles
from store.upkeep.backup import begin_anew, continue_numbers
from store.upkeep.export_organization import export_organization
from store.upkeep.import_organization import import_organization
from tests.kit.sqlite import empty_database
from tests.simulation.simulated_store import SimulatedDatabase

T = TypeVar("T")


class InlineStore:
    """What `Process` needs of a store. `committed` is called after each unit, with the liveblogs that stepped in it."""

    def __init__(self, clock: Callable[[], float], committed: Callable[[Mapping[str, int]], None]) -> None:
        self.database = SimulatedDatabase(lambda _, touched: committed(touched))
        self.raw = self.database.raw
        self._clock = clock

    async def write(self, work: Callable[[Unit], T]) -> T:
        return self.database.run(None, work, int(self._clock()), twice=False)  # type: ignore[arg-type] -- nobody asks who

    async def read(self, query: Callable[[Connection], T]) -> T:
        return self.database.look(query)

    read_for_write = read

    def backup(self) -> bytes:
        """The whole database as it is now."""
        return self.raw.serialize()

    def move(self, organization: str) -> None:
        """As `matchwire export` and `matchwire import` do: into a database that knows nothing of the organization."""
        with TemporaryDirectory() as folder:
            place = Path(folder)
            files = DiskFiles(place / "media")
            with closing(sqlite3.connect(place / "old.db")) as kept:
                self.raw.backup(kept)
            (place / "new.db").write_bytes(empty_database())
            old, new = (f"sqlite+aiosqlite:///{place / name}" for name in ("old.db", "new.db"))
            export_organization(old, organization, place / "exported", files=files, media=None)
            import_organization(new, place / "exported", files=files, media=None)
            with closing(sqlite3.connect(place / "new.db")) as moved:
                moved.execute("PRAGMA journal_mode=DELETE")
                moved.backup(self.raw)
        self._run(continue_numbers)  # by the history's clock, which the import did not have

    def restore(self, kept: bytes) -> None:
        """As `matchwire restore` does: the database as it was, with numbers that nobody has seen."""
        with closing(sqlite3.connect(":memory:")) as restored:
            restored.deserialize(kept)
            restored.backup(self.raw)
        self._run(begin_anew)

    def _run(self, work: Callable[[Connection, int], None]) -> None:
        now = int(self._clock())
        self.database.run(None, lambda unit: work(unit.conn, now), now, twice=False)  # type: ignore[arg-type] -- nobody asks who
