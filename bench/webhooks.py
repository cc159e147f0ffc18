"""Two figures of webhook delivery, each as a ratio of two runs in the same minute: `python -m bench.webhooks`.

CPU     of this process for a delivery with everything that belongs to it (reading, signing, posting, recording), by the
        CPU for a bare POST through one httpx client that all receivers share. At most 0.15.
Latency of the healthy receivers, 99th percentile from commit to arrival, with one receiver in ten a black hole, by the
        same without black holes. At most 3.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING

import httpx

from ingest.delivering import Delivering, Rhythm
from ingest.guarded import Guard
from store import webhooks
from store.database import Store
from store.liveblogs import Change, NewGame, insert_game, record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
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
async def house(urls: list[str]) -> AsyncIterator[tuple[Store, Delivering, list[str]]]:
    """A store with liveblogs and subscriptions, and the deliveries of it."""
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(f"sqlite+aiosqlite:///{Path(folder) / 'bench.db'}")
        for url in urls:
            secret = webhooks.new_secret()
            await store.write(
                partial(webhooks.subscribe, organization_id=ORGANIZATION, url=url, secret=secret, limit=10_000)
            )
        games = [f"{number:024x}" for number in range(1, GAMES + 1)]
        delivering = Delivering(store, Guard(["127.0.0.1"]), Rhythm(rate=0))
        store.on_commit = delivering.wake
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
    async with house(receivers.urls) as (store, _, games):
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


async def cpu_of_shared_client(receivers: Receivers, updates: int) -> float:
    """CPU seconds of a bare POST of the same size, of all receivers at a time through one client."""
    room = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=60)
    async with httpx.AsyncClient(limits=room, timeout=30, trust_env=False) as client:
        body = json.dumps({"event_type": "ticker_update", "ticker_id": "0" * 24, "local_id": "g" * 21, "version": "9"})
        await asyncio.gather(*(client.post(url, content=body) for url in receivers.urls))
        began, failed = time.process_time(), 0
        for _ in range(updates):  # a connection that breaks under load has cost what it cost; the deliveries try again
            done = await asyncio.gather(
                *(client.post(url, content=body) for url in receivers.urls), return_exceptions=True
            )
            failed += sum(isinstance(each, BaseException) for each in done)
        spent = time.process_time() - began
        assert failed <= 0.01 * updates * len(receivers.urls), f"{failed} requests failed"
    await receivers.ask("take")
    return spent / (len(receivers.urls) * updates)


async def slowest_of(good: int, silent: int, updates: int, pause: float) -> float:
    """99th percentile of the seconds from a commit to its arrival at a healthy receiver."""
    receivers = Receivers(good, silent)
    try:
        async with house(receivers.urls) as (store, _, games):
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
    return quantiles([at - committed[body["ticker_id"], body["version"]] for at, body in rows], n=100)[98]


async def main(count: int, updates: int) -> None:
    """Measure and print both ratios; exits 1 when one is above its bound."""
    receivers = Receivers(count, 0)
    try:
        shared = await cpu_of_shared_client(receivers, updates)
        ours = await cpu_of_deliveries(receivers, updates)
    finally:
        receivers.close()
    cpu = ours / shared
    print(f"CPU per delivery: {ours * 1e6:.0f} µs, bare POST through a shared client of {count} receivers")
    print(f"                  {shared * 1e6:.0f} µs: ratio {cpu:.3f} (at most 0.15)")
    healthy = await slowest_of(27, 0, 100, 0.1)
    holes = await slowest_of(27, 3, 100, 0.1)
    print(f"p99 of healthy receivers: {healthy * 1000:.0f} ms, with black holes {holes * 1000:.0f} ms:")
    print(f"                  ratio {holes / healthy:.2f} (at most 3)")
    if cpu > 0.15 or holes > 3 * healthy:
        sys.exit(1)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--receivers", type=int, default=200)
    options.add_argument("--updates", type=int, default=20)
    given = options.parse_args()
    asyncio.run(main(given.receivers, given.updates))
