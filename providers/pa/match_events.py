"""Reads goals, cards and substitutions from the hundreds of rows of a match: by their ids, in the order of their clocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from mapping.match.match import OPPONENT, Incident, Involved, Person, Score, Side, SideName
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.pa.catalog import EVENTS, GOAL, HALVES, PARTS, PLAYER, ROLES, SHOOTOUT, SILENT, WORDS, YELLOW_RED
from providers.pa.payload import Row, row_of
from providers.xml_reader import TEXT

ASSIST_SECONDS = 10
"""How far an assist may be from its goal: the pass comes before the shot."""
LONGEST_ADDED = 45 * 60
CAPS: Mapping[int, int] = {each.end_minute * 60: part for part, each in PARTS.items() if part != SHOOTOUT}
"""Seconds at which the running clock stops until the part ends → the part."""
KICK = "shootout"
Booked = Mapping[str | None, int]


class Event(NamedTuple):
    """A row of the feed. `word`: the name of its eventType; `clock`: seconds of the running clock, and those added to it."""

    ident: str
    word: str
    clock: tuple[int, int] | None
    side: SideName | None
    people: tuple[Involved, ...]

    @property
    def seconds(self) -> int:
        return sum(self.clock or (0, 0))

    @property
    def player(self) -> str | None:
        return self.people[0].person.ext_id if self.people else None

    @property
    def place(self) -> tuple[int, int, int, str]:
        """Sorts by the clock, and events of one moment in the order in which they were entered."""
        return (*(self.clock or (0, 0)), len(self.ident), self.ident)


class Story(NamedTuple):
    """What happened. `reached`: the last part that one was in, 0 before the first; `extra`: one was in extra time."""

    incidents: tuple[Incident, ...]
    shootout: Score | None
    reached: int
    extra: bool


def story(root: Row, sides: Mapping[SideName, Side], faults: FaultCollector, names: Mapping[str, str]) -> Story:
    """What happened in a match, by its events; a row that comes twice is one, and one that is deleted is none."""
    before = len(faults.sink)
    reader = _Reader(sides, faults, {names[word]: word for word in (*WORDS, *SILENT)}, names["deleted"])
    found = sorted(reader.events(root), key=lambda event: event.place)
    # One goal that cannot be read would make the score after each later one wrong.
    scores = _scores(found) if len(faults.sink) == before else {}
    makers, booked = _assists([event for event in found if event.clock]), _bookings(found)
    of_play = [event for event in found if event.word in WORDS]
    incidents = tuple(_incident(each, scores.get(each.ident), makers.get(each.ident, ()), booked) for each in of_play)
    _check_twins(found, faults)
    kicks = _tally(found)
    return Story(incidents, kicks, SHOOTOUT if kicks else reader.last_part, extra=reader.last_part > HALVES)


def _check_twins(found: Sequence[Event], faults: FaultCollector) -> None:
    """A penalty comes twice. A twin that is alone is no goal, and somebody should look at it."""
    converted = {event.player for event in found if event.word == "penalty_goal"}
    for twin in (event for event in found if event.word == "penalty_twin" and event.player not in converted):
        faults.for_row(EVENTS, twin.ident).add("eventType", "a penalty without its goal")


def _tally(found: Sequence[Event]) -> Score | None:
    scored = [event.side for event in found if event.word == "shootout_goal"]
    begun = any(event.word.startswith(KICK) for event in found)
    return Score(scored.count("home"), scored.count("away")) if begun else None


@dataclass(slots=True)
class _Reader:
    """Reads the rows of one match. `last_part`: the last in which the players did anything, whatever it was."""

    sides: Mapping[SideName, Side]
    faults: FaultCollector
    words: Mapping[str, str]
    deleted: str
    last_part: int = 0

    def events(self, root: Row) -> list[Event]:
        """The events that count, each once."""
        listed = self.faults.try_read(root.items, "events", "event", blocks_withdrawal=True) or ()
        found = (self._event(item, f"event.{at}.") for at, item in enumerate(listed))
        return list({event.ident: event for event in found if event is not None}.values())

    def _event(self, item: object, path: str) -> Event | None:
        row = self.faults.try_read(row_of, item, path, blocks_withdrawal=True)
        if row is None:
            return None
        ident = self.faults.try_read(row.text, "eventID")
        own = self.faults.for_row(EVENTS, ident or "")
        what = own.try_read(lambda: row.needed("eventType").text("eventType"), blocks_withdrawal=ident is None)
        if what is None or own.try_read(row.text, "status") == self.deleted:
            return None
        word = self.words.get(what, "")
        self._see(row, word, ident)
        if word and ident is None:
            own.add(row.at("eventID"), "missing", blocks_withdrawal=True)
        return self._read(row, ident, word, own) if word and ident is not None else None

    def _see(self, row: Row, word: str, ident: str | None) -> None:
        with suppress(ValueMismatch):
            if ident is not None and not word.startswith(KICK):  # rows that mark positions alone have no id
                self.last_part = max(self.last_part, _part(_clock(row)))

    def _read(self, row: Row, ident: str, word: str, own: FaultCollector) -> Event:
        players = own.try_read(row.part, "players") or Row({}, row.at("players."))
        people = ((role, self._person(players, name, own)) for role, name in ROLES.get(word, PLAYER))
        involved = tuple(Involved(role=role, person=person) for role, person in people if person is not None)
        return Event(ident, word, own.try_read(_clock, row), self._side(row, players, own), involved)

    def _person(self, players: Row, name: str, own: FaultCollector) -> Person | None:
        row = own.try_read(players.part, name)
        ident = None if row is None else own.try_read(row.text, "playerID")
        if row is None or ident is None:
            return None
        listed = (each for side in self.sides.values() for each in (*side.lineup, *side.bench))
        found = next((each for each in listed if each.ext_id == ident), None)
        called = None if found is not None else own.try_read(lambda: row.needed(TEXT).text(TEXT))
        return found if called is None else Person(ext_id=ident, name=called)

    def _side(self, row: Row, players: Row, own: FaultCollector) -> SideName | None:
        """The side of the player, whose team it is also of an own goal; else that of the row."""
        first = own.try_read(players.part, "player1") or Row({})
        team = own.try_read(first.text, "teamID") or own.try_read(row.text, "teamID")
        side = next((name for name, each in self.sides.items() if each.ext_id == team), None)
        if side is None:
            own.add(row.at("teamID"), "missing" if team is None else "neither of the two teams")
        return side


def _clock(row: Row) -> tuple[int, int]:
    normal = row.needed("normalTime").clock("normalTime") or 0
    added = row.clock("addedTime") or 0
    if added and (normal not in CAPS or added > LONGEST_ADDED):
        raise ValueMismatch(row.at("addedTime"), "no added time of a match")
    return normal, added


def _part(clock: tuple[int, int] | None) -> int:
    """The part of the match in which the clock shows this; 0 where none does."""
    return 0 if clock is None else next((part for cap, part in CAPS.items() if clock[0] <= cap), 0)


def _incident(event: Event, score: Score | None, makers: tuple[Involved, ...], booked: Booked) -> Incident:
    part, (clock, added) = _part(event.clock), event.clock or (0, 0)
    second = event.word == "dismissal" and event.player and booked.get(event.player, clock + added + 1) <= clock + added
    # Minutes are counted from 1: 0:24 is in the first, 38:00 in the 38th.
    return Incident(
        key=f"incident:{event.ident}", kind=YELLOW_RED if second else WORDS[event.word], order=0,
        minute=max(-(-clock // 60), 1) if part else None, added=-(-added // 60) or None, phase=part or None,
        side=event.side, people=(*event.people, *makers), score=score,
        method="penalty" if event.word == "penalty_goal" else None,
    )  # fmt: skip


def _scores(found: Sequence[Event]) -> Mapping[str, Score]:
    """Id of a goal → the score after it, which the feed does not give: counted in the order of the clock."""
    scores, home, away = {}, 0, 0
    for goal in (event for event in found if event.word in ("goal", "penalty_goal", "own_goal")):
        if goal.side is None:
            return {}
        got = OPPONENT[goal.side] if goal.word == "own_goal" else goal.side
        home, away = home + (got == "home"), away + (got == "away")
        scores[goal.ident] = Score(home, away)
    return scores


def _assists(found: Sequence[Event]) -> Mapping[str, tuple[Involved, ...]]:
    """Id of a goal → who made it: an assist is a row of its own, a few seconds from the goal."""
    goals = {event.ident: event for event in found if WORDS.get(event.word) == GOAL}
    makers: dict[str, tuple[Involved, ...]] = {}
    for event in (event for event in found if event.word == "assist"):
        near = [(abs(goal.seconds - event.seconds), ident) for ident, goal in goals.items() if goal.side == event.side]
        if near and min(near)[0] <= ASSIST_SECONDS:
            makers[goals.pop(min(near)[1]).ident] = event.people
    return makers


def _bookings(found: Sequence[Event]) -> Booked:
    """Player → seconds of the first booking that stands."""
    return {event.player: event.seconds for event in reversed(found) if event.word == "booking"}
