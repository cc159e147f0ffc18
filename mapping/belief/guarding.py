"""Values and rows of a match, each guarded by itself: what has less than before waits, everything else counts at once.

Nobody who was named for one of the two teams is gone before a second good answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from mapping.belief.doubts import IGNORED, Doubts
from mapping.match.match import Person, Score, Side
from mapping.match.parts import Part

T = TypeVar("T")
Row = TypeVar("Row")


def less(after: Any, before: Any) -> bool:
    """Whether `after` has nothing that `before` does not have, a text that is cut off, or a lower score."""
    if after == before or after in (None, "", ()):
        return True
    return type(after) is type(before) and _less_of_its_kind(after, before)


def _less_of_its_kind(after: Any, before: Any) -> bool:
    if isinstance(after, str):
        return bool(before.startswith(after))
    if isinstance(after, Score):
        return after.total < int(before.total)
    if isinstance(after, tuple):
        return all(_in_less(each, before) for each in after)
    return is_dataclass(after) and _fields_less(after, before)


def _in_less(row: Any, before: tuple[Any, ...]) -> bool:
    return is_dataclass(row) and any(less(row, other) for other in before)


def _fields_less(after: Any, before: Any) -> bool:
    names = (each.name for each in fields(after) if each.name not in IGNORED)
    return all(less(getattr(after, name), getattr(before, name)) for name in names)


def guard_value(before: T, after: T, part: Part, name: str, doubts: Doubts) -> T:
    """`after`, or `before` where `after` has less, or something else beside what is gone."""
    if after == before:
        return after
    if not less(before, after):
        if less(after, before):
            return before if doubts.keep(part, name, before, after) else after
        if doubts.wait(part, name):
            return before
    doubts.accept(name, after)
    return after


def guard_rows(
    before: Iterable[Row],
    after: Sequence[Row],
    key: Callable[[Row], str],
    part: Callable[[Row], Part],
    doubts: Doubts,
    *,
    stays: Callable[[Row], bool] = lambda _: False,
) -> tuple[Row, ...]:
    """The rows after, each guarded by itself, and those of before that are not gone yet, behind the ones they followed.

    `key` names a row, `part` says what it belongs to; `stays` says which stay however often they are gone.
    """
    known = {key(each): each for each in before}
    rows = {
        name: _row(known.get(name), each, part, name, doubts) for name, each in zip(map(key, after), after, strict=True)
    }
    kept = {
        name: each
        for name, each in known.items()
        if name not in rows and (stays(each) or doubts.keep(part(each), name, each))
    }
    return _woven(known, rows, kept)


def _row(before: Row | None, after: Row, part: Callable[[Row], Part], name: str, doubts: Doubts) -> Row:
    if before is not None:
        return guard_value(before, after, part(before), name, doubts)
    doubts.accept(name, after)
    return after


def _woven(before: Iterable[str], rows: Mapping[str, Row], kept: Mapping[str, Row]) -> tuple[Row, ...]:
    """The rows, and those that are kept behind the ones that they followed `before`."""
    behind: dict[str | None, list[Row]] = {}
    last = None
    for name in before:
        if name in rows:
            last = name
        elif name in kept:
            behind.setdefault(last, []).append(kept[name])
    woven = behind.get(None, [])
    for name, each in rows.items():
        woven += [each, *behind.get(name, ())]
    return tuple(woven)


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
