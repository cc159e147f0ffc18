"""SIGTERM while requests come all the time: each that was taken is answered, and what was acknowledged is there."""

import asyncio

import httpx
import pytest

from tests.kit.daemon import SECRET, client_of
from tests.kit.news_daemon import WRITE, daemon_in, made, post, shown

pytestmark = pytest.mark.proof


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
