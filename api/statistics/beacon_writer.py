"""Writes what pages have reported to the database: every few seconds, in one small unit for each liveblog."""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import structlog
from cachetools import LRUCache
from sqlalchemy import Connection

from api.statistics.beacons import (
    Audience,
    BeaconLimits,
    Beacons,
    BeaconTally,
    Pending,
    PendingCell,
    count_lost,
    forget,
)
from config import Settings
from config.errors import StartError
from mapping.errors import ServiceError
from mapping.statistics.periods import DAY, day_slots, last_use, month_slots
from mapping.statistics.reader_sketch import HASH_BYTES
from store.database import Store
from store.engine.errors import StoreError, brief_reason, transient
from store.engine.loops import LoggedLoop, LogOnce, repeat
from store.liveblogs import liveblogs
from store.statistics import statistics
from store.statistics.statistics import CountKey, LoadBatch, SketchKey

log = structlog.get_logger()

KNOWN_LIVEBLOGS = 10_000
"""Days of liveblogs whose places a process knows."""
NO_ROOM = ("", "")
CELLS_AT_ONCE = 100
"""Places with their minutes that one unit writes, each with its sketches: others wait for the writer no longer than that."""
MOST_FAILURES = 100
"""Failures for good of one flush, after which what still fails is dropped as a whole."""

Cells = dict[CountKey, "PendingCell"]
K = TypeVar("K")
V = TypeVar("V")


class GameCells(NamedTuple):
    """What is to be written of one liveblog."""

    game_id: str
    cells: Cells


