"""Goals: in any order, twice, without minute or scorer, under ids that change; the score after a goal says which it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mapping.match.match import OPPONENT, Incident, Involved, Person, Score, SideName
from providers.fault_collector import FaultCollector
from providers.openligadb.catalog import GOAL, OWN_GOAL
from providers.openligadb.payload import MATCH
from providers.openligadb.read import Row
from providers.openligadb.score import EXTRA, FULL, HALF, Results, covers

HALF_ENDS, FULL_ENDS, EXTRA_HALF_ENDS, EXTRA_ENDS = 45, 90, 105, 120
ENDS = (HALF_ENDS, FULL_ENDS, EXTRA_HALF_ENDS, EXTRA_ENDS)
LONGEST_STOPPAGE = 15
STOPPAGE = re.compile(r"\b(45|90|105|120) ?\+ ?([0-9]{1,2})\b", re.ASCII)
"""How some write added time into the comment of a goal."""

FLAGS = ("isPenalty", "isOwnGoal", "isOvertime")


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A row of `goals`. `kick`: it belongs to the shoot-out."""

    score: Score
    entered: int
    minute: int | None
    scorer: Person | None
    penalty: bool
    own: bool
    overtime: bool
    kick: bool
    comment: str


def read_goals(match: Row, faults: FaultCollector, names: Mapping[str, str]) -> tuple[Goal, ...]:
    """The goals in the order of play; of two with one score the one that was entered later.

    Nothing but its score says which goal a row is: one that cannot be read may be any of them.
    """
    found: dict[Score, Goal] = {}
    for at, item in enumerate(
        faults.try_read(lambda: match.needed("goals").items("goals"), blocks_withdrawal=True) or ()
    ):
        own = faults.for_row(MATCH, f"goals {at}")
        goal = own.try_read(_goal, item, own, names, blocks_withdrawal=True)
        if goal is None:
            continue
        twin = found.get(goal.score)
        if twin is not None:
            own.add("scoreTeam1", f"a second goal for {goal.score}")
        found[goal.score] = goal if twin is None else max(twin, goal, key=lambda each: each.entered)
    return tuple(sorted(found.values(), key=lambda goal: (goal.score.total, goal.score.home)))


def _goal(item: object, faults: FaultCollector, names: Mapping[str, str]) -> Goal | None:
    """None for a goal that nobody has given a score yet."""
    row = Row.of(item)
    score = row.score("scoreTeam1", "scoreTeam2")
    if score is None or (score.home, score.away) == (0, 0):
        faults.add("scoreTeam1", "a goal without a score", blocks_withdrawal=True)
        return None
    comment, entered = faults.try_read(row.text, "comment") or "", faults.try_read(row.number, "goalID")
    flags = {name: faults.try_read(row.flag, name) is True for name in FLAGS}
    return Goal(
        score=score,
        entered=entered or 0,
        minute=faults.try_read(row.number, "matchMinute") or None,
        scorer=_scorer(row, faults),
        penalty=flags["isPenalty"],
        own=flags["isOwnGoal"],
        overtime=flags["isOvertime"],
        kick=names["word_shootout"].casefold() in comment.casefold(),
        comment=comment,
    )


def _scorer(row: Row, faults: FaultCollector) -> Person | None:
    """The scorer; where the feed has no id for a name, the name is the identity."""
    name, ident = faults.try_read(row.text, "goalGetterName"), faults.try_read(row.ident, "goalGetterID")
    return None if name is None else Person(ext_id=ident or f"name:{name}", name=name)


def incidents(goals: Sequence[Goal], found: Results, faults: FaultCollector) -> tuple[Incident, ...]:
    """An incident for each goal on the pitch. Its side is the scorer's, for an own goal the side that did not get it."""
    scored: list[Incident] = []
    before = Score(0, 0)
    for goal in goals:
        got = _got(before, goal.score)
        if got is None:
            faults.add("goals", f"nothing says which side made it {goal.score}")
        scored.append(_incident(goal, got, found, len(scored)))
        before = goal.score
    return tuple(scored)


def _got(before: Score, after: Score) -> SideName | None:
    """The side that scored between two scores; None where both did and the goals between are missing."""
    home, away = after.home > before.home, after.away > before.away
    return None if home == away else "home" if home else "away"


def _incident(goal: Goal, got: SideName | None, found: Results, at: int) -> Incident:
    minute, added, phase = when(goal, found)
    return Incident(
        key=f"incident:{goal.score.home}-{goal.score.away}",
        kind=OWN_GOAL if goal.own else GOAL,
        order=at,
        minute=minute,
        added=added,
        phase=phase,
        side=OPPONENT[got] if got is not None and goal.own else got,
        people=() if goal.scorer is None else (Involved(role="scorer", person=goal.scorer),),
        score=goal.score,
        method="penalty" if goal.penalty and not goal.own else None,
    )


def when(goal: Goal, found: Results) -> tuple[int | None, int | None, int | None]:
    """(minute, added, phase): the feed counts added time on (45+5 is 50 and `isOvertime`), results separate the halves."""
    minute, written = goal.minute, STOPPAGE.search(goal.comment)
    if written is not None:
        half = int(written[1])
        return half, int(written[2]), ENDS.index(half) + 1
    if minute is None:
        return None, None, None
    if HALF_ENDS < minute <= HALF_ENDS + LONGEST_STOPPAGE and _until(goal, found.of(HALF), otherwise=goal.overtime):
        return HALF_ENDS, minute - HALF_ENDS, 1
    if minute > FULL_ENDS and _in_added_time(goal, minute, found):
        return FULL_ENDS, minute - FULL_ENDS, 2
    phase = next((phase for phase, end in enumerate(ENDS, 1) if minute <= end), None)
    return (minute, None, phase) if phase is not None else (EXTRA_ENDS, minute - EXTRA_ENDS, 4)


def _until(goal: Goal, result: Score | None, *, otherwise: bool) -> bool:
    """Whether the goal is part of that result; where there is none, what the flag says."""
    return otherwise if result is None else covers(result, goal.score)


def _in_added_time(goal: Goal, minute: int, found: Results) -> bool:
    """Of the second half, not of extra time: that has a result of its own, or goes on for longer."""
    if found.of(EXTRA) is None:
        return minute <= FULL_ENDS + LONGEST_STOPPAGE
    return _until(goal, found.of(FULL), otherwise=False)
