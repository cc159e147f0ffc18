"""The sets of a match as a table of its board: a row for each side, with the running game and who won."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from api.http.json_path import Json, node, nodes, number, text
from api.view.key_moments import score_of
from mapping.documents.state import ENDED, RUNNING
from mapping.locales import Translator
from mapping.locales.labels import Label
from mapping.match.games import side_with_enough_sets
from mapping.match.match import SideName

NOTHING = ("0", "0")
SIDES: tuple[SideName, SideName] = ("home", "away")
Pair = tuple[str, str]


def sets_table(game: Json, sides: Sequence[tuple[str, str]], texts: Translator) -> str:
    """The table; empty as long as no game is won and none is played. `sides`: initials and name of home and away."""
    played = _played(game)
    points = _points(game)
    if not (played or points):
        return ""
    columns = [f'<th scope="col" aria-label="{escape(texts.text(Label.SET, set=at))}">{at}</th>' for at, _ in played]
    columns += [f'<th scope="col">{escape(texts.text(Label.POINTS))}</th>'] if points else []
    name = escape(texts.text(Label.NAME))
    head = f'<tr><th scope="col"><span class="unseen">{name}</span></th>{"".join(columns)}</tr>'
    games = [_games(side, played, points) for side in range(len(sides))]
    body = "".join(_row(_sign(game, side, texts), names, games[side]) for side, names in enumerate(sides))
    return f'<table class="sets"><thead>{head}</thead><tbody>{body}</tbody></table>'


def _row(sign: str, names: tuple[str, str], cells: str) -> str:
    initials, name = map(escape, names)
    called = f'<bdi aria-hidden="true">{initials}</bdi><bdi class="unseen">{name}</bdi>'
    return f'<tr><th scope="row">{called}{sign}</th>{cells}</tr>'


def _games(side: int, played: list[tuple[int, Pair]], points: Pair | None) -> str:
    """The cells of a side."""
    cells = "".join(_cell(pair, side) for _, pair in played)
    return cells + (f'<td class="points">{escape(points[side])}</td>' if points else "")


def _cell(pair: Pair, side: int) -> str:
    """The games of a side in a set; the greater number stands out."""
    better = all(map(str.isdigit, pair)) and int(pair[side]) > int(pair[1 - side])
    return f"<td>{f'<b>{escape(pair[side])}</b>' if better else escape(pair[side])}</td>"


def _sign(game: Json, side: int, texts: Translator) -> str:
    """That the side has won, or that it serves."""
    if _winner(game) == SIDES[side]:
        drawn, label, name = "✓", Label.WINNER, "won"
    elif _serves(game, side):
        drawn, label, name = "●", Label.SERVING, "serves"
    else:
        return ""
    return f' <span class="{name}" aria-hidden="true">{drawn}</span><span class="unseen">{escape(texts.text(label))}</span>'


def _played(game: Json) -> list[tuple[int, Pair]]:
    """The number and the score of each set in which a game is won."""
    pairs = [(text(each, "home_score"), text(each, "away_score")) for each in nodes(game, "scoreboard", "scores")]
    return [(at, pair) for at, pair in enumerate(pairs, 1) if all(pair) and pair != NOTHING]


def _points(game: Json) -> Pair | None:
    """The points of the game that is being played."""
    score = node(game, "scoreboard", "current_score")
    pair = (text(score, "home_score"), text(score, "away_score"))
    return pair if number(game, "state_info", "gamestate") == RUNNING and all(pair) else None


def _serves(game: Json, side: int) -> bool:
    running = number(game, "state_info", "gamestate") == RUNNING
    return running and text(game, "scoreboard", "serving") == SIDES[side]


def _winner(game: Json) -> SideName | None:
    """Who has won enough sets, once the match is over and nothing else is said of how it ended."""
    score = node(game, "scoreboard", "score")
    said = number(game, "state_info", "gamestate") == ENDED and not text(score, "title")
    return side_with_enough_sets(score_of(score)) if said else None
