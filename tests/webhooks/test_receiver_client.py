"""How a delivery is posted: what counts as a response, how much of it is read, when a connection is used again."""

import asyncio
import ssl
import subprocess
from contextlib import asynccontextmanager, suppress

import pytest
import uvloop

from config.sections import Webhooks
from ingest.guard.guarded_session import callable_url
from ingest.guard.ssrf_guard import Blocked, SsrfGuard
from ingest.webhooks import attempt
from ingest.webhooks.attempt import RESPONSE_BYTES, NoResponse, ReceiverClient, Response

OK = b"HTTP/1.1 200 OK\r\n"
SIZED = OK + b"content-length: 2\r\n\r\nok"
RESPONSES = {
    "with a length": (SIZED, Response(200, ""), True),
    "without a body": (b"HTTP/1.1 204 No Content\r\n\r\n", Response(204, ""), True),
    "in chunks": (OK + b"transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", Response(200, ""), True),
    "until the end": (OK + b"\r\nok", Response(200, ""), False),
    "of an old server": (b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok", Response(200, ""), False),
    "that closes": (OK + b"connection: close\r\ncontent-length: 2\r\n\r\nok", Response(200, ""), False),
    "with something before it": (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n" + SIZED,
                                 Response(200, ""), True),
    "that asks to wait": (b"HTTP/1.1 429 Slow\r\nRETRY-AFTER:  90 \r\ncontent-length: 0\r\n\r\n", Response(429, "90"), True),
    "that leads elsewhere": (b"HTTP/1.1 301 Moved\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n",
                             Response(301, ""), True),
    "that changes the protocol": (b"HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
                                  Response(101, ""), False),
    "followed by more": (SIZED + b"HTTP/1.1 200 OK\r\n", Response(200, ""), False),
    "endless": (OK + b"content-length: 50000000\r\n\r\n" + b"x" * 1_000_000, Response(200, ""), False),
    "with a long field": (OK + b"x: " + b"y" * 8_000 + b"\r\ncontent-length: 0\r\n\r\n", Response(200, ""), True),
    "with an endless field": (OK + b"x: " + b"y" * 60_000 + b"\r\ncontent-length: 0\r\n\r\n", None, False),
    "with an endless head": (OK + b"x: y\r\n" * 100_000, None, False),
    "cut off": (OK + b"content-length: 20\r\n\r\nok", None, False),
    "cut off in the head": (OK + b"content-len", None, False),
    "cut off in a chunk": (OK + b"transfer-encoding: chunked\r\n\r\n20\r\nok", None, False),
    "with a broken chunk": (OK + b"transfer-encoding: chunked\r\n\r\nzz\r\nok", None, False),
    "of two lengths": (OK + b"content-length: 2\r\ncontent-length: 3\r\n\r\nok", None, False),
    "in no known tongue": (b"220 smtp ready\r\n", None, False),
    "that is none": (b"", None, False),
}  # fmt: skip
"""What is sent, what is understood (None: no response), whether the connection is used again."""


@asynccontextmanager
async def serving(serve, **given):
    """A server on a free port; the port. All that it has taken on ends before it does."""
    under_way = []

    async def kept(reader, writer):
        under_way.append(asyncio.current_task())
        await serve(reader, writer)
        with suppress(OSError):
            await writer.wait_closed()

    server = await asyncio.start_server(kept, "127.0.0.1", 0, **given)
    async with server:
        yield server.sockets[0].getsockname()[1]
    await asyncio.wait_for(asyncio.gather(*under_way), 5)


@pytest.fixture
def guard():
    return SsrfGuard(Webhooks(allow_hosts=["127.0.0.1"]))


@asynccontextmanager
async def client_of(guard, url, connect_timeout=1.0):
    client = ReceiverClient(guard, url, connections=4, connect_timeout=connect_timeout)
    try:
        yield client
    finally:
        await client.close()


@pytest.mark.parametrize(("sent", "understood", "again"), RESPONSES.values(), ids=RESPONSES)
async def test_responses(guard, sent, understood, again):
    """Each way to respond, and whether the next delivery goes over the same connection."""
    requests, connections = [], 0

    async def serve(reader, writer):
        nonlocal connections
        connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                requests.append(head + await reader.readexactly(2))
                writer.write(sent)
                await writer.drain()
                if not again:
                    break
        except (asyncio.IncompleteReadError, OSError):
            pass
        writer.close()

    async with serving(serve) as port:
        async with client_of(guard, f"http://127.0.0.1:{port}/hook?a=b") as client:
            for _ in range(2):
                async with asyncio.timeout(60):
                    try:
                        response = await client.post({"X": "y"}, b"{}")
                    except OSError:
                        response = None
                assert response == understood
        await asyncio.sleep(0)

    head = f"POST /hook?a=b HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: y\r\nContent-Length: 2\r\n\r\n{{}}"
    assert requests == [head.encode()] * 2
    assert connections == (1 if again else 2)


async def test_no_more_than_64_kib_are_read():
    """Of a body that does not end so much is taken, and then nothing."""
    read = 0

    class Endless:
        async def read(self, size):
            nonlocal read
            read += min(size, 1500)
            return b"x" * min(size, 1500)

    await attempt._read(Endless())

    assert read == RESPONSE_BYTES


@pytest.mark.parametrize(
    ("piece", "run"),
    [(b"HTTP/1.1 103 Early Hints\r\n\r\n", uvloop.run), (b"x: " + b"y" * 8_000 + b"\r\n", asyncio.run)],
    ids=["interim responses", "headers"],
)
def test_a_head_without_an_end_is_no_response(guard, piece, run):
    """A receiver that sends interim responses or headers for ever loses the connection, long before its time is over."""
    run(flooded(guard, piece))


async def flooded(guard, piece):
    requests = 0

    async def serve(reader, writer):
        nonlocal requests
        await reader.readuntil(b"\r\n\r\n")
        requests += 1
        writer.write(OK if piece.startswith(b"x") else b"")
        with suppress(OSError):
            while True:
                writer.write(piece * 100)
                await writer.drain()
        writer.close()

    async with serving(serve) as port, client_of(guard, f"http://127.0.0.1:{port}/") as client, asyncio.timeout(30):
        with pytest.raises((NoResponse, ConnectionError)):
            await client.post({}, b"")

    assert requests == 1


@pytest.mark.parametrize("says", [b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n", b""], ids=["speaks", "closes"])
async def test_a_connection_that_does_not_rest_is_not_used_again(guard, says):
    """What comes unasked would be taken for the next response; one that the receiver closed costs no try."""
    connections = 0

    async def serve(reader, writer):
        nonlocal connections
        connections += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(SIZED)
        await asyncio.sleep(0.05)
        writer.write(says)
        if says:
            await reader.read()
        writer.close()

    async with serving(serve) as port, client_of(guard, f"http://127.0.0.1:{port}/") as client:
        for _ in range(3):
            assert await client.post({}, b"") == Response(200, "")
            await asyncio.sleep(0.2)

    assert connections == 3


@pytest.mark.parametrize("dead", [1, 2])
async def test_a_connection_that_dies_under_a_request_is_replaced_once(guard, dead):
    """The receiver closes an idle connection while the next request is on its way: it goes out again, once, over a new
    connection. One that fails on a new connection is not repeated here."""
    taken = []

    async def serve(reader, writer):
        taken.append(0)
        mine = len(taken) - 1
        with suppress(asyncio.IncompleteReadError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                taken[mine] += 1
                if taken[mine] > 1 or (mine and mine < dead):
                    break
                writer.write(SIZED)
        writer.close()

    async with serving(serve) as port, client_of(guard, f"http://127.0.0.1:{port}/") as client:
        assert await client.post({}, b"") == Response(200, "")
        if dead == 1:
            assert await client.post({}, b"") == Response(200, "")
        else:
            with pytest.raises(NoResponse):
                await client.post({}, b"")

    assert taken == [2, 1]


async def test_who_gives_up_takes_the_connection_along(guard):
    """A late response meets nobody."""
    ended = asyncio.Event()

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        await reader.read()
        ended.set()
        writer.close()

    async with serving(serve) as port, client_of(guard, f"http://127.0.0.1:{port}/") as client:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await client.post({}, b"")
        async with asyncio.timeout(60):
            await ended.wait()


@pytest.fixture
def certificate(tmp_path):
    """A certificate for hooks.example and its key."""
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
        "-subj", "/CN=hooks.example",
    ]  # fmt: skip
    command += ["-addext", "subjectAltName=DNS:hooks.example", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True)
    return cert, key


async def test_host_and_server_name_are_those_of_the_url(certificate):
    """The connection goes to an address; TLS and the Host header speak of the name, which the certificate must bear."""
    (cert, key), seen = certificate, []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    context.sni_callback = lambda _socket, name, _context: seen.append(name)

    async def serve(reader, writer):
        seen.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        await writer.drain()
        await reader.read()
        writer.close()

    async def local(_host, _port):
        return ["127.0.0.1"]

    trusting = SsrfGuard(
        Webhooks(allow_hosts=["127.0.0.1"]), resolve=local, context=ssl.create_default_context(cafile=str(cert))
    )
    async with serving(serve, ssl=context) as port:
        async with client_of(trusting, f"https://hooks.example:{port}/x", 2.0) as client:
            assert (await client.post({}, b"")).status == 204
        for guard, host in (
            (trusting, "other"),
            (SsrfGuard(Webhooks(allow_hosts=["127.0.0.1"]), resolve=local), "hooks"),
        ):
            async with client_of(guard, f"https://{host}.example:{port}/x", 2.0) as client:
                with pytest.raises(ssl.SSLCertVerificationError):
                    await client.post({}, b"")

    assert seen[0] == "hooks.example"
    assert f"Host: hooks.example:{port}\r\n" in seen[1]
    assert not any("POST" in each for each in seen[2:])


async def test_no_proxies_redirects_cookies_or_decoding(monkeypatch, guard):
    """The environment's proxies are not used, a redirect is a response like any other, cookies are not kept, and a body
    that would grow without bound is left as it was sent."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    requests = []
    fields = b"location: http://127.0.0.1:9/\r\nset-cookie: a=b\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\n"

    async def serve(reader, writer):
        for _ in range(2):
            requests.append((await reader.readuntil(b"\r\n\r\n")).decode().lower())
            writer.write(b"HTTP/1.1 302 Found\r\n" + fields + b"...")
            await writer.drain()
        writer.close()

    async with serving(serve) as port, client_of(guard, f"http://127.0.0.1:{port}/") as client:
        assert [(await client.post({}, b"")).status for _ in range(2)] == [302, 302]

    assert len(requests) == 2
    assert not any("cookie:" in request for request in requests)


@pytest.mark.parametrize(
    ("url", "host", "port", "path", "header"),
    [
        ("http://cms.example", "cms.example", 80, "/", "cms.example"),
        ("https://CMS.example:443/a b?c=d#e", "cms.example", 443, "/a%20b?c=d", "cms.example"),
        ("https://cms.example/%7e?sig=a%2Bb+c%20d", "cms.example", 443, "/%7e?sig=a%2Bb+c%20d", "cms.example"),
        ("https://m\xfcnchen.example/\xfc", "xn--mnchen-3ya.example", 443, "/%C3%BC", "xn--mnchen-3ya.example"),
        ("http://[2606:2800::1]:8080/", "2606:2800::1", 8080, "/", "[2606:2800::1]:8080"),
    ],
)
def test_where_a_url_leads(url, host, port, path, header):
    """Host, port, path and Host header as they go over the wire; nothing in a URL can end a line."""
    if " " in url:
        with pytest.raises(Blocked):
            callable_url(url)
        url = url.replace(" ", "%20")
    found = callable_url(url)
    assert (found.raw_host, found.port, found.raw_path_qs, found.host_port_subcomponent) == (host, port, path, header)
