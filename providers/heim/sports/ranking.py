"""The classification of a race: one row a driver, of which lists of several periods repeat each driver."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mapping.match import Person, Placing, Side
from providers.heim import squads
from providers.heim.read import Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from providers.fault_collector import FaultCollector
    from providers.heim.sports.base import Source

FINAL = "0"
"""`match_result_at` of the running and final classification."""


def ranking(source: Source, known: Mapping[str, tuple[Person, Side | None]]) -> tuple[Placing, ...]:
    """Everybody with a place or a reason to have none; `known` are those whom events name, by the provider's id."""
    found: dict[str, Placing] = {}
    for item in source.notes.try_read(lambda: source.row.items("match_result")) or ():
        read = source.notes.try_read(partial(_placing, item, source, known))
        if read is not None:
            found[read[0]] = read[1]
    return tuple(sorted(found.values(), key=_rank))


def _placing(
    item: object, source: Source, known: Mapping[str, tuple[Person, Side | None]]
) -> tuple[str, Placing] | None:
    """Who, and where: people and teams stand in the row, or only their ids do."""
    row, notes, names = Row.of(item, "match_result"), source.notes, source.names
    if row.text("match_result_at") not in (None, FINAL):
        return None
    person, team = _people(row, notes, names)
    named = row.ident("person_id") if person is None else person.ext_id
    if named is None:
        return None
    told = known.get(named)
    if person is None and told is not None:
        person = told[0]
    if team is None and told is not None:
        team = told[1]
    time, comment = (notes.try_read(partial(row.text, name)) for name in ("match_result", "comment"))
    position = notes.try_read(lambda: row.needed("rank").number("rank")) or None
    return named, Placing(
        position=position,
        person=person,
        team=team,
        time=time if time != "0" else None,
        gap=comment if comment is not None and comment.startswith("+") else None,
        status=comment if comment is not None and not comment.startswith("+") else None,
    )


def _people(row: Row, notes: FaultCollector, names: Mapping[str, str]) -> tuple[Person | None, Side | None]:
    member = notes.try_read(lambda: row.part("team_person"))
    person = notes.try_read(lambda: squads.person(row.part("person"), member, notes, names))
    return person, notes.try_read(lambda: squads.side(row.part("team"), notes, names))


def _rank(place: Placing) -> tuple[int, int]:
    """By position, who has none last; ids break ties so that equal bodies give equal rankings."""
    ident = place.person.ext_id if place.person is not None else "0"
    return (place.position if place.position is not None else 10_000, int(ident))
