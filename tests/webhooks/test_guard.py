"""What a stranger's address can make this machine call: nothing but what everybody can call."""

import asyncio
import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
import pytest

from config.sections import Webhooks
from ingest.guard.ssrf_guard import Blocked, SsrfGuard
from ingest.webhooks.attempt import ReceiverClient
from mapping.rules.callable_addresses import REFUSED, without_password
from tests.kit.name_servers import FORMS, PUBLIC, PUBLIC_V6, REFUSED_ADDRESSES, Names


@pytest.fixture
def names():
    return Names({"public.example": [PUBLIC], "xn--mnchen-3ya.example": [PUBLIC]})


class ReachabilityResult(Exception):
    """Nobody is called in these tests."""


@dataclass
class Dialled:
    """Where connections would have gone to: (address, port, name for TLS). Addresses in `dead` do not answer."""

    found: list[tuple[str, int, str | None]] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    dead: frozenset[str] = frozenset()


@pytest.fixture
async def dialled(monkeypatch):
    seen, loop = Dialled(), asyncio.get_running_loop()

    async def sock_connect(_, address):
        seen.tried.append(address[0])
        seen.found.append((*address[:2], None))
        if address[0] in seen.dead:
            raise ConnectionRefusedError(111, "refused")

    async def create_connection(_protocol, *, ssl, server_hostname, sock):
        sock.close()
        seen.found[-1] = (*seen.found[-1][:2], server_hostname if ssl else None)
        raise ReachabilityResult

    monkeypatch.setattr(loop, "sock_connect", sock_connect)
    monkeypatch.setattr(loop, "create_connection", create_connection)
    return seen


@asynccontextmanager
async def refusals():
    """Raises Blocked for what the guard refused somewhere in the library."""
    try:
        yield
    except aiohttp.ClientConnectorError as error:
        if isinstance(error.os_error, Blocked):
            raise error.os_error from None
        raise


async def deliver(guard, url):
    """A delivery to `url`; True where it came as far as connecting."""
    client = ReceiverClient(guard, url, connections=1, connect_timeout=1.0)
    try:
        async with refusals():
            await client.post({}, b"{}")
    except Blocked:
        return False
    except ReachabilityResult:
        return True
    finally:
        await client.close()


@pytest.mark.parametrize(("bad", "good"), REFUSED_ADDRESSES.values(), ids=REFUSED_ADDRESSES)
async def test_what_is_not_public_is_neither_subscribed_nor_connected_to(names, dialled, bad, good):
    """Neither by a name that leads there nor by address, which is not looked up; its neighbour is, as it was checked."""
    guard = SsrfGuard(Webhooks(), resolve=names)
    bad_url, good_url = (f"http://{f'[{each}]' if ':' in each else each}:8080/hook" for each in (bad, good))
    names.table["there.example"] = [bad]
    for url in ("https://there.example/hook", bad_url):
        with pytest.raises(Blocked, match=REFUSED[:20]):
            await guard.check(url)
        assert not await deliver(guard, url)
    assert dialled.found == []

    names.table["there.example"] = [good]
    for url in ("https://there.example/hook", good_url):
        await guard.check(url)
        assert await deliver(guard, url)
    assert dialled.found == [(good, 443, "there.example"), (good, 8080, None)]
    assert set(names.looked_up) == {"there.example"}


@pytest.mark.parametrize(("bad", "good"), FORMS)
async def test_forms_of_addresses_that_are_refused(names, dialled, bad, good):
    """Numbers that are no usual address, user and password, odd ports, other schemes; whoever wrote them into the database."""
    names.table |= {"localhost": ["127.0.0.1"], "m\xfcnchen.example": [PUBLIC], "127.0.0.1": ["127.0.0.1"]}
    guard = SsrfGuard(Webhooks(), resolve=names)
    with pytest.raises(Blocked):
        await guard.check(bad)
    if bad != "http://unknown.example/":
        assert not await deliver(guard, bad)
    else:
        with pytest.raises(aiohttp.ClientConnectorDNSError) as caught:
            await deliver(guard, bad)
        assert str(caught.value.os_error) == "no such name"
    assert dialled.found == []

    await guard.check(good)
    assert await deliver(guard, good)
    assert dialled.found[0][0] == PUBLIC


async def test_a_delivery_to_a_rebound_name_or_a_mixed_answer(names, dialled):
    """What was public when it was subscribed and is private later is not called; one bad address among good ones is enough."""
    guard = SsrfGuard(Webhooks(), resolve=names)
    names.turns["rebound.example"] = [[PUBLIC], [PUBLIC], ["127.0.0.1"]]
    await guard.check("https://rebound.example/")
    assert await deliver(guard, "https://rebound.example/")
    assert names.looked_up == ["rebound.example"] * 2, "one look-up for each connection"
    assert not await deliver(guard, "https://rebound.example/")
    for answer in ([PUBLIC, "10.0.0.1"], ["10.0.0.1", PUBLIC], [PUBLIC, "::1"], []):
        names.table["mixed.example"] = answer
        with pytest.raises(Blocked):
            await guard.check("https://mixed.example/")
        assert not await deliver(guard, "https://mixed.example/")
    names.table["mixed.example"] = [PUBLIC, PUBLIC_V6]
    await guard.check("https://mixed.example/")
    assert dialled.found == [(PUBLIC, 443, "rebound.example")]


