"""A match as its feed would have sent it: what appears when, late, wrong and corrected."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count, groupby
from typing import Any

from providers.replay.moved_dates import BERLIN
from providers.replay.recording import Line
from tools.demo.facts import PERIOD_END, PERIOD_OFFSET, Facts, Incident
from tools.demo.feed import Feed, Row, Text
from tools.demo.plan import Invented, Plan, versions
from tools.demo.wire import Wire, shown_minute
from tools.demo.words import LANGUAGES

# Seconds from the end of the period before to the start of the next; none of the sources has them.
BREAKS = {"2H": 910, "E1": 300, "E2": 75, "P": 240}
FIRST_WHISTLE, LAST_WHISTLE, AFTER_LAST_KICK = 20, 8, 45
ENTERED, SCORED, TITLED, NARRATED = 18, 5, 8, 92
STARTS = {
    "1H": "game-start",
    "2H": "second-half-start",
    "E1": "first-extra-start",
    "E2": "second-extra-start",
    "P": "penalty-start",
}
ENDS = {"1H": "first-half-end", "2H": "second-half-end", "E1": "first-extra-end", "E2": "second-extra-end"}
TEXTS = 1000  # ids of texts come so far after those of incidents
RESULT_AT = {"first-half-end": "1", "second-half-end": "2", "second-extra-end": "21"}

Act = Callable[[Feed], None]


@dataclass(frozen=True)
class Mark:
    """A whistle: the period's word, when, and the minute it is noted for."""

    kind: str
    at: datetime
    period: str
    minute: int


def feed_of(facts: Facts, plan: Plan, texts: list[dict[str, Any]], language: str) -> Iterator[str]:
    """The recording of a match, line by line: a line only where an answer changed."""
    story = Story(facts, plan, texts, language)
    feed = Feed(Wire(facts, plan, LANGUAGES[language]), facts.kickoff - timedelta(days=20))
    last: dict[str, str] = {}
    story.acts.sort(key=lambda act: act[0])
    for at, acts in groupby(story.acts, key=lambda act: act[0]):
        for _, act in acts:
            act(feed)
        for kind, document in feed.documents().items():
            text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
            if last.get(kind) != text:
                last[kind] = text
                yield Line(at.astimezone(BERLIN), f"{kind}/ma{plan.match_id}", text).row() + "\n"


