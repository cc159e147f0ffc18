"""Tennis: the start, the games and the end; sets instead of phases, and no clock. A pair has sentences of its own: they win."""

from __future__ import annotations

from mapping.documents.state import ENDED
from mapping.match.match import Decided
from mapping.sports.base import Kind, MomentType, Sport

GAME_WIN = Kind(
    "tennis.game-win",
    title="Game",
    moment=MomentType.SET,
    scores=True,
    sentences=(
        "Game {team}. Set {set}: {home} {score} {away}.",
        "Set {set}: {home} {score} {away}.",
        "Game {team}.",
    ),
    variants={
        "unordered": ("Game {team}.",),
        "set": ("Game and set, {team}! The set goes {won}.", "Game and set, {team}!"),
    },
)
START = Kind("tennis.start", title="Start of the match", sentences=("{home} against {away} is under way.",))
END = Kind(
    "tennis.end",
    title="End of the match",
    moment=MomentType.RESULT,
    score_of="final",
    enters=ENDED,
    sentences=(
        "Game, set and match: {winner} beats {loser} {sets}.",
        "Game, set and match: {winners} beat {losers} {sets}.",
        "{winner} beats {loser}.",
        "{winners} beat {losers}.",
        "The tennis match is over.",
    ),
    variants={
        "retired": (
            "{loser} retires: {winner} wins, the score was {sets}.",
            "{losers} retire: {winners} win, the score was {sets}.",
            "{loser} retires, {winner} wins.",
            "{losers} retire, {winners} win.",
            "The match ends by retirement.",
        ),
        "walkover": (
            "Walkover: {winner} wins without a game against {loser}.",
            "Walkover: {winners} win without a game against {losers}.",
            "The match ends in a walkover.",
        ),
        "abandoned": (
            "The match between {home} and {away} is abandoned at {sets}.",
            "The match between {home} and {away} is abandoned.",
        ),
    },
)

TENNIS = Sport(
    id="tennis",
    name="Tennis",
    scoreboard=True,
    kinds=(GAME_WIN, START, END),
    phases=("1st set", "2nd set", "3rd set", "4th set", "5th set"),
    sets=True,
    endings={Decided.RETIRED: "ret.", Decided.WALKOVER: "w/o", Decided.ABANDONED: "abandoned"},
)
