"""The guard on every address that a client can name: whoever calls one does it through this module.

A name is resolved once, each of its addresses is checked, and the connection goes to an address that was checked, so
that no second look-up can lead elsewhere. Host header and SNI stay those of the name.
"""

from __future__ import annotations

import asyncio
import copy
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import httpcore
import httpx
import structlog

from ingest.webhooks.names import LOOK_UPS, ORGANIZATION_LOOK_UPS, Resolver
from mapping.rules import addresses
from mapping.rules.addresses import Allowed, NotAllowed

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
    """The addresses of a host; raises OSError when there are none."""

T = TypeVar("T")

UNREACHED = (OSError, httpcore.ConnectError, httpcore.ConnectTimeout)
LOOK_UP = 3.0
"""Seconds that looking up a name may take."""


log = structlog.get_logger()


class Blocked(Exception):
    """The address may not be called. Says nothing about why: the message is the same for all."""

    def __init__(self) -> None:
        super().__init__(addresses.REFUSED)


class SsrfGuard:
    """Decides which addresses may be called, and makes the clients that call them.

    `look_ups`: names that are looked up at a time, in all and for one organization; `look_up_timeout`: seconds that one
    may take, the wait for its turn included.
    """

    def __init__(
        self,
        allow_hosts: Iterable[str] = (),
        *,
        resolve: Resolve | None = None,
        look_ups: int = LOOK_UPS,
        organization_look_ups: int = ORGANIZATION_LOOK_UPS,
        look_up_timeout: float = LOOK_UP,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._allowed = Allowed.of(allow_hosts)
        self._resolve: Resolve = resolve or Resolver(look_ups, organization_look_ups)
        self._look_up_timeout = look_up_timeout
        self.context = context or httpx.create_ssl_context(trust_env=False)
        self.context.set_alpn_protocols(["http/1.1"])

    def on_behalf_of(self, organization: str) -> SsrfGuard:
        """The same guard, its look-ups counted as this organization's."""
        if not isinstance(self._resolve, Resolver):
            return self
        guard = copy.copy(self)
        guard._resolve = partial(self._resolve, organization=organization)  # noqa: SLF001 -- one of us
        return guard

    async def check(self, url: str) -> None:
        """Raises Blocked unless `url` may be called now; a name that does not resolve may not."""
        try:
            target = addresses.target(url)
            await self.addresses(target.host, target.port)
        except (NotAllowed, OSError):
            raise Blocked from None

    async def admits(self, url: str, organization: str = "") -> bool:
        """Whether `url` may be called now, its name looked up on behalf of the organization; a refusal is logged."""
        try:
            await self.on_behalf_of(organization).check(url)
        except Blocked:
            log.info("webhook.address_refused", host=_host(url), setting="webhooks.allow_hosts")
            return False
        return True

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses of `host`, all of them checked. Raises Blocked, or OSError when the name does not resolve."""
        try:
            addresses.check_port(port)
            literal = addresses.literal(host)
            found = [str(literal)] if literal else await self._look_up(host, port)
            return addresses.admitted(host, found, self._allowed)
        except NotAllowed:
            raise Blocked from None

    async def _look_up(self, host: str, port: int) -> Sequence[str]:
        """Raises NotAllowed for what cannot be a name, OSError for one that is not found, or not in time."""
        try:
            async with asyncio.timeout(self._look_up_timeout):
                return await self._resolve(host, port)
        except UnicodeError:
            raise NotAllowed from None

    async def reach(
        self,
        host: str,
        port: int,
        connect: Callable[[str, float | None], Awaitable[T]],
        *,
        timeout: float | None,  # noqa: ASYNC109 -- shared out among the addresses
    ) -> T:
        """What `connect` makes of the first address of `host` that answers; it is given none that was not checked.

        It gets its share of the `timeout` seconds, which are for all of it, the look-up too. Raises Blocked, TimeoutError,
        or what `connect` raised for the last address.
        """
        until = None if timeout is None else asyncio.get_running_loop().time() + timeout
        async with asyncio.timeout(timeout):
            found = await self.addresses(host, port)
        refused: Exception = OSError()
        for index, address in enumerate(found):
            left = (
                None if until is None else max(until - asyncio.get_running_loop().time(), 0.01) / (len(found) - index)
            )
            try:
                return await connect(address, left)
            except UNREACHED as error:
                refused = error
        raise refused

    def client(self, *, connections: int, timeout: httpx.Timeout, keep_alive: float = 60.0) -> httpx.AsyncClient:
        """A client that can reach nothing but what the guard admits: no redirects, no proxies, no cookies."""
        return httpx.AsyncClient(
            transport=_Transport(self, self.context, connections, keep_alive),
            timeout=timeout,
            follow_redirects=False,
            trust_env=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        )


class _Transport(httpx.AsyncHTTPTransport):
    """httpx's own transport over a pool that connects through the guard."""

    def __init__(self, guard: SsrfGuard, context: ssl.SSLContext, connections: int, keep_alive: float) -> None:
        super().__init__(verify=context, trust_env=False)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=keep_alive,
            network_backend=GuardedBackend(guard),
        )


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Connects to addresses that were checked a moment before, and to nothing else."""

    def __init__(self, guard: SsrfGuard, network: httpcore.AsyncNetworkBackend | None = None) -> None:
        self._guard = guard
        self._network = network or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 -- httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the first address of `host` that answers; `timeout` seconds are for all of it."""

        async def connect(address: str, left: float | None) -> httpcore.AsyncNetworkStream:
            return _Stream(await self._network.connect_tcp(address, port, left, local_address, socket_options))

        try:
            return await self._guard.reach(host, port, connect, timeout=timeout)
        except TimeoutError:
            raise httpcore.ConnectTimeout from None
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from None

    async def connect_unix_socket(
        self,
        path: str,  # noqa: ARG002 -- httpcore's signature
        timeout: float | None = None,  # noqa: ASYNC109, ARG002 -- httpcore's signature
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002 -- httpcore's signature
    ) -> httpcore.AsyncNetworkStream:
        """Refused: nobody names a socket of this machine from outside."""
        raise Blocked

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)


class _Stream(httpcore.AsyncNetworkStream):
    """A connection that is closed also when its user gives up in the middle of the TLS handshake."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        try:
            return await self._stream.start_tls(ssl_context, server_hostname, timeout)
        except BaseException:
            await self._stream.aclose()
            raise

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _host(url: str) -> str:
    """The host of `url`, for the log; what follows it may be a secret."""
    try:
        return urlsplit(url).hostname or "?"
    except ValueError:
        return "?"