class Story:
    """Collects what happens to the feed as (instant, act) pairs."""

    def __init__(self, facts: Facts, plan: Plan, texts: list[dict[str, Any]], language: str) -> None:
        self.facts, self.plan, self.language = facts, plan, language
        self.acts: list[tuple[datetime, Act]] = []
        self._row_ids = count(plan.first_id + 1, 2)
        self._text_ids = count(plan.first_id + TEXTS + 1, 2)
        self.marks = whistles(facts)
        self._narrations = {text["on"]: text[language] for text in texts if "on" in text}
        self._before(facts)
        for mark in self.marks.values():
            self._whistle(mark)
        for period in facts.lengths:
            self._clock(period)
        for incident in self._happened():
            self._incident(incident)
        unknown = self._narrations.keys() - {incident.key for incident in self._happened()} - self.marks.keys()
        if unknown:
            raise ValueError(f"{plan.name}: commentary on what did not happen: {', '.join(sorted(unknown))}")
        for text in texts:
            if "after" in text:
                self._alone(self.marks[text["after"]].at + timedelta(seconds=text["seconds"]), text[language])

    def at(self, instant: datetime, act: Act) -> None:
        self.acts.append((instant.replace(microsecond=0), act))

    def moment(self, incident: Incident) -> datetime:
        return self.marks[STARTS[incident.period]].at + timedelta(seconds=int(incident.second))

    def _happened(self) -> tuple[Incident, ...]:
        return (*self.facts.incidents, *self._invented(self.plan.invented))

    def _before(self, facts: Facts) -> None:
        def squads(feed: Feed) -> None:
            feed.squads = True

        self.at(facts.kickoff - timedelta(seconds=3900), lambda _: None)
        self.at(facts.kickoff - timedelta(seconds=3560), squads)

    def _whistle(self, mark: Mark) -> None:
        incident = Incident(mark.kind, mark.period, 0, mark.minute, "match", mark.kind)
        last = mark.kind == "game-end"
        taken_back = last and self.plan.game_end_taken_back

        def turn(feed: Feed) -> None:
            feed.period, feed.period_at, feed.minute = mark.kind, mark.at, shown_minute(incident)
            feed.finished = last
            if mark.kind in RESULT_AT and not (last or self._ends_with(mark)):
                feed.results[RESULT_AT[mark.kind]] = feed.tally("goal")
            if mark.kind == "first-extra-start":
                feed.incident = "1"
            if mark.kind == "penalty-start":
                feed.incident, feed.score = "2", (0, 0)
            if last:
                feed.attendance = self.facts.attendance

        def back(feed: Feed) -> None:
            before = self.marks["second-half-start"]
            feed.period, feed.period_at, feed.finished, feed.attendance = before.kind, before.at, False, ""

        self.at(mark.at + timedelta(seconds=9), turn)
        shown: list[tuple[float, Incident | None]] = [(4, incident)]
        if taken_back:
            self.at(mark.at + timedelta(seconds=45), back)
            self.at(mark.at + timedelta(seconds=115), turn)
            shown += [(40, None), (110, incident)]
        self._show(mark.kind, mark.at, shown, new_id=taken_back)

    def _ends_with(self, mark: Mark) -> bool:
        """Whether the match ends with this period, which the feed then calls `game-end` alone."""
        return mark.kind not in self.marks

    def _clock(self, period: str) -> None:
        """The running minute, one answer a minute, standing still in added time and in the shoot-out."""
        if period == "P":
            return
        start = self.marks[STARTS[period]].at
        for minute in range(1, PERIOD_END[period] - PERIOD_OFFSET[period]):

            def tick(feed: Feed, shown: str = str(PERIOD_OFFSET[period] + 1 + minute)) -> None:
                feed.minute = shown

            self.at(start + timedelta(seconds=60 * minute + 11), tick)

    def _incident(self, incident: Incident) -> None:
        entered = [(ENTERED + seconds, shown) for seconds, shown in versions(incident, self.plan, self.facts)]
        if incident.key.startswith("phantom"):
            invented = self.plan.invented
            entered.append((ENTERED + (invented.gone_after if invented else 0), None))
        self._show(incident.key, self.moment(incident), entered)

    def _show(
        self, key: str, happened: datetime, shown: list[tuple[float, Incident | None]], *, new_id: bool = False
    ) -> None:
        """Rows at their times, the score a little later, the text's headline after that and its story last."""
        row_id, text_id = str(next(self._row_ids)), str(next(self._text_ids))
        created = happened + timedelta(seconds=shown[0][0] if shown[0][0] > ENTERED else 0)
        for seconds, incident in shown:
            at = happened + timedelta(seconds=seconds)
            if incident is not None and new_id and seconds != shown[0][0]:
                row_id = str(next(self._row_ids))
            self.at(at, _put(key, Row(row_id, incident, created)) if incident else _take(key))
            self._consequences(key, at, incident, text_id, created)
        self._narrative(key, text_id, happened + timedelta(seconds=shown[0][0]), shown[0][1])

    def _consequences(self, key: str, at: datetime, incident: Incident | None, text_id: str, created: datetime) -> None:
        """The score and the text's headline, after a row."""
        if incident is None or incident.action in {"goal", "pso"}:
            self.at(at + timedelta(seconds=SCORED), _score)
        if incident is not None and incident.action != "pso":
            text = Text(text_id, created, shown_minute(incident), key=key)
            self.at(at + timedelta(seconds=TITLED), _title(key, text))

    def _narrative(self, key: str, text_id: str, entered: datetime, incident: Incident | None) -> None:
        narration = self._narrations.get(key)
        if narration is None or incident is None:
            return
        if incident.action == "pso":
            at = entered + timedelta(seconds=12)
            self.at(at, _title(key, Text(text_id, at, shown_minute(incident), narration)))
        else:
            self.at(entered + timedelta(seconds=NARRATED + sum(key.encode()) % 40 - 20), _narrate(key, narration))

    def _alone(self, at: datetime, content: str) -> None:
        text_id = str(next(self._text_ids))

        def post(feed: Feed) -> None:
            feed.texts[text_id] = Text(text_id, at, feed.minute, content)

        self.at(at, post)

    def _invented(self, invented: Invented | None) -> Iterator[Incident]:
        if invented is not None:
            team = {"home": self.facts.home, "away": self.facts.away}[invented.team]
            yield Incident(
                f"phantom-{invented.minute}-{invented.surname}",
                invented.period,
                invented.second,
                invented.minute,
                "goal",
                invented.kind,
                team.id,
                team.player(invented.surname),
            )


def whistles(facts: Facts) -> dict[str, Mark]:
    """Start and end of every period by the feed's word; the end of the last one is the end of the match."""
    marks: list[Mark] = []
    at = facts.kickoff + timedelta(seconds=FIRST_WHISTLE)
    for period, length in facts.lengths.items():
        at += timedelta(seconds=BREAKS.get(period, 0))
        first_minute = PERIOD_OFFSET[period] + (0 if period == "P" else 1)
        marks.append(Mark(STARTS[period], at, period, first_minute))
        at += timedelta(seconds=int(length) + (AFTER_LAST_KICK if period == "P" else LAST_WHISTLE))
        last = period == list(facts.lengths)[-1]
        marks.append(Mark("game-end" if last else ENDS[period], at, period, PERIOD_END[period]))
    return {mark.kind: mark for mark in marks}


def _put(key: str, row: Row) -> Act:
    return lambda feed: feed.rows.update({key: row})


def _take(key: str) -> Act:
    def take(feed: Feed) -> None:
        feed.rows.pop(key)
        feed.texts.pop(key, None)

    return take


def _score(feed: Feed) -> None:
    feed.score = feed.tally("pso" if feed.incident == "2" else "goal")


def _title(key: str, text: Text) -> Act:
    """A text appears, or keeps its story under a corrected headline."""

    def title(feed: Feed) -> None:
        known = feed.texts.get(key)
        feed.texts[key] = replace(text, content=known.content) if known else text

    return title


def _narrate(key: str, narration: str) -> Act:
    def narrate(feed: Feed) -> None:
        if key in feed.texts:
            feed.texts[key] = replace(feed.texts[key], content=narration)

    return narrate
