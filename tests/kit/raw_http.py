"""The daemon's HTTP server in this process, and clients that send it bytes of their own."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from config.sections import Server
from ingest.server.connection_limits import ConnectionLimits
from ingest.server.server import serving
from providers.http_server import bind_socket
from tests.api.conftest import public, store
from tests.kit import matchday

__all__ = ["derby", "public", "store"]

STREAM = "/api/embed/v4/stream?liveblogId=gderby"
HOST = "Host: x\r\n"
POST = f"POST /api/v5/write/event/create.json HTTP/1.1\r\n{HOST}"
SECRETS = f"client_id=desk&client_secret={matchday.SECRET}"
SOON = 30.0
"""Seconds in which something must have happened that takes milliseconds."""


class Client:
    """One connection that sends what it is given."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def send(self, data):
        self.writer.write(data if isinstance(data, bytes) else data.encode())
        await self.writer.drain()

    async def response(self):
        """Status, headers and JSON of the next response; (0, {}, None) where the connection ends instead."""
        async with asyncio.timeout(SOON):
            head = await self.reader.readuntil(b"\r\n\r\n")
            first, *lines = head.decode().split("\r\n")[:-2]
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        return int(first.split()[1]), headers, json.loads(body) if "json" in headers["content-type"] else body

    async def get(self, path="/livez", **headers):
        fields = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in {"host": "x", **headers}.items())
        await self.send(f"GET {path} HTTP/1.1\r\n{fields}\r\n")
        return await self.response()

    async def ended(self):
        """Whether the server closes; what it still sends is thrown away."""
        try:
            async with asyncio.timeout(SOON):
                while await self.reader.read(65536):
                    pass
        except ConnectionError:
            return True
        return True


class Served:
    def __init__(self, address, limits, app):
        self.address, self.limits, self.app = address, limits, app
        self.port = int(address.rpartition(":")[2])
        self.clients = []

    async def client(self, source="127.0.0.1"):
        made = Client(*await asyncio.open_connection("127.0.0.1", self.port, local_addr=(source, 0)))
        self.clients.append(made)
        return made

    async def until(self, count):
        async with asyncio.timeout(SOON):
            while len(self.limits) != count:
                await asyncio.sleep(0.01)


@asynccontextmanager
async def served(app, *, per_address=0, **server):
    settings = Server(**{"header_timeout": 30, "stall_timeout": 30, "shutdown_grace": 5, **server})
    limits = ConnectionLimits(settings, connections_per_address=per_address, max_connections=settings.max_connections)
    async with serving(app, bind_socket("127.0.0.1", 0), limits, settings) as address:
        running = Served(address, limits, app)
        yield running
        for client in running.clients:
            client.writer.close()


@pytest.fixture
async def derby(public):
    await public.add(matchday.derby())
    return public
