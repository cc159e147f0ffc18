"""Beacons and their sums, straight in the store."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from api.statistics import audience
from api.statistics.beacon_writer import BeaconWriter
from api.statistics.beacons import Audience, BeaconLimits, Beacons, BeaconTally
from mapping.statistics.documents import Beacon
from tests.store.conftest import GAME, ORGANIZATION

BEGIN = int(datetime(2026, 10, 24, 12, tzinfo=UTC).timestamp())
"""Before clocks change in Europe and America, and before the month ends."""
PLACES = ("https://a.example/derby", "https://a.example/live", "https://b.example/", "")
ROOMY = BeaconLimits(20_000, 100_000)


def a_beacon(kind="load", url=PLACES[0], liveblog=GAME, **more):
    return Beacon(kind=kind, liveblog=liveblog, url=url, **more)


class Process:
    """The intake and the writer of one process."""

    def __init__(self, store, clock, folder: Path, limits=ROOMY, places=100):
        self.tally = BeaconTally(folder)
        self.beacons = Beacons(limits, clock, self.tally)
        self.writer = BeaconWriter(
            store, self.beacons, self.tally, interval=5, places=places, clock=clock, counts={ORGANIZATION}.__contains__
        )
        self.store = store

    async def start(self):
        await self.store.write(self.tally.begin)
        return self

    def take(self, beacon, reader=b"kim"):
        self.beacons.take(beacon, Audience(beacon.liveblog, None), reader.ljust(16, b"\0"))


async def overview(store):
    found = await store.read(partial(audience.overview, game_id=GAME))
    return found.visitor_metrics
