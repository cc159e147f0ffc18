"""Event types by the names that people know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapping.sports import SPORTS

if TYPE_CHECKING:
    from mapping.locales import Translator


def kind_name(texts: Translator, event_type: str) -> str:
    """The name of an event type, itself where it has none."""
    sport = SPORTS.get(event_type.partition(".")[0])
    kinds = () if sport is None else sport.kinds
    return next((texts.text(each.title) for each in kinds if each.id == event_type), event_type)
