"""Cache of rendered bodies: many readers request the same few, and most of the work is in the rendering."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from starlette.responses import Response

KEPT_SECONDS = 5.0
"""What a key does not name, such as a team renamed in master data, shows after so long."""
OVERHEAD = 4096
"""Bytes that an entry takes beside its body, about."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A body, its strong validator, and the responses that were made of it, by status and date."""

    body: bytes
    etag: str
    responses: dict[tuple[int, str | None], Response] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, body: bytes) -> Rendering:
        return cls(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


class Rendered:
    """Bodies by everything that they depend on: the liveblog, its version, the format and the parameters.

    Access is checked before, for each request anew: no key names a client.
    """

    def __init__(self, monotonic: Callable[[], float], kept_bytes: int) -> None:
        self._monotonic = monotonic
        self._free = kept_bytes
        self._kept: OrderedDict[Hashable, tuple[float, Rendering]] = OrderedDict()

    def get(self, key: Hashable) -> Rendering | None:
        """The body, None where there is none or it is too old."""
        kept = self._kept.get(key)
        return kept[1] if kept is not None and self._monotonic() < kept[0] else None

    def put(self, key: Hashable, body: bytes) -> Rendering:
        """Keep the body for a while, as long as there is room: the oldest go first."""
        made = Rendering.of(body)
        self._drop(key)
        self._kept[key] = (self._monotonic() + KEPT_SECONDS, made)
        self._free -= len(body) + OVERHEAD
        while self._free < 0:
            self._drop(next(iter(self._kept)))
        return made

    def _drop(self, key: Hashable) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._free += len(kept[1].body) + OVERHEAD
