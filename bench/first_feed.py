"""The first feed after a new event, beside building its elements alone: `python -m bench.first_feed`.

CPU time of this process, on SQLite in a file. Ours reads the liveblog and its newest events from the database and renders them,
as the first reader of a version has it done for all; the baseline is given all texts of the RSS and builds the same elements
with the standard library, reading nothing. Both in turn; before each of ours an event is written, which is not counted.
"""

# ruff: noqa: RUF001 -- it prints multiples

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import structlog

from bench.measure import Figure, table
from store import clients
from tests.api import matchday
from tests.api.conftest import serving
from tests.api.writing import Desk, post
from tests.opening import store_at
from tests.sqlite import migrated_url

if TYPE_CHECKING:
    from collections.abc import Sequence

ROUNDS = 60
WANTED = 0.2
FEED = "/api/embed/v4/feed/liveblog.rss"


def copied(source: ET.Element) -> ET.Element:
    """The same element, built anew from its texts."""
    made = ET.Element(source.tag, dict(source.attrib))
    made.text = source.text
    made.extend(copied(child) for child in source)
    return made


async def measured(sizes: Sequence[int]) -> list[Figure]:
    found = []
    with tempfile.TemporaryDirectory(prefix="matchwire-bench-") as folder:
        store = await store_at(migrated_url(Path(folder) / "feed.db"))
        async with serving(store, public_feeds=True, client_per_second=0, public_per_second=0) as server:
            await store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
            await server.add(matchday.Liveblog())
            desk = Desk(server.http)
            for size in sizes:
                for number in range(size):
                    await desk.create(post(f"Post {number} of {size}: a shot from thirty metres that nobody expected."))
                ours, plain = await sides(server.http, desk, size)
                ratio = median(one / other for one, other in zip(ours, plain, strict=True))
                target = f"≤ {WANTED} ×"
                found += [
                    Figure(f"elements alone, {size} events", f"{median(plain) * 1000:.2f} ms"),
                    Figure(
                        f"first feed, {size} events",
                        f"{median(ours) * 1000:.2f} ms, {ratio:.1f} ×",
                        target,
                        ratio <= WANTED,
                    ),
                ]
        await store.close()
    return found


async def sides(http: Any, desk: Desk, size: int) -> tuple[list[float], list[float]]:
    """CPU seconds of each round."""
    ours: list[float] = []
    plain: list[float] = []
    for number in range(ROUNDS):
        await desk.create(post(f"Round {number}"))
        began = time.process_time()
        response = await http.get(FEED, params={"liveblogId": desk.liveblog, "limit": size})
        ours.append(time.process_time() - began)
        assert response.status_code == 200, response.text
        root = ET.fromstring(response.content)
        began = time.process_time()
        ET.tostring(copied(root), encoding="utf-8")
        plain.append(time.process_time() - began)
    return ours, plain


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 50])
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    found = asyncio.run(measured(parser.parse_args().sizes))
    print(table(found))
    return all(figure.met is not False for figure in found)


if __name__ == "__main__":
    sys.exit(not main())
