"""Compares the wanted posts with the ledger, and says what must change in the liveblog.

Pure: the caller loads the ledger and the stored events, and writes what comes back in one unit. Applying the outcome and
reconciling again with the same input changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import StrEnum

from mapping.documents.scalars import LocalStatus
from mapping.posts.merge import Document, merge_event, same
from mapping.posts.posts import Post
from mapping.posts.withdrawal_notes import Notes, stands_as_note

DRAFT = "draft"
"""`Entry.reason` of a post that is not posted automatically."""
WAITS = "waits for the other source"
"""`Entry.reason` of a post that is published once the match's other source has it too."""


class State(StrEnum):
    """What the ledger says of a post."""

    POSTED = "posted"
    WITHDRAWN = "withdrawn"
    DISALLOWED = "disallowed"
    """Withdrawn by the provider; the post stays and says so (mapping.posts.withdrawal_notes)."""
    GONE = "gone"
    """Deleted, by a person or when the window after the end closed: never touched again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the ledger: the post of one key in one liveblog.

    `said` is the post as the provider last gave it, whatever a person made of it; `said_status` is the status that the sync
    wanted last, `restore_status` the one the post had when it was withdrawn. `by_person`: a person chose the status that it
    has, or waits to choose one; no setting changes it then, and only the provider's word does. `block_key`: the key by which
    the blocks of the post are named, where the provider has numbered it anew since. `public_since`: when the sync made the post
    public (Unix seconds), None where it is not or a person did.
    """

    key: str
    kind: str
    source: str
    local_id: str
    state: State = State.POSTED
    reason: str = ""
    said: Document = field(default_factory=dict)
    said_status: int = LocalStatus.PUBLISHED
    restore_status: int | None = None
    by_person: bool = False
    block_key: str = ""
    public_since: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """An event as it stands in the liveblog now, whoever wrote it last. `scheduled`: a person has it shown later."""

    local_id: str
    document: Document
    local_status: int
    scheduled: bool = False


Decision = tuple[Stored | None, Entry]
"""The event to write, None where it stays as it is, and its line of the ledger from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is to be written: events (new or changed, in order) and lines of the ledger."""

    events: tuple[Stored, ...] = ()
    entries: tuple[Entry, ...] = ()


def reconcile(
    wanted: Iterable[Post],
    ledger: Mapping[str, Entry],
    stored: Mapping[str, Stored],
    *,
    new_id: Callable[[], str],
    closing: bool = False,
    editorial: bool = False,
    left_out: AbstractSet[str] = frozenset(),
    notes: Notes | None = None,
    now: int = 0,
) -> Changes:
    """What must change so that the liveblog says what the match that is believed says.

    `stored` holds the events of the ledger by `local_id`. `closing`: the window after the end closes now. `editorial`: what is
    not published is published by an editor alone, now and later. `left_out`: sources whose posts are not wanted now, whatever
    the provider says of them: those that are there become drafts, which is no withdrawal. `notes`: what withdrawn posts leave,
    None for nothing; `now`: Unix seconds.
    """
    posts = {post.key: post for post in wanted}
    decided = [
        _follow(post, ledger[post.key], stored, editorial=editorial)
        if post.key in ledger
        else _create(post, new_id(), editorial=editorial)
        for post in posts.values()
    ]
    decided = _with_end_last(decided, [*posts.values()], ledger, stored, now)
    for entry in (entry for key, entry in ledger.items() if key not in posts):
        standing = _standing(entry, stored)
        if standing is None:
            decided.append(_when_gone(entry))
        elif entry.source in left_out and entry.state is State.POSTED:
            decided.append(_hide(entry, standing))
        else:
            decided.append(_take_back(entry, standing, notes, now, closing=closing))
    return _changes([_with_time(each, stored, now) for each in decided], ledger)


def _with_end_last(
    decided: list[Decision],
    posts: Sequence[Post],
    ledger: Mapping[str, Entry],
    stored: Mapping[str, Stored],
    now: int,
) -> list[Decision]:
    """What comes before the end but is posted after it stands before its post, which moves on; where neither has a time."""
    end = next(
        (at for at, post in enumerate(posts) if post.ends and post.key in ledger and _is_timeless(post.document)), 0
    )
    late = [at for at in range(end) if posts[at].key not in ledger and _is_timeless(posts[at].document)]
    event, entry = decided[end] if late else (None, None)
    stands = None if entry is None else event or _standing(entry, stored)
    if entry is None or stands is None or not _is_timeless(stands.document):
        return decided
    placed = {at: (_at(decided[at][0], now - 1), decided[at][1]) for at in late} | {end: (_at(stands, now), entry)}
    return [placed.get(at, each) for at, each in enumerate(decided)]


