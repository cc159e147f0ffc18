"""What delivering webhooks costs beside bare POSTs, and what dead receivers cost the others: `python -m bench.webhooks`.

Both sides run in turn in one process, the receivers in another one; medians.

CPU      of this process for a delivery with everything that belongs to it: noticing the change, reading, signing,
         posting through the guard, recording in the log. Beside it the CPU of a bare POST of the same body, unsigned and
         unrecorded, to all receivers at once through one httpx client that they share.
Latency  of healthy receivers from the commit to the arrival, with one receiver in ten a black hole, and without.
"""

# ruff: noqa: RUF001 -- it prints multiples

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median

import httpx
import structlog

from bench.measure import Figure, percentile, table
from config.sections import Database, Webhooks
from ingest.cli.shared import tune_interpreter
from ingest.guard.ssrf_guard import SsrfGuard
from ingest.kit.quarantine import Quarantine
from ingest.webhooks.dispatcher import Dispatcher
from store.database import PoolSettings, Store
from store.engine.liveblog_records import Change, NewGame
from store.liveblogs.liveblogs import insert_game, record
from store.webhooks import webhooks

LOOPBACK = ("127.0.0.1",)
POOL = PoolSettings(pool_size=Database().pool_size, timeout=Database().timeout)
ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
ROUNDS = 3
UPDATES = 30
POSTS = 1500
"""Bare requests of one round: they are dear where many receivers share a client."""
GAMES = 5
RECEIVERS = """
import asyncio, json, sys, time

class Receiver(asyncio.Protocol):
    def __init__(self, silent): self.silent, self.seen = silent, b""
    def connection_made(self, transport): self.transport = transport
    def data_received(self, data):
        self.seen += data
        head, found, body = self.seen.partition(b"\\r\\n\\r\\n")
        if not found: return
        length = int(head.lower().split(b"content-length: ")[1].split(b"\\r\\n")[0])
        if len(body) < length: return
        self.seen = b""
        if self.silent: return
        arrived.append((time.time(), body.decode()))
        self.transport.write(b"HTTP/1.1 204 No Content\\r\\n\\r\\n")

arrived = []
async def main(good, bad):
    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(lambda s=n >= good: Receiver(s), "127.0.0.1", 0) for n in range(good + bad)]
    print(json.dumps([each.sockets[0].getsockname()[1] for each in servers]), flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        if line.strip() == "count": print(len(arrived), flush=True)
        else: print(json.dumps(arrived), flush=True); arrived.clear()
asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
"""


class Receivers:
    """A process with a port for each receiver, `silent` ones last; they take connections and never answer."""

    def __init__(self, good: int, silent: int) -> None:
        command = [sys.executable, "-c", RECEIVERS, str(good), str(silent)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.urls = [f"http://127.0.0.1:{port}/hook" for port in self._line()]

    def _line(self):  # noqa: ANN202
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    async def ask(self, what: str):  # noqa: ANN201
        """`count`: how many arrived; `take`: when each of them did, and what it was."""
        assert self.process.stdin is not None
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return await asyncio.to_thread(self._line)

    async def until(self, count: int) -> None:
        while await self.ask("count") < count:  # noqa: ASYNC110 -- another process counts
            await asyncio.sleep(0.1)

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@asynccontextmanager
async def dispatching(urls: list[str], settings: Webhooks) -> AsyncIterator[tuple[Store, Dispatcher, list[str]]]:
    """A store with liveblogs and subscriptions, and the deliveries of it."""
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(f"sqlite+aiosqlite:///{Path(folder) / 'bench.db'}", pool=POOL)
        for url in urls:
            secret = webhooks.new_secret()
            await store.write(
                partial(webhooks.subscribe, organization_id=ORGANIZATION, url=url, secret=secret, limit=10_000)
            )
        games = [f"{number:024x}" for number in range(1, GAMES + 1)]
        delivering = Dispatcher(store, SsrfGuard(settings), settings, quarantine=Quarantine())
        store.on_step(delivering.wake)
        running = asyncio.create_task(delivering.run(alone=True))
        for game in games:
            new = NewGame(
                id=game, local_id=f"g{game}", organization_id=ORGANIZATION, sportstype="soccer", template_id="soccer"
            )
            await store.write(partial(insert_game, game=new))
        yield store, delivering, games
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await delivering.stop(grace=0.1)
        await store.close()


async def cpu_of_deliveries(receivers: Receivers, updates: int) -> float:
    """CPU seconds of a delivery, with all that belongs to it."""
    async with dispatching(receivers.urls, Webhooks(rate=0, allow_hosts=LOOPBACK)) as (store, _, games):
        await receivers.until(len(receivers.urls) * GAMES)
        await receivers.ask("take")
        began = time.process_time()
        for number in range(updates):
            await store.write(partial(record, game_id=games[number % GAMES], change=Change()))
            await asyncio.sleep(0.02)
        await receivers.until(len(receivers.urls) * updates)
        spent = time.process_time() - began
        await receivers.ask("take")
    return spent / (len(receivers.urls) * updates)


BODY = json.dumps({"event_type": "ticker_update", "ticker_id": "0" * 24, "local_id": "g" * 21, "version": "9"})


async def cpu_of_posts(receivers: Receivers, updates: int, *, shared: bool) -> float:
    """CPU seconds of a bare POST to all receivers at a time, through one client for all or one for each."""
    room = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=60)
    number = 1 if shared else len(receivers.urls)
    context = httpx.create_ssl_context(trust_env=False)
    clients = [httpx.AsyncClient(limits=room, timeout=30, trust_env=False, verify=context) for _ in range(number)]
    calls = [(clients[index % number], url) for index, url in enumerate(receivers.urls)]

    async def all_at_once() -> int:
        """How many failed: a connection that breaks under load has cost what it cost; a delivery is tried again."""
        done = await asyncio.gather(*(each.post(url, content=BODY) for each, url in calls), return_exceptions=True)
        return sum(isinstance(each, BaseException) for each in done)

    await all_at_once()
    began, failed = time.process_time(), 0
    for _ in range(updates):
        failed += await all_at_once()
    spent = time.process_time() - began
    for each in clients:
        await each.aclose()
    assert failed <= 0.01 * updates * len(receivers.urls), f"{failed} requests failed"
    await receivers.ask("take")
    return spent / (len(receivers.urls) * updates)


