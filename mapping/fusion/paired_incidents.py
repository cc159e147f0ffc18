"""Finds the same incident in two sources, by what differs between them and never by an id.

Goals are aligned in their order, for each side that they count for; everything else goes by the cheapest pair. Sources count
minutes differently, cap added time or not, lack a goal, a scorer or a minute now and then, and spell names in their own ways:
none of it forbids a pair, all of it costs something. A pair becomes one incident: what both have is the first one's, what they
disagree about the leading one's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import product
from typing import Any

from mapping.belief.goals import SHOOTOUT, credited_side
from mapping.fusion.joined_people import name_tokens, people_of, spelt_alike
from mapping.match.match import Incident, Match, Person

Costs = Mapping[tuple[str, str], float]


NEAR = 2
"""Minutes apart that say nothing: sources count them differently."""
INCIDENT_KEY = "incident:"
"""Prefix of the key of an incident that has an id of its source."""
CAPS: Mapping[int, int] = {1: 45, 2: 90, 3: 105, 4: 120}
"""Phase → the minute at which some sources stand still in its added time."""
CLASSES: Mapping[str, str] = {
    "soccer.goal": "goal",
    "soccer.own-goal": "goal",
    "soccer.red-card": "sent-off",
    "soccer.yellow-red-card": "sent-off",
}
"""Event types that sources use for the same; every other one is its own class."""
OF_SHOOTOUT = " of the shoot-out"
ROLES: Mapping[str, str] = {"scorer": "player", "own-goal": "player", "player": "player", "in": "in", "out": "out"}
"""Roles that identify an incident, under one name; an assist comes and goes."""
COSTS: Mapping[str, float] = {
    "minute": 1.0, "most minutes": 15.5, "most minutes of one player": 5.0, "player": 5.0, "unknown": 1.0, "score": 1.5,
    "phase": 1.0, "kind": 0.5, "method": 0.5, "gone": 3.0, "known": -4.0, "missing": 8.25, "most": 7.6,
}  # fmt: skip
"""What it costs to take two incidents for one that differ in this, to take one for `missing` in the other source, and from
which cost on two that have no order are two. `gone`: one source has it no more; `known`: they were taken for one before."""


FILLED = ("phase", "side", "score", "method", "team", "detail")
"""Fields that come from the other source where one has none, each by itself."""


def pair_incidents(
    lead: Match,
    other: Match,
    known: Iterable[tuple[str, str]] = (),
    gone: Sequence[Incident] = (),
    gone_there: Sequence[Incident] = (),
) -> dict[str, str]:
    """Keys of the incidents that are the same, lead → other, one to one, in the order of the leading source.

    People of `other` who are joined with one of `lead` have that one's id (mapping.fusion.joined_people). `known`: pairs of keys
    (lead, other) that were found earlier. `gone`, `gone_there`: goals that one has no more: the other one may be late.
    """
    people, before = frozenset(each.ext_id for each in people_of(lead)), set(known)

    def costs(ones: Iterable[Incident], twos: Iterable[Incident]) -> Costs:
        return {
            (one.key, two.key): _cost(one, two, people)
            + COSTS["gone"] * (one in gone or two in gone_there)
            + COSTS["known"] * ((one.key, two.key) in before and not (one in gone or two in gone_there))
            for one, two in product(ones, twos)
            if kind_class(one) == kind_class(two) and len({credited_side(one), credited_side(two)} - {None}) < 2
        }

    shared = {each.key for each in other.incidents if is_shared(each.key)}
    found = {each.key: each.key for each in lead.incidents if each.key in shared}
    theirs = _by_side((*other.incidents, *gone_there))
    for name, ones in _by_side((*lead.incidents, *gone)).items():
        twos = theirs.get(name, [])
        found.update(_align(ones, twos, costs(ones, twos)))
    taken = shared.union(found.values())
    ones = [each for each in lead.incidents if each.key not in found and not is_shared(each.key)]
    found.update(_cheapest(costs(ones, (each for each in other.incidents if each.key not in taken))))
    return found


def _by_side(incidents: Iterable[Incident]) -> dict[tuple[str, str | None], list[Incident]]:
    """What has an order, of each class and side that it counts for."""
    found: dict[tuple[str, str | None], list[Incident]] = {}
    for each in incidents:
        if _has_order(each) and not is_shared(each.key) and credited_side(each):
            found.setdefault((kind_class(each), credited_side(each)), []).append(each)
    return {name: _in_order(group, name[1]) for name, group in found.items()}


def _has_order(incident: Incident) -> bool:
    return kind_class(incident) == "goal" or kind_class(incident).endswith(OF_SHOOTOUT)


def _in_order(goals: list[Incident], side: str | None) -> list[Incident]:
    """By the score after them, else by their minutes, else as the source has them."""
    if all(each.score is not None for each in goals):
        return sorted(goals, key=lambda each: getattr(each.score, side or ""))
    if all(each.minute is not None for each in goals):
        return sorted(goals, key=lambda each: each.running_minute)
    return goals


def _align(ones: Sequence[Incident], twos: Sequence[Incident], costs: Costs) -> dict[str, str]:
    """The pairs of two sequences in order that cost least together with what is left over."""
    best: list[tuple[float, dict[str, str]]] = [(at * COSTS["missing"], {}) for at in range(len(twos) + 1)]
    for number, one in enumerate(ones, 1):
        row: list[tuple[float, dict[str, str]]] = [(number * COSTS["missing"], {})]
        for at, two in enumerate(twos):
            together, pairs = best[at]
            left = min(best[at + 1], row[at], key=lambda each: each[0])
            paired = together + costs[one.key, two.key]
            alone = left[0] + COSTS["missing"]
            row.append((paired, {**pairs, one.key: two.key}) if paired <= alone else (alone, left[1]))
        best = row
    return best[-1][1]


def _cheapest(costs: Costs) -> dict[str, str]:
    """The pairs of what has no order, one after the other: the cheapest one that is left first."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for one, two in sorted(costs, key=lambda each: costs[each]):
        if costs[one, two] < COSTS["most"] and one not in found and two not in taken:
            found[one] = two
            taken.add(two)
    return found


