"""Where a match stands and how it ended: the recap, a few sentences made by templates, and the line of its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from mapping.documents.state import BEFORE, ENDED, RUNNING, SHOOTOUT
from mapping.locales import Translator
from mapping.locales.labels import LAP, Label, Recap, Result
from mapping.match.match import Decided, Score
from mapping.posts.key_moments import (
    KeyMoment,
    MatchState,
    awarded_line,
    decided_how,
    set_scores,
    tally_of,
    winner_of_sets,
)
from mapping.posts.wording import filled_sentences, join_scores, spoken_score, winner_and_loser
from mapping.rules.rich_text import isolate
from mapping.sports.base import MomentType, Sport
from mapping.sports.soccer import OWN_GOAL

LONGEST = 12
"""Things in one sentence; where there are more, the sentence is left out."""
WITHOUT_PLAY = {
    Decided.RETIRED: (Result.RETIRED, Result.PAIR_RETIRED),
    Decided.WALKOVER: (Result.WALKOVER, Result.PAIR_WALKOVER),
}
"""Ends of a match of sets that its sets do not say, of one player and of a pair."""


def recap(sport: Sport, state: MatchState, moments: Sequence[KeyMoment], texts: Translator) -> str:
    """The recap as plain text; empty before the match, but for one that is postponed during play."""
    if state.gamestate in {None, BEFORE} and not (state.interrupted and state.phase):
        return ""
    results = [each.text for each in moments if each.type is MomentType.RESULT] if state.gamestate == ENDED else []
    first = _race(state, results, texts) if sport.ranked else _score(sport, state, results, texts)
    return " ".join(filter(None, (first, *_course(sport, state, moments, texts))))


def _score(sport: Sport, state: MatchState, results: Sequence[str], texts: Translator) -> str:
    """The score, and of which part of the match; once it is over, what the post of its end says.

    Of sets nothing before one of them is won: the games of the running one say it.
    """
    if results:
        return results[-1]
    if not (state.home and state.away) or state.score is None or (sport.sets and not state.score.total):
        return ""
    score = awarded_line(sport, state, texts) or " ".join(
        filter(None, (spoken_score(state.score, texts), state.decided))
    )
    part = texts.text(_part(sport, state))
    values = {"phase": part, "home": state.home, "away": state.away, "score": score}
    return next(filled_sentences([Recap.SCORE], values, texts), "")


def _part(sport: Sport, state: MatchState) -> str:
    """The msgid of the part of the match that is being played, or of what became of it."""
    if state.interrupted and state.gamestate in {BEFORE, ENDED}:
        return state.interrupted
    if state.gamestate != RUNNING:
        return {SHOOTOUT: Label.SHOOTOUT, ENDED: Label.FINISHED}.get(state.gamestate or BEFORE, Label.LIVE)
    if not state.in_break:
        return sport.phase(state.phase) or Label.LIVE
    halfway = sport.timing is not None and state.phase * 2 == sport.timing.num_regular_phases
    return Label.HALF_TIME if halfway else Label.BREAK


def _race(state: MatchState, results: Sequence[str], texts: Translator) -> str:
    """Who leads, who won, or who was fastest; of a race that was called off, or broken off, what the post of its end says."""
    if state.interrupted and state.gamestate == ENDED:
        return results[-1] if results else ""
    if not state.ranking:
        return ""
    names = dict(zip(("first", "second", "third"), map(isolate, state.ranking), strict=False))
    whole = len(names) == 3
    if state.gamestate == ENDED and state.timed:
        return texts.text(Recap.FASTEST, **names)
    if state.gamestate == ENDED:
        return texts.text(Recap.PODIUM if whole else Recap.WINNER, **names)
    lap = texts.text(LAP, lap=state.lap) if state.lap else texts.text(Label.LIVE)
    return texts.text(Recap.LEADERS if whole else Recap.LEADER, lap=lap, **names)


def _course(sport: Sport, state: MatchState, moments: Sequence[KeyMoment], texts: Translator) -> Iterator[str]:
    """The sets, the goals, who was sent off and who missed a penalty; kicks of the shoot-out are in the result."""
    running = sport.sets and state.gamestate != ENDED
    sets = [spoken_score(score, texts) for _, score in state.parts if score.total] if running else []
    yield _list_text(Recap.SETS, sets, texts)
    played = list(takewhile(lambda each: each.type is not MomentType.SHOOTOUT, moments))
    for type_, msgid, written in LISTS:
        yield _list_text(msgid, [written(each, texts) for each in played if each.type is type_], texts)


def _list_text(msgid: str, items: Sequence[str], texts: Translator) -> str:
    return texts.text(msgid, list=join_scores(items, texts)) if 0 < len(items) <= LONGEST else ""


def _goal(goal: KeyMoment, texts: Translator) -> str:
    own = f"({texts.text(OWN_GOAL.title)})" if goal.event_type == OWN_GOAL.id else ""
    score = spoken_score(goal.score, texts) if goal.score is not None else ""
    return _join_words(score, isolate(goal.player or goal.team), goal.minute, own)


def _player(moment: KeyMoment, texts: Translator) -> str:
    del texts
    named = isolate(moment.team)
    team = f"({named})" if moment.player and moment.team else named
    return _join_words(isolate(moment.player), team, moment.minute)


def _join_words(*words: str) -> str:
    return " ".join(filter(None, words))


LISTS: tuple[tuple[MomentType, Recap, Callable[[KeyMoment, Translator], str]], ...] = (
    (MomentType.GOAL, Recap.GOALS, _goal),
    (MomentType.SENT_OFF, Recap.SENT_OFF, _player),
    (MomentType.PENALTY_MISSED, Recap.PENALTIES_MISSED, _player),
)
"""What a sentence of its own lists, how it is introduced, and how each is written."""


def result_line(sport: Sport, state: MatchState, texts: Translator) -> str:
    """The result as the title of a liveblog says it: `Croatia win 3-2 on penalties`.

    Empty before the end, where the match was not played as planned, and where nobody knows how it ended.
    """
    if state.gamestate != ENDED or state.interrupted:
        return ""
    if sport.ranked:
        msgid = Result.FASTEST if state.timed else Result.WINNER
        return _fill_first([msgid], {"winner": next(iter(state.ranking), "")}, texts)
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
    return _fill_first(played if how is None else WITHOUT_PLAY.get(how, played), values, texts)


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
        return _fill_first([Result.DRAW], values, texts) if drawn else ""
    home_won = score.ahead == "home"
    better = score if home_won else Score(score.away, score.home)
    values = {"winner": state.home if home_won else state.away, "score": spoken_score(better, texts)}
    return _fill_first([Result.ON_PENALTIES if tally is not None else _win(sport, how)], values, texts)


def _win(sport: Sport, how: Decided | None) -> Result:
    if how is Decided.SHOOTOUT:
        return Result.AFTER_SHOOTOUT
    if how is Decided.OVERTIME:
        return Result.AFTER_OVERTIME if Decided.OVERTIME in sport.endings else Result.AFTER_EXTRA_TIME
    return Result.WIN


def _fill_first(msgids: Iterable[str], values: dict[str, str], texts: Translator) -> str:
    """The first sentence of which everything is known, empty where none is."""
    return next(filled_sentences(msgids, {name: each for name, each in values.items() if each}, texts), "")
