"""What the translators of all providers share about teams: the winner, and the order of a squad."""

from __future__ import annotations

from mapping.match.match import Decided, Person, Score, SideName, Status

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
