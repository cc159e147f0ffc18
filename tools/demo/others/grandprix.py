"""The São Paulo Grand Prix 2024 as a feed would have reported it: laps, stops, flags and the result."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from providers.replay.moved_dates import CLOCK, DAY, ISO_SECONDS, write
from tools.demo.others.racefacts import Driver, Finish, RaceFacts, Stop, duration
from tools.demo.others.tape import Json, Tape, competition, scheduled
from tools.demo.others.texts import ALL

NAME, MATCH_ID = "sao-paulo-grand-prix", "9900011"
INTERRUPTED = 1400.0
"""Seconds that the red flag took, as the stops of those who waited in the pit lane show."""

NEVER_A_STOP = 20 * 60
"""Seconds; a stop that took longer was the red flag."""

EVERY = 5
"""Laps from one summary to the next."""


def feed_of(facts: RaceFacts, language: str) -> Iterator[str]:
    """The recording in a language of the demo."""
    race = _Race(facts, ALL[NAME][language])
    race.before()
    race.incidents()
    race.stops()
    race.laps()
    race.finish()
    return race.tape.lines()


class _Race:
    """Puts the facts on the tape; laps are equally long, because the sources do not say when each began."""

    def __init__(self, facts: RaceFacts, words: dict[str, str]) -> None:
        self.facts, self.words = facts, words
        self.start = facts.start + timedelta(minutes=2)
        self.lap_seconds = (facts.seconds - INTERRUPTED) / facts.laps
        self._ids, self._texts = count(9_911_101), count(9_911_901)
        teams = {key: str(9_911_001 + place) for place, key in enumerate(sorted(facts.teams))}
        self._teams = teams
        above = competition(9_911_010, "264", words["event"], "2024", round_=words["session"], topic="Formula 1")
        day, clock = write(facts.start, DAY), write(facts.start, CLOCK)
        self.tape = Tape(MATCH_ID, scheduled(MATCH_ID, day, clock, above, laps=str(facts.laps)))

    def moment(self, lap: int, into: float = 0.5) -> datetime:
        """An instant in a lap, `into` of its length; the interruption lies between the red flag's lap and the next."""
        behind = INTERRUPTED if lap > self.facts.red else 0.0
        return self.start + timedelta(seconds=(lap - 1 + into) * self.lap_seconds + behind)

    def before(self) -> None:
        """The starters without places, the weather and the start."""
        starters = [self._row(finish) for finish in self.facts.result]
        self.tape.set(self.facts.start - timedelta(minutes=65), match_result=starters)
        grid = sorted((each for each in self.facts.result if each.grid.isdigit()), key=lambda each: int(each.grid))
        front, winner = self._names(grid[:5]), self.facts.result[0]
        self._write(self.facts.start - timedelta(minutes=40), "grid", front=front, place=winner.grid)
        self._write(self.facts.start - timedelta(minutes=12), "before")
        self._event(self.facts.start - timedelta(minutes=10), "weather-info", content=self.words["rain"])
        self._write(self.facts.start - timedelta(minutes=5), "absent")
        event = self._event(self.start, "game-start", action="match")
        self._write(self.start + timedelta(seconds=10), "start", event, laps=self.facts.laps)
        since = write(self.start, ISO_SECONDS)
        self.tape.set(self.start + timedelta(seconds=6), current_period="game-start", current_period_start=since)
        for lap, into, key, behind in (
            (1, 0.1, "george-russell", "lando-norris"),
            (43, 0.7, "max-verstappen", "esteban-ocon"),
        ):
            driver, other = self.facts.drivers[key], self.facts.drivers[behind]
            event = self._event(self.moment(lap, into), "overtake", lap, driver, other, content="1")
            self._write(self.moment(lap, into + 0.2), "lead", event, driver=driver.name, other=other.name)

    def incidents(self) -> None:
        """Accidents with their flags, safety cars, the red flag, penalties and the fastest lap."""
        facts = self.facts
        for retired in (finish for finish in facts.result if finish.reason == "Accident" and finish.laps):
            lap = retired.laps + 1
            for into, sector in ((0.15, "2"), (0.2, "3")):
                self._event(self.moment(lap, into), "yellow-flag", lap, content=sector)
            driver = facts.drivers[retired.driver]
            event = self._event(self.moment(lap, 0.22), "crash", lap, driver)
            self._write(self.moment(lap, 0.35), "crash", event, driver=driver.name, lap=lap, number=driver.number)
        self._event(self.moment(facts.virtual[0]), "virtual-safety-car", facts.virtual[0], content="deployed")
        self._event(self.moment(facts.virtual[-1], 0.9), "virtual-safety-car", facts.virtual[-1], content="ending")
        for deployed, retreated in facts.safety_cars:
            self._event(self.moment(deployed, 0.6), "safety-car", deployed, content="deployed")
            self._event(self.moment(retreated, 0.5), "safety-car", retreated, content="in")
        self._event(self.moment(facts.red, 0.4), "red-flag", facts.red)
        self._write(self.moment(facts.red, 0.9), "red", lap=facts.red)
        self._event(self.moment(facts.red + 1, 0.0), "red-flag", facts.red + 1, content="restart")
        self.penalties()
        who, lap, time = facts.fastest
        event = self._event(self.moment(lap, 1.0), "fastest-lap", lap, facts.drivers[who], content=time)
        self._write(self.moment(lap, 1.1), "fastest", event, driver=facts.drivers[who].name, time=time)

    def penalties(self) -> None:
        """Who was disqualified, and who got seconds."""
        for finish in self.facts.result:
            driver = self.facts.drivers[finish.driver]
            lap, into, words = (31, 0.9, "disqualified") if finish.position == "DSQ" else (60, 0.3, "seconds")
            if finish.position == "DSQ" or finish.penalty:
                event = self._event(self.moment(lap, into), "penalty", lap, driver, content=self.words[words])
                text = "help" if finish.position == "DSQ" else "penalty"
                self._write(self.moment(lap, into + 0.3), text, event, driver=driver.name)

    def laps(self) -> None:
        """Every few laps how many are left, and the stops so far where there are new ones."""
        counted = [stop for stop in self.facts.stops if self._counts(stop)]
        mentioned = 0
        for lap in range(EVERY, self.facts.laps, EVERY):
            text = self.words["lap"].format(lap=lap, laps=self.facts.laps, left=self.facts.laps - lap)
            stops = [stop for stop in counted if stop.lap < lap]
            if len(stops) > mentioned:
                mentioned, short = len(stops), min(stops, key=lambda stop: duration(stop.time))
                words = self.words["stops" if mentioned > 1 else "stop"]
                driver = self.facts.drivers[short.driver].name
                text = f"{text} {words.format(count=mentioned, driver=driver, seconds=short.time, lap=short.lap)}"
            self.tape.write(self.moment(lap, 0.05), next(self._texts), text)

    def stops(self) -> None:
        """Every stop but those of the interruption, which all spent in the pit lane."""
        order: dict[int, int] = {}
        for stop in self.facts.stops:
            if self._counts(stop):
                order[stop.lap] = order.get(stop.lap, 0) + 1
                self._stop(stop, f"{duration(stop.time):.3f}", order[stop.lap])

    def _counts(self, stop: Stop) -> bool:
        """Whether this was a stop, and not the interruption."""
        return duration(stop.time) < NEVER_A_STOP and stop.lap != self.facts.red

    def _stop(self, stop: Stop, seconds: str, place: int) -> None:
        at = self.moment(stop.lap, 0.7) + timedelta(seconds=2 * place)
        self._event(at, "pit-stop", stop.lap, self.facts.drivers[stop.driver], content=seconds)

    def finish(self) -> None:
        """The flag, then the result."""
        at = self.start + timedelta(seconds=self.facts.seconds)
        event = self._event(at, "game-end", action="match")
        result = [self._row(finish) | _final(finish) for finish in self.facts.result]
        since = write(at, ISO_SECONDS)
        self.tape.set(at + timedelta(seconds=9), current_period="game-end", current_period_start=since, finished="yes")
        self.tape.set(at + timedelta(seconds=95), match_result=result)
        self._report(at, event)

    def _report(self, at: datetime, event: Json) -> None:
        """The result in words: winner, podium, points, those who did not finish, and the choice of the spectators."""
        first, drivers = self.facts.result[0], self.facts.drivers
        self._write(at + timedelta(seconds=20), "finish", event, driver=drivers[first.driver].name, time=first.time)
        ranked = [each for each in self.facts.result if each.position.isdigit()]
        out = [each for each in self.facts.result if each.position == "DNF"]
        self._write(at + timedelta(minutes=2), "podium", podium=self._names(ranked[:3]))
        scored = [each for each in ranked[3:] if float(each.points or 0)]
        self._write(at + timedelta(minutes=3), "points", others=self._names(scored))
        self._write(at + timedelta(minutes=4), "retired", out=self._names(out))
        self._write(at + timedelta(minutes=5), "after", place=first.grid)
        driver, share = self.facts.favourite
        self._write(at + timedelta(minutes=7), "fan", driver=drivers[driver].name, share=share)

    def _names(self, of: list[Finish]) -> str:
        return ", ".join(self.facts.drivers[each.driver].name for each in of)

    def _write(self, at: datetime, text: str, event: Json | None = None, /, **facts: object) -> None:
        """A text of the list by its name, alone or on an event."""
        self.tape.write(at, next(self._texts), self.words[text].format(**facts), event)

    def _event(
        self,
        at: datetime,
        kind: str,
        lap: int | None = None,
        driver: Driver | None = None,
        other: Driver | None = None,
        *,
        content: str = "",
        action: str = "race",
    ) -> Json:
        event: Json = {"id": str(next(self._ids)), "action": action, "kind": kind, "minute": "0", "content": content}
        if lap is not None:
            event["lap"] = str(lap)
        if driver is not None:
            event |= {"team": self._team(driver.team), **self._person(driver)}
        if other is not None:
            event |= {"additional_person": self._person(other)["person"], "additional_team": self._team(other.team)}
        self.tape.add(at, event)
        return event

    def _row(self, finish: Finish) -> Json:
        """A starter, before anything is known of the result."""
        driver = self.facts.drivers[finish.driver]
        row: Json = {
            "match_result": "0",
            "match_result_at": "0",
            "place": "",
            "rounds": "0",
            "points": "0.000",
            "rank": "0",
            "comment": "",
            "team": self._team(driver.team),
            **self._person(driver),
        }
        return {**row, "team_id": row["team"]["id"], "person_id": row["person"]["id"]}

    def _team(self, key: str) -> Json:
        name, country = self.facts.teams[key]
        return {"id": self._teams[key], "name": name, "shortname": name, "country": {"id": "0", "iso": country}}

    def _person(self, driver: Driver) -> dict[str, Any]:
        person = {
            "id": str(9_911_200 + int(driver.number)),
            "name": driver.name,
            "surname": driver.surname,
            "gender": "male",
            "birthday": ".".join(reversed(driver.born.split("-"))),
            "country": [{"id": "0", "iso": driver.country}],
        }
        return {"person": person, "team_person": {"id": person["id"], "shirtnumber": driver.number}}


def _final(finish: Finish) -> Json:
    """What the result adds to a starter's row."""
    won = finish.position == "1"
    return {
        "match_result": finish.time if won else "0",
        "rounds": str(finish.laps),
        "points": f"{float(finish.points or 0):.3f}",
        "rank": finish.position if finish.position.isdigit() else "0",
        "comment": "" if won else finish.gap or finish.position,
    }
