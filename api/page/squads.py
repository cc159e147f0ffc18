"""The line-ups of a liveblog page, and the ranking of a race."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from types import MappingProxyType

from api.http.json_path import Json, node, nodes, text
from api.page.icons import icon
from api.page.ranking import ranking, ranking_heading
from api.page.scoreboard import SIDES, team_of
from api.view.key_moments import PlayerEvent, identity
from mapping.locales import Translator
from mapping.locales.labels import Label
from mapping.sports.positions import position_name

PlayerEvents = Mapping[str, tuple[PlayerEvent, ...]]
NONE: PlayerEvents = MappingProxyType({})
PLACES = (("lineup", Label.LINEUP), ("bench", Label.BENCH))


def squads(game: Json, translator: Translator, player_events: PlayerEvents = NONE) -> str:
    """Both sides' players and what they did, or a race's ranking, as far as they are known; empty without either."""
    race = ranking(game, translator)
    inner = race + "".join(_side(game, side, translator, player_events) for side in SIDES)
    label = escape(translator.text(ranking_heading(game) or Label.LINEUP))
    return (
        f'<section class="squads" id="section-squads" aria-label="{label}" part="squads">{inner}</section>'
        if inner
        else ""
    )


def _side(game: Json, side: str, translator: Translator, player_events: PlayerEvents) -> str:
    squad = node(game, "squads", side)
    parts = "".join(
        _part(nodes(squad, place), translator.text(label), translator, player_events) for place, label in PLACES
    )
    name = text(squad, "team", "name") or text(team_of(game, side), "name")
    return f'<section class="squad of-{side}"><h2><bdi>{escape(name)}</bdi></h2>{parts}</section>' if parts else ""


def _part(people: list[Json], label: str, translator: Translator, player_events: PlayerEvents) -> str:
    rows = "".join(_person(person, translator, player_events.get(identity(person), ())) for person in people)
    return f"<h3>{escape(label)}</h3><ul>{rows}</ul>" if rows else ""


def _person(person: Json, translator: Translator, player_events: tuple[PlayerEvent, ...]) -> str:
    name = text(person, "name") or text(person, "short_name")
    position = position_name(translator, text(person, "position"))
    role = f'<span class="position">{escape(position)}</span>' if position else ""
    number = f'<b class="number">{escape(text(person, "number"))}</b>'
    return f"<li>{number}<span><bdi>{escape(name)}</bdi>{_done(player_events)}</span>{role}</li>" if name else ""


def _done(player_events: tuple[PlayerEvent, ...]) -> str:
    """What the player did, in the order of time; drawings have their names for those who listen."""
    items = "".join(
        f'<span>{icon(each.drawing)}<span class="unseen">{escape(each.title)}</span>{escape(each.minute)}</span> '
        for each in player_events
    )
    return f' <span class="deeds">{items}</span>' if items else ""
