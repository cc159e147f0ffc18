"""Reads goals, cards and substitutions of Stats Perform: rows keep their place, and disappear where they are deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from mapping.match.match import OPPONENT, Incident, Involved, Person, Score, Side, SideName
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.statsperform.catalog import GOAL, OWN_GOAL, PERIODS, RED, SUBSTITUTION, YELLOW, YELLOW_RED
from providers.statsperform.payload import MATCH, Row

LONGEST_ADDED = 45
"""Minutes of added time above which a number is a slip of the pen."""
SHOOTOUT = 5
KICK = "shootout"


@dataclass(frozen=True, slots=True)
class People:
    """Who plays in this match: persons by their ids, and the side of each person and team."""

    persons: Mapping[str, Person]
    side_of_person: Mapping[str, SideName]
    side_of_team: Mapping[str, SideName]

    @classmethod
    def of(cls, sides: Mapping[SideName, Side]) -> People:
        listed = [(name, each) for name, side in sides.items() for each in (*side.lineup, *side.bench)]
        return cls(
            {each.ext_id: each for _, each in listed},
            {each.ext_id: name for name, each in listed},
            {side.ext_id: name for name, side in sides.items()},
        )

    def person(self, row: Row, ident: str, name: str, faults: FaultCollector) -> Person | None:
        """The person of these fields, as the line-ups have him; he may not be in them."""
        ext_id, called = faults.try_read(row.text, ident), faults.try_read(row.text, name)
        if ext_id is None:
            return None
        if ext_id in self.persons:
            return self.persons[ext_id]
        return None if called is None else Person(ext_id=ext_id, name=called)

    def involved(self, row: Row, faults: FaultCollector, *roles: tuple[str, str]) -> tuple[Involved, ...]:
        """Those who are named, each by (role, beginning of the names of its fields)."""
        found = ((role, self.person(row, f"{field}Id", f"{field}Name", faults)) for role, field in roles)
        return tuple(Involved(role=role, person=person) for role, person in found if person is not None)


Read = Callable[[Row, FaultCollector], Incident]


def incidents(live: Row, people: People, faults: FaultCollector, names: Mapping[str, str]) -> list[Incident]:
    """All of a match, in the order of play; a row that comes twice is one."""
    goals = list(_rows(live, "goal", "optaEventId", faults, lambda row, own: _goal(row, people, own, names)))
    cards = _rows(live, "card", "optaEventId", faults, lambda row, own: _card(row, people, own, names))
    changes = _rows(live, "substitute", "", faults, lambda row, own: _substitution(row, people, own))
    found = {each.key: each for each in (*_with_sides(goals), *cards, *changes)}
    return sorted(found.values(), key=_when)


def _when(incident: Incident) -> tuple[int, int, int, int, str]:
    return incident.phase or 0, incident.minute or 0, incident.added or 0, incident.created_at or 0, incident.key


def _rows(live: Row, name: str, ident: str, faults: FaultCollector, read: Read) -> Iterator[Incident]:
    """The incidents of one list. Nobody knows which one a row is whose id cannot be read, so it blocks withdrawals."""
    for at, item in enumerate(faults.try_read(live.items, name, blocks_withdrawal=True) or ()):
        row = faults.try_read(Row.of, item, f"{name}.{at}.", blocks_withdrawal=True)
        known = None if row is None else faults.try_read(_key, row, ident, blocks_withdrawal=True)
        if row is not None and known is not None:
            own = faults.for_row(MATCH, known)
            found = own.try_read(read, row, own)
            if found is not None:
                yield found


def _key(row: Row, ident: str) -> str:
    """What identifies a row: its id; of a substitution, which has none, who goes off and who comes on."""
    if not ident:
        off, on = (row.needed(name).text(name) for name in ("playerOffId", "playerOnId"))
        return f"sub-{off}-{on}"
    return row.needed(ident).text(ident) or ""


def _place(row: Row, faults: FaultCollector) -> dict[str, int | None]:
    """Minute, added time, phase and time: the minute runs on in added time, and the part says of which half."""
    phase = faults.try_read(lambda: row.needed("periodId").number("periodId"))
    minute = faults.try_read(lambda: row.needed("timeMin").number("timeMin"))
    created = faults.try_read(row.moment, "timestamp")
    if phase is not None and phase not in PERIODS:
        faults.add(row.at("periodId"), f"unknown part {phase}")
        phase = None
    last = PERIODS[SHOOTOUT if phase is None else phase].end_minute
    if minute is not None and not 0 < minute <= last + (LONGEST_ADDED if phase is not None else 0):
        faults.add(row.at("timeMin"), "no minute of a match")
        minute = None
    added = minute - last if minute is not None and minute > last else None
    return {"minute": minute and min(minute, last), "added": added, "phase": phase, "created_at": created}


def _side(row: Row, people: People, faults: FaultCollector) -> SideName | None:
    team = faults.try_read(lambda: row.needed("contestantId").text("contestantId"))
    if team is not None and team not in people.side_of_team:
        faults.add(row.at("contestantId"), "neither of the two teams")
    return people.side_of_team.get(team or "")


def _incident(row: Row, faults: FaultCollector, kind: str, **more: object) -> Incident:
    return Incident(key=f"incident:{faults.row}", kind=kind, order=0, **_place(row, faults), **more)  # type: ignore[arg-type]


def _goal(row: Row, people: People, faults: FaultCollector, names: Mapping[str, str]) -> Incident:
    what, kind = _kind(row, {names["goal"]: GOAL, names["penalty_goal"]: GOAL, names["own_goal"]: OWN_GOAL})
    scorer = faults.try_read(row.text, "scorerId") or ""
    found = _incident(
        row, faults, kind,
        people=people.involved(row, faults, ("scorer", "scorer"), ("assist", "assistPlayer")),
        score=_score(row, faults),
        method="penalty" if what == names["penalty_goal"] else None,
        side=people.side_of_person.get(scorer) if kind == OWN_GOAL else _side(row, people, faults),
    )  # fmt: skip
    return found if found.phase != SHOOTOUT else replace(found, method=KICK)


def _kind(row: Row, kinds: Mapping[str, str]) -> tuple[str, str]:
    """(the row's type, the event type). ValueMismatch for a type that nobody knows."""
    what = row.needed("type").text("type") or ""
    if what not in kinds:
        raise ValueMismatch(row.at("type"), f"unknown type {what[:20]!r}")
    return what, kinds[what]


def _score(row: Row, faults: FaultCollector) -> Score | None:
    home, away = (faults.try_read(row.number, name) for name in ("homeScore", "awayScore"))
    if home is None or away is None:
        faults.add(row.at("homeScore" if home is None else "awayScore"), "missing")
        return None
    return Score(home, away)


def _with_sides(goals: list[Incident]) -> Iterator[Incident]:
    """The goals; an own goal without a side is of the side whose score did not rise."""
    before = Score(0, 0)
    for each in sorted(goals, key=lambda goal: (0, 0) if goal.score is None else (goal.score.total, goal.score.home)):
        if each.kind == OWN_GOAL and each.side is None and each.score is not None:
            rose: SideName = "home" if each.score.home > before.home else "away"
            each = replace(each, side=OPPONENT[rose])  # noqa: PLW2901 -- the same goal, with its side
        before = each.score or before
        yield each


def _card(row: Row, people: People, faults: FaultCollector, names: Mapping[str, str]) -> Incident:
    """A card of a player, or of somebody of the staff, who is no player of the match."""
    _, kind = _kind(row, {names["yellow"]: YELLOW, names["second_yellow"]: YELLOW_RED, names["red"]: RED})
    return _incident(
        row, faults, kind,
        people=people.involved(row, faults, ("player", "player")),
        side=_side(row, people, faults),
        detail=faults.try_read(row.text, "officialName"),
    )  # fmt: skip


def _substitution(row: Row, people: People, faults: FaultCollector) -> Incident:
    return _incident(
        row, faults, SUBSTITUTION,
        people=people.involved(row, faults, ("in", "playerOn"), ("out", "playerOff")),
        side=_side(row, people, faults),
    )  # fmt: skip
