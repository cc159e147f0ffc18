"""What the daemon's HTTP server takes for a request, and in what words it refuses the rest."""

import asyncio
from functools import partial

import pytest

from api.http.request import client_network, plain_address
from ingest.server.connection_limits import SPARE
from ingest.server.server import connections_that_fit
from tests.kit import matchday
from tests.kit.raw_http import HOST, POST, SECRETS, STREAM, derby, public, served, store

__all__ = ["derby", "public", "store"]

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
    responses = {}
    async with served(derby.app) as running:
        for name, sent in FAULTS.items():
            client = await running.client()
            await client.send(sent + f"GET /livez HTTP/1.1\r\n{HOST}\r\n")
            status, headers, error = await client.response()
            responses[name] = (status, error.get("code"), error.get("retryable"), headers.get("connection"))
            assert headers["x-content-type-options"] == "nosniff"
            assert await client.ended()

    assert responses == dict.fromkeys(FAULTS, (400, "invalid_request", False, "close"))


@pytest.mark.parametrize(
    "pieces", [["GET /livez\r\n"], ["GET /li", "vez\r\n"], ["GET /livez\r\n\r\n"], ["\r\nGET /livez\n"]]
)
async def test_a_request_of_http_0_9_is_refused_at_once(derby, pieces):
    """It ends with its only line: nobody waits for headers that never come."""
    async with served(derby.app, header_timeout=3600, stall_timeout=3600) as running, asyncio.timeout(30):
        client = await running.client()
        for piece in pieces:
            await client.send(piece)
            await asyncio.sleep(0.05)
        status, headers, error = await client.response()
        assert (status, error["code"], headers["connection"]) == (400, "invalid_request", "close")
        assert await client.ended()


async def test_an_empty_line_before_a_request_is_none_of_http_0_9(derby):
    """A line that has not come whole is waited for."""
    async with served(derby.app) as running:
        client = await running.client()
        for piece in ("\r\n\r\nGET /li", "vez", " HTTP", f"/1.1\r\n{HOST}\r\n"):
            await client.send(piece)
            await asyncio.sleep(0.05)
        assert (await client.response())[0] == 200


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
    """32 kB and 100 fields, 8 kB of them for the address; more is refused, also to those who send all before they read."""
    responses = {}
    async with served(derby.app) as running:
        for name, (sent, _) in HEADS.items():
            client = await running.client()
            writing = asyncio.create_task(client.send(sent))
            status, _, body = await client.response()
            responses[name] = (status, body.get("code"))
            await asyncio.gather(writing, return_exceptions=True)

    assert responses == {name: (code, None if code == 200 else "invalid_request") for name, (_, code) in HEADS.items()}


async def test_requests_that_come_in_one_piece_are_answered_in_order(derby):
    """Where a head begins inside a piece is no matter, nor that it ends in the next."""
    async with served(derby.app) as running:
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
    async with served(derby.app) as running:
        client = await running.client()
        for byte in sent:
            await client.send(byte)
            await asyncio.sleep(0.001)
        assert [(await client.response())[0] for _ in range(2)] == [401, 200]


async def test_a_body_that_is_too_large_is_refused_as_such(derby):
    """Also where the client sends all of it before it reads."""
    async with served(derby.app) as running:
        client = await running.client()
        path = f"/apigw/sports/v2/{matchday.ORGANIZATION}/liveblog/createFromExternal?{SECRETS}"
        await client.send(f"POST {path} HTTP/1.1\r\n{HOST}Content-Length: 3000000\r\n\r\n")
        await client.send(b"x" * 3_000_000)
        assert (await client.response())[0] == 413
        assert (await client.get())[0] == 200


async def test_more_connections_of_an_address_are_refused(derby):
    """429 with Retry-After; probes are answered, and other addresses, and whoever comes when there is room again."""
    async with served(derby.app, per_address=3) as running:
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
    async with served(derby.app, max_connections=4) as running:
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
    async with served(derby.app, per_address=2, trusted_proxies=["127.0.0.2/31"]) as running:
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
    async with served(derby.app, per_address=2, trusted_proxies=["127.0.0.2"]) as running:
        statuses = [(await (await running.client()).get("/", x_forwarded_for=f"10.0.0.{n}"))[0] for n in range(3)]

    assert statuses == [200, 200, 429]


def test_who_is_one_client():
    """An IPv4 address however the socket writes it, and an IPv6 network of 64 bits."""
    assert plain_address("::ffff:192.0.2.1") == "192.0.2.1"
    assert client_network(plain_address("fe80::1%eth0")) == "fe80::/64"
    assert client_network("2001:db8::1") == client_network("2001:db8::ffff") != client_network("2001:db8:0:1::1")
    assert client_network("unknown") == "unknown"


def test_connections_need_files():
    """No more connections are planned for than files can be opened."""
    assert connections_that_fit(10) == 10
    assert 0 < connections_that_fit(2**40) < 2**40