@pytest.mark.parametrize(
    ("allowed", "host", "address", "passes"),
    [
        (["127.0.0.1"], "there.example", "127.0.0.1", True),
        (["127.0.0.1"], "there.example", "127.0.0.2", False),
        (["10.0.0.0/8"], "there.example", "10.3.2.1", True),
        (["10.0.0.0/8"], "there.example", "192.168.0.1", False),
        (["There.Example"], "there.example", "192.168.0.1", True),
        (["there.example"], "there.example.", "192.168.0.1", True),
        (["there.example"], "not-there.example", "192.168.0.1", False),
        (["there.example"], "sub.there.example", "192.168.0.1", False),
        (["::1"], "there.example", "::1", True),
        (["fd00::/8"], "there.example", "fd00::1", True),
        ([], "there.example", "127.0.0.1", False),
    ],
)
async def test_what_the_operator_allows(names, allowed, host, address, passes):
    """Exactly the hosts, addresses and networks that the setting names; none by default."""
    names.table |= {"there.example": [address], "there.example.": [address], "not-there.example": [address]}
    names.table["sub.there.example"] = [address]

    assert await SsrfGuard(Webhooks(allow_hosts=allowed), resolve=names).is_allowed(f"https://{host}/hook") is passes


async def test_the_next_address_is_tried_when_one_refuses(names, dialled):
    """All addresses of a name are tried in turn, each of them checked."""
    names.table |= {"two.example": [PUBLIC, "8.8.8.8"], "one.example": [PUBLIC]}
    dialled.dead = frozenset({PUBLIC})
    assert await deliver(SsrfGuard(Webhooks(), resolve=names), "http://two.example/")
    assert [(host, port) for host, port, _ in dialled.found] == [(PUBLIC, 80), ("8.8.8.8", 80)]

    with pytest.raises(aiohttp.ClientConnectorError):
        await deliver(SsrfGuard(Webhooks(), resolve=names), "http://one.example/")


@asynccontextmanager
async def session_of(guard):
    async with guard.session(connections=2, connect_timeout=1.0) as session, refusals():
        yield session


async def test_a_name_server_that_hangs_counts_as_a_time_out():
    """The time for connecting holds for the look-up too."""

    async def hangs(_host, _port):
        await asyncio.sleep(60)

    guard = SsrfGuard(Webhooks(), resolve=hangs)
    async with guard.session(connections=1, connect_timeout=0.05) as session:
        with pytest.raises(TimeoutError):
            await session.get("http://slow.example/")


@pytest.mark.parametrize("bad", [bad for bad, _ in REFUSED_ADDRESSES.values()], ids=REFUSED_ADDRESSES)
async def test_the_socket_refuses_what_the_look_up_let_through(names, dialled, monkeypatch, bad):
    """Each connection is checked by its own address: a look-up that was not checked leads nowhere."""
    guard = SsrfGuard(Webhooks(allow_hosts=["allowed.example"]), resolve=names)

    async def unchecked(_host, _port):
        return [bad.partition("%")[0] if bad.startswith("fe80") else bad]

    monkeypatch.setattr(guard, "addresses", unchecked)
    for scheme in ("http", "https"):
        with pytest.raises(Blocked):
            async with session_of(guard) as session:
                await session.get(f"{scheme}://public.example/")
    with pytest.raises(Blocked):
        guard.open_socket(socket.AF_INET6 if ":" in bad else socket.AF_INET, socket.SOCK_STREAM, 0, (bad, 443))

    assert dialled.tried == []


async def test_sockets_of_this_machine_cannot_be_named(names, dialled):
    """There is no way to a Unix socket, and none to a port that the rules do not allow."""
    guard = SsrfGuard(Webhooks(), resolve=names)
    for url in ("unix:///var/run/docker.sock", "http+unix://%2Fvar%2Frun%2Fdocker.sock/", "npipe:////./pipe/docker"):
        async with session_of(guard) as session:
            with pytest.raises(aiohttp.ClientError):
                await session.get(url)
    for host in ("public.example", PUBLIC, f"[{PUBLIC_V6}]"):
        with pytest.raises(Blocked):
            async with session_of(guard) as session:
                await session.get(f"http://{host}:6/")

    assert dialled.tried == []


async def test_an_address_that_is_allowed_by_its_name_is_not_allowed_by_itself(names, dialled):
    """The operator allows a name, not whatever else runs where it leads; also within one session."""
    names.table |= {"inside.example": ["10.0.0.7"], "alias.example": ["10.0.0.7"]}
    guard = SsrfGuard(Webhooks(allow_hosts=["inside.example"]), resolve=names)
    async with guard.session(connections=2, connect_timeout=1.0) as session:
        with pytest.raises(ReachabilityResult):
            await session.get("http://inside.example/")
        for url in ("http://10.0.0.7/", "http://alias.example/"):
            with pytest.raises(Blocked):
                async with refusals():
                    await session.get(url)

    assert [host for host, *_ in dialled.found] == ["10.0.0.7"]


async def test_a_redirect_that_is_followed_meets_the_guard_again():
    """Who follows redirects by a session is led inside neither by name nor by address nor by another scheme."""
    places = []

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 302 Found\r\nlocation: {places[-1]}\r\ncontent-length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def local(host, _):
        return ["127.0.0.1" if host == "outside.example" else "10.0.0.1"]

    guard = SsrfGuard(Webhooks(allow_hosts=["outside.example"]), resolve=local)
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        for place in (f"http://127.0.0.1:{port}/", "http://inside.example/", "http://[::1]/", "http://2130706433/",
                      "file:///etc/passwd"):  # fmt: skip
            places.append(place)
            with pytest.raises((Blocked, aiohttp.ClientError)):
                async with session_of(guard) as session:
                    await session.get(f"http://outside.example:{port}/")


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("https://user:password@cms.example/hook", "https://cms.example/hook"),
        ("https://user@cms.example", "https://cms.example"),
        ("https://cms.example/a@b", "https://cms.example/a@b"),
    ],
)
def test_user_and_password_are_not_shown(url, seen):
    """Whatever is stored, an address is shown without them."""
    assert without_password(url) == seen
