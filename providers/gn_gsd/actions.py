"""Reads goals, cards, missed penalties and substitutions from the main actions of a match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from mapping.match.match import OPPONENT, Incident, Involved, PeriodScore, Person, Score, Side, SideName
from providers.fault_collector import FaultCollector, ValueMismatch, read_if_fits
from providers.gn_gsd import clock
from providers.gn_gsd.catalog import GOAL, IGNORED, KINDS, OWN_GOAL, PENALTY, SHOOTOUT_PHASE, SUBSTITUTION, Kind
from providers.gn_gsd.names import keywords
from providers.gn_gsd.payload import ACTIONS
from providers.gn_gsd.read import Node, node
from providers.gn_gsd.squads import person

ROLES: Mapping[str, tuple[str, str]] = {SUBSTITUTION: ("in", "out"), GOAL: ("scorer", "assist")}
UNTIMED = 10**6
"""Rows without a clock or a sequence come last."""


@dataclass(frozen=True, slots=True)
class Cast:
    """The teams of the match, and who plays for which."""

    sides: Mapping[str, SideName]
    teams: Mapping[SideName, Side | None]
    squads: Mapping[str, tuple[SideName, Person]]

    @classmethod
    def of(cls, sides: Mapping[SideName, Side | None]) -> Cast:
        found = {name: team for name, team in sides.items() if team is not None}
        return cls(
            sides={team.ext_id: name for name, team in reversed(found.items())},
            teams=sides,
            squads={who.ext_id: (name, who) for name, team in found.items() for who in (*team.lineup, *team.bench)},
        )

    def known(self, who: Person | None) -> Person | None:
        """A player as the squad knows him, else as the action does."""
        return None if who is None else self.squads.get(who.ext_id, ("", who))[1]

    def side_of(self, who: Person | None) -> SideName | None:
        """The side that a player is in the squad of."""
        return self.squads[who.ext_id][0] if who is not None and who.ext_id in self.squads else None


class Action(NamedTuple):
    """A row that is an incident, checked; `updated` is the moment of its last change (0 where it does not say)."""

    incident: Incident
    sequence: int | None
    updated: int

    @property
    def place(self) -> tuple[int, int, int, int, str]:
        """By the clock, then by the feed's sequence: the same whatever order the rows come in."""
        at, sequence = self.incident, UNTIMED if self.sequence is None else self.sequence
        minute = (UNTIMED, 0) if at.minute is None else (at.minute, at.added or 0)
        return (at.phase or UNTIMED, *minute, sequence, at.key)


def incidents(
    rows: Iterable[tuple[str, Any]], cast: Cast, names: Mapping[str, str], faults: FaultCollector
) -> tuple[Incident, ...]:
    """The incidents in the order of play. Of two rows with one id the one changed last stands, else the later one."""
    found: dict[str, Action] = {}
    for path, row in rows:
        action_id = row_id(row, names)
        about = faults.for_row(ACTIONS, action_id or path)
        action = about.try_read(
            partial(_read, path, row, cast, names, about, action_id=action_id), blocks_withdrawal=action_id is None
        )
        if action is not None:
            key = action.incident.key
            found[key] = action if key not in found or action.updated >= found[key].updated else found[key]
    ordered = sorted(found.values(), key=lambda action: action.place)
    return tuple(replace(action.incident, order=order) for order, action in enumerate(ordered))


def with_scores(
    happened: tuple[Incident, ...], cast: Cast, sent: tuple[Score | None, Iterable[PeriodScore]], faults: FaultCollector
) -> tuple[Incident, ...]:
    """The incidents, the goals with the score after each where they, or the first of them, lead to one that was `sent`.

    An own goal that its row credits to the scorer's own side goes to the other one where the score says so too.
    """
    total, parts = sent
    turned = tuple(_turn_own_goal(each, cast) for each in happened)
    if total not in _count_scores(happened) and total in _count_scores(turned)[-1:]:
        for now in (now for was, now in zip(happened, turned, strict=True) if now != was):
            about = faults.for_row(ACTIONS, now.key.removeprefix("incident:"))
            about.add("participant.id", "credits an own goal against line-up and score")
        happened = turned
    counted = _count_scores(happened)
    if total not in {Score(0, 0), *counted} and not any(each.score in counted[-1:] for each in parts):
        return happened
    scores = iter(counted)
    return tuple(
        replace(each, score=each.score or score) if each.kind == GOAL and (score := next(scores, None)) else each
        for each in happened
    )


def _count_scores(happened: Iterable[Incident]) -> list[Score]:
    """The score after each goal by the goals alone; none where nobody knows whose one of them is."""
    sides = [each.side for each in happened if each.kind == GOAL]
    if None in sides:
        return []
    return [Score(sides[:at].count("home"), sides[:at].count("away")) for at in range(1, len(sides) + 1)]


