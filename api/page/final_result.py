"""How the match ended and the kicks of its shoot-out, in the head of a page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from api.page.icons import KICK_MARKS, mark
from api.page.whole_scores import whole_scores
from api.view.key_moments import state_of
from api.view.result import result_of
from mapping.documents.state import SHOOTOUT
from mapping.locales.labels import KICK_BEYOND, KICK_OPEN, Label
from mapping.posts.key_moments import tally_of
from mapping.posts.shootout import KICKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.http.json_path import Json
    from mapping.locales import Translator
    from mapping.match.match import SideName
    from mapping.posts.key_moments import Kick

SIDES: tuple[SideName, ...] = ("home", "away")


def result_html(game: Json) -> str:
    """Who won and by what; empty before the end."""
    line = result_of(game)
    return f'<p class="result">{whole_scores(escape(line))}</p>' if line else ""


def shootout_html(game: Json, kicks: Sequence[Kick], texts: Translator, initials: Sequence[str]) -> str:
    """A row of marks for each side, at least five: kicks that went in, those that did not, those that are open.

    `initials` stand for home and away where there is no room for long names; whoever listens hears the names.
    Empty without a shoot-out, and where no post says anything of its kicks but others have counted some.
    """
    state = state_of(game, texts)
    tally = tally_of(state, texts)
    begins = state.gamestate == SHOOTOUT and (tally is None or not tally.total)
    if not (kicks or begins):
        return ""
    marks = max(KICKS, *(sum(each.side == side for each in kicks) for side in SIDES))
    rows = "".join(
        _row(name, short, [each for each in kicks if each.side == side], marks, texts)
        for side, name, short in zip(SIDES, (state.home, state.away), initials, strict=True)
    )
    return f'<div class="shootout" role="group" aria-label="{escape(texts.text(Label.SHOOTOUT))}">{rows}</div>'


def _row(name: str, initials: str, kicks: Sequence[Kick], marks: int, texts: Translator) -> str:
    taken = [*kicks, *[None] * (marks - len(kicks))]
    items = "".join(_mark(at, each, texts) for at, each in enumerate(taken, 1))
    scored = sum(each.scored for each in kicks)
    return (
        f'<span aria-hidden="true">{escape(initials)}</span><ol aria-label="{escape(name)}">{items}</ol><b>{scored}</b>'
    )


def _mark(number: int, kick: Kick | None, texts: Translator) -> str:
    """The drawing, and in words what it says and who took the kick."""
    form = KICK_OPEN if kick is None else KICK_BEYOND[kick.scored]
    words = " – ".join(filter(None, (texts.text(form, number=number), kick.player if kick else "")))
    name = "open" if kick is None else "scored" if kick.scored else "missed"
    return f'<li class="{name}">{mark(KICK_MARKS[name])}<span class="unseen">{escape(words)}</span></li>'
