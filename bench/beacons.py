"""Beacons of readers beside polls: `python -m bench.beacons`.

The daemon (`matchwire run`, SQLite, defaults, but no rate limits and public feeds) is a process of its own, and so is the
provider, whose matches are polled all the time; the pages are in this one, as if behind a proxy. For some seconds they
report as fast as is wanted, each from an address of its own with one of 300 browsers; before that nobody reports, for as
long. What is late of the polls is what the time between two requests for a match is longer than its median without beacons.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

import httpx
import uvloop

from bench.daemon_process import cpu_of
from bench.measure import Figure, percentile, table
from bench.memory import CREATE, by_turns
from bench.upstream import upstream
from tests.kit.bounded_server import ORGANIZATION, SECRET, Daemon, daemon

FIRST_ID = 5_000_000
CONNECTIONS = 64
LATE = 100
"""Milliseconds by which one poll in a hundred may be late."""
GROWTH = 64
"""MiB by which memory may grow: what waits is bounded by `[statistics]`."""
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
AGENTS = 300
"""Browsers with a name of their own."""
BEHIND = 'trusted_proxies = ["127.0.0.1"]'
CONFIG = """
connections_per_address = 0
[clients.desk]
secret = "{secret}"
organizations = ["{organization}"]
scopes = ["external", "stats"]
[organizations.{organization}.providers.heim]
base_url = "{address}"
[polling]
rate = 0
live = {interval}
pause = {interval}
honour_max_age = false
"""


class Page(asyncio.Protocol):
    """A connection that reports, as often as its turn comes; each time as another browser."""

    numbers = count()
    answered = 0
    refused = 0

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self.under_way = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def report(self) -> None:
        number = next(self.numbers)
        beacon = {
            "kind": "load",
            "liveblog": self._names[number % len(self._names)],
            "url": "https://news.example/derby",
        }
        body = json.dumps(beacon).encode()
        head = (
            f"POST /api/analytics/v6/collect HTTP/1.1\r\nHost: x\r\nUser-Agent: {AGENT} {number % AGENTS}\r\n"
            f"X-Forwarded-For: 10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}\r\n"
            f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.under_way += 1
        self._transport.write(head.encode() + body)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        answers = data.count(b"HTTP/1.1 ")
        counted = data.count(b"HTTP/1.1 204")
        type(self).answered += counted
        type(self).refused += answers - counted
        self.under_way -= answers


async def report(port: int, names: list[str], rate: int, seconds: float) -> tuple[int, float]:
    """So many a second; how many were sent, and the seconds until the last answer."""
    loop = asyncio.get_running_loop()
    pages = [(await loop.create_connection(partial(Page, names), "127.0.0.1", port))[1] for _ in range(CONNECTIONS)]
    began, sent = time.monotonic(), 0
    while (passed := time.monotonic() - began) < seconds:
        while sent < passed * rate:
            pages[sent % CONNECTIONS].report()
            sent += 1
        await asyncio.sleep(0.002)
    while any(page.under_way for page in pages):  # noqa: ASYNC110 -- of sixty-four
        await asyncio.sleep(0.002)
    return sent, time.monotonic() - began


async def gaps(address: str) -> list[float]:
    """Seconds between two requests for a match, since this was read last."""
    async with httpx.AsyncClient(trust_env=False) as client:
        return (await client.get(f"{address}/gaps")).json()  # type: ignore[no-any-return]


async def measured(given: argparse.Namespace) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="matchwire-bench-") as folder:
        async with upstream() as address:
            limits = CONFIG.format(
                address=address, interval=given.interval, organization=ORGANIZATION, secret=SECRET
            )  # fmt: skip
            async with daemon(Path(folder), server=BEHIND, limits=limits) as running:
                return await figures(running, address, given)


async def figures(running: Daemon, address: str, given: argparse.Namespace) -> list[Figure]:
    names: list[str] = []

    async def create(match_id: int) -> None:
        body = {"provider": "heim", "matchId": str(match_id), "autoPostEnabled": True}
        made = await running.http.post(CREATE, json=body, auth=("desk", SECRET))
        assert made.status_code == 200, made.text
        names.append(made.json()["local_id"])

    await by_turns(create(FIRST_ID + number) for number in range(given.matches))
    await asyncio.sleep(2 * given.interval)
    await gaps(address)
    await asyncio.sleep(given.seconds)
    alone = await gaps(address)
    memory, worked = running.memory(), cpu_of(running.process.pid)
    sent, took = await report(running.port, names, given.rate, given.seconds)
    worked = cpu_of(running.process.pid) - worked
    beside = await gaps(address)
    grown = running.memory() - memory
    await asyncio.sleep(15)
    numbers = await running.numbers()
    counted, dropped = (
        int(numbers.get(f'matchwire_beacons_total{{outcome="{outcome}"}}', 0)) for outcome in ("counted", "dropped")
    )
    late = [[max(0.0, gap - median(alone)) * 1000 for gap in found] for found in (alone, beside)]
    without, with_them = ((percentile(each, 0.5), percentile(each, 0.99)) for each in late)
    return [
        Figure("beacons sent; answered; refused", f"{sent}; {Page.answered}; {Page.refused}"),
        Figure("a second", f"{sent / took:.0f}", f"{given.rate}", sent / took >= 0.95 * given.rate),
        Figure("CPU of the daemon, with polls", f"{worked / took:.0%} of a core"),
        Figure("counted + dropped", f"{counted} + {dropped}", f"{Page.answered}", counted + dropped == Page.answered),
        Figure("polls late without beacons, median / p99", "{:.0f} / {:.0f} ms".format(*without)),
        Figure(
            "polls late beside them, median / p99",
            "{:.0f} / {:.0f} ms".format(*with_them),
            f"p99 < {LATE} ms",
            with_them[1] < LATE,
        ),
        Figure("memory", f"+ {grown:.0f} MiB", f"≤ {GROWTH} MiB", grown <= GROWTH),
    ]


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--interval", type=float, default=2.0, help="seconds between polls of a match")
    parser.add_argument("--rate", type=int, default=5000, help="beacons a second")
    parser.add_argument("--seconds", type=float, default=10.0)
    found = uvloop.run(measured(parser.parse_args()))
    print(table(found))
    return all(figure.met is not False for figure in found)


if __name__ == "__main__":
    sys.exit(not main())
