"""Cache of rendered bodies: many readers request the same few, and most of the work is in the rendering."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cachetools import TTLCache

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from starlette.responses import Response

KEPT_SECONDS = 5.0
"""What a key does not name, such as a team renamed in master data, shows after so long."""
OVERHEAD = 4096
"""Bytes that an entry takes beside its body, about."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A body, its strong validator, and the responses that were made of it, by status, date and `Cache-Control`."""

    body: bytes
    etag: str
    responses: dict[tuple[int, str | None, str], Response] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, body: bytes) -> Rendering:
        return cls(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


class Rendered:
    """Bodies by everything that they depend on: the liveblog, its version, the format and the parameters.

    Access is checked before, for each request anew: no key names a client.
    """

    def __init__(self, monotonic: Callable[[], float], kept_bytes: int) -> None:
        self._kept: TTLCache[Hashable, Rendering] = TTLCache(kept_bytes, KEPT_SECONDS, timer=monotonic, getsizeof=_size)

    def get(self, key: Hashable) -> Rendering | None:
        """The body, None where there is none or it is too old."""
        try:
            return self._kept[key]
        except KeyError:
            return None

    def put(self, key: Hashable, body: bytes) -> Rendering:
        """Keep the body for a while, as long as there is room: those that were wanted least recently go first."""
        made = Rendering.of(body)
        with suppress(ValueError):  # larger than all the room there is
            self._kept[key] = made
        return made


def _size(rendering: Rendering) -> int:
    return len(rendering.body) + OVERHEAD
