"""The terms under which a liveblog is attached to a match; kept beside the attachment as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Withdrawn = Literal["note", "silent"]
"""What a goal that was public leaves behind once it is withdrawn: a note in its place, or nothing."""
Confirm = Literal["one", "two"]
"""How many sources have to have a goal before it is posted, where a match has several."""
MOST_STANDBYS = 3
"""Sources that may stand by for one match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """The wishes of one createFromExternal request or declared liveblog.

    `locale` governs our own texts; `auto_post`, `exclude_events` and `exclude_scoreboard` are `autoPostEnabled` and
    `AutoPostConfiguration`; `text` is `includeTextContent`; `title` is the one given, None for the default. While `paused`
    the liveblog is not written to. `withdrawn`: what goals that are taken back leave, `note` or `silent`; None: as the
    organization has it. `confirm`: by how many sources a goal is confirmed; `held`: keys of the goals that wait for another
    source at this moment, which no request names.
    """

    sport: str
    locale: str = "en"
    auto_post: bool = False
    exclude_events: frozenset[str] = frozenset()
    exclude_scoreboard: bool = False
    text: bool = False
    title: str | None = None
    paused: bool = False
    withdrawn: Withdrawn | None = None
    confirm: Confirm = "one"
    held: frozenset[str] = frozenset()

    def drafts(self, kind: str, key: str = "") -> bool:
        """Whether posts of this event type are imported as drafts, offered to editors and not published; `key`: the post's."""
        return not self.auto_post or kind in self.exclude_events or key in self.held

    def waits(self, kind: str, key: str) -> bool:
        """Whether the post waits until another source has it too."""
        return key in self.held and not self.drafts(kind)

    def as_dict(self) -> dict[str, Any]:
        """JSON values, equal for equal terms."""
        return {**{name: getattr(self, name) for name in _FORMS}, "exclude_events": sorted(self.exclude_events)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ImportOptions:
        """The inverse of `as_dict`; what is missing takes its default. Raises ValueError for anything else, naming it."""
        if not isinstance(data, Mapping):
            raise ValueError("no object")  # noqa: TRY004 -- one error for all that another version may have written
        wrong = [name for name, right in _FORMS.items() if name in data and not right(data[name])]
        if wrong or "sport" not in data:
            raise ValueError(f"{wrong[0] if wrong else 'sport'} is not as expected")
        given = {name: data[name] for name in _FORMS if name in data}
        return cls(**given | {"exclude_events": frozenset(data.get("exclude_events", ()))})


def _text(value: object) -> bool:
    return isinstance(value, str)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


_FORMS: Mapping[str, Callable[[Any], bool]] = {
    "sport": _text,
    "locale": _text,
    "auto_post": _flag,
    "exclude_events": lambda value: isinstance(value, list | tuple) and all(map(_text, value)),
    "exclude_scoreboard": _flag,
    "text": _flag,
    "title": lambda value: value is None or _text(value),
    "paused": _flag,
    "withdrawn": lambda value: value in {None, "note", "silent"},
    "confirm": lambda value: value in {"one", "two"},
}
"""What each of them looks like as JSON."""
