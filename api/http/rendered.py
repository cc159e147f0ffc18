"""A rendered body and its validator, as they are kept and sent."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from starlette.responses import Response

OVERHEAD = 4096
"""Bytes that an entry takes beside its body, about."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A body, its strong validator, and the responses that were made of it, by status, date and `Cache-Control`."""

    body: bytes
    etag: str
    coding: str | None = field(default=None, compare=False)
    """The content coding, empty for none; None of a body that is never coded."""
    responses: dict[tuple[int, str | None, str], Response] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, body: bytes, coding: str | None = None) -> Rendering:
        return cls(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"', coding)


def rendering_size(rendering: Rendering) -> int:
    """The bytes that it takes in memory, about."""
    return len(rendering.body) + OVERHEAD
