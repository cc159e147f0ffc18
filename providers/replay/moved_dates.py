"""Moves the dates of a recorded match, so that it is played now.

All dates of the feed are local times of Berlin without an offset. They are read as instants, moved as instants and
written in Berlin again, so a match that crosses into or out of summer time keeps its durations.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

BERLIN = ZoneInfo("Europe/Berlin")
DAY, CLOCK = "%d.%m.%Y", "%H:%M"
DAY_CLOCK, DAY_SECONDS, ISO_SECONDS = "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S"

Move = Callable[[datetime], datetime]
"""From the instant at which something was recorded to the instant at which it happens now (both aware)."""

# Only these belong to the play: birthdays, foundations and seasons stay what they are.
PLAYED = {"created": (DAY_SECONDS, DAY_CLOCK), "tickertime": (DAY_SECONDS, DAY_CLOCK)}
RUNNING = {"current_period_start": (ISO_SECONDS, DAY_SECONDS)}
# Sorts of object without dates of the play, left alone because bodies are large.
CLOSED = frozenset({"team", "person", "additional_person", "team_person", "venue", "referee", "home", "away"})


def parse(text: str, pattern: str) -> datetime | None:
    """A local time of Berlin as an instant in UTC, None where the text has another form.

    The hour that autumn repeats is read as its first pass.
    """
    try:
        return datetime.strptime(text, pattern).replace(tzinfo=BERLIN).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def write(instant: datetime, pattern: str) -> str:
    """An instant as a local time of Berlin."""
    return instant.astimezone(BERLIN).strftime(pattern)


def move_dates(body: Any, move: Move, running: Move) -> Any:
    """A copy of `body` with the dates of the play moved.

    `running` moves the start of the running period apart from the rest, because consumers count from it:
    it must stay as long ago as it was when the answer was seen, at whatever speed the replay runs.
    """
    if isinstance(body, list):
        return [move_dates(item, move, running) for item in body]
    if not isinstance(body, dict):
        return body
    return {
        key: value if key in CLOSED else _moved_field(key, value, move, running) for key, value in body.items()
    } | _moved_kickoff(body, move)


def kickoff_of(body: Any) -> datetime | None:
    """The kick-off in the response of a match, None where it has none."""
    match = body.get("match") if isinstance(body, dict) else match_in_tree(body)
    if not isinstance(match, dict):
        return None
    return parse(f"{match.get('match_date')} {match.get('match_time')}", DAY_CLOCK)


def match_in_tree(body: Any) -> Any:
    """The first match of a list resource, which is a tree of competitions, seasons, rounds and matches."""
    for branch in ("competition", "season", "round", "match"):
        first = body[0] if isinstance(body, list) and body else body
        body = first.get(branch, first) if isinstance(first, dict) else None
    return body[0] if isinstance(body, list) and body else body


def _moved_field(key: str, value: Any, move: Move, running: Move) -> Any:
    if not isinstance(value, str):
        return move_dates(value, move, running)
    if key in PLAYED:
        return _rewritten(value, PLAYED[key], move)
    return _rewritten(value, RUNNING[key], running) if key in RUNNING else value


def _rewritten(text: str, patterns: tuple[str, ...], move: Move) -> str:
    for pattern in patterns:
        instant = parse(text, pattern)
        if instant is not None:
            return write(move(instant), pattern)
    return text


def _moved_kickoff(body: dict[str, Any], move: Move) -> dict[str, str]:
    """`match_date` and `match_time` are one date in two fields; a date without a known time moves as its noon."""
    day, clock = body.get("match_date"), body.get("match_time")
    if not isinstance(day, str):
        return {}
    instant = parse(f"{day} {clock}", DAY_CLOCK)
    if instant is not None:
        return {"match_date": write(move(instant), DAY), "match_time": write(move(instant), CLOCK)}
    noon = parse(f"{day} 12:00", DAY_CLOCK)
    return {} if noon is None else {"match_date": write(move(noon), DAY)}


def pace_move(recorded: datetime, now: datetime, speed: float) -> Move:
    """Moves so that `recorded` is `now` and `speed` recorded seconds pass in one."""
    return partial(_pace, recorded, now, speed)


def shift_move(by_start: datetime, now: datetime) -> Move:
    """Moves by one constant: `by_start` becomes `now`."""
    return pace_move(by_start, now, 1.0)


def _pace(recorded: datetime, now: datetime, speed: float, instant: datetime) -> datetime:
    return now + (instant - recorded) / speed
