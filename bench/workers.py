"""What two workers cost beside one: `python -m bench.workers`, on a PostgreSQL of its own or (`--database`) an empty database.

The same matches are followed by one worker and then by two, against one provider in a process of its own; one poll in nine
finds an event changed. CPU time of the workers in all their threads, by the polls that the provider has counted.
"""

# ruff: noqa: RUF001 -- it prints multiples

from __future__ import annotations

import argparse
import asyncio
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from bench.daemon_process import RUN, BenchProcess, running, upgrade
from bench.measure import Figure, table
from bench.upstream import upstream
from tests.kit.postgres import Cluster, binaries

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
SECRET = secrets.token_hex(16)
FIRST_ID = 6_000_000
WANTED = 1.2
EVEN = 0.1
"""How far from a half the share of a worker may be."""
SETTLES = 35.0
"""Seconds until the matches are shared anew after a worker has come or gone, and each has changed under its new one: what
a process keeps of a match is made at its first change there."""
CONFIG = """
[database]
url = "{database}"
[logging]
level = "warning"
[organizations.{organization}]
name = "Bench"
[organizations.{organization}.providers.heim]
base_url = "{upstream}"
[clients.cms]
secret = "{secret}"
organizations = ["{organization}"]
scopes = ["external", "write", "admin"]
[limits]
client_per_second = 0
[polling]
rate = 0
live = {interval}
pause = {interval}
before = {interval}
after = {interval}
"""


async def matches_of(worker: BenchProcess) -> int:
    """How many it follows."""
    async with httpx.AsyncClient(base_url=worker.address, auth=("cms", SECRET), trust_env=False) as http:
        report: dict[str, Any] = (await http.get("/status.json")).json()
    return int((report["matches"] or {"matches": 0})["matches"])


async def polls(provider: str) -> int:
    """Polls since the last call."""
    async with httpx.AsyncClient(trust_env=False) as http:
        return len((await http.get(f"{provider}/gaps")).json())


async def cost(provider: str, workers: list[BenchProcess], seconds: float) -> float:
    """Seconds of CPU of all workers a poll."""
    await polls(provider)
    before = sum(each.cpu() for each in workers)
    await asyncio.sleep(seconds)
    spent = sum(each.cpu() for each in workers) - before
    return spent / await polls(provider)


async def follow(address: str, matches: int) -> None:
    async with httpx.AsyncClient(base_url=address, auth=("cms", SECRET), trust_env=False, timeout=60) as http:
        for number in range(matches):
            body = {"provider": "heim", "matchId": str(FIRST_ID + number), "autoPostEnabled": True}
            path = f"/apigw/sports/v2/{ORGANIZATION}/liveblog/createFromExternal"
            (await http.post(path, json=body)).raise_for_status()


async def measured(database: str, matches: int, interval: float, seconds: float, rounds: int) -> list[Figure]:
    one: list[float] = []
    two: list[float] = []
    shares: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with upstream() as provider:
            values = {"database": database, "organization": ORGANIZATION, "upstream": provider, "secret": SECRET}
            (folder / "matchwire.toml").write_text(CONFIG.format(**values, interval=interval))
            upgrade(folder)
            with running((*RUN, "--role", "api"), folder) as api, running((*RUN, "--role", "worker"), folder) as first:
                await follow(api.address, matches)
                for _ in range(rounds):
                    await asyncio.sleep(SETTLES)
                    one.append(await cost(provider, [first], seconds))
                    with running((*RUN, "--role", "worker"), folder) as second:
                        await asyncio.sleep(SETTLES)
                        two.append(await cost(provider, [first, second], seconds))
                        shares.append(await matches_of(second) / matches)
    ratio = median(after / before for before, after in zip(one, two, strict=True))
    uneven = max(abs(each - 0.5) for each in shares)
    return [
        Figure("CPU a poll, one worker", f"{median(one) * 1e6:.0f} µs"),
        Figure("CPU a poll, two workers together", f"{ratio:.2f} × ({median(two) * 1e6:.0f} µs)", f"≤ {WANTED} ×", ratio <= WANTED),
        Figure("share of the second worker", f"{shares[-1]:.0%} of {matches} matches", "even", uneven <= EVEN),
    ]  # fmt: skip


@contextmanager
def own_database() -> Iterator[str]:
    """The address of a database of a server that is thrown away afterwards."""
    programs = binaries()
    if programs is None:
        raise SystemExit("PostgreSQL's initdb and postgres are not installed")
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder), programs)
        cluster.create()
        try:
            yield cluster.create_database("bench")
        finally:
            cluster.stop()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--database", metavar="URL")
    options.add_argument("--matches", type=int, default=200)
    options.add_argument("--interval", type=float, default=1.0)
    options.add_argument("--seconds", type=float, default=15.0)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    with nullcontext(given.database) if given.database else own_database() as url:
        print(table(asyncio.run(measured(url, given.matches, given.interval, given.seconds, given.rounds))))


if __name__ == "__main__":
    main()
