"""SIGTERM while requests come all the time: each that was taken is answered, and what was acknowledged is there."""

from __future__ import annotations

import asyncio
import time

import httpx
import pytest

from api.page.page import STREAM_PATH
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


@pytest.mark.soak
async def test_a_stop_with_a_thousand_streams_is_quick(tmp_path):
    """A thousand readers watch, 20 clients write: it ends below two seconds, and nothing that was acknowledged is lost."""
    async with daemon_in(tmp_path) as daemon:
        config = daemon.config.read_text()
        await daemon.terminate()
        config = config.replace("[server]\n", "[server]\npublic_feeds = true\n")
        daemon.config.write_text(
            config.replace("[limits]\n", "[limits]\npublic_per_second = 0\nconnections_per_address = 0\n")
        )
        await daemon.start()
        async with client_of(daemon) as client:
            liveblog = await made(client)
        host, port = daemon.address.removeprefix("http://").split(":")
        request = (
            f"GET {STREAM_PATH}?liveblogId={liveblog} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n".encode()
        )
        streams = []
        for _ in range(1000):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(request)
            streams.append((reader, writer))
        for reader, _ in streams:
            assert b" 200 " in await reader.readline()
        acknowledged, failed = [], []
        clients = [asyncio.create_task(writing(daemon, liveblog, acknowledged, failed, kept=False)) for _ in range(20)]
        await asyncio.sleep(2)
        began = time.monotonic()
        daemon.process.terminate()
        assert await daemon.process.wait() == 0
        took = time.monotonic() - began
        await asyncio.gather(*clients)
        for _, writer in streams:
            writer.close()
        await daemon.start()
        async with client_of(daemon) as client:
            events = (await shown(client, liveblog)).json()["events"]
        assert await daemon.terminate() == 0

    print(f"\n{len(acknowledged)} writes, ended in {took:.2f} s")  # noqa: T201
    assert failed == []
    assert {each["local_id"] for each in events} == set(acknowledged)
    assert took < 2
