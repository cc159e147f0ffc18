"""The text of an incident belongs to it for good, also where the provider binds it to nothing any more or numbers it anew."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mapping.match.match import Comment

SHORTEST = 20
"""Characters of a text by which it is known under another key; shorter ones are written more than once."""


def bound_texts(before: Iterable[Comment], after: Sequence[Comment], incidents: AbstractSet[str]) -> list[Comment]:
    """The texts after, each bound to the incident that it belonged to before, by its key, else by its words."""
    known = {each.key: each for each in before}
    return [each if each.incident_key in incidents else _bound(each, known, incidents) for each in after]


def without_repeated(before: Sequence[Comment], after: Iterable[Comment]) -> list[Comment]:
    """The texts before, without those that an incident has under a new key now."""
    known = {each.key for each in before}
    now = {(each.incident_key, each.html) for each in after if each.key not in known and each.incident_key is not None}
    return [each for each in before if (each.incident_key, each.html) not in now]


def unbound_from(comments: Iterable[Comment], gone: AbstractSet[str]) -> list[Comment]:
    """The texts, bound to none of the incidents that are gone."""
    return [replace(each, incident_key=None) if each.incident_key in gone else each for each in comments]


def _bound(text: Comment, known: Mapping[str, Comment], incidents: AbstractSet[str]) -> Comment:
    """The text as that of its incident: without the headline that the provider adds where it stands alone."""
    same = [known[text.key]] if text.key in known else [each for each in known.values() if _repeats(text, each)]
    was = next((each for each in same if each.incident_key in incidents), None)
    if was is None:
        return text
    return replace(text, incident_key=was.incident_key, html=was.html if text.html.endswith(was.html) else text.html)


def _repeats(text: Comment, other: Comment) -> bool:
    return len(other.html) >= SHORTEST and text.html.endswith(other.html)
