"""What following matches costs, beside what the same requests cost bare: `python -m bench.polling`.

Both sides run in turn in one process against one provider in another one; CPU time, medians.
"""

# ruff: noqa: SLF001, ASYNC110, RUF001 -- a benchmark looks inside, waits for what others do, and prints multiples

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import tempfile
import time
import tracemalloc
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import structlog

from api.services import ImportRequest
from bench.measure import Figure, Sides, alternating, percentile, table
from bench.upstream import upstream
from config import Settings
from ingest.daemon.build import build_components
from mapping.match import Status
from providers import http_client
from store import sync

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ingest.daemon.build import Components
    from ingest.sync.poll import Followed

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
PAGE = Path(__file__).parents[1] / "docs" / "bench-polling.md"
HEAD = """# What following matches costs

`python -m bench.polling` measures this: both sides in turn in one process, CPU time, medians; the provider runs in another process.
The recorded match has 62 events and 10 comments; a poll makes three conditional requests, and of a changed one the minute of one
event differs. The bare side makes the same requests with httpx's client on the transport that we use too, and a heap.

A poll goes to that transport without httpx's client, so it is cheaper than what it is compared with. Where both go through
the client, the difference is what following a match adds to its requests: turns, slots, the circuit, judging the answers.
Beside our own bare requests, which have a time-out, limits and the provider's errors distinguished already, the same two dozen
microseconds weigh most; that line moves between 1.02 and 1.2 from one run to the next.

At their intervals polls are seconds apart, and both sides pay for a processor that has been doing something else; all due at once
is what a process does that has fallen behind, where a changed poll stands out more: it costs 8 to 10 ms beyond an unchanged
one, half of which is reading the 62 rows again, a fifth comparing and writing.

"""
ROUNDS = 9
INTERVAL = 5.0


def settings_of(address: str, folder: Path) -> Settings:
    return Settings.model_validate({
        "database": {"url": f"sqlite+aiosqlite:///{folder / 'bench.db'}"},
        "organizations": {
            ORGANIZATION: {"name": "Bench", "providers": {"heim": {"base_url": address, "text_content": True}}}
        },
        "clients": {"cms": {"secret": "x" * 32, "organizations": [ORGANIZATION], "scopes": ["external", "write"]}},
        "polling": {"rate": 0, "live": INTERVAL, "pause": INTERVAL},
    })  # fmt: skip


