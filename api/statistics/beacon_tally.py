"""How many beacons a process has received, in a file that outlives it: whatever kills it, what is lost is counted."""

from __future__ import annotations

import fcntl
import mmap
import os
import secrets
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

import structlog

from store.engine.unit import Unit
from store.statistics import statistics

log = structlog.get_logger()

SUFFIX = ".beacons"
_NUMBERS = struct.Struct("<QQ")


class BeaconTally:
    """The file of this process, locked while it lives. Writing to it is writing to memory; the kernel keeps it."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError where the folder cannot be written."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.id = secrets.token_hex(8)
        self._path = folder / f"{self.id}{SUFFIX}"
        self._received = self._dropped = 0
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        os.ftruncate(self._file, _NUMBERS.size)
        self._memory = mmap.mmap(self._file, _NUMBERS.size)

    def receive(self) -> None:
        """One beacon has come in."""
        self._received += 1
        _NUMBERS.pack_into(self._memory, 0, self._received, self._dropped)

    def drop(self, beacons: int) -> None:
        """So many of them will never be counted."""
        self._dropped += beacons
        _NUMBERS.pack_into(self._memory, 0, self._received, self._dropped)

    def begin(self, unit: Unit) -> None:
        """Note that the process counts."""
        statistics.begin_intake(unit, self.id)

    def settle(self, unit: Unit) -> None:
        """Note how it ended, everything being written."""
        statistics.end_intake(unit, self.id, received=self._received, dropped=self._dropped)

    def remove(self) -> None:
        """Forget the file."""
        self._path.unlink(missing_ok=True)
        self.abandon()

    def abandon(self) -> None:
        """Let go of the file as a process does that dies; it stays for the next one."""
        self._memory.close()
        os.close(self._file)


def count_lost(unit: Unit, folder: Path) -> dict[str, int]:
    """Note what was lost with processes that ended without a word; how much that was, by process. Their files go with `forget`.

    The folder may be that of daemons with other databases too: what their processes have left is theirs.
    """
    found = {
        path.stem: statistics.end_intake(unit, path.stem, received=received, dropped=dropped)
        for path, received, dropped in _abandoned(folder)
    }
    return {name: lost for name, lost in found.items() if lost is not None}


def forget(folder: Path, names: Iterable[str]) -> None:
    """Remove the files of these processes, which have ended."""
    for name in names:
        (folder / f"{name}{SUFFIX}").unlink(missing_ok=True)


def _abandoned(folder: Path) -> Iterator[tuple[Path, int, int]]:
    """The files that no living process has locked, with what it had received and dropped."""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            with path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                content = file.read(_NUMBERS.size)
        except OSError:  # it lives, or somebody else was faster
            continue
        if len(content) == _NUMBERS.size:
            yield path, *_NUMBERS.unpack(content)
