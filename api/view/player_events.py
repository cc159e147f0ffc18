"""What the players of a match did, as its posts say it: who scored, who was booked, who came on and went off."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from api.http.json_path import Json, node, nodes, text
from api.view.content import minute
from mapping.documents.state import SHOOTOUT
from mapping.posts.shootout import is_of_shootout

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mapping.locales import Translator
    from mapping.sports import Sport

SHOWN = {
    ("goal", "scorer"): "goal",
    ("goal", "own-goal"): "own-goal",
    ("own-goal", "scorer"): "own-goal",
    ("penalty-kick-missed", "player"): "penalty-kick-missed",
    ("yellow-card", "player"): "yellow-card",
    ("yellow-red-card", "player"): "yellow-red-card",
    ("red-card", "player"): "red-card",
    ("substitution", "in"): "in",
    ("substitution", "out"): "out",
}
"""Last part of an event type and role → the drawing that says what the player did."""


class PlayerEvent(NamedTuple):
    """What a player did: the name of its drawing, what it is called, and when it was, as it is read."""

    drawing: str
    title: str
    minute: str


def player_events_of(sport: Sport, posts: Iterable[Json], texts: Translator) -> Mapping[str, tuple[PlayerEvent, ...]]:
    """The deeds of each player by `identity`, from public posts in the language of `texts`, oldest first; none of a shoot-out."""
    found: dict[str, list[PlayerEvent]] = defaultdict(list)
    for post in posts:
        event = node(post, "sport_event")
        kicking = is_of_shootout(sport, text(event, "phase", "name"), texts)
        if kicking or sport.kind(text(event, "event_type")).enters == SHOOTOUT:
            break
        for each in nodes(event, "players"):
            drawing = SHOWN.get((text(event, "event_type").rpartition(".")[2], text(each, "event_player_type")))
            if drawing is not None:
                title = text(each, "event_player_title") if drawing in {"in", "out"} else text(event, "title")
                found[identity(node(each, "player"))].append(PlayerEvent(drawing, title, minute(post)))
    return {name: tuple(player_events) for name, player_events in found.items() if name}


def identity(player: Json) -> str:
    """What distinguishes a player from others of the same name, as far as anything does."""
    return text(player, "_id") or text(player, "local_id") or text(player, "name")
