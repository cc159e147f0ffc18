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
    coding: str | None = field(default=None, compare=False)
    """The content coding, empty for none; None of a body that is never coded."""
    source: str = field(default="", compare=False)
    """The validator of the body before it was coded."""
    responses: dict[tuple[int, str | None, str], Response] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, body: bytes, coding: str | None = None, source: str = "") -> Rendering:
        return cls(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"', coding, source)


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
        return self._put(key, Rendering.of(body, ""))

    def coded(self, key: Hashable, plain: Rendering, coding: str) -> Rendering | None:
        """The body of `plain` in a coding, None where there is none."""
        found = self.get((key, coding))
        return found if found is not None and found.source == plain.etag else None

    def put_coded(self, key: Hashable, plain: Rendering, coding: str, body: bytes) -> Rendering:
        """Keep the body of `plain` in a coding beside it."""
        return self._put((key, coding), Rendering.of(body, coding, plain.etag))

    def _put(self, key: Hashable, made: Rendering) -> Rendering:
        with suppress(ValueError):  # larger than all the room there is
            self._kept[key] = made
        return made


def _size(rendering: Rendering) -> int:
    return len(rendering.body) + OVERHEAD