def _is_timeless(document: Document) -> bool:
    return "created_at" not in document


def _at(event: Stored | None, moment: int) -> Stored | None:
    return None if event is None else replace(event, document={**event.document, "created_at": moment})


def _take_back(entry: Entry, stands: Stored, notes: Notes | None, now: int, *, closing: bool) -> Decision:
    """The incident is not there: its post becomes a note, or goes."""
    noted = _disallow(entry, stands, notes, now)
    return _withdraw(entry, stands, closing=closing) if noted is None else noted


def _with_time(decision: Decision, stored: Mapping[str, Stored], now: int) -> Decision:
    event, entry = decision
    before = stored.get(entry.local_id)
    if event is None or event.local_status == (None if before is None else before.local_status):
        return decision
    return event, replace(entry, public_since=now if event.local_status == LocalStatus.PUBLISHED else None)


def _changes(decided: Sequence[Decision], ledger: Mapping[str, Entry]) -> Changes:
    return Changes(
        events=tuple(event for event, _ in decided if event is not None),
        entries=tuple(entry for event, entry in decided if event is not None or entry != ledger.get(entry.key)),
    )


def _create(post: Post, local_id: str, *, editorial: bool) -> Decision:
    """A post that waits for an editor counts as one that an editor took back: the sync's last word is that it is public."""
    status = _wanted_status(post)
    entry = Entry(
        key=post.key,
        kind=post.kind,
        source=post.source,
        local_id=local_id,
        said=post.document,
        said_status=status,
        reason=_reason(post),
    )
    stands = LocalStatus.UNPUBLISHED if editorial else status
    return Stored(local_id=local_id, document=post.document, local_status=stands), entry


def _reason(post: Post) -> str:
    if post.waits:
        return WAITS
    return DRAFT if post.draft else ""


def _once_public(post: Post, entry: Entry) -> Post:
    """The post; one that the sync has made public waits for nobody any more, whatever becomes of the other source."""
    public = entry.state is State.POSTED and entry.said_status == LocalStatus.PUBLISHED
    return replace(post, draft=False, waits=False) if post.waits and public else post


def _wanted_status(post: Post) -> LocalStatus:
    return LocalStatus.UNPUBLISHED if post.draft else LocalStatus.PUBLISHED


def _follow(post: Post, entry: Entry, stored: Mapping[str, Stored], *, editorial: bool) -> Decision:
    """The incident is there: edit its post, or restore it, as far as a person has not taken it over."""
    now = _standing(entry, stored)
    if now is None:  # what the provider says is kept all the same: it is known by that under another id
        return _when_gone(replace(entry, said=post.document))
    post = _once_public(post, entry)
    document = merge_event(entry.said, now.document, post.document)
    status, by_person = _status(_wanted_status(post), entry, now, editorial=editorial)
    line = replace(
        entry,
        kind=post.kind,
        state=State.POSTED,
        reason=_reason(post),
        said=post.document,
        said_status=_wanted_status(post),
        restore_status=None,
        by_person=by_person,
    )
    if status == now.local_status and same(document, now.document):
        return None, line
    return replace(now, document=document, local_status=status), line


def _status(wanted: int, entry: Entry, now: Stored, *, editorial: bool) -> tuple[int, bool]:
    """The post's status, and whether it is a person's: theirs stays, a withdrawal is undone, else it is as wanted."""
    if entry.state is State.WITHDRAWN and now.local_status == entry.said_status:
        restored = entry.restore_status
        return (wanted, False) if restored is None else (restored, True)
    if _is_of_a_person(entry, now):
        return now.local_status, True
    waits = editorial and now.local_status == LocalStatus.UNPUBLISHED
    return (now.local_status if waits else wanted), waits


def _standing(entry: Entry, stored: Mapping[str, Stored]) -> Stored | None:
    """The post of the line, None where it is deleted."""
    now = stored.get(entry.local_id)
    deleted = entry.state is State.GONE or now is None or now.local_status == LocalStatus.DELETED
    return None if deleted else now


