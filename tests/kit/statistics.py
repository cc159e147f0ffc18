"""A reader's browser that reports what it sees, and the reads of statistics."""

import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import httpx

from api.app import create_app
from api.statistics import reader_numbers
from api.statistics.beacon_writer import BeaconWriter
from api.statistics.beacons import Audience, BeaconLimits, Beacons, BeaconTally
from mapping.statistics.documents import Beacon
from tests.kit import matchday
from tests.store.conftest import GAME, ORGANIZATION

COLLECT = "/api/analytics/v6/collect"
READS = "/api/analytics/v6/stats/liveblog"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
DESK = ("desk", matchday.SECRET)


BEGIN = int(datetime(2026, 10, 24, 12, tzinfo=UTC).timestamp())
"""Before clocks change in Europe and America, and before the month ends."""
PLACES = ("https://a.example/derby", "https://a.example/live", "https://b.example/", "")
ROOMY = BeaconLimits(20_000, 100_000)


class Site:
    """Readers of the service, and a client that reads its statistics."""

    def __init__(self, server, folder):
        clock = lambda: server.now  # noqa: E731
        tally = BeaconTally(folder)
        self.beacons = Beacons(BeaconLimits(1000, 1000), clock, tally)
        self.writer = BeaconWriter(
            server.store,
            self.beacons,
            tally,
            interval=5,
            places=100,
            clock=clock,
            counts={matchday.ORGANIZATION}.__contains__,
        )
        self.server, self.begin = server, tally.begin
        self.app = create_app(server.services.having(self.beacons), monotonic=lambda: server.ticks)

    def http(self, address="192.0.2.1", agent=BROWSER):
        transport = httpx.ASGITransport(app=self.app, client=(address, 4711))
        return httpx.AsyncClient(transport=transport, base_url="http://testserver", headers={"User-Agent": agent})

    async def report(self, *, address="192.0.2.1", agent=BROWSER, headers=None, client="reader", **beacon):
        body = json.dumps({"liveblog": "gderby", "url": "https://news.example/derby", **beacon})
        sent = {"Content-Type": "text/plain;charset=UTF-8", **(headers or {})}
        async with self.http(address, agent) as http:
            response = await http.post(COLLECT, params={"client_id": client}, content=body, headers=sent)
        assert (response.status_code, response.content) == (204, b""), response.text
        return response

    async def read(self, path, **query):
        response = await self.sent(path, **query)
        assert response.status_code == 200, response.text
        return response.json()

    async def sent(self, path, **query):
        async with self.http() as http:
            return await http.get(f"{READS}/gderby/{path}", params=query, auth=DESK)


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
    found = await store.read(partial(reader_numbers.overview, game_id=GAME))
    return found.visitor_metrics
