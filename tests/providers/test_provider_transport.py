"""What a provider may do to a poll, on real connections: each misdeed is one error, in bounded time and space."""

import asyncio
import contextlib
import gzip
import re
import zlib

import pytest

from mapping.errors import BadBody, DownstreamRejected, MatchUnknown, ProviderRefused, UpstreamUnavailable
from providers import http_client, responses
from providers.heim.adapter import HEIM
from tests.kit.opening import client_at, endpoint_of
from tests.providers.loopback import answered, upstream

SECRET = "s3cr3t-pass"
LIMIT = 100_000
POLLS = False
"""Whether `fetch` polls on a client that is connected."""
OTHER = '"of another body"'


@pytest.fixture(autouse=True, params=["first request", "later poll"])
def is_poll(request, monkeypatch):
    """Each misdeed meets a first request, which goes through httpx, and a conditional one on a client that is connected."""
    monkeypatch.setattr(f"{__name__}.POLLS", request.param == "later poll")
    return request.param == "later poll"


async def fetch(answer, *, etag=OTHER, seconds=20.0):
    """The reply to one GET of this answer; a first request has no condition by default."""
    async with upstream({"/match/ma1": answer, "/before": answered(b"[]")}) as provider:
        client = client_at(provider.url, auth=("newsroom", SECRET), timeout=seconds, provider_bytes=LIMIT)
        try:
            if POLLS:
                await http_client.get(client, "before")
                assert client.session is not None
            elif etag == OTHER:
                etag = None
            return await http_client.get(client, "match/ma1", etag)
        finally:
            await client.aclose()


async def failure(answer, **options):
    """The error of one GET of this answer; it shows neither address nor credentials nor body."""
    with pytest.raises((UpstreamUnavailable, ProviderRefused, MatchUnknown, DownstreamRejected)) as caught:
        await fetch(answer, **options)
    for betrayal in (SECRET, "newsroom", "127.0.0.1", "ma1", "<html>"):
        assert betrayal not in f"{caught.value!r} {caught.value.message}"
    return caught.value


async def test_requests_carry_credentials_validator_and_one_encoding():
    """Basic auth, If-None-Match as it was given, gzip and nothing else; cookies are never sent back."""
    async with upstream({"/api/de/match/ma1": answered(b"[]", "Set-Cookie: track=1")}) as provider:
        client = client_at(f"{provider.url}/api/de", auth=("newsroom", SECRET), user_agent="paper/2")
        await http_client.get(client, "match/ma1", 'W/"x"')
        await http_client.get(client, "match/ma1")
        await client.aclose()
    first, second = provider.requests

    assert first.headers["authorization"] == "Basic bmV3c3Jvb206czNjcjN0LXBhc3M="
    assert first.headers["if-none-match"] == 'W/"x"'
    assert (first.headers["accept-encoding"], first.headers["user-agent"]) == ("gzip", "paper/2")
    assert "if-none-match" not in second.headers
    assert "cookie" not in second.headers


async def test_user_and_password_may_stand_in_the_address():
    """They become Basic auth and are no part of what is requested."""
    async with upstream({"/match/ma1": answered(b"[]")}) as provider:
        client = client_at(provider.url.replace("//", "//ann:pw@"))
        await http_client.get(client, "match/ma1")
        await client.aclose()

    assert provider.requests[0].headers["authorization"] == "Basic YW5uOnB3"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("401 Unauthorized", ProviderRefused), ("403 Forbidden", ProviderRefused), ("404 Not Found", MatchUnknown),
        ("410 Gone", MatchUnknown), ("400 Bad Request", DownstreamRejected),
        ("408 Request Timeout", UpstreamUnavailable), ("429 Too Many Requests", http_client.Throttled),
        ("500 Internal Server Error", UpstreamUnavailable), ("503 Service Unavailable", UpstreamUnavailable),
        ("204 No Content", BadBody), ("206 Partial Content", BadBody),
    ],
)  # fmt: skip
async def test_each_status_is_one_error(status, error):
    """Everything but 200 and 304 is an error, and its body is not looked at."""
    body = b"" if status.startswith("204") else b"<html>secret</html>"

    assert type(await failure(answered(body, status=status))) is error


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent"])
async def test_redirects_are_never_followed(status):
    """Neither to another host nor to the same one."""
    async with upstream({"/elsewhere": answered(b"[]")}) as provider:
        provider.answers["/match/ma1"] = answered(b"", f"Location: {provider.url}/elsewhere", status=status)
        client = client_at(provider.url)
        with pytest.raises(UpstreamUnavailable, match="redirects"):
            await http_client.get(client, "match/ma1")
        await client.aclose()

    assert provider.paths == ["/match/ma1"]