def _when_gone(entry: Entry) -> Decision:
    """The post is deleted: it is never touched again."""
    return None, entry if entry.state is State.GONE else replace(entry, state=State.GONE, reason="deleted by an editor")


def with_deletion(entry: Entry, stands: Stored | None) -> Entry:
    """The line as it is once a person's deletion is heard of; a note that a person has hidden is no post that lives on."""
    deleted = stands is None or stands.local_status == LocalStatus.DELETED
    shown = entry.said_status == LocalStatus.PUBLISHED  # else our own terms have hidden it
    hidden = entry.state is State.DISALLOWED and stands is not None and stands.local_status != LocalStatus.PUBLISHED
    return replace(entry, state=State.GONE) if deleted or (hidden and shown) else entry


def _hide(entry: Entry, now: Stored) -> Decision:
    """Nobody wants posts of this source now: it is a draft, unless a person chose its status."""
    status, by_person = _status(LocalStatus.UNPUBLISHED, entry, now, editorial=False)
    line = replace(entry, reason=DRAFT, said_status=LocalStatus.UNPUBLISHED, by_person=by_person)
    return (None if status == now.local_status else replace(now, local_status=status)), line


def _withdraw(entry: Entry, now: Stored, *, closing: bool) -> Decision:
    """The incident is not there: withdraw its post, delete what stayed withdrawn when the window closes."""
    if entry.state is State.WITHDRAWN:
        return _delete_untouched(entry, now) if closing else (None, entry)
    line = replace(
        entry,
        state=State.WITHDRAWN,
        reason="withdrawn by the provider",
        said_status=LocalStatus.UNPUBLISHED,
        restore_status=_status_to_restore(entry, now),
    )
    shown = now.local_status == LocalStatus.PUBLISHED
    return (replace(now, local_status=LocalStatus.UNPUBLISHED) if shown else None), line


def _disallow(entry: Entry, stands: Stored, notes: Notes | None, now: int) -> Decision | None:
    """A post that readers have seen becomes a note, and one that is a note stays one; None where nothing is left of it.

    Readers go on seeing it, unless an editor hides it. A note that our terms want no more is a draft, and comes back with them.
    """
    stays = entry.state is State.DISALLOWED
    if notes is None or not (stays or _was_seen(entry, stands, now - notes.after)):
        return None
    note = notes.note(entry.kind, entry.said)
    if note is None or (not stays and notes.makes_none(note)):
        return None
    document = merge_event(entry.said, stands.document, note)
    if not stands_as_note(document, note):
        return None
    wanted, status, by_person = LocalStatus.PUBLISHED, stands.local_status, _is_of_a_person(entry, stands)
    if stays:
        wanted = LocalStatus.UNPUBLISHED if notes.hides(entry.kind, note) else wanted
        status, by_person = _status(wanted, entry, stands, editorial=False)
    line = replace(
        entry,
        state=State.DISALLOWED,
        reason="withdrawn by the provider",
        said=note,
        said_status=wanted,
        restore_status=None,
        by_person=by_person,
    )
    if status == stands.local_status and same(document, stands.document):
        return None, line
    return replace(stands, document=document, local_status=status), line


def _was_seen(entry: Entry, stands: Stored, since: float) -> bool:
    """Whether the post is public, and was so at that time already (Unix seconds)."""
    public = entry.state is State.POSTED and stands.local_status == LocalStatus.PUBLISHED and not stands.scheduled
    return public and (entry.public_since is None or entry.public_since <= since)


def _delete_untouched(entry: Entry, now: Stored) -> Decision:
    """Delete a withdrawn post, unless a person has made something of it since."""
    if now.local_status != LocalStatus.UNPUBLISHED or not same(now.document, entry.said):
        return None, entry
    gone = replace(entry, state=State.GONE, reason="withdrawn by the provider")
    return replace(now, local_status=LocalStatus.DELETED), gone


def _status_to_restore(entry: Entry, now: Stored) -> int | None:
    """A status that a person chose comes back with the incident; None: whatever is wanted then."""
    return now.local_status if _is_of_a_person(entry, now) else None


def _is_of_a_person(entry: Entry, now: Stored) -> bool:
    """Whether a person set the post's status last."""
    return entry.by_person or now.scheduled or now.local_status != entry.said_status