def _turn_own_goal(incident: Incident, cast: Cast) -> Incident:
    """An own goal by a player of the side that it is credited to as one of the other side; anything else as it is."""
    who = next((each.person for each in incident.people), None)
    if incident.method != OWN_GOAL or incident.side is None or cast.side_of(who) != incident.side:
        return incident
    return replace(incident, side=OPPONENT[incident.side], people=_own_goal(who, OPPONENT[incident.side], cast))


def row_id(row: Any, names: Mapping[str, str]) -> str | None:
    """The id of a row, None where nothing says which one it is."""
    return read_if_fits(lambda: node("", row, names).ident("id"))


def _read(
    path: str, value: Any, cast: Cast, names: Mapping[str, str], faults: FaultCollector, *, action_id: str | None
) -> Action | None:
    """The action of a row; None for what is understood and not wanted. ValueMismatch for a row that is no incident."""
    row = Node(node(path, value, names).data, names)  # fields are named from the row on, as the row is named itself
    if faults.try_read(row.keyword, "action_deleted") in keywords(names, "deleted"):
        return None
    kind = kind_of(row, faults)
    at = clock.moment(row, faults)
    if kind is None or at.phase == SHOOTOUT_PHASE:
        return None
    if action_id is None:
        row.ident("id")
        raise ValueMismatch("id", "missing")
    first = _person(row, "action_person", cast, faults)
    other = _person(row, "action_other", cast, faults)
    method = kind.method or _method(row, kind, faults)
    side = _side(row, kind, cast, first or other, faults)
    updated = faults.try_read(row.moment, "action_updated")
    incident = Incident(
        key=f"incident:{action_id}", kind=kind.type, order=0, minute=at.minute, added=at.added, phase=at.phase, side=side,
        people=_own_goal(first, side, cast) if method == OWN_GOAL else tuple(_roles(kind, method, first, other)),
        score=_score(row, faults) if kind.type == GOAL else None, method=method,
        created_at=faults.try_read(row.moment, "action_created"),
    )  # fmt: skip
    return Action(incident, faults.try_read(row.number, "sequence"), max(updated or 0, 0))


def kind_of(row: Node, faults: FaultCollector) -> Kind | None:
    """What an action is by its kind, its finer kind, both together, and its reason; None for what is not wanted."""
    kind, detail, reason = (faults.try_read(row.keyword, f"action_{key}") or "" for key in ("kind", "detail", "reason"))
    given = {kind, detail, f"{kind}_{detail}"} - {""}
    for each in KINDS:
        if keywords(row.names, each.keywords) & (given | {reason} if each.by_reason else given):
            return each
    if given & keywords(row.names, IGNORED):
        return None
    path, _ = row.first("action_kind")
    raise ValueMismatch(path, f"unknown kind of action {kind[:40]!r}" if kind else "missing")


def _method(row: Node, kind: Kind, faults: FaultCollector) -> str | None:
    """A goal from the spot: by its kind or its reason."""
    keys = ("action_kind", "action_detail", "action_reason") if kind.type == GOAL else ()
    given = {faults.try_read(row.keyword, key) for key in keys}
    return PENALTY if given & keywords(row.names, "reason_penalty") else None


def _person(row: Node, key: str, cast: Cast, faults: FaultCollector) -> Person | None:
    part = faults.try_read(row.part, key)
    return cast.known(faults.try_read(person, part, faults))


def _side(row: Node, kind: Kind, cast: Cast, who: Person | None, faults: FaultCollector) -> SideName | None:
    """The acting team's side, of an own goal the side that it counts for; where the row does not say, the player's."""
    team_id = faults.try_read(row.ident, "action_team")
    if team_id is not None and team_id in cast.sides:
        return cast.sides[team_id]
    path, _ = faults.try_read(row.first, "action_team") or ("participant.id", None)
    faults.add(path, "missing" if team_id is None else "plays for neither side")
    own = cast.side_of(who)
    return OPPONENT[own] if own is not None and kind.method == OWN_GOAL else own


def _own_goal(who: Person | None, credited: SideName | None, cast: Cast) -> tuple[Involved, ...]:
    """Who scored it, a player of the other team than the one that it counts for."""
    team = None if credited is None else cast.teams.get(OPPONENT[credited])
    return () if who is None else (Involved(role="own-goal", person=who, team=team),)


def _roles(kind: Kind, method: str | None, first: Person | None, other: Person | None) -> Iterable[Involved]:
    """Who did what. The second person of a goal gave the pass, unless it was scored from the spot."""
    roles = ROLES.get(kind.type, ("player", ""))
    roles = (roles[0], "") if method == PENALTY else roles
    return (Involved(role=role, person=who) for role, who in zip(roles, (first, other), strict=True) if role and who)


def _score(row: Node, faults: FaultCollector) -> Score | None:
    home, away = (faults.try_read(row.number, f"action_score_{side}") for side in ("home", "away"))
    return None if home is None or away is None else Score(home, away)
