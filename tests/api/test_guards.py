"""What every request passes and every answer carries: limits, headers, rates."""

import httpx
import pytest

from api.http.request import loggable
from mapping.errors import StoreUnavailable
from tests.api.conftest import serving
from tests.kit import matchday

PATH = f"/apigw/sports/v2/{matchday.ORGANIZATION}/liveblog/createFromExternal"
FEED = "/api/embed/v4/feed/liveblog.json?liveblogId=gderby"


async def chunks(size):
    for _ in range(size // 1000 + 1):
        yield b" " * 1000


@pytest.mark.parametrize("path", ["/livez", "/nowhere", FEED, "/liveblogs/gderby", "/openapi.json", PATH])
async def test_every_answer_carries_the_safe_headers(server, path):
    """Also errors, also pages."""
    response = await server.http.get(path)

    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "base-uri 'none'" in policy
    assert "frame-ancestors" in policy or path.startswith("/docs")
    assert len(response.headers["x-request-id"]) == 16
    assert "cache-control" in response.headers


async def test_a_large_body_is_refused_by_its_length(store, auth):
    """413 with the error body; at the limit it is read."""
    async with serving(store, body_bytes=100) as server:
        big = await server.http.post(PATH, params=auth, content=b" " * 101)
        fits = await server.http.post(PATH, params=auth, content=b'{"provider":"heim","matchId":"1"}'.ljust(100))

    assert (big.status_code, big.json()["code"], big.json()["retryable"]) == (413, "payload_too_large", False)
    assert fits.status_code == 200


async def test_a_large_body_in_chunks_is_refused_too(store, auth):
    """Counted where no length is announced."""
    async with serving(store, body_bytes=5000) as server:
        response = await server.http.post(PATH, params=auth, content=chunks(6000))

    assert response.status_code == 413


async def test_a_long_url_is_refused(server):
    """414 beyond 8 kB, query included."""
    assert (await server.http.get("/livez?x=" + "a" * 8000)).status_code == 200
    response = await server.http.get("/livez?x=" + "a" * 8200)
    assert (response.status_code, response.json()["code"]) == (414, "invalid_request")


async def test_a_compressed_body_is_refused(server, auth):
    """415; identity is no compression."""
    good = b'{"provider":"heim","matchId":"1"}'
    refused = await server.http.post(PATH, params=auth, content=good, headers={"Content-Encoding": "gzip"})
    taken = await server.http.post(PATH, params=auth, content=good, headers={"Content-Encoding": "identity"})

    assert (refused.status_code, taken.status_code) == (415, 200)


@pytest.mark.parametrize("path", ["/liveblogs/a%00b", "/%00", "/livez%00"])
async def test_nul_in_a_path_is_malformed(server, path):
    """It reaches no database."""
    assert (await server.http.get(path)).status_code == 400


async def test_too_many_parameters_are_malformed(server):
    """A hundred is enough for anybody."""
    assert (await server.http.get("/livez?" + "&".join(f"a{n}=1" for n in range(101)))).status_code == 400


async def test_a_client_has_a_bucket_of_its_own(store, auth):
    """The burst passes, then 429 with the time to wait; another client is not touched."""
    async with serving(store, client_per_second=0.5, client_burst=3) as server:
        await server.add(matchday.derby())
        show = "/api/v5/write/ticker/show.json?local_id=gderby"
        responses = [
            await server.http.get(show, params={**dict(httpx.QueryParams("local_id=gderby")), **auth}) for _ in range(4)
        ]
        assert [response.status_code for response in responses] == [200, 200, 200, 429]
        assert [response.headers["ratelimit-remaining"] for response in responses] == ["2", "1", "0", "0"]
        assert responses[0].headers["ratelimit-limit"] == "3"
        assert (responses[3].headers["retry-after"], responses[3].json()["code"]) == ("2", "rate_limited")
        assert responses[3].json()["retryable"] is True

        other = {"local_id": "gderby", "client_id": "reader", "client_secret": matchday.SECRET}
        assert (await server.http.get(show, params=other)).status_code == 200

        server.ticks += 2
        assert (await server.http.get(show, params={"local_id": "gderby", **auth})).status_code == 200


async def test_an_address_has_a_bucket_on_public_reads(store):
    """Twice the rate at once, then so many a second; probes are never refused."""
    async with serving(store, public_per_second=2, public_feeds=True) as server:
        await server.add(matchday.derby())
        statuses = [(await server.http.get(FEED)).status_code for _ in range(5)]
        assert statuses == [200, 200, 200, 200, 429]
        assert (await server.http.get("/livez")).status_code == 200


async def test_numbers_are_read_whatever_the_limit(store):
    """Monitoring goes on while its address or its client has used up what it may ask for; wrong secrets are charged."""
    limits = {"public_per_second": 1, "client_per_second": 1, "client_burst": 1}
    async with serving(store, public_metrics=True, metrics=lambda _: (b"", "text/plain"), **limits) as server:
        for params in ({"client_id": "desk", "client_secret": matchday.SECRET}, {}):
            assert [(await server.http.get("/metrics", params=params)).status_code for _ in range(5)] == [200] * 5
        wrong = {"client_id": "desk", "client_secret": "guess"}
        assert [(await server.http.get("/metrics", params=wrong)).status_code for _ in range(3)] == [401, 401, 429]


async def test_an_ipv6_network_is_one_address(store):
    """Who has a network of 64 bits has not as many buckets as it has addresses."""
    async with serving(store, public_per_second=1, public_feeds=True) as server:
        statuses = []
        for number in range(3):
            transport = httpx.ASGITransport(app=server.app, client=(f"2001:db8::{number}", 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as http:
                statuses.append((await http.get("/")).status_code)

    assert statuses == [200, 200, 429]


@pytest.mark.parametrize("headers", [[], [("Host", "a"), ("Host", "b")]])
async def test_a_request_names_one_host(server, headers):
    """None or several are malformed: somebody on the way may have read another one."""
    request = httpx.Request("GET", "http://testserver/livez")
    request.headers = httpx.Headers(headers)
    response = await server.http.send(request)

    assert (response.status_code, response.headers["connection"]) == (400, "close")


async def test_guessing_secrets_is_slowed_down(store):
    """Wrong credentials are charged to the address."""
    async with serving(store, public_per_second=1) as server:
        wrong = {"client_id": "desk", "client_secret": "guess"}
        statuses = [(await server.http.get(FEED, params=wrong)).status_code for _ in range(3)]

    assert statuses == [401, 401, 429]


async def test_a_database_that_does_not_answer_is_503(public, monkeypatch):
    """Retryable, with `Retry-After`."""

    async def fails(_):
        raise StoreUnavailable("the database does not answer")

    monkeypatch.setattr(public.store, "read", fails)
    response = await public.http.get(FEED)

    assert (response.status_code, response.json()["retryable"]) == (503, True)
    assert int(response.headers["retry-after"]) >= 1


async def test_an_error_in_a_plain_read_reveals_nothing(public, monkeypatch, capsys, failed_requests):
    """500 `internal`; the log holds the trace, without secrets."""

    async def fails(_):
        raise RuntimeError("client_secret=hunter2 went wrong")

    monkeypatch.setattr(public.store, "read", fails)
    response = await public.http.get(FEED)

    assert (response.status_code, response.json()["code"]) == (500, "internal")
    assert failed_requests.pop().endswith("client_secret=hunter2 went wrong')")
    assert "hunter2" not in response.text
    logged = capsys.readouterr().out
    assert "request.failed" in logged
    assert "went wrong" in logged
    assert "hunter2" not in logged


@pytest.mark.parametrize("text", ["\r\nforged line", "\ud800", "\x1b[31m", "ü" * 500])
def test_what_is_logged_stays_on_one_line(text):
    """Control characters are escaped, length is bounded, nothing fails to encode."""
    line = loggable(text)

    assert line.isascii()
    assert line.isprintable()
    assert len(line) <= 2000
