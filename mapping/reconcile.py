"""Deciding what must change so that a liveblog says what the match says: wanted posts against a ledger of what was posted.

Pure: the caller loads the ledger and the stored events, and writes what comes back in one unit. Applying the outcome and
reconciling again with the same input changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mapping.documents.scalars import LocalStatus
from mapping.merge import Document, merge_event, same
from mapping.sports import absorbed_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mapping.posts import Post


CONFIRMATIONS = 2
"""Good answers in a row in which an incident must be missing before its post is withdrawn."""


class State(StrEnum):
    """What the ledger says of a post."""

    POSTED = "posted"
    WITHDRAWN = "withdrawn"
    GONE = "gone"
    """Deleted, by a person or when the window after the end closed: never touched again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the ledger: the post of one key in one liveblog.

    `written` and `written_status` are what the sync wrote last, `missing` counts good answers in a row without the incident,
    `restore_status` is the status the post had when it was withdrawn.
    """

    key: str
    kind: str
    source: str
    local_id: str
    state: State = State.POSTED
    missing: int = 0
    reason: str = ""
    written: Document = field(default_factory=dict)
    written_status: int = LocalStatus.PUBLISHED
    restore_status: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """An event as it stands in the liveblog now, whoever wrote it last."""

    local_id: str
    document: Document
    local_status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is to be written: events (new or changed, in order), ledger lines; `pending` asks for another look soon.

    `settled`: of the entries that were looked at, each is wanted, withdrawn or gone, so that none waits for anything.
    """

    events: tuple[Stored, ...] = ()
    entries: tuple[Entry, ...] = ()
    pending: bool = False
    settled: bool = True


def reconcile(
    wanted: Iterable[Post],
    ledger: Mapping[str, Entry],
    stored: Mapping[str, Stored],
    *,
    good: frozenset[str],
    new_id: Callable[[], str],
    unreadable: frozenset[str] = frozenset(),
    closing: bool = False,
    beside: Iterable[Post] = (),
) -> Changes:
    """What must change so that the liveblog says what the match says.

    `stored` holds the events of the ledger by `local_id`; `good` names the sources (`play`, `text`) that answered well this
    time, so that a post missing from them counts as missing once more. `closing`: the window after the end closes now.
    Keys in `unreadable` are in the answer, but not in a form that could be understood: they are not missing.
    `beside`: posts that are looked after at another time, and may explain why one of these is missing.
    """
    posts = {post.key: post for post in wanted}
    known = [*beside, *posts.values()]
    events: list[Stored] = []
    entries: list[Entry] = []
    for post in posts.values():
        entry = ledger.get(post.key)
        event, line = _follow(post, entry, stored) if entry else _create(post, new_id())
        events += [event] if event else []
        entries += [line] if line != entry else []
    for entry in ledger.values():
        if entry.key not in posts and entry.key not in unreadable and entry.state is not State.GONE:
            event, line = _vanish(entry, stored.get(entry.local_id), known, good=good, closing=closing)
            events += [event] if event else []
            entries += [line] if line != entry else []
    lines = _latest(ledger, entries)
    return Changes(
        events=tuple(events),
        entries=tuple(entries),
        pending=any(0 < line.missing < CONFIRMATIONS for line in lines),
        settled=all(line.key in posts or line.state in {State.WITHDRAWN, State.GONE} for line in lines),
    )


def _create(post: Post, local_id: str) -> tuple[Stored, Entry]:
    status = LocalStatus.UNPUBLISHED if post.draft else LocalStatus.PUBLISHED
    entry = Entry(
        key=post.key,
        kind=post.kind,
        source=post.source,
        local_id=local_id,
        written=post.document,
        written_status=status,
        reason="draft" if post.draft else "",
    )
    return Stored(local_id=local_id, document=post.document, local_status=status), entry


def _follow(post: Post, entry: Entry, stored: Mapping[str, Stored]) -> tuple[Stored | None, Entry]:
    """The incident is there: edit its post, or restore it, as far as a person has not taken it over."""
    now = stored.get(entry.local_id)
    if entry.state is State.GONE:
        return None, entry
    if now is None or now.local_status == LocalStatus.DELETED:
        return None, replace(entry, state=State.GONE, missing=0, reason="deleted by an editor")
    merged = merge_event(entry.written, now.document, post.document)
    status, written_status = _status(post, entry, now)
    line = replace(
        entry,
        kind=post.kind,
        state=State.POSTED,
        missing=0,
        reason="draft" if post.draft else "",
        written=merged.written,
        written_status=written_status,
        restore_status=None,
    )
    if status == now.local_status and same(merged.document, now.document):
        return None, line
    return Stored(local_id=now.local_id, document=merged.document, local_status=status), line


def _status(post: Post, entry: Entry, now: Stored) -> tuple[int, int]:
    """The post's status and what the sync has to remember of it: a person's word stands, a withdrawal is undone."""
    wanted = LocalStatus.UNPUBLISHED if post.draft else LocalStatus.PUBLISHED
    if entry.state is State.WITHDRAWN and now.local_status == entry.written_status:
        before = wanted if entry.restore_status is None else entry.restore_status
        return before, wanted
    if now.local_status in {entry.written_status, wanted}:
        return wanted, wanted
    return now.local_status, entry.written_status


def _vanish(
    entry: Entry, now: Stored | None, posts: Iterable[Post], *, good: frozenset[str], closing: bool
) -> tuple[Stored | None, Entry]:
    """The incident is not there: count, withdraw once confirmed, delete what stayed withdrawn when the window closes."""
    if now is None or now.local_status == LocalStatus.DELETED:
        return None, replace(entry, state=State.GONE, missing=0, reason="deleted by an editor")
    if entry.state is State.WITHDRAWN:
        untouched = now.local_status == LocalStatus.UNPUBLISHED and same(now.document, entry.written)
        if closing and untouched:
            return replace(now, local_status=LocalStatus.DELETED), replace(
                entry, state=State.GONE, reason="withdrawn by the provider"
            )
        return None, entry
    if entry.source not in good or _absorbed(entry, posts):
        return None, entry
    missing = entry.missing + 1
    if missing < CONFIRMATIONS:
        return None, replace(entry, missing=missing)
    line = replace(
        entry,
        state=State.WITHDRAWN,
        missing=missing,
        reason="withdrawn by the provider",
        written_status=LocalStatus.UNPUBLISHED,
        restore_status=_status_to_restore(entry, now),
    )
    return (
        replace(now, local_status=LocalStatus.UNPUBLISHED) if now.local_status == LocalStatus.PUBLISHED else None
    ), line


def _status_to_restore(entry: Entry, now: Stored) -> int | None:
    """A status that a person chose comes back with the incident; None: whatever is wanted then."""
    return None if now.local_status == entry.written_status else now.local_status


def _absorbed(entry: Entry, posts: Iterable[Post]) -> bool:
    """A first yellow card stays when the provider drops it because of the yellow-red that followed."""
    by = absorbed_by(entry.kind)
    player = _player(entry.written)
    return player is not None and any(post.kind == by and _player(post.document) == player for post in posts)


def _player(document: Mapping[str, Any]) -> str | None:
    players = (document.get("sport_event") or {}).get("players") or ()
    return next((each["player"].get("_id") or each["player"].get("local_id") for each in players), None)


def _latest(ledger: Mapping[str, Entry], entries: Iterable[Entry]) -> Iterable[Entry]:
    return {**ledger, **{entry.key: entry for entry in entries}}.values()
