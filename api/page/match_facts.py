"""The match beside the posts of a page: the recap, the key moments by the parts of the match, and the line-ups.

No key moment is cut: where there are many, the earlier ones stand in a part that the reader opens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType

from api.http.json_path import Json, node, nodes, text
from api.page.icons import icon, word_of
from api.page.page_context import PageContext, whole_scores
from api.page.scoreboard import SIDES, team_of
from api.page.standings import ranking, ranking_heading
from api.view.key_moments import KeyMoments, PlayerEvent, identity
from mapping.locales import Translator
from mapping.locales.labels import Label
from mapping.posts.key_moments import KeyMoment
from mapping.sports.base import MomentType
from mapping.sports.positions import position_name

SHOWN = 6
"""Key moments that are seen at once where there are many."""
FEW_MORE = 2
"""… and so many more are no reason to fold them."""

Grouped = tuple[str, KeyMoment]
"""The part of the match that it stands under, and the moment."""


PlayerEvents = Mapping[str, tuple[PlayerEvent, ...]]
NONE: PlayerEvents = MappingProxyType({})
PLACES = (("lineup", Label.LINEUP), ("bench", Label.BENCH))


def key_moments_html(found: KeyMoments, page: PageContext) -> str:
    """The section; empty without moments and recap."""
    if not (found.moments or found.recap):
        return ""
    heading = escape(page.texts.text(Label.KEY_MOMENTS))
    recap = f'<p class="recap">{whole_scores(escape(found.recap))}</p>' if found.recap else ""
    newest = _in_parts(found.moments)[::-1]
    seen = SHOWN if len(newest) > SHOWN + FEW_MORE else len(newest)
    listed, earlier = _groups(newest[:seen], page), newest[seen:]
    if earlier:
        summary = escape(page.texts.text(Label.EARLIER_MOMENTS, count=len(earlier)))
        listed += f"<details><summary>{summary}</summary>{_groups(earlier, page)}</details>"
    return (
        f'<section class="moments" id="section-moments" part="moments" aria-label="{heading}"><h2>{heading}</h2>'
        f"{recap}{listed}</section>"
    )


def _in_parts(moments: Iterable[KeyMoment]) -> list[Grouped]:
    """Each with the name of its part; one that names none belongs to that of the moment before it."""
    part, grouped = "", []
    for each in moments:
        part = each.phase or part
        grouped.append((part, each))
    return grouped


def _groups(moments: Sequence[Grouped], page: PageContext) -> str:
    """A list for each part of the match, with its name where it has one."""
    html = ""
    for part, each in groupby(moments, key=itemgetter(0)):
        items = "".join(_item(moment, page) for _, moment in each)
        html += f"{f'<h3>{escape(part)}</h3>' if part else ''}<ol reversed>{items}</ol>"
    return html


def _item(moment: KeyMoment, page: PageContext) -> str:
    when = f"<b>{escape(moment.minute)}</b> " if moment.minute else ""
    href = escape(page.permalink(moment.local_id))
    said = f"{when}{whole_scores(escape(moment.text))}"
    shown = f"<s>{said}</s>" if moment.type is MomentType.DISALLOWED else said
    return f'<li class="on-{escape(word_of(moment.event_type))}">{icon(moment.event_type)}<a href="{href}">{shown}</a></li>'


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
