"""How many connections the daemon's HTTP server has room for, and who is served beyond them."""

from functools import partial

from api.http.request import client_network, plain_address
from ingest.server.connection_limits import SPARE
from ingest.server.server import connections_that_fit
from tests.kit.raw_http import HOST, STREAM, derby, public, served, store

__all__ = ["derby", "public", "store"]


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
