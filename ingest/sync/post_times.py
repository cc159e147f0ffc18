"""The timeline's rows of the posts that a unit writes: what happens to each, and which answer said it first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapping.posts.reconcile import State
from mapping.rules.public import post_is_public
from store.timeline.timeline import PostTime

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from ingest.sync.ledger_posts import LedgerPosts
    from ingest.sync.snapshot import Snapshot
    from mapping.match.match import Match
    from mapping.posts.reconcile import Changes, Entry
    from store.liveblogs.liveblogs import EventWrite, StoredEvent

STATES = {State.WITHDRAWN: "withdrawn", State.DISALLOWED: "disallowed", State.GONE: "deleted"}


def said_times(match: Match, keys: Container[str]) -> dict[str, int | None]:
    """Key of an incident or text → when the provider says that it happened; None where it does not, or we made it up."""
    incidents = {
        each.key: None if each.synthesised else each.created_at for each in match.incidents if each.key in keys
    }
    return incidents | {each.key: each.created_at for each in match.comments if each.key in keys}


def post_times(
    snapshot: Snapshot,
    changes: Changes,
    before: LedgerPosts,
    writes: Sequence[EventWrite],
    *,
    game_id: str,
    version: int,
) -> list[PostTime]:
    """The timeline's rows of posts that are written now; none where the snapshot has no times. `before`: the ledger until now."""
    times, entries = snapshot.times, before.entries
    if times is None:
        return []
    now = {entry.local_id: entry for entry in entries.values()} | {entry.local_id: entry for entry in changes.entries}
    digests = {name: digest for name, (_, digest) in times.standing.items()}
    said_at = said_times(snapshot.match, {now[write.local_id].key for write in writes})
    rows = []
    for write in writes:
        entry = now[write.local_id]
        what = _what(entry, entries.get(entry.key), before.events.get(write.local_id), write)
        said = said_at.get(entry.key)
        answered, unsaid = times.first_said(entry, what)
        rows.append(
            PostTime(
                game_id=game_id,
                version=version,
                local_id=write.local_id,
                what=what,
                said_at=None if said is None else said * 1000,
                unsaid_at=unsaid,
                answered_at=answered,
                believed_at=times.believed,
                answers=digests,
            )
        )
    return rows


def _what(entry: Entry, earlier: Entry | None, before: StoredEvent | None, write: EventWrite) -> str:
    """What happens to the post, in a word."""
    if before is None:
        return "posted" if post_is_public(write.local_status, None) else "draft"
    was = None if earlier is None else earlier.state
    if entry.state in STATES and entry.state is not was:
        return STATES[entry.state]
    restored = entry.state is State.POSTED and was in {State.WITHDRAWN, State.DISALLOWED}
    return "restored" if restored else "corrected"
