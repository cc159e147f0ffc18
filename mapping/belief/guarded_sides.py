"""The two teams of a match and everybody who was named for them: nobody is gone before a second good answer says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mapping.belief.guarding import guard_rows, guard_value
from mapping.match.parts import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from mapping.belief.doubts import Doubts
    from mapping.match.match import Person, Side


def guard_side(before: Side | None, after: Side | None, name: str, doubts: Doubts) -> Side | None:
    """A side with everybody who was named for it; another team is a correction, its squad too.

    A match without one of its teams is refused as a whole, by whoever makes a document of it.
    """
    if before is None or after is None or before.ext_id != after.ext_id:
        return after
    itself = guard_value(
        replace(before, lineup=(), bench=()), replace(after, lineup=(), bench=()), Part.FACTS, name, doubts
    )
    lineup, bench = {each.ext_id for each in after.lineup}, {each.ext_id for each in after.bench}
    return replace(
        itself,
        lineup=_squad(before.lineup, after.lineup, bench, f"{name} lineup", doubts),
        bench=_squad(before.bench, after.bench, lineup, f"{name} bench", doubts),
    )


def _squad(
    before: tuple[Person, ...], after: tuple[Person, ...], others: AbstractSet[str], name: str, doubts: Doubts
) -> tuple[Person, ...]:
    """The people of one list, without those who are now in the other one. The same people in another order wait."""
    known = {each.ext_id: place for place, each in enumerate(before) if each.ext_id not in others}
    stayed = [each for each in before if each.ext_id in known]
    rows = guard_rows(stayed, after, lambda each: f"{name} {each.ext_id}", lambda _: Part.SQUADS, doubts)
    return _in_order(rows, known) if _moved(rows, known) and _order_stays(rows, known, name, doubts) else rows


def _order_stays(people: Iterable[Person], places: Iterable[str], name: str, doubts: Doubts) -> bool:
    order = tuple([each.ext_id for each in people])
    return doubts.keep(Part.SQUADS, f"{name} order", tuple(places), order)


def _moved(people: Iterable[Person], places: Mapping[str, int]) -> bool:
    names = [each.ext_id for each in people]
    return places.keys() == set(names) and [*places] != names


def _in_order(people: Iterable[Person], places: Mapping[str, int]) -> tuple[Person, ...]:
    return tuple(sorted(people, key=lambda each: places[each.ext_id]))