async def follow(components: Components, count: int, first: int = 0) -> None:
    """A liveblog with text for each of `count` matches."""
    for number in range(first, count):
        await components.importer(ImportRequest(
            organization_id=ORGANIZATION, client_id="cms", provider="heim", selector_kind="match",
            selector_id=str(5_000_000 + number), title=None, locale="en", text=True, auto_post=True,
            exclude_scoreboard=False, exclude_events=(), idempotency_key=None, idempotency_digest="",
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


async def changing(address: str, *, on: bool) -> None:
    async with httpx.AsyncClient(trust_env=False) as client:
        await client.get(f"{address}/changing?on={int(on)}")


def paths(match: Followed) -> list[tuple[str, str | None]]:
    """What a poll of the match asks for, with the validator that it holds."""
    names = {"match": "match/ma{}", "match-event": "match-event/ma{}", "liveticker": "liveticker/co31/ma{}"}
    return [(names[kind].format(match.match_id), known.etag) for kind, known in match.known.items()]


def plain(address: str) -> httpx.AsyncClient:
    """httpx's client on the transport that we use as well."""
    headers = {"Accept": "application/json", "Accept-Encoding": "gzip"}
    wire = http_client.connect(address).transport
    return httpx.AsyncClient(base_url=address, headers=headers, transport=wire, timeout=10, trust_env=False)


async def bare(client: httpx.AsyncClient, match: Followed) -> None:
    """The same requests with httpx's client, read to the end, their answers thrown away."""
    await asyncio.gather(*(raw(client, path, etag) for path, etag in paths(match)))


async def raw(client: httpx.AsyncClient, path: str, etag: str | None) -> None:
    async with client.stream("GET", path, headers={"If-None-Match": etag} if etag else {}) as response:
        async for _ in response.aiter_raw():
            pass


class Through(httpx.AsyncBaseTransport):
    """A whole httpx client in the place of a transport."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._client.send(request, stream=True)


async def unchanged(components: Components, client: httpx.AsyncClient, polls: int = 400) -> list[Figure]:
    """(a) A poll that finds nothing new, one after the other: beside httpx's client, through it, and beside our own way."""
    match = components.followers.matches[0]
    poller = components.followers._pollers[match.endpoint]
    own: http_client.Client = poller.adapter._adapter._client  # type: ignore[attr-defined]

    async def ours() -> None:
        for _ in range(polls):
            await poller.poll(match)

    async def theirs() -> None:
        for _ in range(polls):
            await bare(client, match)

    async def barest() -> None:
        for _ in range(polls):
            await asyncio.gather(*(http_client.get(own, path, etag) for path, etag in paths(match)))

    name = "unchanged poll beside bare GETs of the same bytes"
    figures = [ratio(f"{name} with httpx's client", await alternating(ours, theirs, rounds=ROUNDS), 1.05, polls)]
    barest_figure = ratio(
        f"{name} with our own transport, its guards included",
        await alternating(ours, barest, rounds=ROUNDS), None, polls,
    )  # fmt: skip
    wire = own.transport
    object.__setattr__(own, "wire", Through(client))
    try:
        sides = await alternating(ours, theirs, rounds=ROUNDS)
    finally:
        object.__setattr__(own, "wire", wire)
    return [*figures, ratio(f"{name}, both through httpx's client", sides, 1.05, polls), barest_figure]


async def day(
    components: Components, client: httpx.AsyncClient, count: int, spread: float = INTERVAL
) -> tuple[Figure, float]:
    """(b) Everything between heap and database: each match polled once within `spread` seconds, 9 % of the polls changed.

    The second value is the CPU of a poll in seconds.
    """
    matches = components.followers.matches[:count]

    async def ours() -> None:
        await _driven(components, list(matches), spread)

    async def theirs() -> None:
        began = time.monotonic()
        heap: list[tuple[float, int, Followed]] = []
        for number, match in enumerate(matches):
            heappush(heap, (began + spread * number / count, number, match))
        gate = asyncio.Semaphore(8)

        async def one(match: Followed) -> None:
            async with gate:
                await bare(client, match)

        tasks = []
        while heap:
            due, _, match = heappop(heap)
            if (wait := due - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            tasks.append(asyncio.create_task(one(match)))
        await asyncio.gather(*tasks)

    sides = await alternating(ours, theirs, rounds=5)
    when = f"every {INTERVAL:.0f} s" if spread else "all due at once"
    name = f"followers of {count} live matches, {when}, 9 % of polls changed, beside heap and bare GETs"
    return ratio(name, sides, 1.5 if spread and count == 1000 else None, count), sides.first / count


async def _driven(components: Components, matches: list[Followed], spread: float) -> None:
    """Make them due one after the other, and let the followers' own loop drive each of them once."""
    followers = components.followers
    before = sum(match.polls for match in matches)
    for number, match in enumerate(matches):
        followers._schedule(match, spread * number / len(matches))
    driving = asyncio.create_task(followers.run())
    await asyncio.sleep(spread * (1 - 1 / len(matches)))
    while sum(match.polls for match in matches) < before + len(matches) or any(match.busy for match in matches):
        await asyncio.sleep(0.01)
    driving.cancel()
    await asyncio.gather(driving, return_exceptions=True)


def ratio(name: str, sides: Sides, target: float | None, polls: int) -> Figure:
    shown = f"{sides.ratio:.2f} × ({sides.first / polls * 1e6:.0f} µs : {sides.second / polls * 1e6:.0f} µs)"
    met = None if target is None else sides.ratio <= target
    return Figure(name, shown, f"≤ {target} ×" if target else "", met)


async def memory(address: str, count: int = 300) -> Figure:
    """(c) What a process holds for a match that it follows and has brought in line, beyond its base and its caches."""
    async with bench_components(address) as components:
        await follow(components, count)
        rows = [row.id for row in await components.store.read(sync.follows)]
        await _all_afresh(components, rows)  # fills what is kept for all matches together
        components.followers._matches.clear()
        components.followers._heap.clear()
        gc.collect()
        tracemalloc.start()
        await _all_afresh(components, rows)
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    size = held / count / 1024
    return Figure("memory per followed match", f"{size:.1f} KB", "≤ 10 KB", size <= 10)


async def _all_afresh(components: Components, rows: list[str]) -> None:
    for row in rows:
        await components.followers.follow(row, afresh=True)
    for match in components.followers.matches:
        await components.followers.poll(match)
        assert match.cached


async def latency(components: Components, seconds: float = 20.0) -> Figure:
    """(d) From the change upstream to the commit, the interval in it: the lateness of the poll and what follows it."""
    took: list[float] = []
    followers = components.followers
    poller = next(iter(followers._pollers.values()))
    apply = type(poller)._apply

    async def timed(self: Any, match: Followed, fetched: Any, **given: Any) -> None:
        await apply(self, match, fetched, **given)
        took.append(time.monotonic() - match.due)

    type(poller)._apply = timed  # type: ignore[method-assign]
    try:
        for number, match in enumerate(followers.matches):
            followers._schedule(match, INTERVAL * number / len(followers))
        driving = asyncio.create_task(followers.run())
        await asyncio.sleep(seconds)
        driving.cancel()
        await followers.stop()
    finally:
        type(poller)._apply = apply  # type: ignore[method-assign]
    p99 = percentile(took, 0.99) * 1000
    return Figure(
        f"p99 from the planned poll to the commit of what it found ({len(followers)} matches, every {INTERVAL:.0f} s)",
        f"{p99:.0f} ms ({len(took)} changes)", "≤ 50 ms + provider", p99 <= 55,
    )  # fmt: skip


async def measured(counts: tuple[int, ...]) -> list[Figure]:
    figures: list[Figure] = []
    async with upstream() as address:
        client = plain(address)
        await changing(address, on=False)
        async with bench_components(address) as components:
            await follow(components, 1)
            await settled(components)
            figures += await unchanged(components, client)
        figures.append(await memory(address))
        await changing(address, on=True)
        async with bench_components(address) as components:
            done, costs = 0, dict[int, float]()
            for count in counts:
                await follow(components, count, first=done)
                done = count
                await settled(components)
                gc.collect()
                gc.freeze()  # as the daemon does with what it has loaded
                figure, costs[count] = await day(components, client, count)
                figures.append(figure)
                if count == 1000:
                    figures.append((await day(components, client, count, spread=0.0))[0])
                    figures.append(await latency(components))
        await client.aclose()
    if len(costs) > 1:
        few, many = min(costs), max(costs)
        grown = costs[many] / costs[few]
        name = f"CPU of a poll at {many} matches beside that at {few}"
        figures.append(Figure(name, f"{grown:.2f} ×", "flat (≤ 1.2 ×)", grown <= 1.2))
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
    options.add_argument("--counts", type=int, nargs="+", default=[100, 1000, 2000])
    options.add_argument("--print-only", action="store_true")
    chosen = options.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    written = table(uvloop.run(measured(tuple(chosen.counts))))
    print(written)
    if not chosen.print_only:
        PAGE.write_text(HEAD + written)


if __name__ == "__main__":
    main()
