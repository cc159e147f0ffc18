"""Posts to one receiver over its own few connections, through the guard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from config.sections import Webhooks
from ingest.guard.ssrf_guard import SsrfGuard

if TYPE_CHECKING:
    import aiohttp
    from yarl import URL


RESPONSE_BYTES = 64 * 1024
"""How much of a response's body is read; with what comes after it the connection is closed."""
CONNECT = 3.0
"""Seconds that a new connection may take, look-up and TLS included."""


@dataclass(frozen=True, slots=True)
class Response:
    """What matters of a response. `retry_after`: that header as it was sent, empty without one."""

    status: int
    retry_after: str


class NoResponse(OSError):
    """The connection ended, or what came over it is no response."""


class ReceiverClient:
    """The connections to one receiver: at most `connections`, opened as they are needed."""

    def __init__(self, guard: SsrfGuard, url: str, *, connections: int, connect_timeout: float = CONNECT) -> None:
        self._guard = guard
        self._url = url
        self._connections = connections
        self._connect_timeout = connect_timeout
        self._opened: tuple[aiohttp.ClientSession, URL] | None = None

    async def post(self, headers: Mapping[str, str], body: bytes) -> Response:
        """The response to `body`; redirects are not followed. Raises OSError: Blocked, TimeoutError, NoResponse, …

        Where an idle connection turns out to be dead, the request goes out again, once.
        """
        import aiohttp  # loaded for the first delivery, not for the start of the process

        from ingest.guard.guarded_session import REUSED

        try:
            try:
                return await self._post(headers, body)
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                if self._opened is None or not REUSED.get():
                    raise
            return await self._post(headers, body)
        except OSError:
            raise
        except aiohttp.ClientError as error:
            raise NoResponse from error

    async def close(self) -> None:
        """Close the connections."""
        if self._opened is not None:
            (session, _), self._opened = self._opened, None
            await session.close()

    async def _post(self, headers: Mapping[str, str], body: bytes) -> Response:
        session, url = self._opened or self._open()
        async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
            await _read(response.content)
            return Response(response.status, response.headers.get("Retry-After", "").strip())

    def _open(self) -> tuple[aiohttp.ClientSession, URL]:
        from ingest.guard.guarded_session import callable_url

        url = callable_url(self._url)
        session = self._guard.session(connections=self._connections, connect_timeout=self._connect_timeout)
        self._opened = session, url
        return self._opened


async def _read(content: aiohttp.StreamReader) -> None:
    """Read a body to its end, so that its connection can be used again, or as far as it is read at all."""
    left = RESPONSE_BYTES
    while left > 0 and (part := await content.read(left)):
        left -= len(part)


def operators_client(webhooks: Webhooks, url: str) -> ReceiverClient:
    """Connections to an address of the configuration, which may lie in the operator's own network."""
    from ingest.guard.ssrf_guard import SsrfGuard

    allowed = (*webhooks.allow_hosts, urlsplit(url).hostname or "")
    return ReceiverClient(SsrfGuard(webhooks.model_copy(update={"allow_hosts": allowed})), url, connections=1)
