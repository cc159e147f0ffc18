"""Recorded matches of a day with many."""

import json
from datetime import datetime, timedelta

from providers.replay import Line
from tests.providers.heim.feed import BERLIN, row, wrapped

KICKOFF = datetime(2025, 6, 14, 19, 10, tzinfo=BERLIN)


def recorded(match_id: str, number: int, every: int) -> list[Line]:
    """A match of three minutes whose events change every so many seconds."""
    lines = [Line.of(KICKOFF, f"match/ma{match_id}", wrapped(id=match_id))]
    rows = [row((number + 1) * 1000 + n, "card/yellow", 1 + n, "home", 4 + n) for n in range(40)]
    encoded = [json.dumps(each, ensure_ascii=False) for each in rows]
    for second in range(0, 180, every):
        shown = f"[{', '.join(encoded[: 1 + second // every % 40])}]"
        lines.append(Line(KICKOFF + timedelta(seconds=second), f"match-event/ma{match_id}", shown))
    return lines
