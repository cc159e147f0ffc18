"""A small match of heim, from which liveblogs are created."""

import json
from typing import Any

from providers.replay import Line
from tests.providers.heim.feed import item, row, wrapped

MATCH = "9000001"

ROWS = [
    row(1, "match/game-start", 1, created="14.06.2025 18:00:05"),
    row(2, "goal/head", 15, "home", 9, 7, content="1:0", created="14.06.2025 18:15:10"),
    row(3, "card/yellow", 33, "away", 4, created="14.06.2025 18:33:10"),
    *(
        row(100 + n + shift, "playing/lineup", 0, side, n + shift)
        for side, shift in (("home", 0), ("away", 50))
        for n in range(1, 12)
    ),
]

TEXTS = [item(901, 0, "Welcome to the harbour."), item(902, 15, "<b>Tor</b> <br/>A header from close range.", ROWS[1])]


ADDRESS = "127.0.0.1:8080"
"""What the page prints; somebody else may have that port, so any free one takes its place."""
RECEIVER = "9099"
"""The same of the endpoint that webhooks are sent to."""
PRINTED_MATCH = "8315073"
PASSWORD = "the provider's password"
UPSTREAM = "MATCHWIRE_ORGANIZATIONS__NEWSROOM__PROVIDERS__HEIM__BASE_URL"


def line(resource: str, body: Any, second: int = 0) -> Line:
    return Line.of(f"2025-06-14T19:10:{second:02}+02:00", resource, body)


ROUND = {
    "id": "4711",
    "name": "Gruppe Z",
    "season": {"id": "77", "name": "2025", "competition": {"id": "31", "name": "Hansepokal", "type": "club"}},
}

LINES = (
    line(f"match/ma{MATCH}", wrapped(round=ROUND, match_result=[
        {"match_result": "1", "match_result_at": "0", "place": "home"},
        {"match_result": "0", "match_result_at": "0", "place": "away"},
    ])),
    line(f"match-event/ma{MATCH}", ROWS),
    line(f"liveticker/ma{MATCH}", TEXTS),
)  # fmt: skip


def recorded():
    """A match under the id that the page prints."""
    for line in LINES:
        renamed = line.row().replace(MATCH, PRINTED_MATCH)
        yield Line.of(line.at, json.loads(renamed)["resource"], json.loads(renamed)["body"])
