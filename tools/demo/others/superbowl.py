"""Super Bowl LVIII: the points as they were scored, by the game clock, with the plays that led to them."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from providers.replay.moved_dates import DAY_CLOCK, ISO_SECONDS, parse, write
from tools.demo.others.tape import Tape, competition, results, scheduled, team
from tools.demo.others.texts import ALL

NAME, MATCH_ID = "super-bowl", "9900013"
DAY, CLOCK = "12.02.2024", "00:30"
CHIEFS = team(9_913_001, "Kansas City Chiefs", "Chiefs", "KC", country=("USA", "US"))
NINERS = team(9_913_002, "San Francisco 49ers", "49ers", "SF", country=("USA", "US"))
PLAYS: list[dict[str, Any]] = ALL[NAME]["plays"]
WORDS = ("game", "second-quarter", "third-quarter", "fourth-quarter", "overtime")
ENDS = ("first-quarter", "second-quarter", "third-quarter", "fourth-quarter", "overtime")
ROWS = ("p1", "p2", "p3", "p4", "p21")
LENGTH, PAUSE, HALF_TIME = timedelta(minutes=43), timedelta(minutes=3), timedelta(minutes=29)
QUARTER = 15 * 60
"""Seconds on the game clock, overtime's too."""


def feed_of(language: str) -> Iterator[str]:
    """The recording in a language of the demo."""
    return _Game(language).tape.lines()


class _Game:
    """Puts the plays on the tape; within a quarter the game clock runs evenly, because nobody published how it ran."""

    def __init__(self, language: str) -> None:
        self.language, self.words = language, ALL[NAME][language]
        above = competition(9_913_010, "7", "Super Bowl LVIII", "2023", round_=self.words["round"], topic="NFL")
        self.tape = Tape(MATCH_ID, scheduled(MATCH_ID, DAY, CLOCK, above, home=CHIEFS, away=NINERS))
        self.total = (0, 0)
        self.ended: dict[str, tuple[int, int]] = {}
        self._ids = count(9_913_101)
        start = parse(f"{DAY} {CLOCK}", DAY_CLOCK)
        assert start is not None  # noqa: S101 -- a constant of this file
        self.tape.set(start - timedelta(minutes=65), match_result=results("", p0=(0, 0)))
        for before, text in zip((55, 10), self.words["before"], strict=True):
            self._write(start - timedelta(minutes=before), text)
        now = start + timedelta(minutes=10)
        for part in range(len(WORDS)):
            now = self.part(part, now) + (HALF_TIME if part == 1 else PAUSE)
        over = now - PAUSE + timedelta(seconds=20)
        self.tape.set(over, finished="yes", winner_team_id=CHIEFS["id"], current_period="game-end")
        for number, text in enumerate(self.words["after"], 1):
            self._write(over + number * PAUSE, text)

    def part(self, part: int, start: datetime) -> datetime:
        """One quarter or overtime with its plays; the instant when it ended."""
        tape, title = self.tape, self.words["parts"][part]
        if part == len(WORDS) - 1:
            tape.set(start, match_incident={"id": "1", "name": "nach Verlängerung", "shortname": "n.V."})
        _word(tape, start, f"{WORDS[part]}-start", str(15 * part + 1))
        self._write(start + timedelta(seconds=5), self.words["starts"][part], title)
        within, end = (0, 0), start + LENGTH
        for play in (each for each in PLAYS if each["part"] == part + 1):
            minutes, seconds = play["clock"].split(":")
            played = QUARTER - 60 * int(minutes) - int(seconds)
            at, headline = start + LENGTH * (played / QUARTER), f"{title}, {play['clock']}"
            if "points" in play:
                home, away = play["points"]
                self.total, within = (self.total[0] + home, self.total[1] + away), (within[0] + home, within[1] + away)
                tape.set(at, match_result=results("", p0=self.total, **self.ended))
                headline = f"{headline}: {self._score()}"
            self._write(at + timedelta(seconds=10), play[self.language], headline)
            if part == len(WORDS) - 1:
                end = at + timedelta(seconds=20)
        self.ended[ROWS[part]] = within
        _word(tape, end, f"{ENDS[part]}-end", str(15 * (part + 1)))
        tape.set(end + timedelta(seconds=5), match_result=results("", p0=self.total, **self.ended))
        self._write(end + timedelta(seconds=15), self.words["ends"][part], self._score())
        return end

    def _score(self) -> str:
        return f"Kansas City {self.total[0]}, San Francisco {self.total[1]}"

    def _write(self, at: datetime, text: str, headline: str = "") -> None:
        self.tape.write(at, next(self._ids), text, headline=headline)


def _word(tape: Tape, at: datetime, word: str, minute: str) -> None:
    tape.set(at, current_period=word, current_period_start=write(at, ISO_SECONDS), current_minute=minute)
