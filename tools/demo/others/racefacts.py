"""Reads what happened in a Grand Prix from F1DB and from jtrotman's lists of safety cars."""

import csv
import json
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

Flat = dict[str, str]

COUNTRIES = {
    "argentina": "AR", "australia": "AU", "canada": "CA", "china": "CN", "finland": "FI", "france": "FR", "germany": "DE",
    "japan": "JP", "mexico": "MX", "monaco": "MC", "netherlands": "NL", "new-zealand": "NZ", "spain": "ES",
    "thailand": "TH", "united-kingdom": "GB", "austria": "AT", "italy": "IT", "switzerland": "CH",
    "united-states-of-america": "US",
}  # fmt: skip


@dataclass(frozen=True)
class Driver:
    """A driver with the team of this race; `country` is ISO's code."""

    key: str
    number: str
    name: str
    surname: str
    born: str
    country: str
    team: str


@dataclass(frozen=True)
class Finish:
    """A line of the result; `time` of the winner, `gap` of the others, `reason` of those who did not finish.

    `grid` is the place at the start; `PL` where the car started from the pits.
    """

    position: str
    driver: str
    laps: int
    time: str
    gap: str
    reason: str
    points: str
    penalty: str
    grid: str


@dataclass(frozen=True)
class Stop:
    driver: str
    lap: int
    time: str


@dataclass(frozen=True)
class RaceFacts:
    """A race as it was; `safety_cars` from lap to lap, `virtual` the laps of a virtual one, `red` the lap of the red flag.

    `favourite` is the driver of the day with the percentage of the votes.
    """

    start: datetime
    laps: int
    drivers: dict[str, Driver]
    teams: dict[str, tuple[str, str]]
    result: tuple[Finish, ...]
    stops: tuple[Stop, ...]
    fastest: tuple[str, int, str]
    favourite: tuple[str, str]
    safety_cars: tuple[tuple[int, int], ...]
    virtual: tuple[int, ...]
    red: int

    @property
    def seconds(self) -> float:
        """How long the winner took, interruption included."""
        return duration(self.result[0].time)


def duration(text: str) -> float:
    """`2:06:54.430`, `1:20.472` or `24.573` in seconds."""
    seconds = 0.0
    for part in text.split(":"):
        seconds = seconds * 60 + float(part)
    return seconds


def flat(text: str) -> list[Flat]:
    """The flat lists and maps that F1DB writes in YAML; what is nested is left out."""
    rows: list[Flat] = [{}]
    for line in text.splitlines():
        found = re.fullmatch(r"(- |  )?(\w+): ?(.*)", line)
        if found is None:
            continue
        if found[1] == "- ":
            rows.append({})
        rows[-1][found[2]] = found[3].strip().strip('"')
    return [row for row in rows if row]


def read_race(folder: Path, race: str = "2024_21-sao-paulo", called: str = "2024 São Paulo Grand Prix") -> RaceFacts:
    """The facts of a race; `folder` holds `f1db/` and `jtrotman/`, `called` is its name in the latter."""
    f1db, lists = folder / "f1db", folder / "jtrotman"
    (about,) = flat((f1db / race / "race.yml").read_text())
    result = flat((f1db / race / "race-results.yml").read_text())
    stops = flat((f1db / race / "pit-stops.yml").read_text())
    fastest = flat((f1db / race / "fastest-laps.yml").read_text())[0]
    favourite = flat((f1db / race / "driver-of-the-day-results.yml").read_text())[0]
    cars = [row for row in _csv(lists / "safety_cars.csv") if row["Race"] == called]
    red = next(row for row in _csv(lists / "red_flags.csv") if row["Race"] == called)
    virtual = json.loads((lists / "virtual_safety_car_estimates.json").read_text())
    return RaceFacts(
        start=datetime.fromisoformat(f"{about['date']}T{about['time']}:00+00:00"),
        laps=int(about["laps"]),
        drivers={row["driverId"]: _driver(f1db, row) for row in result},
        teams={row["constructorId"]: _team(f1db, row["constructorId"]) for row in result},
        result=tuple(_finish(row) for row in result),
        stops=tuple(Stop(row["driverId"], int(row["lap"]), row["time"]) for row in stops),
        fastest=(fastest["driverId"], int(fastest["lap"]), fastest["time"]),
        favourite=(favourite["driverId"], favourite["percentage"]),
        safety_cars=tuple((int(row["Deployed"]), int(float(row["Retreated"]))) for row in cars),
        virtual=tuple(_virtual(virtual, called)),
        red=int(red["Lap"]),
    )


def _csv(path: Path) -> list[Flat]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _virtual(data: object, called: str) -> list[int]:
    """The laps of a race, wherever in the file they stand."""
    if not isinstance(data, dict):
        return []
    if called in data:
        return list(data[called])
    return next((laps for part in data.values() if (laps := _virtual(part, called))), [])


def _driver(f1db: Path, row: Flat) -> Driver:
    about = flat((f1db / "drivers" / f"{row['driverId']}.yml").read_text())[0]
    return Driver(
        key=row["driverId"],
        number=row["driverNumber"],
        name=about["name"],
        surname=about["lastName"],
        born=about["dateOfBirth"],
        country=COUNTRIES[about["nationalityCountryId"]],
        team=row["constructorId"],
    )


def _team(f1db: Path, key: str) -> tuple[str, str]:
    """Name and country of a constructor."""
    about = flat((f1db / "constructors" / f"{key}.yml").read_text())[0]
    return about["name"], COUNTRIES[about["countryId"]]


def _finish(row: Flat) -> Finish:
    return Finish(
        position=row["position"],
        driver=row["driverId"],
        laps=int(row["laps"] or 0),
        time=row["time"],
        gap=row["gap"],
        reason=row["reasonRetired"],
        points=row["points"],
        penalty=row["timePenalty"],
        grid=row["gridPosition"],
    )
