"""Tables of a page: the ranking of a race with lap and flag, and the sets of a match."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from api.http.json_path import Json, node, nodes, number, text
from api.view.key_moments import interruption_of, result_of, score_of
from mapping.belief.goals import side_with_enough_sets
from mapping.documents.state import BEFORE, ENDED, RUNNING
from mapping.locales import Translator, translator
from mapping.locales.labels import LAP, Label
from mapping.match.match import SideName
from mapping.sports.motorsports import MOTORSPORTS

SILENT = frozenset({"", "green-flag", "chequered-flag"})
"""Flags that say no more than the state of play does."""
STEPS = 3
"""Places on a podium."""


NOTHING = ("0", "0")
SIDES: tuple[SideName, SideName] = ("home", "away")
Pair = tuple[str, str]


class RankingRow(NamedTuple):
    """One place of the ranking, as texts."""

    place: int | None
    name: str
    below: str
    """Start number and team."""
    laps: str
    time: str


def progress(game: Json, texts: Translator) -> str:
    """The lap and the flag in force, as far as the state has them; nothing once the race is over."""
    state = node(game, "state_info")
    if number(state, "gamestate") == ENDED:
        return ""
    lap, flag = lap_of(game, texts), text(state, "flag")
    shown = [lap] if lap else []
    shown += [] if flag in SILENT else [texts.text(MOTORSPORTS.kind(f"{MOTORSPORTS.id}.{flag}").title)]
    return f'<p class="parts">{"".join(f"<b>{escape(each)}</b>" for each in shown)}</p>' if shown else ""


def lap_of(game: Json, texts: Translator) -> str:
    """The running lap and how many there are; empty where nobody knows it, and once the race is over."""
    state = node(game, "state_info")
    lap, total = number(state, "lap"), number(state, "total_laps")
    if lap is None or number(state, "gamestate") == ENDED:
        return ""
    return texts.text(LAP, lap=lap if total is None else f"{lap}/{total}")


def ranking_heading(game: Json) -> Label | None:
    """What the table of a race is: grid, running order or ranking, a start list without places; None where nobody is named."""
    rows = _rows(game)
    if not rows:
        return None
    if all(row.place is None for row in rows):
        return Label.START_LIST
    return HEADINGS.get(number(game, "state_info", "gamestate") or 0, Label.RANKING)


HEADINGS = {BEFORE: Label.STARTING_GRID, RUNNING: Label.RUNNING_ORDER}


def ranking(game: Json, texts: Translator) -> str:
    """The table of a race, with laps and times as far as anybody has some; empty where nobody is named."""
    heading, rows = ranking_heading(game), _rows(game)
    if heading is None:
        return ""
    columns = [name for name in ("laps", "time") if any(getattr(row, name) for row in rows)]
    titles = "".join(f'<th class="{name}" scope="col">{escape(texts.text(TITLES[name]))}</th>' for name in columns)
    place, name = (escape(texts.text(label)) for label in (Label.PLACE, Label.NAME))
    head = f'<th scope="col"><span class="unseen">{place}</span></th><th scope="col">{name}</th>{titles}'
    return (
        f'<section class="squad ranking"><h2>{escape(texts.text(heading))}</h2><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(_html(row, columns) for row in rows)}</tbody></table></section>"
    )


TITLES = {"laps": Label.LAPS, "time": Label.TIME}


def podium(game: Json, texts: Translator) -> str:
    """The first three once the race is over as planned, as far as exactly one has each place; empty without a winner."""
    steps = "".join(
        f'<li class="place-{place}"><b>{place}</b><span><bdi>{escape(name)}</bdi>'
        f"{f'<small><bdi>{escape(team)}</bdi></small>' if team else ''}</span></li>"
        for place, name, team in _on_podium(game)
    )
    label = escape(texts.text(MOTORSPORTS.kind(f"{MOTORSPORTS.id}.podium").title))
    return f'<ol class="podium" aria-label="{label}">{steps}</ol>' if steps else ""


def _on_podium(game: Json) -> list[tuple[int, str, str]]:
    """Place, name and team."""
    found: list[tuple[int, str, str]] = []
    called_off = interruption_of(game, translator(text(game, "locale") or "en"))
    over = number(game, "state_info", "gamestate") == ENDED and called_off is None
    entries = nodes(game, "state_info", "ranking") if over and not _is_timed(game) else []
    for place in range(1, STEPS + 1):
        there = [each for each in entries if number(each, "position") == place]
        if len(there) != 1 or not _row(there[0]).name:
            break
        player, team = (
            text(there[0], part, "short_name") or text(there[0], part, "name") for part in ("player", "team")
        )
        found.append((place, player or team, team if player else ""))
    return found


def _is_timed(game: Json) -> bool:
    """Whether it is no race, so that nobody wins and there is no podium."""
    return node(game, "state_info").get("timed") is True


def top_lines(game: Json) -> list[str]:
    """The first three with their places once a race is over, or who was fastest, as texts."""
    if _is_timed(game):
        return list(filter(None, [result_of(game)]))
    return [f"{place}. {name}" for place, name, _ in _on_podium(game)]


def _rows(game: Json) -> list[RankingRow]:
    """Everybody who is named."""
    return [row for entry in nodes(game, "state_info", "ranking") if (row := _row(entry)).name]


def _row(entry: Json) -> RankingRow:
    """Where nobody drives, the team has the place."""
    player, team = node(entry, "player"), node(entry, "team")
    names = [text(each, key) for each in (player, team) for key in ("name", "short_name")]
    place, people, teams = number(entry, "position"), names[0] or names[1], names[2] or names[3]
    below = " · ".join(filter(None, (text(player, "number"), teams))) if people else ""
    gap, time, status = (text(entry, name) for name in ("gap", "time", "status"))
    mark = (place == 1 and time) or gap or time or status  # the winner's time, everybody else's distance
    return RankingRow(place, people or teams, below, text(entry, "laps"), mark)


def _html(row: RankingRow, columns: list[str]) -> str:
    below = f"<small><bdi>{escape(row.below)}</bdi></small>" if row.below else ""
    cells = "".join(f'<td class="{name}">{escape(getattr(row, name))}</td>' for name in columns)
    place = "" if row.place is None else row.place
    return f'<tr><td class="number">{place}</td><td><bdi>{escape(row.name)}</bdi>{below}</td>{cells}</tr>'


def sets_table(game: Json, sides: Sequence[tuple[str, str]], texts: Translator) -> str:
    """The table; empty as long as no game is won and none is played. `sides`: initials and name of home and away."""
    played = _sets_begun(game)
    points = _points(game)
    if not (played or points):
        return ""
    columns = [f'<th scope="col" aria-label="{escape(texts.text(Label.SET, set=at))}">{at}</th>' for at, _ in played]
    columns += [f'<th scope="col">{escape(texts.text(Label.POINTS))}</th>'] if points else []
    head = (
        f'<tr><th scope="col"><span class="unseen">{escape(texts.text(Label.NAME))}</span></th>{"".join(columns)}</tr>'
    )
    body = ""
    for side, (initials, name) in enumerate(sides):
        called = f'<bdi aria-hidden="true">{escape(initials)}</bdi><bdi class="unseen">{escape(name)}</bdi>'
        cells = "".join(_cell(pair, side) for _, pair in played)
        cells += f'<td class="points">{escape(points[side])}</td>' if points else ""
        body += f'<tr><th scope="row">{called}{_sign(game, side, texts)}</th>{cells}</tr>'
    return f'<table class="sets"><thead>{head}</thead><tbody>{body}</tbody></table>'


def _cell(pair: Pair, side: int) -> str:
    """The games of a side in a set; the greater number stands out."""
    better = all(map(str.isdigit, pair)) and int(pair[side]) > int(pair[1 - side])
    return f"<td>{f'<b>{escape(pair[side])}</b>' if better else escape(pair[side])}</td>"


def _sign(game: Json, side: int, texts: Translator) -> str:
    """That the side has won, or that it serves."""
    score = node(game, "scoreboard", "score")
    running = number(game, "state_info", "gamestate") == RUNNING
    ended = number(game, "state_info", "gamestate") == ENDED and not text(score, "title")  # nothing else is said of how
    if ended and side_with_enough_sets(score_of(score)) == SIDES[side]:
        drawn, label, name = "✓", Label.WINNER, "won"
    elif running and text(game, "scoreboard", "serving") == SIDES[side]:
        drawn, label, name = "●", Label.SERVING, "serves"
    else:
        return ""
    return f' <span class="{name}" aria-hidden="true">{drawn}</span><span class="unseen">{escape(texts.text(label))}</span>'


def _sets_begun(game: Json) -> list[tuple[int, Pair]]:
    """The number and the score of each set in which a game is won."""
    pairs = [(text(each, "home_score"), text(each, "away_score")) for each in nodes(game, "scoreboard", "scores")]
    return [(at, pair) for at, pair in enumerate(pairs, 1) if all(pair) and pair != NOTHING]


def _points(game: Json) -> Pair | None:
    """The points of the game that is being played."""
    score = node(game, "scoreboard", "current_score")
    pair = (text(score, "home_score"), text(score, "away_score"))
    return pair if number(game, "state_info", "gamestate") == RUNNING and all(pair) else None
