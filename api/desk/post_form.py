"""The form of a post at the desk: a new one, or any that is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from api.desk.load_posts import DeskMatch, DeskPost
from api.desk.post_rows import DeskView
from api.http.json_path import Json, kind, node, nodes, text
from api.page.icons import icon
from api.page.scoreboard import SIDES, team_of
from api.view.references import sport_of
from mapping.desk.post_fields import post_fields, returnable
from mapping.locales import Translator, translator
from mapping.rules.rich_text import sanitise
from mapping.sports.base import Kind, Sport

_PLACEHOLDER = re.compile(r"\{([a-z-]+)\}")
NAMED = ("_id", "local_id", "name")
"""What a reference to a player or team consists of here."""


class OfferedKind(NamedTuple):
    """A kind of event that may be chosen, and the parts that people play in it.

    `sentences`: what is said of one that changes the score, in the liveblog's language, the fullest first.
    """

    id: str
    title: str
    roles: Sequence[str]
    drawing: Markup
    scores: bool
    sentences: Sequence[str]


class OfferedRecord(NamedTuple):
    """A player or team that may be chosen: as the document refers to it, and by name."""

    document: str
    name: str
    chosen: bool
    side: str = ""


class OfferedRole(NamedTuple):
    """A part that somebody plays in an event; `squads`: a team's name and its players; `others`: who else plays it so far."""

    id: str
    name: str
    squads: Sequence[tuple[str, Sequence[OfferedRecord]]]
    others: Sequence[OfferedRecord]


def post_form(view: DeskView, match: DeskMatch, post: DeskPost | None) -> Markup:
    """The form; its attributes hold the document that it begins with, and the version."""
    document = {} if post is None else post.document
    sport, event = sport_of(match.document), node(document, "sport_event")
    block: Json = next((each for each in nodes(document, "contents") if kind(each) == "RichTextContentBlock"), {})
    kinds = _kinds(sport, text(event, "event_type"), translator(text(match.document, "locale") or "en"))
    score = node(event, "score")
    return view.page.render(
        "post_form.html",
        name="" if post is None else post.stored.local_id,
        version=0 if post is None else post.stored.version,
        base=json.dumps(_base(post)),
        imported=post is not None and post.entry is not None,
        sport=sport.id,
        kinds=kinds,
        chosen=text(event, "event_type"),
        minute=text(event, "time_of_play"),
        score=":".join(filter(None, (text(score, f"{side}_score") for side in SIDES))),
        teams=_teams(match, node(event, "team")),
        roles=_roles_offered(view, match, sport, event),
        block=text(block, "local_id"),
        words=Markup(sanitise(text(block, "text"))),  # noqa: S704
        highlight=text(document, "highlight"),
        headline=text(document, "headline"),
    )


def _base(post: DeskPost | None) -> Json:
    """What stands in the post, and which fields are a person's."""
    if post is None:
        return {"document": {}, "taken": [], "status": 0, "publish_at": None}
    stored, entry = post.stored, post.entry
    taken = [] if entry is None else [each.path for each in returnable(post_fields(entry.said, stored.document))]
    return {
        "document": post.document,
        "taken": taken,
        "status": stored.local_status,
        "publish_at": stored.publish_at,
    }


def _kinds(sport: Sport, current: str, texts: Translator) -> list[OfferedKind]:
    """What people may post; what stands in the post is among it. Empty for a sport without events."""
    kinds = [each for each in sport.kinds if not each.note]
    if kinds and current and current not in {each.id for each in kinds}:
        kinds.append(sport.kind(current))
    return [
        OfferedKind(
            each.id,
            each.title,
            _roles(sport, each),
            Markup(icon(each.id)),  # noqa: S704
            each.scores,
            [texts.text(sentence) for sentence in each.sentences],
        )
        for each in kinds
    ]


def _roles(sport: Sport, each: Kind) -> list[str]:
    """The parts that people play in an event of this type, in the order in which its sentence names them."""
    named = [role for sentence in each.sentences[:1] for role in _PLACEHOLDER.findall(sentence)]
    known = {**sport.roles, **each.roles}
    return list(dict.fromkeys(role for role in named if role in known)) or (["player"] if "player" in known else [])


def _teams(match: DeskMatch, current: Json) -> list[OfferedRecord]:
    """The teams of the match, and that of the post where it is none of them; empty for a match without teams."""
    teams = {side: each for side in SIDES if text(each := team_of(match.document, side), "name")}
    offered = _references(teams.values(), current) if teams else []
    return [each._replace(side=side) for side, each in zip(teams, offered, strict=False)] + offered[len(teams) :]


def _roles_offered(view: DeskView, match: DeskMatch, sport: Sport, event: Json) -> list[OfferedRole]:
    """A choice for each part that may be played; the script shows those of the chosen type."""
    acting = {text(each, "event_player_type"): node(each, "player") for each in nodes(event, "players")}
    roles = dict.fromkeys([*(role for each in sport.kinds for role in _roles(sport, each)), *filter(None, acting)])
    squads = [(side, nodes(match.document, "squads", side, "lineup")) for side in SIDES]
    squads = [(side, [*lineup, *nodes(match.document, "squads", side, "bench")]) for side, lineup in squads]
    known = [player for _, players in squads for player in players]
    found = []
    for role in roles:
        current = acting.get(role, {})
        named = [
            (text(team_of(match.document, side), "name"), _references(players, current, others=False))
            for side, players in squads
            if players
        ]
        unknown = current and not any(_is_same(each, current) for each in known)
        others = _references([current], current) if unknown else []
        found.append(OfferedRole(role, view.page.text(sport.role(role)), named, others))
    return found


def _references(records: Iterable[Json], current: Json, *, others: bool = True) -> list[OfferedRecord]:
    listed = list(records)
    if others and current and not any(_is_same(each, current) for each in listed):
        listed.append(current)
    return [OfferedRecord(json.dumps(_reference(each)), text(each, "name"), _is_same(each, current)) for each in listed]


def _reference(record: Json) -> Json:
    if record.get("_id"):
        return {"_id": record["_id"]}
    return {name: record[name] for name in ("local_id", "name") if record.get(name)}


def _is_same(one: Json, other: Json) -> bool:
    """Whether both are the same person or team, by the first of their names that both have."""
    shared = next((name for name in NAMED if one.get(name) and other.get(name)), None)
    return shared is not None and one[shared] == other[shared]
