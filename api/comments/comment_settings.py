"""What comments may be, as the configuration says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

CommentMode = Literal["off", "pre", "post"]
"""Off: nobody comments, and no comment is seen. Pre: somebody approves each comment first. Post: it is public at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentSettings:
    """Limits of comments; a period is seconds."""

    text_length: int
    """Characters."""
    max_links: int
    duplicate_period: float
    """A reader who sends the same to the same post within it is refused."""
    hide_after_reports: int
    """So many readers' reports hide a comment until somebody decides; 0: none does."""
    organization_comments: Mapping[str, CommentMode] = field(default_factory=dict)
    """By the id of the organization."""

    @property
    def taken(self) -> frozenset[str]:
        """Organizations that take comments."""
        return frozenset(name for name, mode in self.organization_comments.items() if mode != "off")

    def mode(self, organization_id: str) -> CommentMode:
        return self.organization_comments.get(organization_id, "off")
