"""The position keys that players may have, and their names (interface: Player, `position`)."""

from __future__ import annotations

from collections.abc import Mapping

from mapping.locales import Translator

CONTEXT = "position"

POSITIONS: Mapping[str, str] = {
    "active": "Active",
    "back_row_forwards": "Back row",
    "bench": "Bench",
    "center": "Center",
    "centre": "Centre",
    "defense": "Defender",
    "fieldplayer": "Outfield player",
    "flanker": "Flanker",
    "fly_half": "Fly-half",
    "forward": "Forward",
    "front_row_forwards": "Front row",
    "full_back": "Full-back",
    "half_back": "Half-back",
    "half_backs": "Half-backs",
    "hooker": "Hooker",
    "inactive": "Inactive",
    "keeper": "Goalkeeper",
    "libero": "Sweeper",
    "lineup": "Starting line-up",
    "midfield": "Midfielder",
    "no8": "Number eight",
    "offense": "Attacker",
    "pitcher": "Pitcher",
    "point_guard": "Point guard",
    "power_forward": "Power forward",
    "prop": "Prop",
    "scrum_half": "Scrum-half",
    "second_row_forwards": "Second row",
    "shooting_guard": "Shooting guard",
    "small_forward": "Small forward",
    "starting_pitcher": "Starting pitcher",
    "three_quarters": "Three-quarters",
    "wing": "Wing",
}
"""Key → msgid in the context `position`."""


def position_name(translator: Translator, position: str) -> str:
    """How a position is called; free text is given back as it is."""
    msgid = POSITIONS.get(position)
    return position if msgid is None else translator.text(msgid, context=CONTEXT)
