"""A row of the events of a race, as its reader gives it to the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mapping.match.match import Person, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceEvent:
    """One row: `kind` is the interface's event type without its prefix, `over` says that a flag or safety car is lifted."""

    id: str
    kind: str
    lap: int | None
    created_at: int | None
    team: Side | None
    person: Person | None
    other: Person | None
    other_team: Side | None
    content: str | None
    over: bool

    @property
    def rank(self) -> tuple[int, int, int]:
        return (self.created_at or 0, self.lap or 0, int(self.id))
