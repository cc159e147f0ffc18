"""Which posts of a liveblog the desk shows."""

from __future__ import annotations

from enum import StrEnum


class PostFilter(StrEnum):
    """A filter of the desk; its value stands in addresses."""

    ALL = "all"
    DRAFTS = "drafts"
    SCHEDULED = "scheduled"
    CHANGED = "changed"
    """Withdrawn or corrected, by the provider or by a person."""
    MINE = "mine"
    """Written or changed by the person who looks."""
