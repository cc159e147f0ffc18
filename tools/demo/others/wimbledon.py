"""The final of Wimbledon 2008: the sets as they were played, game by game in an order of our own."""

from collections.abc import Iterator
from datetime import timedelta

from providers.replay.dates import DAY_CLOCK, ISO_SECONDS, parse, write
from tools.demo.others.tape import Tape, competition, results, scheduled, team

NAME, MATCH_ID = "wimbledon-final", "9900012"
SETS = ((4, 6), (4, 6), (7, 6), (7, 6), (7, 9))
DAY, CLOCK = "06.07.2008", "15:00"
GAME = timedelta(seconds=279)
"""So that 62 games last as long as the match did, 4 hours and 48 minutes."""

BREAK = timedelta(seconds=20)
FEDERER = team(9_912_001, "Roger Federer", "R. Federer", "FED", country=("SUI", "CH"), kind="none")
NADAL = team(9_912_002, "Rafael Nadal", "R. Nadal", "NAD", country=("ESP", "ES"), kind="none")
WORDS = {
    "en": (
        "The Championships",
        "Final",
        "The players are on Centre Court.",
        "The longest Wimbledon final so far is over.",
    ),
    "de": (
        "Wimbledon",
        "Finale",
        "Die Spieler sind auf dem Centre Court.",
        "Das bis dahin längste Finale von Wimbledon ist aus.",
    ),
}


def feed_of(language: str) -> Iterator[str]:
    """The recording in a language of the demo."""
    event, round_, before, after = WORDS[language]
    above = competition(9_912_010, "5", event, "2008", round_=round_, topic="Grand Slam")
    tape = Tape(MATCH_ID, scheduled(MATCH_ID, DAY, CLOCK, above, home=FEDERER, away=NADAL))
    start = parse(f"{DAY} {CLOCK}", DAY_CLOCK)
    assert start is not None  # noqa: S101 -- a constant of this file
    tape.set(start - timedelta(minutes=65), match_result=results("none_", p0=(0, 0)))
    tape.write(start - timedelta(minutes=8), 9_912_101, before)
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
    end = {"finished": "yes", "winner_team_id": NADAL["id"], "current_period": "game-end"}
    tape.set(now + BREAK, **end, current_period_start=write(now, ISO_SECONDS))
    tape.write(now + timedelta(minutes=2), 9_912_102, after)
    return tape.lines()


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
