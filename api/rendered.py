"""Cache of rendered responses: many readers request the same few, and most of the work is in the rendering."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

KEPT_SECONDS = 5.0
"""What a key does not name, such as a team renamed in master data, shows after so long."""
KEPT_BYTES = 32 * 1024 * 1024


class Rendered:
    """Bodies by everything that they depend on: the liveblog, its version, the format and the parameters.

    Access is checked before, for each request anew: no key names a client.
    """

    def __init__(self, monotonic: Callable[[], float], kept_bytes: int = KEPT_BYTES) -> None:
        self._monotonic = monotonic
        self._free = kept_bytes
        self._bodies: OrderedDict[Hashable, tuple[float, bytes]] = OrderedDict()

    def get(self, key: Hashable) -> bytes | None:
        """The body, None where there is none or it is too old."""
        kept = self._bodies.get(key)
        return kept[1] if kept is not None and self._monotonic() < kept[0] else None

    def put(self, key: Hashable, body: bytes) -> bytes:
        """Keep the body for a while, as long as there is room; returns it."""
        self._drop(key)
        self._bodies[key] = (self._monotonic() + KEPT_SECONDS, body)
        self._free -= len(body)
        while self._free < 0:
            self._drop(next(iter(self._bodies)))
        return body

    def _drop(self, key: Hashable) -> None:
        _, body = self._bodies.pop(key, (0.0, b""))
        self._free += len(body)
