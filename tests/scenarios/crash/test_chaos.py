"""Several machines on a bad day: processes are killed all the time, PostgreSQL is started again, and nothing is lost."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import time
from collections import defaultdict
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import func, select
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ingest.sync.match_leases import LEASE
from providers.http_server import bind_socket, listening
from store.tables import outbox
from tests.kit.chaos import CONFIG, INTERVAL, Upstream
from tests.kit.command import MATCHWIRE
from tests.kit.daemon import SECRET
from tests.kit.day import CREATE, ORGANIZATION, SHOW
from tests.kit.opening import look
from tests.kit.postgres import Cluster
from tests.kit.recorded_posts import posts_of_the_liveblog, posts_of_the_provider

ENVIRON = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
HOOKS = f"/apigw/webhooks/v2/organization/{ORGANIZATION}/subscribe"
AWAY = 3.0
"""Seconds for which PostgreSQL is not there."""
ROLES = {"worker-1": "worker", "worker-2": "worker", "worker-3": "worker", "api-1": "api", "api-2": "api"}


class Receivers:
    """Receivers of webhooks, which all take what comes."""

    def __init__(self) -> None:
        self.seen: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))

    async def answer(self, request: Request) -> Response:
        said = json.loads(await request.body())
        if said["event_type"] == "ticker_update":
            self.seen[request.path_params["name"]][said["local_id"]].append(int(said["version"]))
        return Response(status_code=204)


class Process:
    """`matchwire run` as a process of its own, which comes back whenever it ends, as under a supervisor."""

    def __init__(self, folder: Path, name: str, role: str, **values: object) -> None:
        self.role, self.address, self.starts = role, "", 0
        self.config = folder / f"{name}.toml"
        self.config.write_text(CONFIG.format(organization=ORGANIZATION, secret=SECRET, interval=INTERVAL, **values))
        self.process: asyncio.subprocess.Process | None = None
        self.announced = asyncio.Event()

    async def supervise(self) -> None:
        while True:
            self.announced.clear()
            self.process = await asyncio.create_subprocess_exec(
                *MATCHWIRE, "run", "--config", str(self.config),
                "--role", self.role, "--log-file", str(self.config.with_suffix(".log")),
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env=ENVIRON,
            )  # fmt: skip
            self.starts += 1
            assert self.process.stdout is not None
            found = re.search(r"http://\S+", (await self.process.stdout.readline()).decode())
            if found:
                self.address = found[0]
                self.announced.set()
            await self.process.wait()
            self.announced.clear()

    def kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.kill()

    async def post(self, path: str, body: dict[str, object], **headers: str) -> dict[str, str]:
        """Retried until it is answered: what a client of the API does while a machine is away."""
        while True:
            await self.announced.wait()
            with contextlib.suppress(httpx.TransportError):
                async with httpx.AsyncClient(
                    base_url=self.address, auth=("cms", SECRET), trust_env=False, verify=False
                ) as client:
                    answer = await client.post(path, json=body, headers=headers, timeout=30)
                if answer.status_code < 500:
                    assert answer.status_code == 200, answer.text
                    return answer.json()
            await asyncio.sleep(0.2)


@asynccontextmanager
async def machines(folder: Path, database: str, upstream: str):
    """The processes, each supervised; all of them are killed at the end."""
    processes = {
        name: Process(folder, name, role, database=database, upstream=upstream) for name, role in ROLES.items()
    }
    supervised = [asyncio.create_task(each.supervise()) for each in processes.values()]
    try:
        yield processes
    finally:
        for each in supervised:
            each.cancel()
        await asyncio.gather(*supervised, return_exceptions=True)
        for each in processes.values():
            each.kill()
            if each.process is not None:
                await each.process.wait()


async def bad_day(
    cluster: Cluster, processes: dict[str, Process], upstream: Upstream, chance: random.Random, seconds: float
) -> float:
    """Changes at the provider, a kill every two seconds and two restarts of PostgreSQL; gives how long the longer one took."""
    ended, away = time.monotonic() + seconds, 0.0
    restarts = [ended - seconds * share for share in (2 / 3, 1 / 3)]

    async def kills() -> None:
        while time.monotonic() < ended:
            await asyncio.sleep(2.0)
            chance.choice(list(processes.values())).kill()

    async def changes() -> None:
        while time.monotonic() < ended:
            upstream.change()
            await asyncio.sleep(0.1)

    async def restarted() -> None:
        nonlocal away
        for number, at in enumerate(restarts):
            await asyncio.sleep(max(0.0, at - time.monotonic()))
            began = time.monotonic()
            await asyncio.to_thread(cluster.kill if number else cluster.stop)
            await asyncio.sleep(AWAY)
            await asyncio.to_thread(cluster.start)
            away = max(away, time.monotonic() - began)

    await asyncio.gather(kills(), changes(), restarted())
    return away


async def quiet(database: str, seconds: float = 2 * INTERVAL) -> dict[str, set[int]]:
    """The versions of each liveblog in the outbox, once none has come for that long."""

    def versions(conn):
        found = defaultdict(set)
        for local_id, version in conn.execute(select(outbox.c.local_id, outbox.c.version)):
            found[local_id].add(version)
        return dict(found)

    last, at = -1, time.monotonic()
    while time.monotonic() < at + seconds:
        await asyncio.sleep(0.5)
        now = await look(database, lambda conn: conn.scalar(select(func.count()).select_from(outbox)))
        if now != last:
            last, at = now, time.monotonic()
    return await look(database, versions)


@pytest.mark.soak
@pytest.mark.parametrize(("matches", "receivers", "seconds"), [(300, 20, 120.0)])
async def test_nothing_is_lost_while_machines_die(
    tmp_path, postgres_cluster, postgres_url, matches, receivers, seconds
):
    """Three workers and two of the API: one killed every two seconds, PostgreSQL stopped and killed once each."""
    seed = int(os.environ.get("MATCHWIRE_SEED", "1"))
    chance = random.Random(seed)
    upstream, sink = Upstream(matches, chance), Receivers()
    provider = Starlette(routes=[Route("/{rest:path}", upstream.answer)])
    receiving = Starlette(routes=[Route("/{name}", sink.answer, methods=["POST"])])
    async with AsyncExitStack() as stack:
        address = await stack.enter_async_context(listening(provider, bind_socket("127.0.0.1", 0)))
        hooks = await stack.enter_async_context(listening(receiving, bind_socket("127.0.0.1", 0)))
        processes = await stack.enter_async_context(machines(tmp_path, postgres_url, address))
        api = [each for each in processes.values() if each.role == "api"]
        for number in range(receivers):
            await api[number % 2].post(HOOKS, {"url": f"{hooks}/r{number}"})
        made = {}
        for number, name in enumerate(upstream.rows):
            body = {"provider": "heim", "matchId": name, "autoPostEnabled": True}
            answer = await api[number % 2].post(CREATE, body, **{"Idempotency-Key": name})
            made[name] = answer["local_id"]
        await quiet(postgres_url, 3.0)
        for times in upstream.polls.values():
            del times[:-1]
        away = await bad_day(postgres_cluster, processes, upstream, chance, seconds)
        silence = max(upstream.silence().values())
        stepped = await quiet(postgres_url)
        async with asyncio.timeout(300):
            while any(set(sink.seen[f"r{n}"][name]) < stepped[name] for n in range(receivers) for name in stepped):
                await asyncio.sleep(0.5)
        await api[0].announced.wait()
        async with httpx.AsyncClient(
            base_url=api[0].address, auth=("cms", SECRET), trust_env=False, verify=False
        ) as client:
            for name, rows in upstream.rows.items():
                game = (await client.get(SHOW, params={"local_id": made[name]}, timeout=30)).json()
                posts = posts_of_the_liveblog(game)
                assert len(posts) == len(set(posts)), f"{name}: a post stands twice"
                cards = {post for post in posts if post[0] == "soccer.yellow-card"}  # the breaks follow from the state
                assert cards == posts_of_the_provider(rows), name
                assert stepped[made[name]] == set(range(1, game["version"] + 1)), name
    deliveries = sum(len(each) for of in sink.seen.values() for each in of.values())
    starts = sum(each.starts for each in processes.values())
    restart = 4.0
    print(  # noqa: T201
        f"\nseed {seed}: {upstream.changes} changes, {sum(map(len, stepped.values()))} versions, {deliveries} deliveries, "
        f"{starts - len(ROLES)} restarts, PostgreSQL away for {away:.1f} s, longest silence {silence:.1f} s"
    )
    assert silence <= LEASE + INTERVAL + restart + away
