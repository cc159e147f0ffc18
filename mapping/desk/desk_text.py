"""What the desk says to people, in the languages of the catalogues."""

from __future__ import annotations

from enum import StrEnum


class DeskText(StrEnum):
    """A text of the desk; its value is the msgid."""

    HIDDEN = "Not published"
    NEXT_PAGE = "Next page"
    PREVIOUS_PAGE = "Previous page"
