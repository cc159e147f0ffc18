"""Score and state of play on the desk's page of a liveblog: as they stand, whose they are, and by hand."""

from __future__ import annotations

import json

from markupsafe import Markup

from api.desk.load_posts import DeskMatch
from api.desk.post_rows import DeskView
from api.desk.shared_texts import source_texts
from api.http.json_path import Json, node, number, text
from api.page.scoreboard import SIDES, clock, team_of
from api.view.references import sport_of
from mapping.desk.post_fields import match_fields, of_person
from mapping.documents.state import BEFORE, ENDED, RUNNING, SHOOTOUT
from mapping.locales import Translator

TIME_BASED = "Svc::Model::GameStateInfo::TimeBasedGameStateInfo"


def match_section(view: DeskView, match: DeskMatch, now: float) -> Markup:
    """The section; empty for a liveblog without teams."""
    game, texts = match.document, view.page.texts
    home, away = (text(team_of(game, side), "name") for side in SIDES)
    if not (home and away):
        return Markup()
    score = node(game, "scoreboard", "score")
    fields = match_fields(match.said, match.game.document)
    return view.page.render(
        "match.html",
        stands=json.dumps({name: match.game.document.get(name) for name in ("scoreboard", "state_info")}),
        home=home,
        away=away,
        score={side: text(score, f"{side}_score") for side in SIDES},
        clock=clock(game, texts, now),
        external=match.external,
        taken=bool(of_person(fields)),
        sources=source_texts(texts, match.sources),
        states=_states(texts, game),
        fields=fields,
        writes=view.writes,
    )


def _states(texts: Translator, game: Json) -> list[tuple[str, str, bool]]:
    """The states of play that may be chosen, of a sport with phases: document, name, whether it stands; others keep theirs."""
    sport, current = sport_of(game), node(game, "state_info")
    if not sport.phases or text(current, "_type") not in {"", TIME_BASED}:
        return []
    options: list[tuple[Json, str]] = [({"gamestate": BEFORE}, texts.text("Before the match"))]
    for index, phase in enumerate(sport.phases, 1):
        name, state = texts.text(phase), {"gamestate": RUNNING, "recurrence": index}
        options.append(({**state, "is_break": False}, texts.text("Running: {phase}", phase=name)))
        options.append(({**state, "is_break": True}, texts.text("Break after: {phase}", phase=name)))
    options.append(({"gamestate": SHOOTOUT}, texts.text("Shoot-out")))
    options.append(({"gamestate": ENDED}, texts.text("Over")))
    return [(json.dumps({"_type": TIME_BASED, **state}), name, _is_chosen(state, current)) for state, name in options]


def _is_chosen(state: Json, current: Json) -> bool:
    if number(state, "gamestate") != number(current, "gamestate"):
        return False
    names = ("recurrence", "is_break") if state["gamestate"] == RUNNING else ()
    return all((current.get(name) or False) == state[name] for name in names)
