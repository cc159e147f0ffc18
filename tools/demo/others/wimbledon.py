"""The final of Wimbledon 2008: the sets as they were played, game by game in an order of our own."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from typing import Any

from providers.replay.moved_dates import DAY_CLOCK, ISO_SECONDS, parse, write
from tools.demo.others.tape import Tape, competition, results, scheduled, team
from tools.demo.others.texts import ALL

NAME, MATCH_ID = "wimbledon-final", "9900012"
SETS = ((4, 6), (4, 6), (7, 6), (7, 6), (7, 9))
DAY, CLOCK = "06.07.2008", "15:00"
GAME = timedelta(seconds=279)
"""So that 62 games last as long as the match did, 4 hours and 48 minutes."""

BREAK = timedelta(seconds=20)
FEDERER = team(9_912_001, "Roger Federer", "R. Federer", "FED", country=("SUI", "CH"), kind="none")
NADAL = team(9_912_002, "Rafael Nadal", "R. Nadal", "NAD", country=("ESP", "ES"), kind="none")


def feed_of(language: str) -> Iterator[str]:
    """The recording in a language of the demo."""
    words, ids = ALL[NAME][language], count(9_912_101)
    above = competition(9_912_010, "5", words["event"], "2008", round_=words["round"], topic="Grand Slam")
    tape = Tape(MATCH_ID, scheduled(MATCH_ID, DAY, CLOCK, above, home=FEDERER, away=NADAL))
    start = parse(f"{DAY} {CLOCK}", DAY_CLOCK)
    assert start is not None  # noqa: S101 -- a constant of this file
    tape.set(start - timedelta(minutes=65), match_result=results("none_", p0=(0, 0)))
    for minutes, text in zip((40, 8), words["before"], strict=True):
        tape.write(start - timedelta(minutes=minutes), next(ids), text)
    now, won = start + timedelta(minutes=2), (0, 0)
    tape.set(now, current_period="game-start", current_period_start=write(now, ISO_SECONDS), current_minute="1")
    sets: dict[str, tuple[int, int]] = {}
    for number, final in enumerate(SETS, 1):
        sets[f"p{number}"] = (0, 0)
        tape.set(now + BREAK, match_result=results("none_", p0=won, **sets))
        for games in _games(final):
            now += GAME
            sets[f"p{number}"] = games
            if games == final:
                won = (won[0] + (final[0] > final[1]), won[1] + (final[1] > final[0]))
            tape.set(now, match_result=results("none_", p0=won, **sets))
            if (text := _text(words, number, games)) is not None:
                tape.write(now + BREAK / 2, next(ids), text)
    end = {"finished": "yes", "winner_team_id": NADAL["id"], "current_period": "game-end"}
    tape.set(now + BREAK, **end, current_period_start=write(now, ISO_SECONDS))
    for minutes, text in zip((2, 5), words["after"], strict=True):
        tape.write(now + timedelta(minutes=minutes), next(ids), text)
    return tape.lines()


def _text(words: dict[str, Any], number: int, games: tuple[int, int]) -> str | None:
    """What is said after a game: at the end of a set, and where a set stands level late."""
    if games == SETS[number - 1]:
        return str(words["sets"][number - 1])
    level = {(4, 4): "level", **({(6, 6): "deciding"} if number == len(SETS) else {})}
    return str(words[level[games]]).format(number=number) if games in level else None


def _games(final: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The scores of a set in turn, the surplus of its winner at the end; which game fell when is our invention."""
    home = away = 0
    while (home, away) != final:
        if home <= away and home < final[0]:
            home += 1
        elif away < final[1]:
            away += 1
        else:
            home += 1
        yield home, away