NOW = 1_750_000_000


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30", 30.0), ("0", 1.0), ("-5", 1.0), ("999999", 3600.0), ("9" * 400, None), ("soon", None), ("", None),
        (None, None), ("nan", None), ("Sun, 15 Jun 2025 15:07:40 GMT", 60.0), ("Sun, 15 Jun 2014 15:07:40 GMT", 1.0),
        ("Sun, 15 Jun 9014 15:07:40 GMT", 3600.0), ("Sun, 99 Jun 2025 99:07:40 GMT", None),
    ],
)  # fmt: skip
def test_retry_after_is_honoured_within_bounds(value, seconds):
    """Seconds or a date, from one second to one hour; nonsense is no answer."""
    assert http_client.retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Cache-Control": "public"}, None),
        ({"Cache-Control": "public, max-age=30"}, 30.0),
        ({"Cache-Control": "max-age=30", "Age": "40"}, 0.0),
        ({"Cache-Control": "max-age=30", "Age": "x"}, 30.0),
        ({"Cache-Control": "s-maxage=9, max-age=30"}, 30.0),
        ({"Cache-Control": "no-store, max-age=30"}, 0.0),
        ({"Cache-Control": "max-age=99999999999999"}, 86400.0),
    ],
)
def test_freshness_is_max_age_less_age(headers, seconds):
    """What the provider says about its cache, as far as it says it."""
    assert http_client.freshness(headers) == seconds


async def silent(writer):
    await asyncio.sleep(300)