def _cost(one: Incident, two: Incident, people: AbstractSet[str]) -> float:
    """What two incidents of one class and side cost that are taken for one."""
    apart, players = minutes_apart(one, two), same_people(one, two, people)
    once = players is True and not _has_order(one)
    most = COSTS["most minutes of one player"] if once else COSTS["most minutes"]
    costs = (
        COSTS["unknown"] if apart is None else min(apart * COSTS["minute"], most),
        COSTS["unknown"] if players is None else 0.0 if players else COSTS["player"],
        _differ(one.score, two.score) * COSTS["score"],
        _differ(one.phase, two.phase) * COSTS["phase"],
        (one.kind != two.kind) * COSTS["kind"],
        (one.method != two.method) * COSTS["method"],
    )
    return sum(costs)


def _differ(one: object, two: object) -> bool:
    return None not in {one, two} and one != two


def is_shared(key: str) -> bool:
    """Whether a key says what the incident is, in every source alike: a whistle, a game of a set, a step of the score.

    `period:soccer.end` is the same in every source, `incident:7` is not.
    """
    return not key.startswith(INCIDENT_KEY)


def kind_class(incident: Incident) -> str:
    """What an incident is in every source: an own goal is a goal, a second yellow sends off, kicks of a shoot-out are apart."""
    plain = CLASSES.get(incident.kind, incident.kind)
    return f"{plain}{OF_SHOOTOUT}" if incident.method == SHOOTOUT or incident.phase == 5 else plain


def minutes_apart(one: Incident, two: Incident) -> int | None:
    """Minutes between two incidents; None where one has none.

    One that stands at the end of its phase without added time may be anywhere in the added time of the other.
    """
    if one.minute is None or two.minute is None:
        return None
    cap = CAPS.get(one.phase or two.phase or 0)
    stands_at_cap = any(each.minute == cap and not each.added for each in (one, two))
    if cap is not None and stands_at_cap and min(one.minute, two.minute) >= cap:
        return 0
    return abs(one.running_minute - two.running_minute)


