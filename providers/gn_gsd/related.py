"""The events that an event belongs to: the tournament of a match, the race of a stage."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mapping.match import Named
from providers.gn_gsd.read import Node, node
from providers.gn_gsd.words import words

if TYPE_CHECKING:
    from providers.fault_collector import FaultCollector


def tournament(found: Node, notes: FaultCollector) -> Named | None:
    """The first related event of a league's or season's kind."""
    return next(
        (named for kind, named in _related(found, notes) if kind in words(found.names, "tournament_kinds")), None
    )


def above(found: Node, notes: FaultCollector) -> Named | None:
    """The race that a stage is part of: a related event of a race's kind, else the first that has a name."""
    related = _related(found, notes)
    fitting = [named for kind, named in related if kind in words(found.names, "race_kinds")]
    return next(iter([*fitting, *(named for _, named in related)]), None)


def _related(found: Node, notes: FaultCollector) -> list[tuple[str, Named]]:
    """(kind, event) of those that have a name."""
    rows: list[tuple[str, Named]] = []
    for path, member in notes.try_read(partial(found.items, "related")) or ():
        row = notes.try_read(partial(node, path, member, found.names))
        if row is None:
            continue
        ext_id, name = notes.try_read(partial(row.ident, "id")), notes.try_read(partial(row.text, "name"))
        if ext_id is not None and name is not None:
            rows.append((notes.try_read(partial(row.word, "related_kind")) or "", Named(ext_id=ext_id, name=name)))
    return rows
