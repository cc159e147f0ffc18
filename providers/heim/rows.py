"""One row of a list resource after the other: a row that cannot be understood is told, and keeps what was posted of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from providers.fault_collector import FaultCollector, ValueMismatch
from providers.heim.read import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")


def understood(
    value: Any,
    place: int,
    about: FaultCollector,
    read: Callable[[Row, str, FaultCollector], T],
    *,
    keep: Iterable[str] = (),
) -> T | None:
    """What `read` makes of a row, its id and the notes on it; None for a row that is left out.

    `place` is where it stands in its list. `about` names the resource; `keep`: keys of incidents that the row may tell
    of besides its own. A row without an id may tell of anything.
    """
    notes = about
    try:
        row = Row.of(value)
        row_id = row.identity()
        notes = about.about(about.resource, row_id)
        return read(row, row_id, notes)
    except ValueMismatch as misfit:
        known = notes is not about
        notes = notes if known else about.about(about.resource, f"#{place}")
        notes.add(misfit.name, misfit.reason, keep=keep, hides=not known)
        return None
