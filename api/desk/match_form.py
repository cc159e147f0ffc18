"""Score and state of play on the desk's page of a liveblog: as they stand, whose they are, and by hand."""

from __future__ import annotations

import json
from html import escape

from api.desk.load_posts import DeskMatch
from api.desk.match_words import brief_disagreements, reason_text
from api.desk.post_rows import PostRows, field_table
from api.http.json_path import Json, node, number, text
from api.page.scoreboard import SIDES, clock, team_of
from api.view.match_sources import AUTOMATIC
from api.view.references import sport_of
from mapping.desk.liveblog_text import LiveblogText
from mapping.desk.post_fields import match_fields, of_person
from mapping.documents.state import BEFORE, ENDED, RUNNING, SHOOTOUT
from mapping.fusion.leading_source import Reason

TIME_BASED = "Svc::Model::GameStateInfo::TimeBasedGameStateInfo"


def match_section(rows: PostRows, match: DeskMatch, now: float) -> str:
    """The section; empty for a liveblog without teams."""
    game = match.document
    if not all(text(team_of(game, side), "name") for side in SIDES):
        return ""
    state = clock(game, rows.page.texts, now)
    home, away = (text(team_of(game, side), "name") for side in SIDES)
    score = node(game, "scoreboard", "score")
    numbers = ":".join(text(score, f"{side}_score") or "–" for side in SIDES)
    shown = "" if state is None else f" · {escape(state.label)}"
    fields = match_fields(match.said, match.game.document)
    return (
        f'<details class="card match" data-details="match" data-stands="{_stands(match)}">'
        f"<summary><h2><bdi>{escape(home)}</bdi> <b>{escape(numbers)}</b>"
        f" <bdi>{escape(away)}</bdi>{shown}</h2>{_owner(rows, match, bool(of_person(fields)))}"
        f"{_sources(rows, match)}</summary>"
        f"{_form(rows, game) if rows.writes else ''}{field_table(rows, fields, 'hand-back-match')}</details>"
    )


def _stands(match: DeskMatch) -> str:
    """Score and state as they are stored, for taking back what a person does to them."""
    document = match.game.document
    return escape(json.dumps({name: document.get(name) for name in ("scoreboard", "state_info")}))


def _owner(rows: PostRows, match: DeskMatch, taken: bool) -> str:
    if match.external is None:
        return ""
    said = rows.said(LiveblogText.BY_HAND if taken else LiveblogText.BY_PROVIDER)
    return f'<span class="{"taken" if taken else "facts"}" id="match-owner">{said}</span>'


def _sources(rows: PostRows, match: DeskMatch) -> str:
    """Who leads and why, where it is not the first source, and what the sources disagree about."""
    texts, both = rows.page.texts, match.sources
    if both is None:
        return ""
    _, second = both["sources"]
    lines = []
    if second["leads"]:
        reason = reason_text(texts, Reason(second["reason"]), pinned=both["leads"] != AUTOMATIC)
        lines.append(texts.text("{provider} leads: {reason}", provider=second["provider"], reason=reason))
    if both["disagreements"]:
        lines.append(
            texts.text("The sources disagree about: {what}", what=brief_disagreements(texts, both["disagreements"]))
        )
    return "".join(f'<span class="taken of-sources">{escape(each)}</span>' for each in lines)


def _form(rows: PostRows, game: Json) -> str:
    score = node(game, "scoreboard", "score")
    inputs = "".join(
        f'<div><label for="score-{side}">{rows.said(name)}</label><input id="score-{side}" name="{side}_score" type="number"'
        f' inputmode="numeric" min="0" max="9999" value="{escape(text(score, f"{side}_score"))}"></div>'
        for side, name in zip(SIDES, (LiveblogText.SCORE_HOME, LiveblogText.SCORE_AWAY), strict=True)
    )
    return (
        f'<form id="match-form" class="match-form"><div class="pair">{inputs}</div>{_states(rows, game)}'
        f"<button>{rows.said(LiveblogText.SET_BY_HAND)}</button></form>"
    )


def _states(rows: PostRows, game: Json) -> str:
    """The states of play of a sport with phases; others keep the state that they have."""
    sport, current = sport_of(game), node(game, "state_info")
    if not sport.phases or text(current, "_type") not in {"", TIME_BASED}:
        return ""
    options = [(rows.page.texts.text(LiveblogText.BEFORE_MATCH), {"gamestate": BEFORE})]
    for index, phase in enumerate(sport.phases, 1):
        name = rows.page.texts.text(phase)
        state = {"gamestate": RUNNING, "recurrence": index}
        options.append((rows.page.texts.text(LiveblogText.RUNNING, phase=name), {**state, "is_break": False}))
        options.append((rows.page.texts.text(LiveblogText.BREAK_AFTER, phase=name), {**state, "is_break": True}))
    options.append((rows.page.texts.text(LiveblogText.SHOOTOUT), {"gamestate": SHOOTOUT}))
    options.append((rows.page.texts.text(LiveblogText.OVER), {"gamestate": ENDED}))
    listed = "".join(
        f'<option value="{escape(json.dumps({"_type": TIME_BASED, **state}))}"{_chosen(state, current)}>{escape(name)}</option>'
        for name, state in options
    )
    label = f'<label for="state">{rows.said(LiveblogText.STATE_OF_PLAY)}</label>'
    return f'{label}<select id="state" name="state"><option value="">–</option>{listed}</select>'


def _chosen(state: Json, current: Json) -> str:
    same = number(state, "gamestate") == number(current, "gamestate")
    if same and state["gamestate"] == RUNNING:
        same = (
            number(current, "recurrence") == state["recurrence"] and bool(current.get("is_break")) == state["is_break"]
        )
    return " selected" if same else ""
