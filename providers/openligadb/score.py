"""Results: kinds of them that each league names itself, entered by volunteers before, after and instead of the goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mapping.match.match import PeriodScore, Score
from providers.fault_collector import FaultCollector
from providers.openligadb.catalog import MARKS
from providers.openligadb.payload import MATCH
from providers.openligadb.read import Row

HALF, FULL, EXTRA, SHOOTOUT = "half-time", "full-time", "extra-time", "shootout"
PARTS = {HALF: "half_time", FULL: "full_time", EXTRA: "extra_time", SHOOTOUT: "shootout"}
"""Part of the match → its name in the table of names."""

BY_WORD = (SHOOTOUT, EXTRA, HALF, FULL)
"""The order in which a result's name is compared: "Ergebnis nach Elfmeterschießen" before anything shorter."""


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
