"""The games of a set, whose order is known from the answers before one, and who has won enough sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mapping.match.match import Incident, Match, Score, SideName

GAME = "game:"
"""Prefix of the key of an incident that is a game of a set."""

SET, UNORDERED = "set", "unordered"
"""Methods of games: it wins a set; its place among those beside it is not known, so its score is one that may have been."""

NOTHING = Score(0, 0)
SETS_THAT_WIN = 2
"""The fewest sets that win a match."""


def side_with_enough_sets(sets: Score | None) -> SideName | None:
    """Who has won more sets, and enough of them; None where they do not say who won."""
    return None if sets is None or max(sets.home, sets.away) < SETS_THAT_WIN else sets.ahead


def game_key(number: int, games: int) -> str:
    """The key of the game after which so many games of the set with this number were played."""
    return f"{GAME}s{number}:{games}"


def is_game(incident: Incident) -> bool:
    """Whether the incident is a game, whose `score` is the one of its set after it."""
    return incident.key.startswith(GAME)


def with_games(before: Match, answer: Match) -> tuple[Incident, ...]:
    """The incidents of an answer that has only the last game of each set, with the games before it, as far as they are known."""
    return tuple(game for each in answer.incidents for game in (_until(each, before) if is_game(each) else (each,)))


def _until(last: Incident, before: Match) -> Sequence[Incident]:
    """The games of a set up to its last, which alone may end the set."""
    known = _of_set(before, last.phase)
    earlier = [replace(each, method=None) if each.method == SET else each for each in known if _is_before(each, last)]
    same = next((each for each in known if each.score == last.score), None)
    if same is not None:
        return [*earlier, replace(last, key=same.key, side=last.side or same.side)]
    return [*earlier, *_since(max(map(_score, earlier), key=lambda score: score.total, default=NOTHING), last)]


def _of_set(match: Match, number: int | None) -> Sequence[Incident]:
    return [each for each in match.incidents if is_game(each) and each.phase == number]


def _since(score: Score, last: Incident) -> Sequence[Incident]:
    """The games from `score` to the last one. Where both sides won some, who won the last of those is not known."""
    now = _score(last)
    until = now if last.side is None else _without_one(now, last.side)
    home, away = until.home - score.home, until.away - score.away
    if home < 0 or away < 0:
        return [last]
    homes: list[SideName] = ["home"] * home
    aways: list[SideName] = ["away"] * away
    winners, both, games = homes + aways, home > 0 and away > 0, list[Incident]()
    for at, side in enumerate(winners, 1):
        score = Score(score.home + (side == "home"), score.away + (side == "away"))
        sure = not both or at == len(winners)
        game = replace(
            last, key=game_key(last.phase or 0, score.total), score=score, method=None if sure else UNORDERED
        )
        games.append(replace(game, side=None if both and sure else side))
    return games if last.side is None else [*games, last]


def _score(game: Incident) -> Score:
    return game.score or NOTHING


def _is_before(game: Incident, last: Incident) -> bool:
    score, later = _score(game), _score(last)
    return score != later and score.home <= later.home and score.away <= later.away


def _without_one(score: Score, side: SideName) -> Score:
    return Score(score.home - 1, score.away) if side == "home" else Score(score.home, score.away - 1)
