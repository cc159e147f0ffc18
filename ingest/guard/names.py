"""Names of hosts, looked up by the system's own resolver, so that the machine's hosts file and nsswitch apply."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic

from cachetools import LRUCache

from ingest.kit.bulkhead import Bulkhead, Place

Found = asyncio.Future[list[str]]


CACHED_TIMES = 4096
"""Names of which is known how long their look-up takes."""


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
