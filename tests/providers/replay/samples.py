"""A short match in the provider's form, for tests that need no long one."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import httpx

from providers.replay import Line, Replay, ReplaySettings

KICKOFF = datetime(2018, 7, 1, 18, 0, tzinfo=UTC)
NOW = datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC)


class Ticking:
    """A monotonic and a wall clock that move only when a test moves them."""

    def __init__(self, now=NOW):
        self.seconds = 0.0
        self.start = now

    def monotonic(self):
        return self.seconds

    def wall(self):
        return self.start + timedelta(seconds=self.seconds)


def match_body(minute="0", period="", started="", match_id="1"):
    return {
        "match": {
            "id": match_id,
            "round_id": "9",
            "round": {"id": "9", "season_id": "8", "name": "Achtelfinale"},
            "match_date": "01.07.2018",
            "match_time": "20:00",
            "current_period": period,
            "current_period_start": started,
            "current_minute": minute,
            "home": {"id": "3", "name": "Heim"},
            "match_result": [{"match_result": "0", "match_result_at": "0", "place": "home"}],
            "referee": {"id": "5", "birthday": "29.10.1985"},
        },
        "match_result_at": [{"id": "0", "name": "Endergebnis"}],
    }


def row(row_id, action="goal", kind="head", created="01.07.2018 20:15:17"):
    return {"id": row_id, "action": action, "kind": kind, "minute": "15", "created": created, "content": "1:0"}


def at(seconds):
    return KICKOFF + timedelta(seconds=seconds)


def lines(match_id="1"):
    """From a minute before kick-off to an answer that was not JSON, twenty minutes later."""
    return [
        Line.of(at(-60), f"match/ma{match_id}", match_body(match_id=match_id)),
        Line.of(at(0), f"match/ma{match_id}", match_body("1", "game-start", "2018-07-01 20:00:00", match_id)),
        Line.of(at(10), f"match-event/ma{match_id}", [row("100", "match", "game-start", "01.07.2018 20:00:00")]),
        Line.of(at(920), f"match-event/ma{match_id}", [row("100", "match", "game-start"), row("101")]),
        Line.of(
            at(930),
            f"liveticker/co7/ma{match_id}",
            [
                {"id": "900", "tickertime": "01.07.2018 20:05:00", "content": "Text"},
                {
                    "id": "901",
                    "event": row("101", created="01.07.2018 20:15"),
                    "tickertime": "01.07.2018 20:15:20",
                    "content": "<b>Tor</b>",
                },
            ],
        ),
        Line.of_raw(at(1200), f"match-event/ma{match_id}", "<html>oops</html>"),
    ]


@asynccontextmanager
async def replaying(recorded=None, *, ticking=None, **settings):
    """A served replay of the short match and a client for it, on clocks that stand still."""
    ticking = ticking or Ticking()
    replay = Replay(
        recorded if recorded is not None else lines(),
        ReplaySettings(**settings),
        monotonic=ticking.monotonic,
        wall=ticking.wall,
    )
    async with replay.serve(), httpx.AsyncClient(base_url=replay.url, timeout=30) as client:
        yield replay, client
