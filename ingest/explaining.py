"""What the sync knows of a liveblog, for a person who asks why a post is there, hidden, or not as the provider says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ingest.batches import GAME_KEY
from mapping.merge import NESTED_IN_EVENT, NESTED_IN_GAME, owners
from mapping.terms import Terms
from store import liveblogs, sync

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from store.records import StoredEvent

STATUS = {0: "published", 60: "hidden", 100: "deleted"}


def explain(conn: Connection, name: str) -> dict[str, Any]:
    """The liveblog's match, the health of its resources, and for each post its state, the reason and who owns which field.

    `name` is a `ticker_id` or `local_id`. Raises NotFound for an unknown liveblog.
    """
    game = liveblogs.require_game(conn, name)
    attachment = sync.attachment(conn, game.id)
    if attachment is None:
        return {"liveblog": game.local_id, "title": game.title, "version": game.version, "match": None, "posts": []}
    ledger = sync.ledger(conn, game.id)
    written = ledger[GAME_KEY].written["document"] if GAME_KEY in ledger else {}
    named = [row.local_id for row in ledger.values() if row.local_id]
    events = liveblogs.events_named(conn, named)
    return {
        "liveblog": game.local_id,
        "title": game.title,
        "version": game.version,
        "match": _match(conn, attachment),
        "terms": Terms.from_dict(attachment.terms).as_dict(),
        "edited": [unit for unit, owner in _game_owners(written, game.document).items() if owner == "editor"],
        "posts": [_post(row, events.get(row.local_id or "")) for row in ledger.values() if row.key != GAME_KEY],
    }


def _match(conn: Connection, attachment: sync.Attachment) -> dict[str, Any]:
    follow = sync.follow(conn, attachment.follow_id)
    return {
        "provider": attachment.provider,
        "id": attachment.match_id,
        "status": None if follow is None else follow.status,
        "pending": follow is not None and bool(follow.pending),
        "closed_at": None if follow is None else follow.closed_at,
        "resources": {
            name: {
                "last_good": row.good_at,
                "last_change": row.changed_at,
                "failures": row.failures,
                "last_error": row.last_error,
                "skipped": list(row.faults),
            }
            for name, row in sync.resources(conn, attachment.follow_id).items()
        },
    }


def _game_owners(written: dict[str, Any], document: dict[str, Any]) -> dict[str, str]:
    """Owners of the parts that the sync has ever written; the rest was never its business."""
    return owners(written, {name: document.get(name) for name in written}, NESTED_IN_GAME)


def _post(row: sync.LedgerRow, event: StoredEvent | None) -> dict[str, Any]:
    status = "deleted" if event is None else STATUS[event.local_status]
    edited: list[str] = []
    if event is not None:
        wrote = {name: value for name, value in row.written["document"].items() if name not in {"_type", "created_at"}}
        edited = [unit for unit, owner in owners(wrote, event.document, NESTED_IN_EVENT).items() if owner == "editor"]
        edited += ["created_at"] if event.created_at != row.written["placed"] else []
        edited += ["local_status"] if event.local_status != row.written["status"] else []
    return {
        "key": row.key,
        "type": row.kind,
        "event": row.local_id,
        "state": row.state,
        "status": status,
        "reason": row.reason,
        "missing_answers": row.missing,
        "edited": edited,
    }
