"""Collects what a provider's resources of one match hold, instant by instant, and writes down what changed."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import groupby
from typing import Any

from providers.replay.moved_dates import BERLIN, DAY_SECONDS, write
from providers.replay.recording import Line

Json = dict[str, Any]
State = dict[str, Any]
"""Resource → its document."""

Act = Callable[[State], None]


class Tape:
    """Acts on a state, each at its instant; the lines of the recording come out of it."""

    def __init__(self, match_id: str, match: Json) -> None:
        self.match_id = match_id
        self._state: State = {"match": {"match": match, "match_result_at": []}, "match-event": [], "liveticker": []}
        self._acts: list[tuple[datetime, Act]] = []

    def at(self, instant: datetime, act: Act) -> None:
        """Let `act` change the state at this instant."""
        self._acts.append((instant.replace(microsecond=0), act))

    def set(self, instant: datetime, **fields: Any) -> None:
        """From this instant the match has these fields."""
        self.at(instant, lambda state: state["match"]["match"].update(fields))

    def add(self, instant: datetime, event: Json) -> None:
        """From this instant there is one more event."""
        row = {**event, "created": write(instant, DAY_SECONDS)}
        self.at(instant, lambda state: state["match-event"].append(row))

    def write(
        self, instant: datetime, item_id: int, content: str, event: Json | None = None, *, headline: str = ""
    ) -> None:
        """From this instant there is one more piece of text, alone or on an event."""
        bound = (
            {} if event is None else {"event": {key: event[key] for key in ("id", "action", "kind") if key in event}}
        )
        item = {
            "id": str(item_id),
            **bound,
            "tickertime": write(instant, DAY_SECONDS),
            "minute": "0",
            "headline": headline,
            "content": content,
            "syndicate": "matchwire-demo",
        }
        self.at(instant, lambda state: state["liveticker"].append(item))

    def lines(self) -> Iterator[str]:
        """The recording, a line only where an answer changed."""
        last: dict[str, str] = {}
        for at, acts in groupby(sorted(self._acts, key=lambda act: act[0]), key=lambda act: act[0]):
            for _, act in acts:
                act(self._state)
            for kind, document in self._state.items():
                text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
                if last.get(kind) != text:
                    last[kind] = text
                    yield Line(at.astimezone(BERLIN), f"{kind}/ma{self.match_id}", text).row() + "\n"


def competition(competition_id: int, sport: str, name: str, season: str, *, round_: str, topic: str = "") -> Json:
    """The round of a match with all that stands above it."""
    above = {"id": str(competition_id), "sport_id": sport, "name": name, "type": "single", "gender": "male"}
    named = {**above, "topic": {"id": str(competition_id + 5), "name": topic}} if topic else above
    return {
        "id": str(competition_id + 2),
        "name": round_,
        "season": {"id": str(competition_id + 1), "name": season, "competition": named},
    }


def scheduled(match_id: str, day: str, clock: str, round_: Json, **fields: Any) -> Json:
    """A match before it begins."""
    return {
        "id": match_id,
        "round_id": round_["id"],
        "round": round_,
        "matchday": "0",
        "match_date": day,
        "match_time": clock,
        "finished": "no",
        "live_status": "full",
        "current_period": "",
        "current_period_start": "",
        "current_minute": "0",
        "attendance": "",
        "winner_team_id": "0",
        **fields,
    }


def team(team_id: int, name: str, short: str, code: str, *, country: tuple[str, str], kind: str = "club") -> Json:
    """One side; `country` is the code in sport and ISO's."""
    return {
        "id": str(team_id),
        "name": name,
        "shortname": short,
        "microname": code,
        "type": kind,
        "gender": "male",
        "show_team": "yes",
        "country": {"id": "0", "name": "", "code": country[0], "iso": country[1]},
    }


def results(place: str, **periods: tuple[int, int]) -> list[Json]:
    """`results("", p0=(2, 1))` as rows; `place` is what stands before home and away."""
    return [
        {"match_result": str(points), "match_result_at": name.removeprefix("p"), "place": f"{place}{side}"}
        for name, score in periods.items()
        for side, points in zip(("home", "away"), score, strict=True)
    ]
