"""Reads the ledger of a liveblog with the posts that it names, to compare them with the match, and notes their times."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection

from ingest.sync.snapshot import AnswerTimes
from mapping.documents.scalars import post_is_public
from mapping.match.match import Match
from mapping.posts.merge import Document, same
from mapping.posts.reconcile import Changes, Entry, State, Stored
from store.engine.liveblog_records import EventWrite, StoredEvent, check_document
from store.following import ledger
from store.liveblogs.event_rows import events_named
from store.timeline.timeline import PostTime

EVENT_TYPE = "Svc::Model::Event"
STATES = {State.WITHDRAWN: "withdrawn", State.DISALLOWED: "disallowed", State.GONE: "deleted"}


@dataclass(frozen=True, slots=True)
class LedgerPosts:
    """The ledger of a batch, with the events that it names as they stand now.

    `game`: the provider's last word on the liveblog's own document; `placed`: the time at which the sync placed each event,
    by `local_id` (Unix seconds).
    """

    game: Document
    entries: Mapping[str, Entry]
    events: Mapping[str, StoredEvent]
    stored: Mapping[str, Stored]
    placed: Mapping[str, int]

    @classmethod
    def read(cls, conn: Connection, game_id: str, keys: AbstractSet[str] | None) -> LedgerPosts:
        """Read the rows of these keys, None for all. Raises UnreadableRow."""
        rows = ledger.rows(conn, game_id, only=keys)
        game = ledger.game_of(rows.pop(ledger.GAME_KEY, None))
        entries = {key: ledger.entry_of(row) for key, row in rows.items()}
        placed = {row.local_id: ledger.placed_of(row) for row in rows.values() if row.local_id is not None}
        events = events_named(conn, [entry.local_id for entry in entries.values()])
        claimed = {entry.local_id: entry.said.get("created_at") for entry in entries.values()}
        stored = {name: _stored_event(event, claimed[name], placed.get(name)) for name, event in events.items()}
        return cls(game, entries, events, stored, placed)

    def block_id(self, game_id: str, key: str, part: str) -> str:
        """The `local_id` of a block of the post of this key."""
        entry = self.entries.get(key)
        return block_id(game_id, key if entry is None else entry.block_key or key, part)

    def moved(self) -> set[str]:
        """`local_id`s of posts that a person placed at another time."""
        found = ((entry, self.stored.get(entry.local_id)) for entry in self.entries.values())
        return {
            entry.local_id
            for entry, stored in found
            if stored is not None and stored.document.get("created_at") != entry.said.get("created_at")
        }


def _stored_event(event: StoredEvent, claimed: int | None, placed: int | None) -> Stored:
    """The event as it stands now.

    A post is placed at the provider's time, but never in the future, so that a provider whose clock is ahead puts
    nothing on top; a post that nobody moved counts as standing at the time that the provider claims.
    """
    check_document(event)
    created_at = claimed if event.created_at == placed else event.created_at
    document = {"_type": EVENT_TYPE, **({} if created_at is None else {"created_at": created_at}), **event.document}
    scheduled = event.publish_at is not None
    return Stored(local_id=event.local_id, document=document, local_status=event.local_status, scheduled=scheduled)


def block_id(game_id: str, key: str, part: str) -> str:
    """The `local_id` of a block that the sync writes: the same for the same part of the same post, in this liveblog alone."""
    return "b" + sha256(f"{game_id}\x1f{key}\x1f{part}".encode()).hexdigest()[:20]


def post_times(  # noqa: PLR0917 -- what a row is made of
    times: AnswerTimes,
    match: Match,
    changes: Changes,
    before: LedgerPosts,
    writes: Sequence[EventWrite],
    game_id: str,
    version: int,
) -> list[PostTime]:
    """The timeline's rows of posts that are written now. `before`: the ledger until now."""
    entries = before.entries
    now = {entry.local_id: entry for entry in entries.values()} | {entry.local_id: entry for entry in changes.entries}
    digests = {name: digest for name, (_, digest) in times.standing.items()}
    said_at = _said_times(match, {now[write.local_id].key for write in writes})
    rows = []
    for write in writes:
        entry = now[write.local_id]
        earlier = entries.get(entry.key)
        what = _what(entry, earlier, before.events.get(write.local_id), write)
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
                of_person=_of_person(earlier, before, write.local_id),
            )
        )
    return rows


def _said_times(match: Match, keys: Container[str]) -> dict[str, int | None]:
    """Key of an incident or text → when the provider says that it happened; None where it does not, or we made it up."""
    incidents = {
        each.key: None if each.synthesised else each.created_at for each in match.incidents if each.key in keys
    }
    return incidents | {each.key: each.created_at for each in match.comments if each.key in keys}


def _of_person(earlier: Entry | None, before: LedgerPosts, local_id: str) -> dict[str, Any] | None:
    """The post that is overwritten, where it is not as the sync had left it."""
    stands = before.stored.get(local_id)
    if earlier is None or stands is None:
        return None
    if same(stands.document, earlier.said) and stands.local_status == earlier.said_status:
        return None
    event = before.events[local_id]
    return {"version": event.version, **asdict(event.rewritten(updated_at=event.updated_at))}


def _what(entry: Entry, earlier: Entry | None, before: StoredEvent | None, write: EventWrite) -> str:
    """What happens to the post, in a word."""
    if before is None:
        return "posted" if post_is_public(write.local_status, None) else "draft"
    was = None if earlier is None else earlier.state
    if entry.state in STATES and entry.state is not was:
        return STATES[entry.state]
    restored = entry.state is State.POSTED and was in {State.WITHDRAWN, State.DISALLOWED}
    return "restored" if restored else "corrected"
