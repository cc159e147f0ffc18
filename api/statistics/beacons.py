"""Sums in memory what pages have reported, until it is written; their size does not follow the number of reports.

How many a process has received stands in a file that outlives it: whatever kills it, what is lost is counted.
"""

from __future__ import annotations

import fcntl
import hashlib
import mmap
import os
import secrets
import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import structlog
from prometheus_client import CollectorRegistry, Counter

from mapping.statistics.documents import NOWHERE, Beacon, PageAddress, page_address
from store.engine.unit import Unit
from store.statistics import statistics
from store.statistics.statistics import CountKey, LoadSums

MINUTE = 60
READER_BYTES = 16
NOTHING = LoadSums()
OUTCOMES = ("counted", "dropped", "lost", "bot")
"""Of beacons. `dropped`: too many, or of a liveblog that nobody may read; `lost`: with a process."""


log = structlog.get_logger()
SUFFIX = ".beacons"
_NUMBERS = struct.Struct("<QQ")


class BeaconLimits(NamedTuple):
    """The most places with their minutes, and the most readers of them, that wait to be written."""

    cells: int
    readers: int


class Audience(NamedTuple):
    """A liveblog as a page has named it, and whose client did; None where feeds are public and nobody need be named."""

    liveblog: str
    organizations: frozenset[str] | None


@dataclass(slots=True)
class PendingCell:
    """Sums of one place and minute, and the hashes of its readers, which no salt protects: they are never stored."""

    sums: LoadSums = NOTHING
    beacons: int = 0
    readers: set[bytes] = field(default_factory=set)


Pending = dict[Audience, dict[CountKey, PendingCell]]


class Beacons:
    """The beacons of one process. Beyond the limits pages are counted without their place, then not at all."""

    def __init__(self, limits: BeaconLimits, clock: Callable[[], float], tally: BeaconTally) -> None:
        """`clock` gives Unix seconds."""
        self._limits = limits
        self._clock = clock
        self._tally = tally
        self._pending: Pending = defaultdict(dict)
        self._cells = 0
        self._readers = 0
        made = CollectorRegistry()
        self.counter = Counter(
            "matchwire_beacons", "What pages have reported of readers, by outcome", ["outcome"], registry=made
        )
        for outcome in OUTCOMES:
            self.counter.labels(outcome)

    def take(self, beacon: Beacon, audience: Audience, reader: bytes) -> None:
        """Count it; `reader`: what `reader_of` gave."""
        self._tally.receive()
        slot = int(self._clock()) // MINUTE * MINUTE
        cell = self._cell(audience, slot, page_address(beacon.url)) or self._cell(audience, slot, NOWHERE)
        if cell is None:
            self.drop(1)
            return
        cell.beacons += 1
        sampled = beacon.kind == "load" and self._note_reader(cell, reader)
        cell.sums = cell.sums.plus(_sums_of(beacon, sampled=sampled))

    def drop(self, beacons: int) -> None:
        """So many that were received are not counted."""
        self._tally.drop(beacons)
        self.counter.labels("dropped").inc(beacons)

    def drain(self) -> Pending:
        """What waits; from now on it is the caller's."""
        drained, self._pending = self._pending, defaultdict(dict)
        self._cells = self._readers = 0
        return drained

    def _cell(self, audience: Audience, slot: int, place: PageAddress) -> PendingCell | None:
        """The cell; None where there is no room for a new one. A tenth of the room is for those without a place."""
        key = CountKey(slot, *place)
        found = self._pending[audience].get(key) if audience in self._pending else None
        if found is None:
            most = self._limits.cells if place == NOWHERE else self._limits.cells * 9 // 10
            if self._cells >= most:
                return None
            self._cells += 1
            found = self._pending[audience][key] = PendingCell()
        return found

    def _note_reader(self, cell: PendingCell, reader: bytes) -> bool:
        if reader not in cell.readers:
            if self._readers >= self._limits.readers:
                return False
            self._readers += 1
            cell.readers.add(reader)
        return True


def reader_of(network: str, user_agent: str) -> bytes:
    """What distinguishes readers within a few seconds, before a salt makes of it what is stored."""
    return hashlib.blake2b(f"{network}\0{user_agent}".encode(errors="replace"), digest_size=READER_BYTES).digest()


def _sums_of(beacon: Beacon, *, sampled: bool) -> LoadSums:
    match beacon.kind:
        case "load":
            return LoadSums(loads=1, sampled=int(sampled))
        case "load_more":
            return LoadSums(more=1)
        case _:
            return LoadSums(retention_ms=beacon.ms, retention_views=int(beacon.first))


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
        for path, received, dropped in _abandoned_files(folder)
    }
    return {name: lost for name, lost in found.items() if lost is not None}


def forget(folder: Path, names: Iterable[str]) -> None:
    """Remove the files of these processes, which have ended."""
    for name in names:
        (folder / f"{name}{SUFFIX}").unlink(missing_ok=True)


def _abandoned_files(folder: Path) -> Iterator[tuple[Path, int, int]]:
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
