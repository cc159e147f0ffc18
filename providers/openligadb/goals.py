"""Reads goals and results of OpenLigaDB, which volunteers enter one after the other.

Goals come in any order, twice, without minute or scorer, under ids that change: the score after a goal says which it is.
Results are of kinds that each league names itself, entered before, after and instead of the goals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mapping.match.match import OPPONENT, Incident, Involved, PeriodScore, Person, Score, SideName
from providers.fault_collector import FaultCollector
from providers.openligadb.catalog import GOAL, MARKS, OWN_GOAL
from providers.openligadb.payload import MATCH, Row

HALF_ENDS, FULL_ENDS, EXTRA_HALF_ENDS, EXTRA_ENDS = 45, 90, 105, 120
ENDS = (HALF_ENDS, FULL_ENDS, EXTRA_HALF_ENDS, EXTRA_ENDS)
LONGEST_STOPPAGE = 15
STOPPAGE = re.compile(r"\b(45|90|105|120) ?\+ ?([0-9]{1,2})\b", re.ASCII)
"""How some write added time into the comment of a goal."""

FLAGS = ("isPenalty", "isOwnGoal", "isOvertime")


HALF, FULL, EXTRA, SHOOTOUT = "half-time", "full-time", "extra-time", "shootout"
PARTS = {HALF: "half_time", FULL: "full_time", EXTRA: "extra_time", SHOOTOUT: "shootout"}
"""Part of the match → its name in the table of names."""
BY_WORD = (SHOOTOUT, EXTRA, HALF, FULL)
"""The order in which a result's name is compared: "Ergebnis nach Elfmeterschießen" before anything shorter."""


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


@dataclass(frozen=True, slots=True)
class Results:
    """Scores by part of the match."""

    by_part: Mapping[str, Score]

    def of(self, part: str) -> Score | None:
        return self.by_part.get(part)

    @property
    def pitch(self) -> Score | None:
        """The score on the pitch at the end, extra time included."""
        return self.of(EXTRA) or self.of(FULL)

    @property
    def periods(self) -> tuple[PeriodScore, ...]:
        return tuple(PeriodScore(title=part, score=self.by_part[part]) for part in (HALF, FULL, EXTRA) if self.of(part))


def results(match: Row, faults: FaultCollector, names: Mapping[str, str]) -> Results:
    """The results that can be understood and believed; of two of one kind the one that was entered later."""
    found: dict[str, tuple[int, Score]] = {}
    listed = faults.try_read(lambda: match.needed("matchResults").items("matchResults"), keep=MARKS)
    for at, item in enumerate(listed or ()):
        own = faults.for_row(MATCH, f"matchResults {at}")
        read = own.try_read(_result, item, own, names, keep=MARKS)
        if read is not None:
            part, entered, score = read
            found[part] = max(found.get(part, (-1, score)), (entered, score), key=lambda known: known[0])
    scores = {part: score for part, (_, score) in found.items()}
    full, extra = scores.get(FULL), scores.get(EXTRA)
    if full is not None and extra is not None and not covers(extra, full):
        faults.add("matchResults", "the score after extra time is lower than before it")
        del scores[EXTRA]
    return Results(_without_repeated(scores))


def _without_repeated(scores: dict[str, Score]) -> dict[str, Score]:
    """The scores without those that repeat the result for parts that were not played.

    No kicks leave nobody ahead, and an extra time without goals that leaves somebody ahead was none, unless kicks follow.
    """
    full, extra, kicked = scores.get(FULL), scores.get(EXTRA), scores.get(SHOOTOUT)
    if kicked is not None and kicked == (extra or full):
        del scores[SHOOTOUT]
    if extra is not None and extra == full and extra.home != extra.away and SHOOTOUT not in scores:
        del scores[EXTRA]
    return scores


def _result(item: object, faults: FaultCollector, names: Mapping[str, str]) -> tuple[str, int, Score] | None:
    """(part, order of entry, score); None for kinds of results that no scoreboard of ours knows."""
    row = Row.of(item)
    part = _part(row, faults, names)
    score = row.score("pointsTeam1", "pointsTeam2")
    entered = faults.try_read(row.number, "resultID")
    return None if part is None or score is None else (part, entered or 0, score)


def _part(row: Row, faults: FaultCollector, names: Mapping[str, str]) -> str | None:
    type_id = faults.try_read(row.ident, "resultTypeID", keep=MARKS)
    by_id = {names[f"result_{name}"]: part for part, name in PARTS.items()}
    if type_id in by_id:
        return by_id[type_id]
    said = (faults.try_read(row.text, "resultName", keep=MARKS) or "").casefold()
    part = next((part for part in BY_WORD if names[f"word_{PARTS[part]}"].casefold() in said), None)
    if part is None and type_id is None:
        row.needed("resultTypeID").needed("resultName")  # so that a result is not taken for one of another kind
    return part


def covers(score: Score, earlier: Score) -> bool:
    """Whether a match may stand at `score` after it stood at `earlier`."""
    return score.home >= earlier.home and score.away >= earlier.away


def standing(scored: Sequence[Score], found: Results) -> Score | None:
    """The score on the pitch: goals and results are entered one after the other, so whichever is further on."""
    last = scored[-1] if scored else None
    result = found.pitch or found.of(HALF)
    if last is None or result is None:
        return last or result
    return last if covers(last, result) else result


def kicks(total: Score | None, pitch: Score | None) -> Score | None:
    """The tally of a shoot-out alone; the feed counts its kicks on top of the goals."""
    if total is None or pitch is None or not covers(total, pitch):
        return None
    return Score(total.home - pitch.home, total.away - pitch.away)
