"""The guard on every address that a client can name: whoever calls one does it through this module.

A name is resolved for each connection, each of its addresses is checked, and the connection goes to an address that was
checked, so that no second look-up can lead elsewhere. Host header and SNI stay those of the name.
"""

from __future__ import annotations

import asyncio
import copy
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import structlog
from cachetools import LRUCache

from config.sections import Webhooks
from ingest.kit.bulkhead import Bulkhead, Place
from mapping.rules import callable_addresses
from mapping.rules.callable_addresses import Allowed, NotAllowed

if TYPE_CHECKING:
    import aiohttp


Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host; raises OSError when there are none."""


log = structlog.get_logger()

AT_ONCE = 0.2
"""Seconds that a look-up may take while somebody waits who wants nothing of the address yet."""


Found = asyncio.Future[list[str]]
CACHED_TIMES = 4096
"""Names of which is known how long their look-up takes."""


class Blocked(OSError):
    """The address may not be called. Says nothing about why: the message is the same for all.

    An OSError like those of the network, so that a caller cannot distinguish a name that leads inside from one that leads nowhere.
    """

    def __init__(self) -> None:
        super().__init__(callable_addresses.REFUSED)


class AllowedByName(str):
    """An address that may be called because the operator allows the name that it was looked up for."""

    __slots__ = ()


@cache
def _tls_context() -> ssl.SSLContext:
    """One for all guards: reading the certificates of the authorities takes as long as some hundred requests."""
    context = httpx.create_ssl_context(trust_env=False)
    context.set_alpn_protocols(["http/1.1"])
    return context


class SsrfGuard:
    """Decides which addresses may be called, and makes the sessions that call them.

    `resolve` and `context`: how names are looked up and TLS is spoken, where the system's own way is not meant.
    """

    def __init__(
        self,
        settings: Webhooks,
        *,
        resolve: Resolve | None = None,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._allowed = Allowed.of(settings.allow_hosts)
        self._resolve: Resolve = resolve or Resolver(settings.look_ups, settings.organization_look_ups)
        self._look_up_timeout = settings.look_up_timeout
        self._context = context

    @property
    def context(self) -> ssl.SSLContext:
        """How TLS is spoken; needed for the first session, not for the start of the process."""
        return self._context or _tls_context()

    def on_behalf_of(self, organization: str) -> SsrfGuard:
        """The same guard, its look-ups counted as this organization's."""
        if not isinstance(self._resolve, Resolver):
            return self
        guard = copy.copy(self)
        guard._resolve = partial(self._resolve, organization=organization)  # noqa: SLF001 -- one of us
        return guard

    def session(
        self, *, connections: int, connect_timeout: float, received: int | None = None
    ) -> aiohttp.ClientSession:
        """A session that nothing but what the guard allows: no proxies, no cookies, bodies as they were sent.

        `connect_timeout`: seconds that a new connection may take, look-up and TLS included; `received`: bytes of a body that
        the caller takes, where that is more than the little that a webhook's receiver may answer. The caller sets the other
        time-outs, reads no more than it can hold, forbids redirects or follows them by itself, and closes the session.
        """
        from ingest.guard.guarded_session import open_session

        return open_session(self, connections=connections, connect_timeout=connect_timeout, received=received)

    async def check(self, url: str) -> None:
        """Raises Blocked unless `url` may be called now; a name that does not resolve may not."""
        try:
            target = callable_addresses.target(url)
            await self.addresses(target.host, target.port)
        except (NotAllowed, OSError):
            raise Blocked from None

    async def is_allowed(self, url: str, organization: str = "") -> bool:
        """Whether `url` may be called now, its name looked up on behalf of the organization; a refusal is logged."""
        try:
            await self.on_behalf_of(organization).check(url)
        except Blocked:
            log.info("webhook.address_refused", host=_host(url), setting="webhooks.allow_hosts")
            return False
        return True

    async def may_be_kept(self, url: str, organization: str = "") -> bool:
        """Whether `url` may be kept to be fetched later, when it is checked again; a refusal is logged.

        Unlike `is_allowed` for a name that does not resolve at once: somebody's post must neither fail nor wait because a
        name server does.
        """
        try:
            target = callable_addresses.target(url)
            async with asyncio.timeout(AT_ONCE):
                await self.on_behalf_of(organization).addresses(target.host, target.port)
        except (NotAllowed, Blocked):
            log.info("media.address_refused", host=_host(url), setting="webhooks.allow_hosts")
            return False
        except OSError:
            return True
        return True

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses of `host`, all of them checked. Raises Blocked, or OSError when the name does not resolve."""
        try:
            callable_addresses.check_port(port)
            literal = callable_addresses.literal(host)
            found = [str(literal)] if literal else await self._look_up(host, port)
            checked = callable_addresses.all_allowed(host, found, self._allowed)
        except NotAllowed:
            raise Blocked from None
        return [AllowedByName(each) for each in checked] if self._allowed.names_host(host) else checked

    def check_address(self, address: str, port: int) -> None:
        """Raises Blocked unless a connection to `address` may be opened, whichever way led to it."""
        try:
            callable_addresses.check_port(port)
            if not isinstance(address, AllowedByName):
                callable_addresses.all_allowed(address, [address], self._allowed)
        except ValueError:  # NotAllowed, or no address at all
            raise Blocked from None

    def open_socket(self, family: int, kind: int, protocol: int, address: tuple[str, int]) -> socket.socket:
        """A socket for a connection to `address`; raises Blocked where there may be none."""
        self.check_address(address[0], address[1])
        return socket.socket(family, kind, protocol)

    async def _look_up(self, host: str, port: int) -> Sequence[str]:
        """Raises NotAllowed for what cannot be a name, OSError for one that is not found, or not in time."""
        try:
            async with asyncio.timeout(self._look_up_timeout):
                return await self._resolve(host, port)
        except UnicodeError:
            raise NotAllowed from None


def _host(url: str) -> str:
    """The host of `url`, for the log; what follows it may be a secret."""
    try:
        return urlsplit(url).hostname or "?"
    except ValueError:
        return "?"


class Resolver:
    """Looks names up in threads, `look_ups` of them at most, `organization_look_ups` for any one organization.

    A look-up cannot be cancelled. One that nobody waits for any more keeps its place until its thread has ended, so that
    an organization whose name servers do not answer uses up its own places and no others. The threads are daemons:
    the end of the process does not wait for them.
    """

    def __init__(self, look_ups: int, organization_look_ups: int) -> None:
        self._bulkhead = Bulkhead(look_ups, organization_look_ups)
        self._running: dict[tuple[str, int], Found] = {}
        self._took: LRUCache[str, float] = LRUCache(CACHED_TIMES)

    async def __call__(self, host: str, port: int, *, organization: str = "") -> Sequence[str]:
        """The addresses of `host`, looked up once for all who ask at the same time. Raises OSError, UnicodeError."""
        key = (host, port)
        if (found := self._running.get(key)) is None:
            place = await self._bulkhead.acquire(organization, host, self._took.get(host))
            if (found := self._running.get(key)) is None:
                found = self._begin(key, place)
            else:  # somebody else's place came first
                self._bulkhead.release(place)
        return await asyncio.shield(found)

    def _begin(self, key: tuple[str, int], place: Place) -> Found:
        loop = asyncio.get_running_loop()
        found: Found = loop.create_future()
        self._running[key] = found
        began = monotonic()

        def ended(result: list[str] | Exception) -> None:
            del self._running[key]
            self._took[key[0]] = monotonic() - began
            self._bulkhead.release(place)
            if isinstance(result, Exception):
                found.set_exception(result)
                found.exception()  # seen: the callers may be gone
            else:
                found.set_result(result)

        def look_up() -> None:
            result = addresses_of(*key)
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(ended, result)

        try:
            threading.Thread(target=look_up, name=f"look up {key[0]}", daemon=True).start()
        except RuntimeError:  # no more threads
            ended(OSError("no thread for a look-up"))
        return found


def addresses_of(host: str, port: int) -> list[str] | Exception:
    """What the system finds, or why it finds nothing; blocks."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except Exception as error:  # noqa: BLE001 -- belongs to the caller
        return error
    return [str(address[0]) for *_, address in found]
