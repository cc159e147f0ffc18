"""The form of a post at the desk: a new one, or any that is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import escape

from api.desk.load_posts import DeskMatch, DeskPost
from api.desk.post_rows import PostRows
from api.http.json_path import Json, kind, node, nodes, text
from api.page.scoreboard import SIDES, team_of
from api.view.references import sport_of
from mapping.desk.liveblog_text import LiveblogText
from mapping.desk.post_fields import post_fields, returnable
from mapping.rules.rich_text import sanitise
from mapping.sports.base import Kind, Sport

HIGHLIGHTS = {
    "": LiveblogText.NORMAL,
    "inplace": LiveblogText.IN_PLACE,
    "sticky": LiveblogText.STICKY,
    "stickyNoHighlight": LiveblogText.STICKY_PLAIN,
    "milestone": LiveblogText.MILESTONE,
}
TOOLS = (
    ("bold", LiveblogText.BOLD, "B"),
    ("italic", LiveblogText.ITALIC, "I"),
    ("underline", LiveblogText.UNDERLINE, "U"),
    ("strikeThrough", LiveblogText.STRIKE, "S"),
    ("h3", LiveblogText.HEADING, "H"),
    ("insertUnorderedList", LiveblogText.LIST, "•"),
    ("insertOrderedList", LiveblogText.NUMBERED, "1."),
    ("blockquote", LiveblogText.QUOTATION, "“"),
    ("createLink", LiveblogText.LINK, "↗"),
    ("removeFormat", LiveblogText.PLAIN, "⌫"),
)
ADDED = (
    ("embed", LiveblogText.ADD_EMBED),
    ("quote", LiveblogText.ADD_QUOTE),
    ("poll", LiveblogText.ADD_POLL),
    ("quiz", LiveblogText.ADD_QUIZ),
)
_PLACEHOLDER = re.compile(r"\{([a-z-]+)\}")
NAMED = ("_id", "local_id", "name")
"""What a reference to a player or team consists of here."""


def post_form(rows: PostRows, match: DeskMatch, post: DeskPost | None) -> str:
    """The form as HTML; its attributes hold the document that it begins with, and the version."""
    document = {} if post is None else post.document
    sport, imported = sport_of(match.document), post is not None and post.entry is not None
    yours = f'<p class="notice">{rows.said(LiveblogText.BECOMES_YOURS)}</p>' if imported else ""
    head = rows.said(LiveblogText.NEW_POST if post is None else LiveblogText.EDIT_POST)
    return (
        f'<form id="post-form" {_stands(post)} data-imported="{int(imported)}">'
        f'<h2 tabindex="-1">{head}</h2>{yours}<div id="meanwhile" role="status"></div>'
        f"{_incident(rows, match, sport, node(document, 'sport_event'))}"
        f"{_text(rows, document)}{_beside(rows)}{_placing(rows, document)}{_buttons(rows, post)}</form>"
    )


def _stands(post: DeskPost | None) -> str:
    """Attributes with the post's name and version, and as JSON what stands in it and which fields are a person's."""
    name, version = "", 0
    full: Json = {"document": {}, "taken": [], "status": 0, "publish_at": None}
    if post is not None:
        stored, entry = post.stored, post.entry
        name, version = stored.local_id, stored.version
        taken = [] if entry is None else [each.path for each in returnable(post_fields(entry.said, stored.document))]
        full = {
            "document": post.document,
            "taken": taken,
            "status": stored.local_status,
            "publish_at": stored.publish_at,
        }
    return f'data-post="{escape(name)}" data-version="{version}" data-base="{escape(json.dumps(full))}"'


def _incident(rows: PostRows, match: DeskMatch, sport: Sport, incident: Json) -> str:
    kinds = [each for each in sport.kinds if not each.note]
    if not kinds:
        return ""
    current = text(incident, "event_type")
    if current and current not in {each.id for each in kinds}:
        kinds.append(sport.kind(current))
    options = f'<option value="">{rows.said(LiveblogText.TEXT_ONLY)}</option>' + "".join(
        _option(
            each.id, rows.page.texts.text(each.title), current, f' data-roles="{escape(" ".join(_roles(sport, each)))}"'
        )
        for each in kinds
    )
    minute = (
        f'<div><label for="minute">{rows.said(LiveblogText.MINUTE)}</label><input id="minute" name="minute" maxlength="20"'
        f' autocomplete="off" value="{escape(text(incident, "time_of_play"))}"></div>'
    )
    return (
        f'<div class="pair"><div><label for="event-type">{rows.said(LiveblogText.EVENT_TYPE)}</label>'
        f'<select id="event-type" name="event_type" data-sport="{escape(sport.id)}">{options}</select></div>{minute}</div>'
        f'<div class="pair people">{_teams(rows, match, node(incident, "team"))}{_players(rows, match, sport, incident)}</div>'
    )


def _roles(sport: Sport, each: Kind) -> list[str]:
    """The parts that people play in an event of this type, in the order in which its sentence names them."""
    named = [role for sentence in each.sentences[:1] for role in _PLACEHOLDER.findall(sentence)]
    known = {**sport.roles, **each.roles}
    return list(dict.fromkeys(role for role in named if role in known)) or (["player"] if "player" in known else [])


def _teams(rows: PostRows, match: DeskMatch, current: Json) -> str:
    teams = [each for side in SIDES if text(each := team_of(match.document, side), "name")]
    options = _references(teams, current)
    empty = f'<option value="">{rows.said(LiveblogText.NOBODY)}</option>'
    label = f'<label for="team">{rows.said(LiveblogText.TEAM)}</label>'
    return (
        f'<div data-of-incident>{label}<select id="team" name="team">{empty}{options}</select></div>' if teams else ""
    )


def _players(rows: PostRows, match: DeskMatch, sport: Sport, incident: Json) -> str:
    """A choice for each part that may be played; the script shows those of the chosen type."""
    acting = {text(each, "event_player_type"): node(each, "player") for each in nodes(incident, "players")}
    kinds = {role: each for kind_ in sport.kinds for role in _roles(sport, kind_) for each in (kind_,)}
    roles = dict.fromkeys([*kinds, *(role for role in acting if role)])
    return "".join(
        _player(rows, match, role, rows.page.texts.text(sport.role(role)), acting.get(role, {})) for role in roles
    )


def _player(rows: PostRows, match: DeskMatch, role: str, name: str, current: Json) -> str:
    groups, known = "", []
    for side in SIDES:
        people = [each for part in ("lineup", "bench") for each in nodes(match.document, "squads", side, part)]
        known += people
        label = escape(text(team_of(match.document, side), "name"))
        groups += f'<optgroup label="{label}">{_references(people, current, others=False)}</optgroup>' if people else ""
    if current and not any(_is_same(each, current) for each in known):
        groups += _references([current], current)
    empty = f'<option value="">{rows.said(LiveblogText.NOBODY)}</option>'
    return (
        f'<div data-of-incident data-role="{escape(role)}"><label for="player-{escape(role)}">{escape(name)}</label>'
        f'<select id="player-{escape(role)}" data-title="{escape(name)}">{empty}{groups}</select></div>'
    )


def _references(records: Iterable[Json], current: Json, *, others: bool = True) -> str:
    listed = list(records)
    if others and current and not any(_is_same(each, current) for each in listed):
        listed.append(current)
    return "".join(
        f'<option value="{escape(json.dumps(_reference(each)))}"{" selected" if _is_same(each, current) else ""}>'
        f"{escape(text(each, 'name'))}</option>"
        for each in listed
    )


def _reference(record: Json) -> Json:
    if record.get("_id"):
        return {"_id": record["_id"]}
    return {name: record[name] for name in ("local_id", "name") if record.get(name)}


def _is_same(one: Json, other: Json) -> bool:
    """Whether both are the same person or team, by the first of their names that both have."""
    shared = next((name for name in NAMED if one.get(name) and other.get(name)), None)
    return shared is not None and one[shared] == other[shared]


def _option(value: str, name: str, current: str, more: str = "") -> str:
    chosen = " selected" if value == current else ""
    return f'<option value="{escape(value)}"{chosen}{more}>{escape(name)}</option>'


def _text(rows: PostRows, document: Json) -> str:
    block: Json = next((each for each in nodes(document, "contents") if kind(each) == "RichTextContentBlock"), {})
    tools = "".join(
        f'<button type="button" data-tool="{tool}" aria-label="{f"{sign} " if sign == "1." else ""}{rows.said(name)}"'
        f' title="{rows.said(name)}">{sign}</button>'
        for tool, name, sign in TOOLS
    )
    return (
        f'<p class="label" id="text-label">{rows.said(LiveblogText.TEXT)}</p>'
        f'<div class="tools" role="group" aria-label="{rows.said(LiveblogText.TOOLS)}">{tools}</div>'
        f'<div id="text" class="text" role="textbox" aria-multiline="true" aria-labelledby="text-label" contenteditable="true"'
        f' dir="auto" data-block="{escape(text(block, "local_id"))}">{sanitise(text(block, "text"))}</div>'
    )


def _beside(rows: PostRows) -> str:
    buttons = "".join(f'<button type="button" data-add="{name}">{rows.said(label)}</button>' for name, label in ADDED)
    said = {
        "alternative": LiveblogText.ALTERNATIVE,
        "credit": LiveblogText.CREDIT,
        "address": LiveblogText.ADDRESS,
        "quoted": LiveblogText.QUOTED,
        "author": LiveblogText.AUTHOR,
        "source": LiveblogText.SOURCE,
        "pictures": LiveblogText.PICTURES,
        **dict(ADDED),
        "question": LiveblogText.QUESTION,
        "explanation": LiveblogText.EXPLANATION,
        "right": LiveblogText.RIGHT_OPTION,
        "more": LiveblogText.ADD_OPTION,
    }
    data = "".join(f' data-{name}="{rows.said(label)}"' for name, label in said.items())
    return (
        f'<div id="blocks" aria-label="{rows.said(LiveblogText.BESIDE_TEXT)}" role="group"{data}></div>'
        f'<div class="adds"><label class="button file">{rows.said(LiveblogText.ADD_PICTURE)}'
        f'<input type="file" id="file" accept="image/*,video/*" multiple></label>{buttons}</div>'
        f'<p class="hint">{rows.said(LiveblogText.DROP_HINT)}</p>'
    )


def _placing(rows: PostRows, document: Json) -> str:
    chosen = text(document, "highlight")
    options = "".join(_option(value, rows.page.texts.text(name), chosen) for value, name in HIGHLIGHTS.items())
    return (
        f'<div class="pair"><div><label for="highlight">{rows.said(LiveblogText.STANDS_OUT)}</label>'
        f'<select id="highlight" name="highlight">{options}</select></div>'
        f'<div><label for="publish-at">{rows.said(LiveblogText.PUBLISH_AT)}</label>'
        f'<input id="publish-at" name="publish_at" type="datetime-local" aria-describedby="at-hint">'
        f'<p class="hint" id="at-hint">{rows.said(LiveblogText.PUBLISH_AT_HINT)}</p></div></div>'
        f'<label for="headline">{rows.said(LiveblogText.HEADLINE)}</label><input id="headline" name="headline" maxlength="300"'
        f' dir="auto" aria-describedby="headline-hint" value="{escape(text(document, "headline"))}">'
        f'<p class="hint" id="headline-hint">{rows.said(LiveblogText.HEADLINE_HINT)}</p>'
    )


def _buttons(rows: PostRows, post: DeskPost | None) -> str:
    cancel = f'<button type="button" data-close aria-keyshortcuts="Escape">{rows.said(LiveblogText.CANCEL)}</button>'
    if post is not None:
        return (
            f'<div class="actions"><button class="main" value="">{rows.said(LiveblogText.SAVE)}</button>{cancel}</div>'
        )
    return (
        f'<div class="actions"><button class="main" value="0">{rows.said(LiveblogText.SEND)}</button>'
        f'<button value="60">{rows.said(LiveblogText.SAVE_DRAFT)}</button>{cancel}</div>'
    )
