"""Clients that hold connections and do nothing with them: others are served, they are let go, and a stop takes no longer."""

import asyncio
import time

import pytest

from tests.kit.bounded_server import FEED, daemon

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