async def drip(writer):
    """A byte every now and then."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(1000):
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("slow", [silent, drip])
async def test_a_slow_provider_costs_the_time_out_and_no_more(slow):
    """The whole request is bounded, not only each read."""
    async with asyncio.timeout(30):
        error = await failure(slow, seconds=0.3)

    assert "in time" in error.message


async def hang_up(writer):
    writer.close()


async def reset(writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
    await writer.drain()
    writer.transport.abort()


async def cut_short(writer):
    """Fewer bytes than announced."""
    writer.write(answered(b"[1, 2", length=50))
    await writer.drain()
    writer.close()


async def babble(writer):
    writer.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
    await writer.drain()
    writer.close()


async def long_header(writer):
    writer.write(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n")
    await writer.drain()
    writer.close()


@pytest.mark.parametrize("misdeed", [hang_up, reset, cut_short, babble, long_header])
async def test_broken_connections_are_unavailability(misdeed):
    """Hung up, reset or ended in the middle, not HTTP at all, endless headers."""
    assert type(await failure(misdeed)) is UpstreamUnavailable


async def test_a_bomb_is_not_unpacked(monkeypatch):
    """Of 5 MB behind 5 kB no more than the limit is ever held."""
    held = []
    read = responses.gunzip

    async def watched(raw, limit, body):
        async def chunks():
            async for chunk in raw:
                held.append(len(chunk))
                yield chunk

        return await read(chunks(), limit, body)

    monkeypatch.setattr(responses, "gunzip", watched)
    error = await failure(answered(gzip.compress(bytes(5_000_000)), "Content-Encoding: gzip"))

    assert "too large" in error.message
    assert sum(held) <= LIMIT


async def test_no_chunk_unpacks_beyond_the_limit(monkeypatch):
    """The unpacker may give one byte more than allowed, never the rest."""
    bomb = gzip.compress(bytes(3_000_000))
    sizes = []

    async def raw():
        yield bomb

    class Watched:
        def __init__(self):
            self.inner = unpacker(responses.GZIP)

        def decompress(self, chunk, size):
            sizes.append(size)
            return self.inner.decompress(chunk, size)

    unpacker = zlib.decompressobj
    monkeypatch.setattr(responses.zlib, "decompressobj", lambda _bits: Watched())
    with pytest.raises(BadBody):
        await responses.gunzip(raw(), LIMIT, bytearray())

    assert sizes == [LIMIT + 1]


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (bytes(LIMIT + 1), ()),
        (b"x" * 20, ("Content-Encoding: gzip",)),
        (gzip.compress(b"[1, 2, 3]" * 100, mtime=0)[:-9], ("Content-Encoding: gzip",)),
        (gzip.compress(b"[]", mtime=0) + b"more", ("Content-Encoding: gzip",)),
        (gzip.compress(gzip.compress(b"[]", mtime=0), mtime=0), ("Content-Encoding: gzip, gzip",)),
        (gzip.compress(b"[]", mtime=0), ("Content-Encoding: gzip", "Content-Encoding: gzip")),
        (b"[]", ("Content-Encoding: br",)),
        (zlib.compress(b"[]"), ("Content-Encoding: deflate",)),
    ],
)
async def test_bodies_that_cannot_be_trusted_are_bad(body, headers):
    """Too large, not what the encoding says, cut off, stacked or unasked-for encodings."""
    assert type(await failure(answered(body, *headers))) is BadBody


async def test_an_endless_body_is_cut_off():
    """Chunks for ever end at the limit."""

    async def endless(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"1000\r\n" + bytes(4096) + b"\r\n")
            await writer.drain()

    assert "too large" in (await failure(endless, seconds=5)).message


async def test_endpoints_share_neither_connections_nor_credentials():
    """Two endpoints on one host: every connection carries the credentials of one of them alone."""
    seen = {}

    async def answer(reader, writer):
        port = writer.get_extra_info("peername")[1]
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                seen.setdefault(port, set()).add(re.search(rb"authorization: (\S+ \S+)", head, re.IGNORECASE)[1])
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ends = [HEIM.connect(endpoint_of(provider="heim", base_url=url, username=u, password="x")) for u in ("a", "b")]
        for _ in range(3):
            await asyncio.gather(*(end.fetch("1", {}, text=False, hints={"competition": "1"}) for end in ends))
        for end in ends:
            await end.aclose()

    assert all(len(users) == 1 for users in seen.values())
    assert len(set.union(*seen.values())) == 2


async def test_waiting_for_a_turn_is_not_the_providers_fault():
    """Four times as many requests as connections take turns; all of them together take longer than one may."""

    async def slow(writer):
        await asyncio.sleep(0.3)
        writer.write(answered(b"[]"))
        await writer.drain()

    async with upstream({"/match/ma1": slow}) as provider:
        client = client_at(provider.url, timeout=1.0, connections=2)
        replies = await asyncio.gather(*(http_client.get(client, "match/ma1") for _ in range(8)))
        await client.aclose()

    assert {reply.status for reply in replies} == {200}


@pytest.mark.parametrize(
    ("errors", "calls"),
    [
        ([UpstreamUnavailable("x")], 2),
        ([BadBody("x"), UpstreamUnavailable("x")], 3),
        ([UpstreamUnavailable("x")] * 3, 3),
        ([http_client.Throttled("x")], 1),
        ([MatchUnknown("x")], 1),
    ],
)
async def test_who_waits_gets_two_more_tries(errors, calls):
    """Unavailability may pass; throttling and refusals do not."""
    made = []

    async def call():
        made.append(1)
        if len(made) <= len(errors):
            raise errors[len(made) - 1]
        return "done"

    with contextlib.suppress(UpstreamUnavailable, MatchUnknown):
        assert await http_client.patient(call) == "done"

    assert len(made) == calls
