"""The connection to PostgreSQL ends in the middle of COMMIT: nobody knows whether it counted, and a retry must not matter."""

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest
from sqlalchemy.engine import make_url

from store.clients import clients
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.kit.event_desk import Desk, post
from tests.kit.opening import pool_settings, store_at


@dataclass
class Link:
    """One connection; once it `keeps`, what the server says goes no further."""

    keeps: bool = False
    kept: asyncio.Event = field(default_factory=asyncio.Event)


class Relay:
    """The way to the server; armed with `before` or `after` it is cut at the next COMMIT that passes."""

    def __init__(self, url):
        self.target = make_url(url)
        self.armed = ""
        self.cuts = 0
        self.carrying = set()

    async def carry(self, reader, writer):
        self.carrying.add(asyncio.current_task())
        upstream, server = await asyncio.open_connection(self.target.host, self.target.port)
        link = Link()
        passing = [self.there(link, reader, server), self.back(link, upstream, writer)]
        tasks = [asyncio.create_task(each) for each in passing]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for end in (writer, server):
            end.transport.abort()

    async def there(self, link, reader, server):
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                if self.armed and b"COMMIT" in data:
                    how, self.armed, self.cuts = self.armed, "", self.cuts + 1
                    if how == "after":
                        link.keeps = True
                        server.write(data)
                        await asyncio.wait_for(link.kept.wait(), 30)  # the response is there, and goes no further
                    return
                server.write(data)

    async def back(self, link, upstream, writer):
        with suppress(ConnectionError):
            while data := await upstream.read(1 << 16):
                if link.keeps:
                    link.kept.set()
                    await asyncio.Event().wait()
                writer.write(data)


@asynccontextmanager
async def relayed(url):
    relay = Relay(url)
    server = await asyncio.start_server(relay.carry, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    relay.url = relay.target.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
    try:
        yield relay
    finally:
        server.close()
        await asyncio.wait(relay.carrying, timeout=60)


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_lost_commit_is_an_outage_and_its_retry_writes_once(postgres_url, when):
    """The caller hears 503 and may try again; whether the commit counted or not, there is one event and one step more."""
    async with relayed(postgres_url) as relay:
        direct = await store_at(postgres_url, clock=lambda: NOW)
        store = await store_at(relay.url, clock=lambda: NOW, pool=pool_settings(timeout=5))
        try:
            async with serving(store, client_per_second=0, public_per_second=0) as server:
                await direct.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
                await server.add(matchday.Liveblog())
                desk = Desk(server.http)
                version = (await desk.show())["version"]
                document = post("Goal!", local_id="eambiguous")

                relay.armed = when
                lost = await desk.send("create", document, ticker_local_id=desk.liveblog)
                counted = (await desk.show())["version"] - version
                again = await desk.create(document)
                game = await desk.show()
        finally:
            await store.close()
            await direct.close()

    assert relay.cuts == 1
    assert (lost.status_code, lost.json()["retryable"]) == (503, True)
    assert counted == (1 if when == "after" else 0)
    assert again["local_id"] == "eambiguous"
    assert [event["local_id"] for event in game["events"]] == ["eambiguous"]
    assert game["version"] == version + 1
