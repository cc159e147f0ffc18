"""The ledger of some posts, with the events that it names: what the sync compares a match with."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import Connection

from mapping.posts.merge import Document
from mapping.posts.reconcile import Entry, Stored
from store.engine.records import check_document
from store.following import ledger
from store.liveblogs import liveblogs

EVENT_TYPE = "Svc::Model::Event"


@dataclass(frozen=True, slots=True)
class LedgerPosts:
    """The ledger of a batch, with the events that it names as they stand now.

    `game`: the provider's last word on the liveblog's own document; `placed`: the time at which the sync placed each event,
    by `local_id` (Unix seconds).
    """

    game: Document
    entries: Mapping[str, Entry]
    events: Mapping[str, liveblogs.StoredEvent]
    stored: Mapping[str, Stored]
    placed: Mapping[str, int]

    @classmethod
    def read(cls, conn: Connection, game_id: str, keys: AbstractSet[str] | None) -> LedgerPosts:
        """Read the rows of these keys, None for all. Raises UnreadableRow."""
        rows = ledger.rows(conn, game_id, only=keys)
        game = ledger.game_of(rows.pop(ledger.GAME_KEY, None))
        entries = {key: ledger.entry_of(row) for key, row in rows.items()}
        placed = {row.local_id: ledger.placed_of(row) for row in rows.values() if row.local_id is not None}
        events = liveblogs.events_named(conn, [entry.local_id for entry in entries.values()])
        claimed = {entry.local_id: entry.said.get("created_at") for entry in entries.values()}
        stored = {name: _stored(event, claimed[name], placed.get(name)) for name, event in events.items()}
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


def _stored(event: liveblogs.StoredEvent, claimed: int | None, placed: int | None) -> Stored:
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