class BeaconWriter:
    """Writes the beacons of one process, by the clock of the intake.

    `places`: the most pages that a liveblog has in a day, beyond which loads count without their page; `counts`: whether
    an organization wants numbers of its readers.
    """

    def __init__(
        self,
        store: Store,
        beacons: Beacons,
        tally: BeaconTally,
        *,
        interval: float,
        places: int,
        clock: Callable[[], float],
        counts: Callable[[str], bool],
    ) -> None:
        self._store = store
        self._beacons = beacons
        self._tally = tally
        self._interval = interval
        self._clock = clock
        self._counts = counts
        self._places = PlaceLimit(places)
        self._salts: dict[str, bytes] = {}
        self._unread: LRUCache[str, bool] = LRUCache(KNOWN_LIVEBLOGS)
        """Liveblogs of whose stored sketches some cannot be read."""
        self._number = 0
        self._drained: list[Pending] = []
        self._resolved: list[GameCells] = []
        self._unwritten: list[tuple[GameCells, LoadBatch]] = []
        """A beacon is on one of its three ways, or counted: a flush that breaks off anywhere is taken up by the next one."""
        self._failures = 0
        """What has failed for good in this flush."""
        self._dropping = LogOnce("statistics.dropped", "statistics.written", "error")

    async def run(self) -> None:
        """Write until cancelled; unwritten beacons are retried, and meanwhile the intake's limits hold."""
        await repeat(self._turn, LoggedLoop("statistics"))

    async def _turn(self) -> None:
        await asyncio.sleep(self._interval)
        try:
            await self.flush()
        except ServiceError as error:
            log.warning("statistics.unwritten", error=str(error))

    async def flush(self) -> None:
        """Write what waits. Raises the errors of the store; a batch whose outcome is not known is written once nevertheless.

        What fails for good is taken apart until what it fails of stands alone, which is dropped, and the rest is written.
        """
        self._failures = 0
        await self._finish()
        self._drained.append(self._beacons.drain())
        await self._finish()
        if not self._failures:
            self._dropping.worked()

    async def stop(self) -> None:
        """Write what is left, then end the run."""
        try:
            await self.flush()
            await self._store.write(self._tally.settle)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the process ends as it was about to
            log.warning("statistics.unwritten", error=brief_reason(error))
            self._tally.abandon()  # the next run counts what was lost, in this process after a reload
            return
        self._tally.remove()

    async def _finish(self) -> None:
        """Write all that was drained."""
        while self._unwritten or self._resolved or self._drained:
            if self._unwritten:
                await self._write(*self._unwritten[0])
            elif self._resolved:
                await self._number_batch(self._resolved[0])
            else:
                await self._resolve(self._drained[0])

    async def _write(self, found: GameCells, batch: LoadBatch) -> None:
        try:
            unread = await self._store.write(partial(statistics.add, game_id=found.game_id, batch=batch))
        except Exception as error:  # noqa: BLE001 -- raised again where it passes
            self._resolved[:0] = self._halves_of_cells(found, error)
        else:
            self._beacons.counter.labels("counted").inc(batch.beacons)
            self._report_unread(found.game_id, unread)
        del self._unwritten[0]

    async def _number_batch(self, found: GameCells) -> None:
        try:
            self._unwritten.append((found, await self._batch(found)))
        except Exception as error:  # noqa: BLE001 -- raised again where it passes
            self._resolved[1:1] = self._halves_of_cells(found, error)
        del self._resolved[0]

    async def _resolve(self, pending: Pending) -> None:
        try:
            found = await self._store.read(partial(_games, audiences=list(pending)))
        except Exception as error:  # noqa: BLE001 -- raised again where it passes
            self._drained[1:1] = self._halves_of_pending(pending, error)
        else:
            self._sort(pending, found)
        del self._drained[0]

    def _halves_of_cells(self, whole: GameCells, error: Exception) -> list[GameCells]:
        """The two halves of what has failed for good, none of what cannot be halved. Raises errors that pass."""
        beacons = sum(cell.beacons for cell in whole.cells.values())
        return [GameCells(whole.game_id, half) for half in self._halves(whole.cells, beacons, error)]

    def _halves_of_pending(self, whole: Pending, error: Exception) -> list[Pending]:
        beacons = sum(cell.beacons for cells in whole.values() for cell in cells.values())
        return self._halves(whole, beacons, error)

    def _halves(self, whole: dict[K, V], beacons: int, error: Exception) -> list[dict[K, V]]:
        if isinstance(error, ServiceError | StoreError) or transient(error):
            raise error
        self._failures += 1
        if len(whole) > 1 and self._failures <= MOST_FAILURES:
            items = list(whole.items())
            middle = len(items) // 2
            return [dict(items[:middle]), dict(items[middle:])]
        self._beacons.drop(beacons)
        self._dropping.failed(cause=brief_reason(error), beacons=beacons)
        return []

    def _report_unread(self, game_id: str, unread: list[SketchKey]) -> None:
        if unread and self._unread.get(game_id) is None:
            self._unread[game_id] = True
            log.error("statistics.unreadable", liveblog=game_id, sketches=[key.salt for key in unread])

    def _sort(self, pending: Pending, found: Mapping[Audience, tuple[str, str]]) -> None:
        """Sort the cells by liveblog; those of liveblogs that nobody may read, or whose owner wants no numbers, are dropped."""
        by_game: dict[str, Cells] = defaultdict(dict)
        for audience, cells in pending.items():
            game = found.get(audience)
            if game is None or not self._counts(game[1]):
                self._beacons.drop(sum(cell.beacons for cell in cells.values()))
                continue
            for key, cell in cells.items():
                place = self._places.admit(game[0], key)
                _merge(by_game[game[0]], place, cell)
        for game_id, cells in sorted(by_game.items()):
            items = list(cells.items())
            starts = range(0, len(items), CELLS_AT_ONCE)
            self._resolved += [GameCells(game_id, dict(items[at : at + CELLS_AT_ONCE])) for at in starts]

    async def _batch(self, found: GameCells) -> LoadBatch:
        names = {slot.salt for key in found.cells for slot in (*day_slots(key.slot), *month_slots(key.slot))}
        now = self._clock()
        self._salts = {name: value for name, value in self._salts.items() if now < last_use(name)}
        if not names <= self._salts.keys():
            self._salts |= await self._store.write(partial(statistics.salts, names=names))
        readers = await asyncio.to_thread(_hash_readers, found, self._salts)
        counts = {key: cell.sums for key, cell in found.cells.items()}
        beacons = sum(cell.beacons for cell in found.cells.values())
        self._number += 1
        return LoadBatch(self._tally.id, self._number, beacons, counts, readers)


