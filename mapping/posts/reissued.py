"""Posts whose rows come again under other ids: each keeps its line of the ledger, and with it what a person made of it.

Pure. Providers number rows anew, one or all of a match, at once or minutes after the old ones have gone (design: keys).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import inf
from typing import Any

from mapping.belief.corrected_keys import APART, SHORTEST
from mapping.match.identity import APART as ANOTHER_DAY
from mapping.match.match import PERIOD_KEY
from mapping.posts.merge import Document
from mapping.posts.posts import MINUTE, TEXT, Post
from mapping.posts.reconcile import Entry, State

ROLES = (True, False)
"""Whether all people are compared with their roles, as they stand in a post, or the first alone, as in a note."""
Content = tuple[Any, ...]


def match_reissued(posts: Iterable[Post], vanished: Iterable[Entry]) -> dict[str, str]:
    """Key of a post that is new → key of the line that is its own, for each post that says what a vanished one said.

    `vanished`: the lines to whose keys there is no post any more, whatever became of theirs. The same is what has kind,
    team and people in common, at most `APART` minutes apart; of several the nearest, in the order of play. What marks a
    period has its key by its place in the match, so it is never another one.
    """
    lines: defaultdict[Content, list[Entry]] = defaultdict(list)
    for entry in sorted((each for each in vanished if not _keyed_by_place(each.key)), key=_place):
        lines[_content(entry.kind, entry.said, roles=not _is_note(entry))].append(entry)
    adopted: dict[str, str] = {}
    taken: set[str] = set()
    for post in posts:
        contents = (
            [] if _keyed_by_place(post.key) else [_content(post.kind, post.document, roles=roles) for roles in ROLES]
        )
        same = [each for content in contents for each in lines.get(content, ()) if each.key not in taken]
        near = [each for each in same if _apart(each.said, post.document) <= _most_apart(each)]
        if near:
            adopted[post.key] = min(near, key=lambda each: _apart(each.said, post.document)).key
            taken.add(adopted[post.key])
    return adopted


def _keyed_by_place(key: str) -> bool:
    return key.startswith(PERIOD_KEY)


def _place(entry: Entry) -> tuple[int, str]:
    return entry.said.get("created_at") or 0, entry.key


def _is_note(entry: Entry) -> bool:
    """Whether it says of a post that it was taken back; then its people have roles of their own."""
    event = entry.said.get("sport_event")
    return event is not None and event.get("event_type") != entry.kind


def _content(kind: str, document: Document, *, roles: bool) -> Content:
    """What happened, without its time: team and people by their ids, of a text its words."""
    event = document.get("sport_event")
    if event is None:
        return (kind, *[block.get("text") for block in document.get("contents") or ()])
    named = [(each.get("event_player_type"), _identity(each.get("player"))) for each in event.get("players") or ()]
    people = named if roles else [who for _, who in named[:1]]
    return (kind, _identity(event.get("team")), *people)


def _identity(named: Mapping[str, Any] | None) -> str | None:
    return None if named is None else named.get("_id") or named.get("local_id")


def _apart(was: Document, now: Document) -> float:
    """Minutes of play between both, of texts those of the clock; endless where only one has any, or where laps differ.

    So it is between two tries of a match that was set again.
    """
    if _of_other_days(was, now):
        return inf
    if "sport_event" not in now:
        return _clock_apart(was, now)
    before, after = (str((each.get("sport_event") or {}).get("time_of_play") or "") for each in (was, now))
    first, second = _minute(before), _minute(after)
    if first is None or second is None:
        return 0 if before == after else inf
    return abs(first - second)


def _of_other_days(was: Document, now: Document) -> bool:
    first, second = was.get("created_at"), now.get("created_at")
    return first is not None and second is not None and abs(int(first) - int(second)) >= ANOTHER_DAY


def _minute(time_of_play: str) -> int | None:
    found = MINUTE.fullmatch(time_of_play)
    return None if found is None else int(found[1]) + int(found[2] or 0)


def _clock_apart(was: Document, now: Document) -> float:
    """Minutes between two texts; a long one is written once, whenever it comes again."""
    text = "".join(str(block.get("text")) for block in now.get("contents") or ())
    first, second = was.get("created_at"), now.get("created_at")
    if len(text) >= SHORTEST or first is None or second is None:
        return 0
    return abs(int(first) - int(second)) / 60


def _most_apart(entry: Entry) -> int:
    """A goal that comes after a goal or a note that a person has deleted must not get lost, nor what nobody is named in."""
    event = entry.said.get("sport_event") or {}
    scored = "score" in event or event.get("event_type") != entry.kind
    certain = entry.kind == TEXT or (bool(event.get("players")) and not scored)
    return APART if certain or entry.state is not State.GONE else 0