async def cpu(count: int) -> list[Figure]:
    """A delivery beside a bare POST, with so many receivers."""
    ours, shared, own = list[float](), list[float](), list[float]()
    receivers = Receivers(count, 0)
    try:
        for _ in range(ROUNDS):
            shared.append(await cpu_of_posts(receivers, POSTS // count, shared=True))
            ours.append(await cpu_of_deliveries(receivers, UPDATES))
            own.append(await cpu_of_posts(receivers, POSTS // count, shared=False))
    finally:
        receivers.close()
    one = median(ours)

    def beside(name: str, others: list[float], wanted: float) -> Figure:
        ratio = one / median(others)
        value = f"{ratio:.3f} × ({one * 1e6:.0f} µs : {median(others) * 1e6:.0f} µs)"
        return Figure(f"{count} receivers: delivery beside {name}", value, f"≤ {wanted} ×", ratio <= wanted)

    return [
        beside("one shared httpx client, whose pool looks through all its connections", shared, 0.2),
        beside("an httpx client for each of them", own, 0.35),
    ]


async def latencies(good: int, silent: int, updates: int = 100, pause: float = 0.1) -> list[float]:
    """Seconds from a commit to each arrival at a healthy receiver."""
    receivers = Receivers(good, silent)
    try:
        async with dispatching(receivers.urls, Webhooks(allow_hosts=LOOPBACK)) as (store, _, games):
            await receivers.until(good * GAMES)
            await receivers.ask("take")
            committed: dict[tuple[str, str], float] = {}
            for number in range(updates):
                game = games[number % GAMES]
                version = await store.write(partial(record, game_id=game, change=Change()))
                committed[game, str(version)] = time.time()
                await asyncio.sleep(pause)
            await receivers.until(good * updates)
            rows = [(at, json.loads(body)) for at, body in await receivers.ask("take")]
    finally:
        receivers.close()
    return [at - committed[body["ticker_id"], body["version"]] for at, body in rows]


async def latency(good: int = 27, silent: int = 3) -> Figure:
    """The 99th percentile with black holes beside that without."""
    without, beside = list[float](), list[float]()
    for _ in range(3):
        without.append(percentile(await latencies(good, 0), 0.99))
        beside.append(percentile(await latencies(good, silent), 0.99))
    found = median(beside) / median(without)
    shown = f"{found:.2f} × ({median(beside) * 1000:.0f} ms : {median(without) * 1000:.0f} ms)"
    name = f"p99 of {good} healthy receivers beside {silent} black holes, by that of the same without them"
    return Figure(name, shown, "≤ 3 ×", found <= 3)


async def measured(counts: list[int]) -> list[Figure]:
    return [*[figure for count in counts for figure in await cpu(count)], await latency()]


def main() -> None:
    import uvloop

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--counts", type=int, nargs="+", default=[50, 100, 200])
    chosen = options.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    tune_interpreter()  # as the daemon does; both sides have it
    figures = uvloop.run(measured(chosen.counts))
    print(table(figures))
    if not all(figure.met for figure in figures if figure.met is not None):
        sys.exit(1)


if __name__ == "__main__":
    main()
