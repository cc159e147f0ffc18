"""Teams and players that a post gives by their name alone: the owner's record of that name, else a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from mapping.documents.people import Player, Team
from store.masterdata import masterdata_edit
from store.tables import players, teams

if TYPE_CHECKING:
    from mapping.documents.event import Event
    from store.engine.unit import Unit
    from store.liveblogs.liveblogs import StoredGame

TABLES = {Player: players, Team: teams}
FIELDS = ("short_name", "name_addition", "country", "number", "position", "gender")
"""What a new record takes from the post beside its name."""


def with_records(unit: Unit, event: Event, game: StoredGame) -> Event:
    """The post with an `_id` for each team and player that has a name and no id; what else the post says of them stays."""
    changed: Event = _placed(unit, event, game, {})
    return changed


def _placed(unit: Unit, value: Any, game: StoredGame, made: dict[tuple[str, str], str]) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_placed(unit, each, game, made) for each in value)
    if not isinstance(value, BaseModel):
        return value
    if isinstance(value, Player | Team):
        return _named(unit, value, game, made)
    parts = {
        name: (getattr(value, name), _placed(unit, getattr(value, name), game, made)) for name in value.model_fields_set
    }
    changes = {name: after for name, (before, after) in parts.items() if after is not before and after != before}
    return value.model_copy(update=changes) if changes else value


def _named(unit: Unit, value: Player | Team, game: StoredGame, made: dict[tuple[str, str], str]) -> Player | Team:
    name = (value.name or "").strip()
    if not name or value.id_ or value.local_id or value.image:  # a picture of the post's is not the record's
        return value
    table = TABLES[type(value)]
    if (key := (table.name, name)) not in made:
        given = {each: getattr(value, each, None) for each in FIELDS}
        identity = {"owner_id": game.organization_id, "sportstype": game.sportstype, "name": name}
        made[key] = masterdata_edit.find_or_create(unit, table, {**given, **identity}).id
    return value.model_copy(update={"id_": made[key]})
