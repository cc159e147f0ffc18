"""Counts the steps back of a provider: how many good answers each has had, and how many it needs to count.

A doubt has a name and a value: only the same value again, from a resource that carries it, confirms it. A step back that was
believed and then undone needs twice as many good answers the next time, so two caches by turns do not make anything blink.
Values and rows of a match are each guarded by themselves: what has less than before waits, everything else counts at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from hashlib import blake2b
from typing import Any, TypeVar

from mapping.match.match import Part, Person, Score, Side

CONFIRMATIONS = 2
"""Good answers in a row that have to take a step back before it counts."""
MOST_CONFIRMATIONS = 16
"""As many at most, however often the step was undone."""
MOST_RETREATS = 256
"""Steps back of one match that are kept, the latest."""

IGNORED = frozenset({"order", "synthesised", "created_at"})
"""Fields that say nothing of what happened: a row before is gone, or somebody else has filled in for the row itself."""

PLAIN = frozenset({str, int, bool, type(None)})
"""Types of values that hold no other values: most of a match."""
ANYTHING = ""
"""The value of a doubt that any value confirms: of what only waits with something else that is gone."""


T = TypeVar("T")
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, order=True)
class Doubt:
    """A step back that does not count yet: `value` identifies what the answer says, `answers` in a row have said it."""

    name: str
    value: str
    answers: int


@dataclass(frozen=True, slots=True)
class Retreat:
    """A step back that was believed: `value` identifies what was given up, `undone` counts how often that came back."""

    name: str
    value: str
    undone: int = 0

    @property
    def confirmations(self) -> int:
        """Good answers that the next step back needs."""
        return min(CONFIRMATIONS << self.undone, MOST_CONFIRMATIONS)


def identify(value: Any) -> str:
    """A short digest of a value, the same in every process."""
    return blake2b(repr(_content(value)).encode(), digest_size=8).hexdigest()


def _content(value: Any) -> Any:
    """The value with lists of what they hold in the place of dataclasses; called for whole matches at each change."""
    kind: Any = type(value)
    if kind in PLAIN:
        return value
    if isinstance(value, tuple):
        return tuple([each if type(each) in PLAIN else _content(each) for each in value])
    names = _names_in(kind)
    if names is None:
        return value
    return [_content(getattr(value, name)) for name in names]


@cache
def _names_in(kind: Any) -> tuple[str, ...] | None:
    """The fields of a dataclass that say what happened; None for what is no dataclass."""
    return tuple(each.name for each in fields(kind) if each.name not in IGNORED) if is_dataclass(kind) else None


@dataclass(slots=True)
class Doubts:
    """Decides which steps back of one answer count, and collects the doubts and retreats that are left after it.

    `good` names the parts that this answer confirms. `wary`: of these parts only what has more counts at once, because
    something is gone that it may have been deduced from; it waits for `patience` good answers.
    """

    earlier: Mapping[str, Doubt]
    retreats: dict[str, Retreat]
    good: AbstractSet[Part]
    wary: AbstractSet[Part] = frozenset()
    patience: int = CONFIRMATIONS
    doubted: dict[str, Doubt] = field(default_factory=dict)
    parts: set[Part] = field(default_factory=set)
    """The parts in which something is in doubt."""
    unconfirmed: bool = False
    """Whether something is gone that neither this answer nor an earlier one can confirm."""

    def keep(self, part: Part, name: str, before: Any, after: Any = None) -> bool:
        """Whether `before` stays for now though the answer says `after`, None where it is gone; `name` is unique in the match."""
        if not self._doubts(part, Doubt(name, identify(after), 1), self.confirmations(name)):
            known = self.retreats.pop(name, Retreat(name, ""))
            self.retreats[name] = replace(known, value=identify(before))
            return False
        return True

    def wait(self, part: Part, name: str) -> bool:
        """Whether what is no step back itself stays as it was, together with what is gone."""
        return part in self.wary and self._doubts(part, Doubt(name, ANYTHING, 1), self.patience)

    def accept(self, name: str, after: Any) -> None:
        """Something else is believed from now on. What had been given up has come back, or is forgotten."""
        retreat = self.retreats.get(name)
        if retreat is None:
            return
        if retreat.value == identify(after):
            self.retreats[name] = replace(retreat, undone=retreat.undone + 1)
        else:
            del self.retreats[name]

    def confirmations(self, name: str) -> int:
        """Good answers that a step back of this name needs."""
        known = self.retreats.get(name)
        return CONFIRMATIONS if known is None else known.confirmations

    def needed(self) -> int:
        """Good answers that the most patient of the doubts needs."""
        return max(map(self.confirmations, self.doubted), default=CONFIRMATIONS)

    def _doubts(self, part: Part, new: Doubt, needed: int) -> bool:
        """Whether the step back is still in doubt after this answer."""
        earlier = self.earlier.get(new.name)
        known = earlier if earlier is not None and earlier.value == new.value else None
        if part not in self.good:
            if known is None:
                self.unconfirmed = True
            else:
                self._add(part, known)
            return True
        again = new if known is None else replace(known, answers=known.answers + 1)
        if again.answers >= needed:
            return False
        self._add(part, again)
        return True

    def _add(self, part: Part, doubt: Doubt) -> None:
        self.doubted[doubt.name] = doubt
        self.parts.add(part)


def by_name(doubts: Iterable[Doubt]) -> dict[str, Doubt]:
    """The doubts by their names."""
    return {each.name: each for each in doubts}


def less(after: Any, before: Any) -> bool:
    """Whether `after` has nothing that `before` does not have, a text that is cut off, or a lower score.

    `Goa` is less than `Goal`, and `1:0` less than `2:0`; `Gol` is a correction of `Goal`.
    """
    if after == before or after in (None, "", ()):
        return True
    return type(after) is type(before) and _less_of_its_kind(after, before)


def _less_of_its_kind(after: Any, before: Any) -> bool:
    if isinstance(after, str):
        return bool(before.startswith(after))
    if isinstance(after, Score):
        return after.total < int(before.total)
    if isinstance(after, tuple):
        return all(is_dataclass(each) and any(less(each, other) for other in before) for each in after)
    return is_dataclass(after) and _fields_less(after, before)


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
    return _in_order(rows, known) if _has_moved(rows, known) and _order_stays(rows, known, name, doubts) else rows


def _order_stays(people: Iterable[Person], places: Iterable[str], name: str, doubts: Doubts) -> bool:
    order = tuple([each.ext_id for each in people])
    return doubts.keep(Part.SQUADS, f"{name} order", tuple(places), order)


def _has_moved(people: Iterable[Person], places: Mapping[str, int]) -> bool:
    names = [each.ext_id for each in people]
    return places.keys() == set(names) and [*places] != names


def _in_order(people: Iterable[Person], places: Mapping[str, int]) -> tuple[Person, ...]:
    return tuple(sorted(people, key=lambda each: places[each.ext_id]))
