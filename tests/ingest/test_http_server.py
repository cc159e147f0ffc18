"""What the daemon's HTTP server refuses, in what words, and whom it goes on to serve."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from functools import partial

import httpx
import pytest

from api.addresses import group_of, plain_address
from config.sections import Server
from ingest.connection_limits import SPARE, ConnectionLimits
from ingest.http_server import connections_that_fit, serving
from providers.replay.server import bound
from tests.api import matchday
from tests.api.conftest import public, store
from tests.api.writing import Desk, post

__all__ = ["public", "store"]

STREAM = "/api/embed/v4/stream?liveblogId=gderby"
SECRETS = f"client_id=desk&client_secret={matchday.SECRET}"
SOON = 10.0
"""Seconds in which something must have happened that takes milliseconds."""


class Client:
    """One connection that sends what it is told to."""

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


class House:
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
async def house(app, *, per_address=0, **server):
    settings = Server(**{"header_timeout": 30, "stall_timeout": 30, "shutdown_grace": 5, **server})
    limits = ConnectionLimits(settings, per_address=per_address)
    async with serving(app, bound("127.0.0.1", 0), limits, settings) as address:
        running = House(address, limits, app)
        yield running
        for client in running.clients:
            client.writer.close()


@pytest.fixture
async def derby(public):
    await public.add(matchday.derby())
    return public


HOST = "Host: x\r\n"
POST = f"POST /api/v5/write/event/create.json HTTP/1.1\r\n{HOST}"
CHUNKED = "Transfer-Encoding: chunked\r\n"
FAULTS = {
    "length and chunks": f"{POST}Content-Length: 3\r\n{CHUNKED}\r\n0\r\n\r\n",
    "chunks and length": f"{POST}{CHUNKED}Content-Length: 3\r\n\r\n0\r\n\r\n",
    "two lengths": f"{POST}Content-Length: 3\r\nContent-Length: 4\r\n\r\n{{}}",
    "the same length twice": f"{POST}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{{}}",
    "a list of lengths": f"{POST}Content-Length: 2, 2\r\n\r\n{{}}",
    "a length with a sign": f"{POST}Content-Length: +15\r\n\r\n{{}}",
    "a negative length": f"{POST}Content-Length: -1\r\n\r\n{{}}",
    "a hexadecimal length": f"{POST}Content-Length: 0x2\r\n\r\n{{}}",
    "a length that overflows": f"{POST}Content-Length: 99999999999999999999\r\n\r\n{{}}",
    "a folded header": f"GET /livez HTTP/1.1\r\n{HOST}X-A: b\r\n c\r\n\r\n",
    "a header folded with a tab": f"GET /livez HTTP/1.1\r\n{HOST}X-A: b\r\n\tc\r\n\r\n",
    "a bare LF after the request line": "GET /livez HTTP/1.1\nHost: x\r\n\r\n",
    "a bare LF after a header": "GET /livez HTTP/1.1\r\nHost: x\nX-A: b\r\n\r\n",
    "a bare LF at the end": "GET /livez HTTP/1.1\r\nHost: x\r\n\n",
    "a bare CR": "GET /livez HTTP/1.1\r\nHost: x\rX-A: b\r\n\r\n",
    "a space before the colon": "GET /livez HTTP/1.1\r\nHost : x\r\n\r\n",
    "a space before the first name": "GET /livez HTTP/1.1\r\n Host: x\r\n\r\n",
    "a chunk's size with a bare LF": f"{POST}{CHUNKED}\r\n2\n{{}}\r\n0\r\n\r\n",
    "a chunk's size with a sign": f"{POST}{CHUNKED}\r\n+2\r\n{{}}\r\n0\r\n\r\n",
    "another transfer encoding": f"{POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "chunks in HTTP/1.0": "POST /livez HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "no host": "GET /livez HTTP/1.1\r\n\r\n",
    "two hosts": f"GET /livez HTTP/1.1\r\n{HOST}{HOST}\r\n",
    "HTTP/0.9": "GET /livez\r\n\r\n",
    "HTTP/2 in the request line": f"GET /livez HTTP/2.0\r\n{HOST}\r\n",
    "no path": f"GET http://x HTTP/1.1\r\n{HOST}\r\n",
    "no port": f"GET http://x:port/ HTTP/1.1\r\n{HOST}\r\n",
    "a tunnel": f"CONNECT x:1 HTTP/1.1\r\n{HOST}\r\n",
    "TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
}


async def test_what_is_malformed_is_refused_and_the_connection_closed(derby):
    """400 in the one error shape, and nothing that follows is taken for a request."""
    told = {}
    async with house(derby.app) as running:
        for name, sent in FAULTS.items():
            client = await running.client()
            await client.send(sent + f"GET /livez HTTP/1.1\r\n{HOST}\r\n")
            status, headers, error = await client.response()
            told[name] = (status, error.get("code"), error.get("retryable"), headers.get("connection"))
            assert headers["x-content-type-options"] == "nosniff"
            assert await client.ended()

    assert told == dict.fromkeys(FAULTS, (400, "invalid_request", False, "close"))


def head(*, url=0, fields=0, size=0):
    more = "".join(f"X-{n}: y\r\n" for n in range(fields))
    padding = f"X-Padding: {'z' * size}\r\n" if size else ""
    return f"GET /livez?{'a' * url} HTTP/1.1\r\n{HOST}{more}{padding}\r\n"


HEADS = {
    "99 fields and Host": (head(fields=99), 200),
    "100 fields and Host": (head(fields=100), 431),
    "32,000 bytes": (head(size=32_000), 200),
    "33,000 bytes": (head(size=33_000), 431),
    "ten million bytes": (head(size=10_000_000), 431),
    "an address of 8,000": (head(url=8_000), 200),
    "an address of 8,200": (head(url=8_200), 414),
    "an address of 40,000": (head(url=40_000), 414),
    "both large": (head(url=8_000, size=23_000), 200),
}


async def test_heads_are_bounded(derby):
    """32 kB and 100 fields, 8 kB of them for the address; more is told so, also to those who send all before they read."""
    told = {}
    async with house(derby.app) as running:
        for name, (sent, _) in HEADS.items():
            client = await running.client()
            writing = asyncio.create_task(client.send(sent))
            status, _, body = await client.response()
            told[name] = (status, body.get("code"))
            await asyncio.gather(writing, return_exceptions=True)

    assert told == {name: (code, None if code == 200 else "invalid_request") for name, (_, code) in HEADS.items()}


async def test_requests_that_come_in_one_piece_are_answered_in_order(derby):
    """Where a head begins inside a piece is no matter, nor that it ends in the next."""
    async with house(derby.app) as running:
        client = await running.client()
        body = "x" * 40_000
        await client.send(
            f"GET /livez HTTP/1.1\r\n{HOST}\r\n{POST}Content-Length: 40000\r\n\r\n{body}GET /readyz HTTP/1.1\r\nHos"
        )
        assert [(await client.response())[0] for _ in range(2)] == [200, 401]
        await client.send("t: x\r\n\r\n")
        assert (await client.response())[2]["ready"] is True


async def test_requests_that_come_byte_by_byte_are_answered(derby):
    """Wherever a piece ends; an empty line before a request is no request."""
    sent = f"\r\n{POST}Content-Length: 9\r\n\r\n{{}}       GET /livez HTTP/1.1\r\n{HOST}\r\n"
    async with house(derby.app) as running:
        client = await running.client()
        for byte in sent:
            await client.send(byte)
            await asyncio.sleep(0.001)
        assert [(await client.response())[0] for _ in range(2)] == [401, 200]


async def test_a_body_that_is_too_large_is_told_so(derby):
    """Also where the client sends all of it before it reads."""
    async with house(derby.app) as running:
        client = await running.client()
        path = f"/apigw/sports/v2/{matchday.ORGANIZATION}/liveblog/createFromExternal?{SECRETS}"
        await client.send(f"POST {path} HTTP/1.1\r\n{HOST}Content-Length: 3000000\r\n\r\n")
        await client.send(b"x" * 3_000_000)
        assert (await client.response())[0] == 413
        assert (await client.get())[0] == 200


UNFINISHED = (
    ("", ""),
    ("", "\r\n"),
    ("", "GET /li"),
    ("", f"GET /livez HTTP/1.1\r\n{HOST}X-Half: "),
    ("", f"{POST}Content-Length: 100\r\n\r\n{{"),
    (f"GET /livez HTTP/1.1\r\n{HOST}\r\n", "\r\n"),
    (f"GET /livez HTTP/1.1\r\n{HOST}\r\n", "GET /li"),
)


async def test_who_stops_in_the_middle_of_a_request_is_let_go(derby):
    """On a fresh connection and on one that has been used; also who never closes it."""
    async with house(derby.app, header_timeout=0.2, stall_timeout=0.2) as running:
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
    async with house(derby.app, header_timeout=0.2) as running:
        client = await running.client()
        await client.send("GET /li")
        status, headers, error = await client.response()

    assert (status, headers["connection"], error["code"], error["retryable"]) == (408, "close", "invalid_request", True)


async def test_an_idle_connection_is_kept_and_then_closed(derby):
    """Its time is that of idle connections, not that of heads."""
    async with house(derby.app, header_timeout=0.1, keep_alive=1) as running:
        client = await running.client()
        await client.get()
        await asyncio.sleep(0.5)
        assert (await client.get())[0] == 200
        assert await client.ended()


async def test_a_slow_body_that_comes_steadily_is_taken(derby):
    """The whole of it takes several times as long as a body may stand still."""
    async with house(derby.app, stall_timeout=2, least_rate=50) as running:
        client = await running.client()
        words = json.dumps(post("x" * 300)).encode()
        target = (
            f"/api/v5/write/event/create.json?ticker_local_id=gderby&client_id=desk&client_secret={matchday.SECRET}"
        )
        await client.send(f"POST {target} HTTP/1.1\r\n{HOST}Content-Length: {len(words)}\r\n\r\n")
        for start in range(0, len(words), 100):
            await asyncio.sleep(0.7)
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


async def test_a_stream_that_is_not_read_is_let_go_and_another_is_not(derby):
    """The reader that reads gets everything, also what comes after the others have gone."""
    await long_posts(derby, 4)
    async with house(derby.app, stall_timeout=0.5) as running:
        await unread(running, 3)
        async with (
            httpx.AsyncClient(base_url=running.address, timeout=20, trust_env=False) as http,
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


async def test_more_connections_of_an_address_are_refused(derby):
    """429 with Retry-After; probes are answered, and other addresses, and whoever comes when there is room again."""
    async with house(derby.app, per_address=3) as running:
        first = [await running.client() for _ in range(3)]
        for client in first:
            assert (await client.get())[0] == 200
        refused = await running.client()
        status, headers, error = await refused.get("/readyz?")
        assert status == 200
        assert await refused.ended()

        refused = await running.client()
        status, headers, error = await refused.get("/")
        assert (status, error["code"], error["retryable"]) == (429, "rate_limited", True)
        assert (headers["retry-after"], headers["connection"]) == ("5", "close")
        assert await refused.ended()

        assert (await (await running.client("127.0.0.9")).get("/"))[0] == 200
        first[0].writer.close()
        await running.until(3)
        assert (await (await running.client()).get("/"))[0] == 200


async def test_more_connections_than_there_is_room_for_are_refused(derby):
    """503 with Retry-After, whatever the address; probes are answered also beside many silent ones."""
    async with house(derby.app, max_connections=4) as running:
        for number in range(4):
            assert (await (await running.client(f"127.0.0.{20 + number}")).get())[0] == 200
        status, headers, error = await (await running.client("127.0.0.30")).get("/")
        assert (status, error["code"], error["retryable"], headers["retry-after"]) == (503, "internal", True, "5")

        for _ in range(2 * SPARE):
            await running.client("127.0.0.31")
        await running.until(4 + SPARE)
        for path in ("/livez", "/readyz"):
            assert (await (await running.client("127.0.0.31")).get(path))[0] == 200
        assert len(running.limits) <= 4 + SPARE


async def test_behind_a_proxy_requests_are_counted_by_whom_it_asks_for(derby):
    """The proxy itself may have any number of connections; an address that it names has so many requests at a time."""
    async with house(derby.app, per_address=2, trusted_proxies=["127.0.0.2/31"]) as running:
        proxy = partial(running.client, "127.0.0.2")
        for _ in range(2):
            stream = await proxy()
            await stream.send(f"GET {STREAM} HTTP/1.1\r\n{HOST}X-Forwarded-For: 10.9.9.9, 192.0.2.1\r\n\r\n")
            await stream.reader.readuntil(b"retry")
        one = await proxy()
        status, headers, error = await one.get("/", x_forwarded_for="192.0.2.1")
        assert (status, error["code"], headers["retry-after"]) == (429, "rate_limited", "5")
        assert "connection" not in headers, "it is the proxy's, and serves others"
        assert (await one.get("/livez", x_forwarded_for="192.0.2.1"))[0] == 200
        assert (await one.get("/", x_forwarded_for="192.0.2.2"))[0] == 200
        assert [(await (await proxy()).get("/"))[0] for _ in range(5)] == [200] * 5

        stream.writer.close()
        await running.until(len(running.clients) - 1)
        assert (await one.get("/", x_forwarded_for="192.0.2.1"))[0] == 200


async def test_nobody_else_is_believed_whom_he_asks_for(derby):
    """An address that is no proxy has its own connections counted, whatever it says."""
    async with house(derby.app, per_address=2, trusted_proxies=["127.0.0.2"]) as running:
        statuses = [(await (await running.client()).get("/", x_forwarded_for=f"10.0.0.{n}"))[0] for n in range(3)]

    assert statuses == [200, 200, 429]


async def test_a_stop_lets_a_response_go_to_its_end(derby):
    """What is read slowly but steadily is no reader that does not read."""
    await long_posts(derby, 2)
    async with house(derby.app, shutdown_grace=20) as running:
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


@pytest.mark.parametrize(
    ("left", "moved", "rate", "then"),
    [
        (10, 0, 500, 9),
        (10, 250, 500, 9.5),
        (10, 5000, 500, 19),
        (10, 10**6, 500, 20),
        (10, 1, 0, 20),
        (0.5, 0, 0, -0.5),
    ],
)
async def test_patience(left, moved, rate, then):
    """A second passes and bytes move: each earns its part of a second, and nobody has more than the whole."""
    assert ConnectionLimits(Server(least_rate=rate), per_address=0).patience(left, 1, moved) == then


def test_who_is_one_client():
    """An IPv4 address however the socket writes it, and an IPv6 network of 64 bits."""
    assert plain_address("::ffff:192.0.2.1") == "192.0.2.1"
    assert group_of(plain_address("fe80::1%eth0")) == "fe80::/64"
    assert group_of("2001:db8::1") == group_of("2001:db8::ffff") != group_of("2001:db8:0:1::1")
    assert group_of("unknown") == "unknown"


def test_connections_need_files():
    """No more connections are planned for than files can be opened."""
    assert connections_that_fit(10) == 10
    assert 0 < connections_that_fit(2**40) < 2**40
