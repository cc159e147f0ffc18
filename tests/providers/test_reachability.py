"""What keeps an endpoint from being reached gets a word of its own, over real sockets; its clock is read from what it answers."""

import asyncio
import socket
import ssl
import subprocess
import time
from base64 import b64encode
from contextlib import asynccontextmanager
from email.utils import formatdate

import pytest

from mapping.errors import UpstreamUnavailable
from providers.http_client import BROKEN, LATE, UNREACHABLE, client_of, get
from providers.reachability import ReachabilityResult, place_of, reach
from tests.kit.opening import endpoint_of

SECRET = "nobody-may-read-this"


@asynccontextmanager
async def server(answer, context=None):
    """The port of a server that answers what it reads with these bytes, with nothing at all, or closes at once."""

    async def serve(reader, writer):
        try:
            await reader.read(65_536)
            if answer is None:
                await reader.read()
            writer.write(answer or b"")
            await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as listening:
        yield listening.sockets[0].getsockname()[1]


def response(status, **headers):
    lines = [f"HTTP/1.1 {status} Any", "Content-Length: 0", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def endpoint_at(port, scheme="http", host="127.0.0.1", **more):
    url = f"{scheme}://newsroom:{SECRET}@{host}:{port}/feed"
    return endpoint_of(**{"provider": "heim", "base_url": url, "timeout": 30.0, **more})


@pytest.fixture
def certificate(tmp_path):
    """A TLS context with a certificate that nobody has signed."""
    names = ("-keyout", tmp_path / "key", "-out", tmp_path / "cert")
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", *names]
    subprocess.run([*made, "-days", "2", "-subj", "/CN=localhost"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    return context


async def test_what_is_in_the_way_gets_its_word(certificate):
    """Nobody listens, the name is unknown, the certificate is nobody's, nothing is said, the line breaks, it is no HTTP."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # and does not listen
        refused = await reach(endpoint_at(bound.getsockname()[1]))
    unknown = await reach(endpoint_at(80, host="nobody.invalid"))
    async with server(response(200), certificate) as port:
        untrusted = await reach(endpoint_at(port, "https"))
    async with server(response(200)) as port:
        plain = await reach(endpoint_at(port, "https"))
    async with server(None) as port:
        late = await reach(endpoint_at(port, timeout=0.2))
    async with server(b"") as port:
        broken = await reach(endpoint_at(port))
    async with server(b"SSH-2.0-none\r\n\r\n") as port:
        other = await reach(endpoint_at(port))

    found = [refused, unknown, untrusted, plain, late, broken, other]
    assert [each.obstacle for each in found] == ["refused", "DNS", "TLS", "TLS", "time-out", "broken off", "no HTTP"]
    assert {each.status for each in found} == {None}


async def test_a_poll_says_what_is_in_the_way(certificate):
    """The same causes distinguished in the words that logs, alarms and health show."""
    said = []
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # and does not listen
        places = [endpoint_at(bound.getsockname()[1]), endpoint_at(80, host="nobody.invalid")]
        async with server(response(200), certificate) as untrusted, server(None) as silent, server(b"") as broken:
            places += [endpoint_at(untrusted, "https"), endpoint_at(silent, timeout=0.2), endpoint_at(broken)]
            for place in places:
                client = client_of(place, auth=None)
                with pytest.raises(UpstreamUnavailable) as caught:
                    await get(client, "match/ma1")
                await client.aclose()
                said.append(caught.value.message)

    assert said == [UNREACHABLE["refused"], UNREACHABLE["DNS"], UNREACHABLE["TLS"], LATE, BROKEN]


async def test_what_it_answers_and_what_its_clock_says():
    """Any status is an answer; the clock is that of the `Date`, and none where there is none or no date."""
    for status in (200, 403, 404, 503):
        async with server(response(status)) as port:
            assert await reach(endpoint_at(port)) == ReachabilityResult(status)
    async with server(response(200, Date=formatdate(time.time() - 3600, usegmt=True))) as port:
        behind = await reach(endpoint_at(port))
    async with server(response(200, Date="yesterday")) as port:
        strange = await reach(endpoint_at(port))

    assert -3630 < behind.ahead < -3570
    assert strange.ahead is None


async def test_the_credentials_of_the_endpoint_are_sent():
    """User and password of the configuration, as a poll sends them; a provider that wants them is not said to refuse them."""
    heads = []

    async def serve(reader, writer):
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(response(200))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        await reach(endpoint_of(provider="heim", base_url=url, username="newsroom", password=SECRET))
        await reach(endpoint_of(provider="heim", base_url=url))

    sent = b64encode(f"newsroom:{SECRET}".encode())
    assert [sent in head for head in heads] == [True, False]


def test_a_place_shows_no_credential():
    assert place_of(f"https://newsroom:{SECRET}@feed.example:8443/v1?key={SECRET}") == "https://feed.example:8443/v1"
