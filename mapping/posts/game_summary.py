"""The summary of a liveblog's posts: the newest and the oldest, milestones, goals, what each player did, how many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mapping.documents.scalars import file_is_public

Document = dict[str, Any]

MOST_COUNTED = 16_383
"""More posts than that are not counted."""
REF, REF_LIST, SUMMARY = (f"Svc::Model::{name}" for name in ("LocalRef", "LocalRefList", "GameSummary"))


class Extent(NamedTuple):
    """How many public posts there are, and the oldest and newest of them."""

    total: int
    oldest: Document | None = None
    newest: Document | None = None


def extent_of(posts: Sequence[Document]) -> Extent:
    """Count these posts, given in any order, and find the oldest and the newest."""
    ordered = sorted(posts, key=_place)
    return Extent(len(ordered), ordered[0], ordered[-1]) if ordered else Extent(0)


def game_summary(posts: Sequence[Document], extent: Extent, goal_types: frozenset[str], *, commented: bool) -> Document:
    """The summary of a liveblog with this extent; `goal_types`: event types that are goals in the sport.

    `posts`: the public ones in any order, those without milestone, incident and file may be missing. `commented`: each post
    has a channel for comments.
    """
    ordered = sorted(posts, key=_place, reverse=True)
    refs = [(each, _ref(each)) for each in ordered]
    count, subtypes = min(extent.total, MOST_COUNTED), _subtypes(ordered)
    milestones = [ref for post, ref in refs if post.get("highlight") == "milestone"]
    goals = [ref for post, ref in refs if not goal_types.isdisjoint(_event_types(post))]
    return {
        "_type": SUMMARY,
        "first_event": _ref(extent.newest) if extent.newest else None,  # a list begins with its newest post (interface)
        "last_event": _ref(extent.oldest) if extent.oldest else None,
        "milestones": _ref_list("milestones", milestones),
        "goals": _ref_list("goals", goals),
        "players": _by_player(refs),
        "event_cnt": count,
        "image_cnt": subtypes.count("i"),
        "video_cnt": subtypes.count("v"),
        "comment_channel_cnt": count if commented else 0,
    }


def _place(post: Document) -> str:
    return str(post.get("sort") or "")


def _ref(post: Document) -> Document:
    names = ("local_id", "version", "local_status", "sort", "created_at")
    return {"_type": REF, **{name: post[name] for name in names if name in post}}


def _subtypes(posts: Iterable[Document]) -> list[Any]:
    """The kind of each public file."""
    return [media.get("subtype") for post in posts for media in _objects(post.get("media")) if file_is_public(media)]


def _ref_list(name: str, refs: list[Document]) -> Document:
    newest = max((ref.get("version") or 0 for ref in refs), default=0)
    return {"_type": REF_LIST, "local_id": name, "version": str(newest), "refs": refs}


def _by_player(refs: Iterable[tuple[Document, Document]]) -> list[Document]:
    """A list for each player that is named by an id, in the order of the ids."""
    found: dict[str, list[Document]] = {}
    for post, ref in refs:
        for player_id in dict.fromkeys(_player_ids(post)):
            found.setdefault(player_id, []).append(ref)
    return [_ref_list(player_id, found[player_id]) for player_id in sorted(found)]


def _player_ids(post: Document) -> Iterator[str]:
    for incident in _incidents(post):
        for part in _objects(incident.get("players")):
            player = part.get("player")
            named = player if isinstance(player, dict) else {}
            player_id = named.get("_id") or named.get("local_id")
            if isinstance(player_id, str):
                yield player_id


def _event_types(post: Document) -> Iterator[str]:
    return (str(each.get("event_type")) for each in _incidents(post))


def _incidents(post: Document) -> list[Document]:
    own = post.get("sport_event")
    blocks = [each for each in _objects(post.get("contents")) if each.get("event_type")]
    return [*([own] if isinstance(own, dict) else []), *blocks]


def _objects(value: Any) -> list[Document]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
