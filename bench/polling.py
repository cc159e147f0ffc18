"""What following matches costs, beside what the same requests cost bare: `python -m bench.polling`.

Both sides run in turn, each in a process of its own, against one provider in a third; CPU time, medians.
"""

# ruff: noqa: ASYNC110, RUF001 -- a benchmark waits for what others do, and prints multiples

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median

import httpx
import structlog
from sqlalchemy import Connection, select

from bench.bare_polls import BarePolls
from bench.measure import Figure, percentile, table
from bench.upstream import EVENTS, EVERY, MINUTE, NOTHING, upstream
from config import Settings
from ingest.cli.shared import tune_interpreter
from ingest.daemon.build import Components, build_components
from ingest.sync.poll import FollowedMatch
from mapping.documents.import_options import ImportOptions
from mapping.match.match import Status
from store.following import follow_rows
from store.following.import_request import ImportRequest
from store.timeline.timeline import post_times

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
FIRST_ID = 5_000_000
ROUNDS = 3
INTERVAL = 5.0
LATE = 500
"""Matches beside which the way from an answer to its commit is measured."""
FULL = 800
"""Polls a second that fill a core, more or less: then threads compete for the interpreter."""
WANTED = {(NOTHING, 100): 1.2, (NOTHING, 1000): 1.2, (EVENTS, 100): 2.2, (EVENTS, 1000): 3.2}
"""By what changes, and by number of matches."""
ROWS = {NOTHING: "all 304", MINUTE: "the minute alone runs", EVENTS: "one in nine finds an event changed"}
WANTED_UNCHANGED = 1.2
WANTED_LATENCY = 0.04
WANTED_MEMORY = 100 * 1024
WANTED_ITSELF = 10 * 1024
"""Bytes for a followed match itself, beyond caches with a bound."""


def settings_of(address: str, folder: Path) -> Settings:
    return Settings.model_validate({
        "database": {"url": f"sqlite+aiosqlite:///{folder / 'bench.db'}"},
        "organizations": {
            ORGANIZATION: {"name": "Bench", "providers": {"heim": {"base_url": address, "text_content": True}}}
        },
        "clients": {"cms": {"secret": "x" * 32, "organizations": [ORGANIZATION], "scopes": ["external", "write"]}},
        "polling": {"rate": 0, "live": INTERVAL, "pause": INTERVAL},
    })  # fmt: skip


async def follow(components: Components, count: int, first: int = 0, *, text: bool = True) -> None:
    """A liveblog for each of `count` matches."""
    for number in range(first, count):
        await components.importer.create(ImportRequest(
            organization_id=ORGANIZATION, client_id="cms", provider="heim", selector_kind="match",
            selector_id=str(FIRST_ID + number), terms=ImportOptions(sport="", text=text, auto_post=True),
        ))  # fmt: skip


@asynccontextmanager
async def bench_components(address: str) -> AsyncIterator[Components]:
    with tempfile.TemporaryDirectory() as folder:
        async with build_components(settings_of(address, Path(folder))) as components:
            await components.leasing.start()
            leasing = asyncio.create_task(components.leasing.run())
            try:
                yield components
            finally:
                leasing.cancel()
                await asyncio.gather(leasing, return_exceptions=True)


async def changing(address: str, what: str) -> None:
    """From now on the provider changes nothing but this."""
    async with httpx.AsyncClient(trust_env=False) as client:
        await client.get(f"{address}/changing?what={what}")


