"""Which master data records stand for the people and teams of a match."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """`_id`s of an organization's master data, by the provider's `ext_id`."""

    owner_id: str
    teams: Mapping[str, str] = field(default_factory=dict)
    players: Mapping[str, str] = field(default_factory=dict)
    tournament: str | None = None
    location: str | None = None
