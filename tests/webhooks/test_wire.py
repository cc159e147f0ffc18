"""How a delivery speaks HTTP: what counts as an answer, how much of it is read, when a connection is used again."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from contextlib import asynccontextmanager, suppress

import pytest

from ingest.webhooks.ssrf_guard import Blocked, SsrfGuard
from ingest.webhooks.wire import ANSWER_BYTES, Address, Answer, Wire, Wires

OK = b"HTTP/1.1 200 OK\r\n"
SIZED = OK + b"content-length: 2\r\n\r\nok"
ANSWERS = {
    "with a length": (SIZED, Answer(200, ""), True),
    "without a body": (b"HTTP/1.1 204 No Content\r\n\r\n", Answer(204, ""), True),
    "in chunks": (OK + b"transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", Answer(200, ""), True),
    "until the end": (OK + b"\r\nok", Answer(200, ""), False),
    "of an old server": (b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok", Answer(200, ""), False),
    "that closes": (OK + b"connection: close\r\ncontent-length: 2\r\n\r\nok", Answer(200, ""), False),
    "with something before it": (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n" + SIZED,
                                 Answer(200, ""), True),
    "that asks to wait": (b"HTTP/1.1 429 Slow\r\nRETRY-AFTER:  90 \r\ncontent-length: 0\r\n\r\n", Answer(429, "90"), True),
    "that leads elsewhere": (b"HTTP/1.1 301 Moved\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n",
                             Answer(301, ""), True),
    "that changes the protocol": (b"HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
                                  Answer(101, ""), False),
    "followed by more": (SIZED + b"HTTP/1.1 200 OK\r\n", Answer(200, ""), False),
    "endless": (OK + b"content-length: 50000000\r\n\r\n" + b"x" * 1_000_000, Answer(200, ""), False),
    "with a long head": (OK + b"x: " + b"y" * 60_000 + b"\r\ncontent-length: 0\r\n\r\n", Answer(200, ""), True),
    "with an endless head": (OK + b"x: y\r\n" * 100_000, None, False),
    "cut off": (OK + b"content-length: 20\r\n\r\nok", None, False),
    "cut off in the head": (OK + b"content-len", None, False),
    "cut off in a chunk": (OK + b"transfer-encoding: chunked\r\n\r\n20\r\nok", None, False),
    "with a broken chunk": (OK + b"transfer-encoding: chunked\r\n\r\nzz\r\nok", None, False),
    "of two lengths": (OK + b"content-length: 2\r\ncontent-length: 3\r\n\r\nok", None, False),
    "in no known tongue": (b"220 smtp ready\r\n", None, False),
    "that is none": (b"", None, False),
}  # fmt: skip
"""What is sent, what is understood (None: the connection broke), whether the connection is used again."""


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
    return SsrfGuard(["127.0.0.1"])


@pytest.mark.parametrize(("sent", "understood", "again"), ANSWERS.values(), ids=ANSWERS)
async def test_answers(guard, sent, understood, again):
    """Each way to answer, and whether the next delivery goes over the same connection."""
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
        wires = Wires(guard, f"http://127.0.0.1:{port}/hook?a=b")
        for _ in range(2):
            async with asyncio.timeout(5):
                try:
                    answer = await wires.post(b"X: y\r\n", b"{}", connect=1.0)
                except OSError:
                    answer = None
            assert answer == understood
        wires.close()
        await asyncio.sleep(0)

    head = f"POST /hook?a=b HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: y\r\nContent-Length: 2\r\n\r\n{{}}"
    assert requests == [head.encode()] * 2
    assert connections == (1 if again else 2)


async def test_no_more_than_64_kib_are_read():
    """The buffer that is offered to the network shrinks with what has been read, and ends the answer with it."""

    class Transport:
        closed = False

        def write(self, _):
            self.began = True

        def is_closing(self):
            return self.closed

        def abort(self):
            self.closed = True

    wire, transport, read = Wire(), Transport(), 0
    wire.connection_made(transport)
    asking = asyncio.create_task(wire.ask(b""))
    await asyncio.sleep(0)
    data = OK + b"content-length: 50000000\r\n\r\n" + b"x" * 100_000
    while not transport.closed and read < len(data):
        buffer = wire.get_buffer(-1)
        part = data[read : read + len(buffer)]
        buffer[: len(part)] = part
        read += len(part)
        wire.buffer_updated(len(part))

    assert read == ANSWER_BYTES
    assert await asking == Answer(200, "")


async def test_what_comes_unasked_ends_the_connection(guard):
    """It would be taken for the answer to the next delivery."""
    connections = 0

    async def serve(reader, writer):
        nonlocal connections
        connections += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(SIZED)
        await asyncio.sleep(0.05)
        writer.write(b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n")
        await reader.read()
        writer.close()

    async with serving(serve) as port:
        wires = Wires(guard, f"http://127.0.0.1:{port}/")
        for _ in range(2):
            assert await wires.post(b"", b"", connect=1.0) == Answer(200, "")
            await asyncio.sleep(0.2)
        wires.close()

    assert connections == 2


async def test_who_gives_up_takes_the_connection_along(guard):
    """A late answer meets nobody."""
    ended = asyncio.Event()

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        await reader.read()
        ended.set()
        writer.close()

    async with serving(serve) as port:
        wires = Wires(guard, f"http://127.0.0.1:{port}/")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await wires.post(b"", b"", connect=1.0)
        async with asyncio.timeout(2):
            await ended.wait()


async def test_who_gives_up_in_the_handshake_takes_the_connection_along(guard):
    """A receiver that takes a connection and says nothing is left, and holds nothing of ours."""
    ended = asyncio.Event()

    async def serve(reader, writer):
        await reader.read()
        ended.set()
        writer.close()

    async with serving(serve) as port:
        with pytest.raises(TimeoutError):
            await Wires(guard, f"https://127.0.0.1:{port}/").post(b"", b"", connect=0.2)
        async with asyncio.timeout(2):
            await ended.wait()


@pytest.fixture
def certificate(tmp_path):
    """A certificate for hooks.example and its key."""
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=hooks.example"]
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

    trusting = SsrfGuard(["127.0.0.1"], resolve=local, context=ssl.create_default_context(cafile=str(cert)))
    async with serving(serve, ssl=context) as port:
        wires = Wires(trusting, f"https://hooks.example:{port}/x")
        assert (await wires.post(b"", b"", connect=2.0)).status == 204
        wires.close()
        with pytest.raises(ssl.SSLCertVerificationError):
            await Wires(trusting, f"https://other.example:{port}/x").post(b"", b"", connect=2.0)
        with pytest.raises(ssl.SSLCertVerificationError):
            await Wires(SsrfGuard(["127.0.0.1"], resolve=local), f"https://hooks.example:{port}/x").post(
                b"", b"", connect=2.0
            )

    assert seen[0] == "hooks.example"
    assert f"Host: hooks.example:{port}\r\n" in seen[1]
    assert not any("POST" in each for each in seen[2:])


@pytest.mark.parametrize(
    ("url", "host", "port", "head"),
    [
        ("http://cms.example", "cms.example", 80, "POST / HTTP/1.1\r\nHost: cms.example\r\n"),
        ("https://CMS.example:443/a b?c=d#e", "cms.example", 443, "POST /a%20b?c=d HTTP/1.1\r\nHost: cms.example\r\n"),
        ("https://m\xfcnchen.example/\xfc", "xn--mnchen-3ya.example", 443,
         "POST /%C3%BC HTTP/1.1\r\nHost: xn--mnchen-3ya.example\r\n"),
        ("http://[2606:2800::1]:8080/", "2606:2800::1", 8080, "POST / HTTP/1.1\r\nHost: [2606:2800::1]:8080\r\n"),
    ],
)  # fmt: skip
def test_where_a_url_leads(url, host, port, head):
    """Host, port and head as they go over the wire; nothing in a URL can end a line."""
    if " " in url:
        with pytest.raises(Blocked):
            Address.of(url)
        url = url.replace(" ", "%20")
    assert Address.of(url) == Address(host, port, url.startswith("https"), head.encode())
