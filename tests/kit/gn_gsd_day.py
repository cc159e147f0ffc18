"""A match day of gn-gsd."""

from datetime import datetime, timedelta
from typing import Any

from providers.replay import Line
from tests.providers.gn_gsd.gsd import MATCH_ID, lineups, match

START = datetime.fromisoformat("2025-06-14T16:00:00+00:00")


def line(second: int, resource: str, body: Any) -> Line:
    return Line.of(START + timedelta(seconds=second), resource, body)


def playing(*actions: Any, second: int = 60, **changes: Any) -> list[Line]:
    """The match with these actions from a second on."""
    return [
        line(second, f"matches/{MATCH_ID}", {"match": match(**changes)}),
        line(second, f"matches/{MATCH_ID}/actions", {"actions": list(actions)}),
    ]


SQUADS = line(0, f"matches/{MATCH_ID}/lineups", {"lineups": lineups()})
