"""How the match of a liveblog ended, in the liveblog's language, wherever its title stands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from api.http.json_path import node, text
from api.view.content import short_name
from api.view.key_moments import state_of
from api.view.references import sport_of
from mapping.locales import translator
from mapping.locales.labels import Result
from mapping.posts.result import result_line

if TYPE_CHECKING:
    from api.http.json_path import Json


LETTERS = 4
"""Of a short name that is an abbreviation, where all are capitals."""


def result_of(game: Json) -> str:
    """The result as plain text, `Croatia win 3-2 on penalties`; empty before the end, and where nobody knows it."""
    texts = translator(text(game, "locale") or "en")
    state = state_of(game, texts)
    home, away = (_spoken_name(game, side) for side in ("home", "away"))
    return result_line(sport_of(game), replace(state, home=home or state.home, away=away or state.away), texts)


def _spoken_name(game: Json, side: str) -> str:
    """The short name of a team, its name where that is letters alone, such as `FCB`."""
    team = node(game, "scoreboard", f"{side}_team") or node(game, "meta_info", f"{side}_team")
    short, name = short_name(team), text(team, "name")
    return name if len(short) <= LETTERS and short.isupper() else short


def with_result(game: Json, title: str) -> str:
    """The title of the liveblog with the result of its match behind it, once there is one."""
    result = result_of(game)
    return translator(text(game, "locale") or "en").text(Result.TITLE, title=title, result=result) if result else title
