"""What the daemon's HTTP server takes for a request, and in what words it refuses the rest."""

import asyncio

import pytest

from tests.kit import matchday
from tests.kit.raw_http import HOST, POST, SECRETS, derby, public, served, store

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
