"""Counts round trips: a relay on loopback through which a client talks to its server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from sqlalchemy.engine import make_url


@dataclass(slots=True)
class Trips:
    """How often the client has spoken and then waited for the server; `url` goes through the relay."""

    url: str
    count: int = 0


@asynccontextmanager
async def counted(url: str) -> AsyncIterator[Trips]:
    """The database at `url` by way of a relay that counts."""
    target = make_url(url)
    trips = Trips("")

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, server = await asyncio.open_connection(target.host, target.port)
        answered = True

        async def there() -> None:
            nonlocal answered
            while data := await reader.read(1 << 16):
                trips.count += answered
                answered = False
                server.write(data)
            server.close()

        async def back() -> None:
            nonlocal answered
            while data := await upstream.read(1 << 16):
                answered = True
                writer.write(data)
            writer.close()

        with suppress(ConnectionError, asyncio.CancelledError):  # asyncio would log each one that the run's end cancels
            await asyncio.gather(there(), back())

    relay = await asyncio.start_server(carry, "127.0.0.1", 0)
    port = relay.sockets[0].getsockname()[1]
    trips.url = target.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
    try:
        yield trips
    finally:
        relay.close()
