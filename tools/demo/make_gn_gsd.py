"""Writes the demo's matches as `gn-gsd` would send them: `python -m tools.demo.make_gn_gsd REALDATA FOLDER`.

The shapes are assumed (see `providers/gn_gsd/names.py`), the facts, delays and corrections those of the demo. The same
data give the same bytes, so a test can check whether its files are those that this script writes.
"""

import gzip
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from providers.replay.gn_gsd import write_instant
from providers.replay.recording import Line
from tools.demo import gn_gsd_wire as wire
from tools.demo.facts import Facts, Incident, read_facts
from tools.demo.plan import PLANS, Gone, Plan, versions
from tools.demo.story import ENDS, ENTERED, SCORED, STARTS, whistles

LISTED, LINED_UP = 3900, 3560
"""Seconds before kick-off at which the match and its line-ups appear."""

BREAKS = {
    "first-half-end": "Half-time",
    "second-half-end": "90 mins",
    "first-extra-end": "105 mins",
    "second-extra-end": "120 mins",
}
RESULTS = {"first-half-end": "halfTimeScore", "second-half-end": "fullTimeScore", "second-extra-end": "extraTimeScore"}


@dataclass
class Feed:
    """What the three resources hold at a moment."""

    facts: Facts
    plan: Plan
    rows: dict[str, tuple[str, int, Incident, datetime]] = field(default_factory=dict)
    scores: dict[str, wire.Score] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=lambda: {"status": "Not started"})
    squads: bool = False

    def documents(self) -> dict[str, Any]:
        """Resource → answer."""
        path = f"matches/{wire.match_id(self.plan)}"
        rows = [
            wire.action(key, at, incident, self.facts, changed) for key, at, incident, changed in self.rows.values()
        ]
        return {
            path: wire.match(self.facts, self.plan, dict(self.state), wire.result(self.scores)),
            **({f"{path}/lineups": wire.lineups(self.facts)} if self.squads else {}),
            f"{path}/actions": {"actions": sorted(rows, key=lambda row: str(row["id"]))},
        }

    def count(self, action: str) -> wire.Score:
        """Goals of the match (`goal`) or of the shoot-out (`pso`) that are on the feed."""
        sides = [
            _scoring(incident, self.facts) for _, _, incident, _ in self.rows.values() if incident.action == action
        ]
        return sides.count("home"), sides.count("away")


Act = Callable[[Feed, datetime], None]


def _scoring(incident: Incident, facts: Facts) -> str:
    """The side that a goal counts for, empty for a kick that did not go in."""
    home = (incident.team == facts.home.id) != (incident.kind == "own-goal")
    return "" if incident.kind == "miss" else "home" if home else "away"


def feed_of(facts: Facts, plan: Plan) -> Iterator[str]:
    """The recording of a match, line by line: a line only where an answer changed."""
    feed = Feed(facts, plan)
    last: dict[str, str] = {}
    acts = sorted(_acts(facts, plan), key=lambda act: act[0])
    for at, group in groupby(acts, key=lambda act: act[0]):
        for _, act in group:
            act(feed, at)
        for resource, document in feed.documents().items():
            line = Line.of(at, resource, document)
            if last.get(resource) != line.text:
                last[resource] = line.text
                yield line.row() + "\n"