def agree(one: Incident, two: Incident, known: AbstractSet[str]) -> bool:
    """Whether two incidents that are one only say it differently: minutes near each other, spellings of a name."""
    if credited_side(one) != credited_side(two):
        return False
    near = (minutes_apart(one, two) or 0) <= NEAR and not _differ(one.score, two.score)
    return one.kind != two.kind or (near and same_people(one, two, known) is not False)


def same_people(one: Incident, two: Incident, known: AbstractSet[str]) -> bool | None:
    """Whether the people who count are the same in both; None where a source names none of them.

    `known`: ids of the leading source's people.
    """
    ours, theirs = _by_role(one), _by_role(two)
    compared = [_same_person(ours[role], theirs[role], known) for role in ours.keys() & theirs.keys()]
    return all(compared) if compared else None


def _by_role(incident: Incident) -> dict[str, Person]:
    return {ROLES[each.role]: each.person for each in incident.people if each.role in ROLES}


def _same_person(one: Person, two: Person, known: AbstractSet[str]) -> bool:
    """By the join of the squads; by a word of their names where the other source's person is joined with nobody."""
    if one.ext_id == two.ext_id or two.ext_id in known:
        return one.ext_id == two.ext_id
    ours, theirs = name_tokens(one.name, one.short_name), name_tokens(two.name, two.short_name)
    return bool(ours & theirs) or any(spelt_alike(one, other) for one in ours for other in theirs)


def fused_incident(
    key: str, first: Incident | None, second: Incident | None, known: AbstractSet[str], *, second_leads: bool
) -> Incident:
    """The incident under the match's key. One of both sources has it. `known`: ids of the first one's people.

    | field | whose |
    |---|---|
    | all of a whistle, and of what both agree about | the first source's, so that nothing changes with the lead |
    | kind, where one calls it an own goal, or a red card a second yellow one | the first source's |
    | anything else | the leading source's |
    | minute with added time | of whoever has the added time, where the other one stands still at the end of a phase |
    | what it lacks: roles, phase, side, score, method, team, detail | the other source's |
    | time | the first source's: posts stay in their order |
    """
    if first is None or second is None:
        alone = first or second
        if alone is None:
            raise ValueError(key)
        return replace(alone, key=key)
    if not second_leads or is_shared(first.key) or agree(first, second, known):
        one, reviewed = _with_lacking(first, second), (second if second_leads else first).under_review
        return replace(one, key=key, under_review=reviewed)
    one = _with_lacking(second, first)
    if first.created_at is not None:
        one = replace(one, created_at=first.created_at, synthesised=first.synthesised)
    return replace(one, key=key)


def _with_lacking(one: Incident, two: Incident) -> Incident:
    roles = {each.role for each in one.people}
    more = tuple(each for each in two.people if each.role not in roles)
    lacking: dict[str, Any] = {name: getattr(two, name) for name in FILLED if getattr(one, name) is None}
    minutes: dict[str, Any] = {"minute": two.minute, "added": two.added} if _knows_better(one, two) else {}
    time: dict[str, Any] = {"created_at": two.created_at} if one.created_at is None else {}
    return replace(one, people=(*one.people, *more) if one.people else two.people, **lacking, **minutes, **time)


def _knows_better(one: Incident, two: Incident) -> bool:
    """Whether the other source alone has a minute, or the added time of one that stands still."""
    cap = CAPS.get(one.phase or two.phase or 0)
    stands_still = one.minute == cap == two.minute and not one.added
    return (one.minute is None and two.minute is not None) or bool(stands_still and two.added)


def in_order(incidents: Iterable[Incident]) -> tuple[Incident, ...]:
    """The incidents as they happened: those of one minute as their sources have them."""
    return tuple(sorted(incidents, key=lambda each: (each.phase or 0, each.minute or 0, each.added or 0, each.order)))
