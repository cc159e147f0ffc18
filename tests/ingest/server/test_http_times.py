"""How long the daemon's HTTP server waits for its clients."""

import asyncio
import json

import httpx
import pytest

from tests.kit.event_desk import Desk, post
from tests.kit.raw_http import HOST, POST, SECRETS, SOON, STREAM, derby, public, served, store

__all__ = ["derby", "public", "store"]

UNFINISHED = (
    ("", ""), ("", "\r\n"), ("", "GET /li"), ("", f"GET /livez HTTP/1.1\r\n{HOST}X-Half: "),
    ("", f"{POST}Content-Length: 100\r\n\r\n{{"), (f"GET /livez HTTP/1.1\r\n{HOST}\r\n", "\r\n"),
    (f"GET /livez HTTP/1.1\r\n{HOST}\r\n", "GET /li"),
)  # fmt: skip


@pytest.mark.proof
async def test_who_stops_in_the_middle_of_a_request_is_let_go(derby):
    """On a fresh connection and on one that has been used; also who never closes it."""
    async with served(derby.app, header_timeout=0.2, stall_timeout=0.2) as running:
        clients = []
        for before, last in UNFINISHED:
            clients.append(client := await running.client())
            if before:
                await client.send(before)
                assert (await client.response())[0] == 200
            await client.send(last)
        assert await asyncio.gather(*(client.ended() for client in clients)) == [True] * len(UNFINISHED)
        await running.until(0)


async def test_half_a_request_is_answered_408(derby):
    """Who still listens learns why."""
    async with served(derby.app, header_timeout=0.2) as running:
        client = await running.client()
        await client.send("GET /li")
        status, headers, error = await client.response()

    assert (status, headers["connection"], error["code"], error["retryable"]) == (408, "close", "invalid_request", True)


@pytest.mark.proof
async def test_an_idle_connection_is_kept_and_then_closed(derby):
    """Its time is that of idle connections, not that of heads."""
    async with served(derby.app, header_timeout=0.1, keep_alive=4) as running:
        client = await running.client()
        await client.get()
        await asyncio.sleep(0.5)
        assert (await client.get())[0] == 200
        assert await client.ended()


@pytest.mark.proof
async def test_a_slow_body_that_comes_steadily_is_taken(derby):
    """The whole of it takes several times as long as a body may stand still."""
    async with served(derby.app, stall_timeout=4, least_rate=50) as running:
        client = await running.client()
        words = json.dumps(post("x" * 300)).encode()
        target = f"/api/v5/write/event/create.json?ticker_local_id=gderby&{SECRETS}"
        await client.send(f"POST {target} HTTP/1.1\r\n{HOST}Content-Length: {len(words)}\r\n\r\n")
        for start in range(0, len(words), 100):
            await asyncio.sleep(2)
            await client.send(words[start : start + 100])
        assert (await client.response())[0] == 200


async def unread(running, count):
    """Streams whose readers take nothing, and what they are sent is more than anybody keeps for them."""
    opened = []
    for _ in range(count):
        client = await running.client()
        client.writer.transport.pause_reading()
        await client.send(f"GET {STREAM} HTTP/1.1\r\n{HOST}\r\n")
        opened.append(client)
    return opened


async def long_posts(derby, megabytes):
    desk = Desk(derby.http)
    for _ in range(megabytes * 4):
        await desk.create(post("x" * 250_000))


@pytest.mark.proof
async def test_a_stream_that_is_not_read_is_let_go_and_another_is_not(derby):
    """The reader that reads gets everything, also what comes after the others have gone."""
    await long_posts(derby, 4)
    async with served(derby.app, stall_timeout=0.5) as running:
        await unread(running, 3)
        async with (
            httpx.AsyncClient(base_url=running.address, timeout=60, trust_env=False, verify=False) as http,
            http.stream("GET", STREAM) as response,
        ):
            lines = response.aiter_lines()
            while "data: " not in await anext(lines):
                pass
            await running.until(1)
            await Desk(derby.http).create(post("Late goal"))
            async with asyncio.timeout(SOON):
                while "Late goal" not in await anext(lines):
                    pass


@pytest.mark.proof
async def test_a_stop_lets_a_response_go_to_its_end(derby):
    """What is read slowly but steadily is no reader that does not read."""
    await long_posts(derby, 2)
    async with served(derby.app, shutdown_grace=20) as running:
        client = await running.client()
        await client.send(f"GET /api/embed/v4/feed/liveblog.json?liveblogId=gderby&limit=1000 HTTP/1.1\r\n{HOST}\r\n")
        got = await client.reader.readuntil(b"\r\n\r\n")
        length = int(got.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        reading = asyncio.create_task(slowly(client.reader, length))
        running.clients.remove(client)  # it stays, and the server leaves
    assert await reading == length
    client.writer.close()


async def slowly(reader, length):
    read = 0
    while read < length:
        await asyncio.sleep(0.01)
        if not (some := await reader.read(20_000)):
            break
        read += len(some)
    return read
