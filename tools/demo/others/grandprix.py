"""The São Paulo Grand Prix 2024 as a feed would have reported it: laps, stops, flags and the result."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from providers.replay.dates import CLOCK, DAY, ISO_SECONDS, write
from tools.demo.others.racefacts import Driver, Finish, RaceFacts, Stop, duration
from tools.demo.others.tape import Json, Tape, competition, scheduled

NAME, MATCH_ID = "sao-paulo-grand-prix", "9900011"
INTERRUPTED = 1400.0
"""Seconds that the red flag took, as the stops of those who waited in the pit lane show."""

NEVER_A_STOP = 20 * 60
"""Seconds; a stop that took longer was the red flag."""

WORDS = {
    "en": {
        "event": "São Paulo Grand Prix",
        "session": "Race",
        "rain": "rain, the track is wet",
        "disqualified": "disqualified, outside assistance",
        "seconds": "10 seconds",
        "before": "The cars are on the grid at Interlagos.",
        "red": "Franco Colapinto has crashed behind the safety car, and the race is stopped in lap 32.",
        "after": "From 17th on the grid to the win: that is the story of this afternoon.",
    },
    "de": {
        "event": "Großer Preis von São Paulo",
        "session": "Rennen",
        "rain": "Regen, die Strecke ist nass",
        "disqualified": "disqualifiziert wegen fremder Hilfe",
        "seconds": "10 Sekunden",
        "before": "Die Autos stehen in Interlagos in der Startaufstellung.",
        "red": "Franco Colapinto ist hinter dem Safety-Car verunfallt, in Runde 32 wird das Rennen unterbrochen.",
        "after": "Von Startplatz 17 zum Sieg: Das ist die Geschichte dieses Nachmittags.",
    },
}


def feed_of(facts: RaceFacts, language: str) -> Iterator[str]:
    """The recording in a language of the demo."""
    race = _Race(facts, WORDS[language])
    race.before()
    race.incidents()
    race.stops()
    race.finish()
    return race.tape.lines()


class _Race:
    """Puts the facts on the tape; laps are equally long, because the sources do not say when each began."""

    def __init__(self, facts: RaceFacts, words: dict[str, str]) -> None:
        self.facts, self.words = facts, words
        self.start = facts.start + timedelta(minutes=2)
        self.lap_seconds = (facts.seconds - INTERRUPTED) / facts.laps
        self._ids = count(9_911_101)
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
        self.tape.write(self.facts.start - timedelta(minutes=12), 9_911_901, self.words["before"])
        self._event(self.facts.start - timedelta(minutes=10), "weather-info", content=self.words["rain"])
        self._event(self.start, "game-start", action="match")
        since = write(self.start, ISO_SECONDS)
        self.tape.set(self.start + timedelta(seconds=6), current_period="game-start", current_period_start=since)
        lead = self.facts.drivers
        self._event(self.moment(1, 0.1), "overtake", 1, lead["george-russell"], lead["lando-norris"], content="1")
        self._event(self.moment(43, 0.7), "overtake", 43, lead["max-verstappen"], lead["esteban-ocon"], content="1")

    def incidents(self) -> None:
        """Accidents with their flags, safety cars, the red flag, penalties and the fastest lap."""
        facts, words = self.facts, self.words
        for retired in (finish for finish in facts.result if finish.reason == "Accident" and finish.laps):
            lap = retired.laps + 1
            for into, sector in ((0.15, "2"), (0.2, "3")):
                self._event(self.moment(lap, into), "yellow-flag", lap, content=sector)
            self._event(self.moment(lap, 0.22), "crash", lap, facts.drivers[retired.driver])
        self._event(self.moment(facts.virtual[0]), "virtual-safety-car", facts.virtual[0], content="deployed")
        self._event(self.moment(facts.virtual[-1], 0.9), "virtual-safety-car", facts.virtual[-1], content="ending")
        for deployed, retreated in facts.safety_cars:
            self._event(self.moment(deployed, 0.6), "safety-car", deployed, content="deployed")
            self._event(self.moment(retreated, 0.5), "safety-car", retreated, content="in")
        red = self._event(self.moment(facts.red, 0.4), "red-flag", facts.red)
        self.tape.write(self.moment(facts.red, 0.9), 9_911_902, f"<b>Red flag</b> <br/>{words['red']}", red)
        self._event(self.moment(facts.red + 1, 0.0), "red-flag", facts.red + 1, content="restart")
        for finish in facts.result:
            driver = facts.drivers[finish.driver]
            if finish.position == "DSQ":
                self._event(self.moment(31, 0.9), "penalty", 31, driver, content=words["disqualified"])
            if finish.penalty:
                self._event(self.moment(60, 0.3), "penalty", 60, driver, content=words["seconds"])
        who, lap, time = facts.fastest
        self._event(self.moment(lap, 1.0), "fastest-lap", lap, facts.drivers[who], content=time)

    def stops(self) -> None:
        """Every stop but those of the interruption, which all spent in the pit lane."""
        order: dict[int, int] = {}
        for stop in self.facts.stops:
            seconds = duration(stop.time)
            if seconds < NEVER_A_STOP and stop.lap != self.facts.red:
                order[stop.lap] = order.get(stop.lap, 0) + 1
                self._stop(stop, f"{seconds:.3f}", order[stop.lap])

    def _stop(self, stop: Stop, seconds: str, place: int) -> None:
        at = self.moment(stop.lap, 0.7) + timedelta(seconds=2 * place)
        self._event(at, "pit-stop", stop.lap, self.facts.drivers[stop.driver], content=seconds)

    def finish(self) -> None:
        """The flag, then the result."""
        at = self.start + timedelta(seconds=self.facts.seconds)
        self._event(at, "game-end", action="match")
        result = [self._row(finish) | _final(finish) for finish in self.facts.result]
        since = write(at, ISO_SECONDS)
        self.tape.set(at + timedelta(seconds=9), current_period="game-end", current_period_start=since, finished="yes")
        self.tape.set(at + timedelta(seconds=95), match_result=result)
        self.tape.write(at + timedelta(minutes=5), 9_911_903, self.words["after"])

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