def _acts(facts: Facts, plan: Plan) -> Iterator[tuple[datetime, Act]]:
    marks = whistles(facts)
    yield facts.kickoff - timedelta(seconds=LISTED), lambda feed, at: None  # noqa: ARG005
    yield facts.kickoff - timedelta(seconds=LINED_UP), _line_up
    for mark in marks.values():
        at = (mark.at + timedelta(seconds=9)).replace(microsecond=0)
        yield at, _whistle(mark.kind, mark.period, mark.at)
        if mark.kind == "game-end" and plan.game_end_taken_back:
            yield at + timedelta(seconds=36), _whistle("second-half-start", "2H", marks["second-half-start"].at)
            yield at + timedelta(seconds=106), _whistle(mark.kind, mark.period, mark.at)
    happened = sorted(facts.incidents, key=lambda each: (wire.PERIODS[each.period], each.second))
    for place, incident in enumerate((*happened, *_invented(facts, plan)), 1):
        start = marks[STARTS[incident.period]].at + timedelta(seconds=int(incident.second))
        for seconds, shown in _versions(incident, facts, plan):
            at = (start + timedelta(seconds=ENTERED + seconds)).replace(microsecond=0)
            yield at, _put(incident.key, f"GNA{plan.first_id + place:012}", place * 10, shown)
            yield at + timedelta(seconds=SCORED), _score


def _versions(incident: Incident, facts: Facts, plan: Plan) -> list[tuple[float, Incident | None]]:
    """As the demo's feed errs and corrects itself, but a first yellow card stays when the second is shown."""
    lives = plan.lives.get(incident.key, ())
    if any(isinstance(life, Gone) and life.back is None for life in lives):
        return [(0.0, incident)]
    shown = versions(incident, plan, facts)
    invented = plan.invented
    return [*shown, (invented.gone_after, None)] if invented is not None and incident.key == "phantom" else shown


def _invented(facts: Facts, plan: Plan) -> Iterator[Incident]:
    made = plan.invented
    if made is not None:
        team = {"home": facts.home, "away": facts.away}[made.team]
        scorer = team.player(made.surname)
        yield Incident("phantom", made.period, made.second, made.minute, "goal", made.kind, team.id, scorer)


def _line_up(feed: Feed, _: datetime) -> None:
    feed.squads = True


def _whistle(kind: str, period: str, since: datetime) -> Act:
    def turn(feed: Feed, _: datetime) -> None:
        started = write_instant(since.replace(microsecond=0))
        dates = {**feed.state.get("dates", {}), **({"actualStartTimeUTC": started} if kind == "game-start" else {})}
        feed.scores.setdefault("score", (0, 0))
        if kind in RESULTS:
            feed.scores[RESULTS[kind]] = feed.count("goal")
        if kind == "penalty-start":
            feed.scores["shootoutScore"] = (0, 0)
        if kind == "game-end":
            feed.state = {"status": "Finished (official)", "dates": dates | {"actualEndTimeUTC": started}}
            return
        dates.pop("actualEndTimeUTC", None)
        name = {"name": BREAKS[kind]} if kind in ENDS.values() else {"number": wire.PERIODS[period]}
        status = "Interval" if kind in ENDS.values() else "In progress"
        feed.state = {"status": status, "currentPeriod": {**name, "startTimeUTC": started}, "dates": dates}

    return turn


def _put(key: str, ident: str, sequence: int, incident: Incident | None) -> Act:
    def put(feed: Feed, at: datetime) -> None:
        feed.rows.pop(key, None)
        if incident is not None:
            feed.rows[key] = (ident, sequence, incident, at)

    return put


def _score(feed: Feed, _: datetime) -> None:
    if "shootoutScore" in feed.scores:
        feed.scores["shootoutScore"] = feed.count("pso")
    feed.scores["score"] = feed.count("goal")


def recordings(realdata: Path) -> Iterator[tuple[str, bytes]]:
    """File name and bytes of every recording."""
    for plan in PLANS:
        lines = feed_of(read_facts(realdata / "soccer", plan.stem), plan)
        yield f"{plan.name}.jsonl.gz", gzip.compress("".join(lines).encode(), compresslevel=9, mtime=0)


def main(arguments: list[str]) -> int:
    """Write all recordings into the folder of the second argument; the first is the folder that holds `soccer/`."""
    if len(arguments) != 2:
        sys.stderr.write("usage: python -m tools.demo.make_gn_gsd REALDATA FOLDER\n")
        return 2
    for name, content in recordings(Path(arguments[0])):
        (Path(arguments[1]) / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