class PlaceLimit:
    """Bounds the origins and pages of a liveblog: a stranger can make up as many as they like."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: LRUCache[tuple[str, int], set[tuple[str, str]]] = LRUCache(KNOWN_LIVEBLOGS)

    def admit(self, game_id: str, key: CountKey) -> CountKey:
        """The key, without the page or also without the origin where the liveblog has too many in that day."""
        known = self._known.setdefault((game_id, key.slot // DAY), set())
        for place in ((key.origin, key.location), (key.origin, ""), NO_ROOM):
            if place in known or place == NO_ROOM:
                break
            if len(known) < self._most:
                known.add(place)
                break
        return CountKey(key.slot, *place)


def _games(conn: Connection, audiences: Iterable[Audience]) -> dict[Audience, tuple[str, str]]:
    """The published liveblogs that these may read: their id and their organization."""
    found = {}
    for audience in audiences:
        game = liveblogs.find_game(conn, audience.liveblog)
        if game is None or not game.public:
            continue
        if audience.organizations is None or game.organization_id in audience.organizations:
            found[audience] = game.id, game.organization_id
    return found


def _merge(cells: Cells, key: CountKey, cell: PendingCell) -> None:
    known = cells.setdefault(key, cell)
    if known is not cell:
        known.sums = known.sums.plus(cell.sums)
        known.beacons += cell.beacons
        known.readers |= cell.readers


def _hash_readers(found: GameCells, salts: Mapping[str, bytes]) -> dict[SketchKey, set[int]]:
    """The hashes of readers under each of their salts, by sketch."""
    sketches: dict[SketchKey, set[int]] = defaultdict(set)
    for key, cell in found.cells.items():
        days = [SketchKey(each.salt, each.slot, key.origin, "") for each in day_slots(key.slot)]
        months = [SketchKey(each.salt, each.slot, key.origin, key.location) for each in month_slots(key.slot)]
        for sketch in (*days, *months):
            salt = salts[sketch.salt]
            sketches[sketch].update(_hash(salt, found.game_id, reader) for reader in cell.readers)
    return {key: hashes for key, hashes in sketches.items() if hashes}


def _hash(salt: bytes, game_id: str, reader: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(reader + game_id.encode(), key=salt, digest_size=HASH_BYTES).digest(), "big")


@asynccontextmanager
async def count_readers(
    settings: Settings, store: Store, clock: Callable[[], float], start: Callable[..., asyncio.Task[None]]
) -> AsyncIterator[Beacons | None]:
    """The intake, written by a task that `start` starts; at the end, which comes after the server's, what is left is written.

    None where nothing is counted. Raises StartError where the folder cannot be written, and the errors of the store.
    """
    if not settings.statistics.enabled:
        yield None
        return
    beacons, writer = await _start(settings, store, clock)
    writing = start(writer.run(), name="statistics")
    try:
        yield beacons
    finally:
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        await writer.stop()


async def _start(settings: Settings, store: Store, clock: Callable[[], float]) -> tuple[Beacons, BeaconWriter]:
    """What processes before lost is counted first."""
    statistics = settings.statistics
    folder = Path(statistics.folder)
    try:
        tally = await asyncio.to_thread(BeaconTally, folder)
    except OSError as error:
        raise StartError(f"statistics.folder: cannot write to {folder}: {error.strerror}") from error
    beacons = Beacons(BeaconLimits(statistics.pending_cells, statistics.pending_readers), clock, tally)
    ended = await store.write(partial(count_lost, folder=folder))
    if lost := sum(ended.values()):
        beacons.counter.labels("lost").inc(lost)
        log.warning("statistics.lost", beacons=lost)
    await asyncio.to_thread(forget, folder, ended)
    await store.write(tally.begin)
    writer = BeaconWriter(
        store,
        beacons,
        tally,
        interval=statistics.interval,
        places=statistics.places,
        clock=clock,
        counts=settings.counts_readers,
    )
    return beacons, writer
