"""A race on a liveblog page: its ranking, and in the head the lap and the flag."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from api.http.json_path import Json, node, nodes, number, text
from mapping.documents.state import ENDED
from mapping.locales.labels import LAP, Label
from mapping.sports.motorsports import MOTORSPORTS

if TYPE_CHECKING:
    from mapping.locales import Translator

SILENT = frozenset({"", "green-flag", "chequered-flag"})
"""Flags that say no more than the state of play does."""

Row = tuple[int | None, str, str, str]
"""Place, name, team, time."""


def progress(game: Json, translator: Translator) -> str:
    """The lap and the flag in force, as far as the state has them; nothing once the race is over."""
    state = node(game, "state_info")
    if number(state, "gamestate") == ENDED:
        return ""
    lap, total, flag = number(state, "lap"), number(state, "total_laps"), text(state, "flag")
    shown = [] if lap is None else [translator.text(LAP, lap=lap if total is None else f"{lap}/{total}")]
    shown += [] if flag in SILENT else [translator.text(MOTORSPORTS.kind(f"{MOTORSPORTS.id}.{flag}").title)]
    return f'<p class="parts">{"".join(f"<b>{escape(each)}</b>" for each in shown)}</p>' if shown else ""


def ranking(game: Json, translator: Translator) -> str:
    """The table of a race; a start list as long as nobody has a place; empty where nobody is named."""
    rows = [row for entry in nodes(game, "state_info", "ranking") if (row := _row(entry))[1]]
    if not rows:
        return ""
    placed, timed = any(row[0] is not None for row in rows), any(row[3] for row in rows)
    heading = translator.text(Label.RANKING if placed else Label.START_LIST)
    place, name, time = (escape(translator.text(label)) for label in (Label.PLACE, Label.NAME, Label.TIME))
    last = f'<th class="time" scope="col">{time}</th>' if timed else ""
    head = f'<th scope="col"><span class="unseen">{place}</span></th><th scope="col">{name}</th>{last}'
    return (
        f'<section class="squad ranking"><h2>{escape(heading)}</h2><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(_html(row, timed=timed) for row in rows)}</tbody></table></section>"
    )


def _row(entry: Json) -> Row:
    """Where nobody drives, the team has the place."""
    player, team = node(entry, "player"), node(entry, "team")
    names = [text(each, key) for each in (player, team) for key in ("name", "short_name")]
    place, people, teams = number(entry, "position"), names[0] or names[1], names[2] or names[3]
    return place, people or teams, teams if people else "", _mark(entry, place)


def _html(row: Row, *, timed: bool) -> str:
    place, name, team, time = row
    below = f"<small>{escape(team)}</small>" if team else ""
    last = f'<td class="time">{escape(time)}</td>' if timed else ""
    return f'<tr><td class="number">{"" if place is None else place}</td><td>{escape(name)}{below}</td>{last}</tr>'


def _mark(entry: Json, place: int | None) -> str:
    """The winner's time, everybody else's distance, or why somebody has neither."""
    shown = [text(entry, name) for name in ("gap", "time", "status")]
    if place == 1:
        shown = [shown[1], *shown]
    return next(filter(None, shown), "")