async def one_poll(components: Components, bare: BarePolls) -> list[Figure]:
    """What one poll costs that finds nothing new, and what one that finds an event changed, one after the other.

    The bare loop makes as many GETs in turn.
    """
    matches = list(components.followers.matches)
    ids = [FIRST_ID + number for number in range(len(matches))]
    costs: dict[bool, list[float]] = {False: [], True: []}
    theirs: list[float] = []
    for _ in range(6 * EVERY):
        for match in matches:
            before, began = match.changed_at, time.process_time()
            await components.followers.poll(match)
            costs[match.changed_at != before].append(time.process_time() - began)
        done = await bare.run_round(ids, 0.01)
        theirs.append(done.cpu / done.gets)
    nothing_new, ratio = median(costs[False]), median(costs[False]) / 2 / median(theirs)
    value = f"{ratio:.2f} × ({nothing_new / 2 * 1e6:.0f} µs : {median(theirs) * 1e6:.0f} µs)"
    return [
        Figure("CPU of a poll that finds nothing new", f"{nothing_new * 1e6:.0f} µs"),
        Figure("CPU of a poll that finds one event changed", f"{median(costs[True]) * 1e6:.0f} µs"),
        Figure(
            "CPU per GET that finds nothing new, one after the other, beside bare aiohttp",
            value, f"≤ {WANTED_UNCHANGED} ×", ratio <= WANTED_UNCHANGED,
        ),
    ]  # fmt: skip


async def beside_bare(
    components: Components, bare: BarePolls, count: int, what: str, interval: float = INTERVAL
) -> Figure:
    """Everything between heap and database, each match polled once in every `interval`, beside the bare loop.

    `what`: what changes meanwhile; both sides get the same answers.
    """
    await changing(bare.address, what)
    matches = components.followers.matches
    ids = [FIRST_ID + number for number in range(count)]
    ours: list[float] = []
    theirs: list[float] = []
    await bare.run_round(ids, interval)
    for _ in range(ROUNDS):
        gc.collect()
        began = time.process_time()
        await _driven(components, list(matches), interval)
        ours.append((time.process_time() - began) / (2 * count))
        done = await bare.run_round(ids, interval)
        theirs.append(done.cpu / done.gets)
    ratios = sorted(one / other for one, other in zip(ours, theirs, strict=True))
    shown = f"{median(ours) * 1e6:.0f} µs : {median(theirs) * 1e6:.0f} µs"
    value = f"{median(ratios):.2f} × ({shown}; {ratios[0]:.2f} to {ratios[-1]:.2f})"
    name = f"CPU per GET, {count} live matches every {interval:.3g} s, {ROWS[what]}, beside bare aiohttp"
    wanted = WANTED.get((what, count)) if interval == INTERVAL else None
    return Figure(name, value, f"≤ {wanted} ×" if wanted else "", median(ratios) <= wanted if wanted else None)


async def _driven(components: Components, matches: list[FollowedMatch], interval: float) -> None:
    """Make them due one after the other, and let the followers' own loop drive each of them once."""
    followers = components.followers
    before = sum(match.polls for match in matches)
    for number, match in enumerate(matches):
        followers.schedule(match, interval * number / len(matches))
    driving = asyncio.create_task(followers.run())
    await asyncio.sleep(interval * (1 - 1 / len(matches)))
    while sum(match.polls for match in matches) < before + len(matches) or any(match.busy for match in matches):
        await asyncio.sleep(0.01)
    driving.cancel()
    await asyncio.gather(driving, return_exceptions=True)


async def allocated(address: str, count: int = 400) -> Figure:
    """What Python holds for each further match that is followed and brought in line, beyond what is kept for all together."""
    held: list[int] = []
    async with bench_components(address) as components:
        await follow(components, count)
        rows = [row.id for row in await components.store.read(follow_rows.follows)]
        half = count // 2
        await _all_afresh(components, rows[:half])  # fills what is kept for all matches together
        components.followers.keep(())
        gc.collect()
        tracemalloc.start()
        for some in (rows[:half], rows[half:]):
            await _all_afresh(components, some)
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    size = (held[1] - held[0]) / (count - half)
    return Figure(
        "allocated by Python per further followed match", f"{size / 1024:.1f} KiB",
        f"≤ {WANTED_ITSELF // 1024} KiB", size <= WANTED_ITSELF,
    )  # fmt: skip


async def _all_afresh(components: Components, rows: list[str]) -> None:
    for row in rows:
        await components.followers.follow(row, afresh=True)
    for match in [each for each in components.followers.matches if each.id in set(rows)]:
        while not match.cached:  # a lease that ran out on a busy machine comes back
            await asyncio.sleep(0)
            await components.followers.poll(match)


def resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def per_match(sizes: dict[int, int]) -> list[Figure]:
    """Resident memory that each further match takes; `sizes`: of the process, by number of matches."""
    steps = list(sizes.items())
    each = [(few, many, (after - before) / (many - few)) for (few, before), (many, after) in pairwise(steps)]
    return [
        Figure(
            f"resident memory per live match, from {few} to {many}",
            f"{size / 1024:.0f} KiB", f"≤ {WANTED_MEMORY // 1024} KiB", size <= WANTED_MEMORY,
        )
        for few, many, size in each
    ]  # fmt: skip


async def beyond_caches(components: Components, count: int) -> Figure:
    """Resident memory that each further match takes where `count` of them have filled the two caches with a bound.

    They are SQLite's pages and the translated rows; fewer than about 700 matches do not fill them.
    """
    before = resident()
    await follow(components, 2 * count, first=count, text=False)
    await settled(components)
    size = (resident() - before) / count
    return Figure(
        f"resident memory per further match, from {count} to {2 * count}",
        f"{size / 1024:.1f} KiB", f"≤ {WANTED_ITSELF // 1024} KiB", size <= WANTED_ITSELF,
    )  # fmt: skip


async def latency(components: Components, bare: BarePolls, seconds: float = 15.0) -> Figure:
    """From the last byte of the answer that has the change until the feed's next reader is given it: the timeline's own times."""
    await changing(bare.address, EVENTS)
    followers = components.followers
    commits: dict[tuple[str, int], float] = {}

    def committed(stepped: Mapping[str, int] | None) -> None:
        commits.update(dict.fromkeys((stepped or {}).items(), time.time() * 1000))

    components.store.on_step(committed)
    for number, match in enumerate(followers.matches):
        followers.schedule(match, INTERVAL * number / len(followers))
    driving = asyncio.create_task(followers.run())
    await asyncio.sleep(seconds)
    driving.cancel()
    await followers.stop()

    def times(conn: Connection) -> list[float]:
        rows = conn.execute(select(post_times.c.game_id, post_times.c.version, post_times.c.answered_at))
        return [(commits[game, version] - at) / 1000 for game, version, at in rows if (game, version) in commits]

    took = await components.store.read(times)
    half, p99 = percentile(took, 0.5), percentile(took, 0.99)
    return Figure(
        f"from the answer to the commit of the change that it has, {len(followers)} matches",
        f"p50 {half * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms ({len(took)} posts)",
        f"p99 ≤ {WANTED_LATENCY * 1000:.0f} ms", p99 <= WANTED_LATENCY,
    )  # fmt: skip


async def measured(counts: tuple[int, ...]) -> list[Figure]:
    figures: list[Figure] = []
    sizes: dict[int, int] = {}
    async with upstream() as address, BarePolls(address) as bare:
        async with bench_components(address) as components:
            for few, count in zip((0, *counts), counts, strict=False):
                await follow(components, count, first=few, text=False)
                await settled(components)
                if not few:
                    figures += await one_poll(components, bare)
                    tune_interpreter()  # as the daemon does with what it has loaded
                figures += [await beside_bare(components, bare, count, what) for what in ROWS]
                if count == LATE:
                    figures.append(await latency(components, bare))
                sizes[count] = resident()
            figures += [
                await beside_bare(components, bare, counts[-1], EVENTS, counts[-1] / FULL),
                *per_match(sizes),
            ]
            figures.append(await beyond_caches(components, counts[-1]))
        await changing(address, NOTHING)
        figures.append(await allocated(address))
    return figures


async def settled(components: Components) -> None:
    """The first polls of new matches are not those that are measured."""
    for match in components.followers.matches:
        while match.pending or match.afresh or not match.polls:
            await components.followers.poll(match)
        assert match.status in (Status.LIVE, Status.BREAK), match.status


def main() -> None:
    import uvloop

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--counts", type=int, nargs="+", default=[10, 100, LATE, 1000])
    chosen = options.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    print(table(uvloop.run(measured(tuple(chosen.counts)))))


if __name__ == "__main__":
    main()
