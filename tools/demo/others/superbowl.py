"""Super Bowl LVIII: the points as they were scored, quarter by quarter, at times of our own."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from providers.replay.dates import DAY_CLOCK, ISO_SECONDS, parse, write
from tools.demo.others.tape import Tape, competition, results, scheduled, team

NAME, MATCH_ID = "super-bowl", "9900013"
DAY, CLOCK = "12.02.2024", "00:30"
CHIEFS = team(9_913_001, "Kansas City Chiefs", "Chiefs", "KC", country=("USA", "US"))
NINERS = team(9_913_002, "San Francisco 49ers", "49ers", "SF", country=("USA", "US"))
# Per part: (minute of our invention, points home, points away).
SCORES: tuple[tuple[tuple[int, int, int], ...], ...] = (
    (),
    ((1, 0, 3), (24, 0, 7), (38, 3, 0)),
    ((12, 3, 0), (30, 7, 0)),
    ((8, 0, 6), (17, 3, 0), (31, 0, 3), (40, 3, 0)),
    ((14, 0, 3), (32, 6, 0)),
)
WORDS = ("game", "second-quarter", "third-quarter", "fourth-quarter", "overtime")
ENDS = ("first-quarter", "second-quarter", "third-quarter", "fourth-quarter", "overtime")
ROWS = ("p1", "p2", "p3", "p4", "p21")
LENGTH, PAUSE, HALF_TIME = timedelta(minutes=43), timedelta(minutes=3), timedelta(minutes=29)
TEXTS = {
    "en": (
        "Final",
        "Las Vegas is waiting for kick-off.",
        "Overtime, as only once before in a Super Bowl.",
        "Kansas City win again.",
    ),
    "de": (
        "Finale",
        "Las Vegas wartet auf den Kickoff.",
        "Verlängerung, wie erst einmal in einem Super Bowl.",
        "Kansas City gewinnt schon wieder.",
    ),
}


def feed_of(language: str) -> Iterator[str]:
    """The recording in a language of the demo."""
    round_, before, overtime, after = TEXTS[language]
    above = competition(9_913_010, "7", "Super Bowl LVIII", "2023", round_=round_, topic="NFL")
    tape = Tape(MATCH_ID, scheduled(MATCH_ID, DAY, CLOCK, above, home=CHIEFS, away=NINERS))
    start = parse(f"{DAY} {CLOCK}", DAY_CLOCK)
    assert start is not None  # noqa: S101 -- a constant of this file
    tape.set(start - timedelta(minutes=65), match_result=results("", p0=(0, 0)))
    tape.write(start - timedelta(minutes=10), 9_913_101, before)
    now, total = start + timedelta(minutes=10), (0, 0)
    ended: dict[str, tuple[int, int]] = {}
    for part, scores in enumerate(SCORES):
        if part == len(SCORES) - 1:
            tape.write(now - timedelta(minutes=1), 9_913_102, overtime)
            tape.set(now, match_incident={"id": "1", "name": "nach Verlängerung", "shortname": "n.V."})
        _word(tape, now, f"{WORDS[part]}-start", str(15 * part + 1))
        within = (0, 0)
        for minute, home, away in scores:
            total, within = (total[0] + home, total[1] + away), (within[0] + home, within[1] + away)
            tape.set(now + timedelta(minutes=minute), match_result=results("", p0=total, **ended))
        now += LENGTH if part < len(SCORES) - 1 else timedelta(minutes=scores[-1][0], seconds=20)
        ended[ROWS[part]] = within
        _word(tape, now, f"{ENDS[part]}-end", str(15 * (part + 1)))
        tape.set(now + timedelta(seconds=5), match_result=results("", p0=total, **ended))
        now += HALF_TIME if part == 1 else PAUSE
    tape.set(
        now - PAUSE + timedelta(seconds=20), finished="yes", winner_team_id=CHIEFS["id"], current_period="game-end"
    )
    tape.write(now, 9_913_103, after)
    return tape.lines()


def _word(tape: Tape, at: datetime, word: str, minute: str) -> None:
    tape.set(at, current_period=word, current_period_start=write(at, ISO_SECONDS), current_minute=minute)
