"""How a match ended, in a few words: who won and by what, or that nobody did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapping.documents.state import ENDED
from mapping.locales.labels import Result
from mapping.match.match import Decided, Score
from mapping.posts.key_moments import awarded_line, decided_how, set_scores, tally_of, winner_of_sets
from mapping.posts.wording import filled_sentences, spoken_score, winner_and_loser

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mapping.locales import Translator
    from mapping.posts.key_moments import MatchState
    from mapping.sports.base import Sport

WITHOUT_PLAY = {
    Decided.RETIRED: (Result.RETIRED, Result.PAIR_RETIRED),
    Decided.WALKOVER: (Result.WALKOVER, Result.PAIR_WALKOVER),
}
"""Ends of a match of sets that its sets do not say, of one player and of a pair."""


def result_line(sport: Sport, state: MatchState, texts: Translator) -> str:
    """The result as the title of a liveblog says it: `Croatia win 3-2 on penalties`.

    Empty before the end, where the match was not played as planned, and where nobody knows how it ended.
    """
    if state.gamestate != ENDED or state.interrupted:
        return ""
    if sport.ranked:
        msgid = Result.FASTEST if state.timed else Result.WINNER
        return _filled([msgid], {"winner": next(iter(state.ranking), "")}, texts)
    return _of_sets(sport, state, texts) if sport.sets else _of_teams(sport, state, texts)


def _of_sets(sport: Sport, state: MatchState, texts: Translator) -> str:
    """Who won, and the sets as the winner sees them."""
    how = decided_how(sport, state.decided, texts)
    won = state.winner or winner_of_sets(sport, state, texts)
    if won is None or how is Decided.ABANDONED:
        return ""
    names = (state.home, state.away) if won == "home" else (state.away, state.home)
    values = {**winner_and_loser(*names), "sets": set_scores(state, won, texts)}
    played = (Result.SETS, Result.PAIR_SETS, Result.WINNER, Result.PAIR_WINNER)
    return _filled(played if how is None else WITHOUT_PLAY.get(how, played), values, texts)


def _of_teams(sport: Sport, state: MatchState, texts: Translator) -> str:
    """Who won, by the tally of the shoot-out where there was one, else by the score."""
    how, tally = decided_how(sport, state.decided, texts), tally_of(state, texts)
    score = state.score if tally is None else tally
    if score is None or how is Decided.UNKNOWN:
        return ""
    if awarded := awarded_line(sport, state, texts):
        return awarded
    if score.ahead is None:
        drawn = tally is None and how is not Decided.SHOOTOUT  # else the tally is not known, or not at its end
        values = {"home": state.home, "away": state.away, "score": spoken_score(score, texts)}
        return _filled([Result.DRAW], values, texts) if drawn else ""
    home_won = score.ahead == "home"
    better = score if home_won else Score(score.away, score.home)
    values = {"winner": state.home if home_won else state.away, "score": spoken_score(better, texts)}
    return _filled([Result.ON_PENALTIES if tally is not None else _win(sport, how)], values, texts)


def _win(sport: Sport, how: Decided | None) -> Result:
    if how is Decided.SHOOTOUT:
        return Result.AFTER_SHOOTOUT
    if how is Decided.OVERTIME:
        return Result.AFTER_OVERTIME if Decided.OVERTIME in sport.endings else Result.AFTER_EXTRA_TIME
    return Result.WIN


def _filled(msgids: Iterable[str], values: dict[str, str], texts: Translator) -> str:
    """The first sentence of which everything is known, empty where none is."""
    return next(filled_sentences(msgids, {name: each for name, each in values.items() if each}, texts), "")
