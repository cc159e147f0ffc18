"""Clients that hold connections and do nothing with them: others are served, they are let go, and a stop takes no longer."""

import asyncio
import time

import httpx
import pytest

from tests.kit.bounded_server import FEED, daemon
from tests.kit.daemon import SECRET, client_of
from tests.kit.news_daemon import WRITE, daemon_in, made, post, shown

pytestmark = pytest.mark.proof

IMPATIENT = "header_timeout = 1\nstall_timeout = 1\nmax_connections = 200"
PER_ADDRESS = 30


async def latencies(running, until):
    """How long others wait for a feed and a probe, in seconds; each must be answered."""
    waited = []
    while not until.done():
        for path, params in ((FEED, {"liveblogId": running.liveblog, "limit": 10}), ("/livez", {})):
            began = time.monotonic()
            response = await running.http.get(path, params=params)
            assert response.status_code == 200, response.text
            waited.append(time.monotonic() - began)
        await asyncio.sleep(0.05)
    return waited


async def quiet(running, within):
    """Wait until no other client is connected."""
    async with asyncio.timeout(within):
        while await running.connections() > 1:
            await asyncio.sleep(0.1)


async def test_others_are_served_while_rude_clients_are_let_go(tmp_path):
    """Silent clients, half request lines, half heads, half bodies and unread streams, a hundred of each at a time."""
    limits = f"connections_per_address = {PER_ADDRESS}"
    async with daemon(tmp_path, server=IMPATIENT, limits=limits) as running:
        await running.fill(posts=5, size=10_000)
        rude = asyncio.create_task(running.crowds(count=100, rate=200, seconds=3, patience=30))
        waited = await latencies(running, rude)
        await quiet(running, within=60)
        numbers = await running.numbers()

    assert len(waited) > 10
    for crowd in rude.result():
        assert (crowd["left"], crowd["opened"] > 100) == (0, True), crowd
    for reason in ("address", "slow_request", "slow_reader"):
        assert numbers[f'matchwire_clients_refused_total{{reason="{reason}"}}'] >= PER_ADDRESS, reason


async def test_a_stop_does_not_wait_for_rude_clients(tmp_path):
    """SIGTERM ends the process long before the time that requests in flight get."""
    async with daemon(tmp_path, server="max_connections = 1000") as running:
        await running.fill(posts=5, size=10_000)
        rude = asyncio.create_task(running.crowds(count=60, rate=200, seconds=10, patience=1))
        async with asyncio.timeout(60):
            while await running.connections() < 280:
                await asyncio.sleep(0.1)
        status, _ = await running.stop()
        await rude

    assert status == 0


async def writing(daemon, liveblog, acknowledged, failed, *, kept):
    """Post until nobody takes connections: each time on a new one, or (`kept`) on one that is kept as long as it lasts."""
    headers = {} if kept else {"Connection": "close"}
    async with httpx.AsyncClient(
        base_url=daemon.address, auth=("cms", SECRET), trust_env=False, verify=False, timeout=60, headers=headers
    ) as http:
        while True:
            event = post(f"number {len(acknowledged)}")
            try:
                answer = await http.post(f"{WRITE}/event/create.json", params={"ticker_local_id": liveblog}, json=event)
            except httpx.ConnectError:
                return
            except httpx.TransportError as error:
                failed.append(repr(error))
                if kept:  # it was closed while it was idle, which a client cannot know before it sends
                    continue
                return
            if answer.status_code == 200:
                acknowledged.append(answer.json()["local_id"])
            else:
                failed.append(f"{answer.status_code} {answer.text}")


async def test_a_stop_under_load_drops_no_request(tmp_path):
    """Of six clients with a connection for each request none sees anything but 200, or that nobody listens any more."""
    async with daemon_in(tmp_path) as daemon:
        async with client_of(daemon) as client:
            liveblog = await made(client)
        acknowledged, failed = [], []
        clients = [asyncio.create_task(writing(daemon, liveblog, acknowledged, failed, kept=False)) for _ in range(6)]
        async with asyncio.timeout(60):
            while len(acknowledged) < 40:
                await asyncio.sleep(0.01)
        daemon.process.terminate()
        await asyncio.gather(*clients)
        assert await daemon.process.wait() == 0
        await daemon.start()
        async with client_of(daemon) as client:
            events = (await shown(client, liveblog)).json()["events"]
        assert await daemon.terminate() == 0

    assert failed == []
    assert {each["local_id"] for each in events} == set(acknowledged)
