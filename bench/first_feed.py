"""The first feed after a new event, beside building its elements alone: `python -m bench.first_feed`.

The daemon (`matchwire run`, SQLite, defaults, but no rate limits and public feeds) is a process of its own. CPU time of it for
rounds of an event and the feed, less that for rounds of an event alone: ours reads the liveblog and its newest events from the
database and renders them, as the first reader of a version has it done for all. The baseline is given all texts of the RSS
and builds the same elements with the standard library, reading nothing.
"""

# ruff: noqa: RUF001 -- it prints multiples

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree as ET

from bench.daemon_process import cpu_of
from bench.measure import Figure, table
from tests.kit.bounded_server import Daemon, daemon

WANTED = 3.0
"""Milliseconds."""
FEED = "/api/embed/v4/feed/liveblog.rss"


def copied(source: ET.Element) -> ET.Element:
    """The same element, built anew from its texts."""
    made = ET.Element(source.tag, dict(source.attrib))
    made.text = source.text
    made.extend(copied(child) for child in source)
    return made


async def spent(running: Daemon, limit: int | None, rounds: int) -> float:
    """CPU seconds of the daemon for one round, with the feed of so many events or without."""
    began = cpu_of(running.process.pid)
    for _ in range(rounds):
        await running.write()
        if limit is not None:
            response = await running.http.get(FEED, params={"liveblogId": running.liveblog, "limit": limit})
            assert response.status_code == 200, response.text
    return (cpu_of(running.process.pid) - began) / rounds


def elements(content: bytes, rounds: int) -> float:
    """CPU seconds of building this feed."""
    root = ET.fromstring(content)
    began = time.process_time()
    for _ in range(rounds):
        ET.tostring(copied(root), encoding="utf-8")
    return (time.process_time() - began) / rounds


async def measured(sizes: list[int], rounds: int) -> list[Figure]:
    found = []
    with tempfile.TemporaryDirectory(prefix="matchwire-bench-") as folder:
        async with daemon(Path(folder)) as running:
            await running.fill(max(sizes), 100)
            for size in sizes:
                alone = await spent(running, None, rounds)
                first = await spent(running, size, rounds) - alone
                response = await running.http.get(FEED, params={"liveblogId": running.liveblog, "limit": size})
                plain = elements(response.content, rounds)
                value = f"{first * 1000:.1f} ms, {first / plain:.1f} ×"
                found += [
                    Figure(f"elements alone, {size} events", f"{plain * 1000:.2f} ms"),
                    Figure(f"first feed, {size} events", value, f"≤ {WANTED:.0f} ms", first * 1000 <= WANTED),
                ]
    return found


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 50])
    parser.add_argument("--rounds", type=int, default=300)
    given = parser.parse_args()
    found = asyncio.run(measured(given.sizes, given.rounds))
    print(table(found))
    return all(figure.met is not False for figure in found)


if __name__ == "__main__":
    sys.exit(not main())
