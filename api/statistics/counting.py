"""The counting of readers in one process: intake, tally and writer, started and stopped together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import structlog

from api.statistics.beacon_tally import BeaconTally, count_lost, forget
from api.statistics.beacon_writer import BeaconWriter
from api.statistics.beacons import BeaconLimits, Beacons
from config import Settings
from config.errors import StartError
from store.database import Store

log = structlog.get_logger()


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
    beacons, writer = await _started(settings, store, clock)
    writing = start(writer.run(), name="statistics")
    try:
        yield beacons
    finally:
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        await writer.stop()


async def _started(settings: Settings, store: Store, clock: Callable[[], float]) -> tuple[Beacons, BeaconWriter]:
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
