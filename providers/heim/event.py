"""A row of the events of a match, as its reader gives it to the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mapping.match.match import Person, Side, SideName


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One row. `position` is its place in the feed, `period` its own phase, where it has one."""

    id: str
    action: str
    kind: str
    position: int
    minute: int | None
    added: int | None
    period: int | None
    team_id: str | None
    team: Side | None
    side: SideName | None
    person: Person | None
    additional: Person | None
    content: str | None
    created_at: int | None

    @property
    def keyword(self) -> tuple[str, str]:
        return (self.action, self.kind)
