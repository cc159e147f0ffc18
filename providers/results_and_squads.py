"""What the translators of all providers share: who has won and how, the order of a squad, and the order of play."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mapping.match.match import Decided, Incident, Person, Score, SideName, Status

LINES = {"keeper": 0, "defense": 1, "midfield": 2, "offense": 3}
"""Position key of the interface → place in a squad."""

NO_NUMBER = 10_000


def winner(status: Status, decisive: Score | None) -> SideName | None:
    """The side that is ahead by the decisive score of a finished match."""
    return decisive.ahead if status is Status.FINISHED and decisive is not None else None


def how_decided(status: Status, *, shootout: bool, extra: bool, result: bool, awarded: bool = False) -> Decided | None:
    """How a match of halves was decided: by kicks, in extra time or before it; `result`: whether its result is there.

    `awarded`: the provider says that it was decided off the pitch.
    """
    if status is not Status.FINISHED:
        return None
    if awarded:
        return Decided.AWARD
    if not result:
        return Decided.UNKNOWN
    return Decided.SHOOTOUT if shootout else Decided.OVERTIME if extra else Decided.REGULAR


def squad_rank(member: Person) -> tuple[int, int]:
    """Sorts goalkeepers first, then by line and shirt number."""
    number = member.number or ""
    plain = number.isascii() and number.isdigit() and len(number) < 5
    return LINES.get(member.position or "", len(LINES)), int(number) if plain else NO_NUMBER


def divide_squad(members: Iterable[tuple[Person, bool]]) -> tuple[tuple[Person, ...], tuple[Person, ...]]:
    """Line-up and bench, each in its order, of people and whether each of them starts."""
    ordered = sorted(members, key=lambda member: squad_rank(member[0]))
    return tuple(who for who, starts in ordered if starts), tuple(who for who, starts in ordered if not starts)


def in_order_of_play(whistles: Sequence[Incident], happened: Sequence[Incident]) -> tuple[Incident, ...]:
    """All of them as they happened: a part's start before what is in it, and its end behind."""
    starts = {each.kind for each in whistles if each.kind.rpartition(".")[2].startswith(("start", "resume"))}

    def when(incident: Incident) -> tuple[int, int, int, int]:
        rank = 1 if not incident.marks_period else 0 if incident.kind in starts else 2
        return incident.phase or 0, rank, incident.minute or 0, incident.added or 0

    return tuple(replace(each, order=at) for at, each in enumerate(sorted((*whistles, *happened), key=when)))
