"""What the sync knows of a liveblog, for a person who asks why a post is there, hidden, or not as the provider says."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from mapping.merge import NESTED_IN_EVENT, NESTED_IN_GAME, owners
from store import ledger, liveblogs, sync
from store.errors import UnreadableRow, reading
from store.records import check_document

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from store.records import StoredEvent

T = TypeVar("T")

STATUS = {0: "published", 60: "hidden", 100: "deleted"}


class Looking:
    """What is found, and what cannot be read of it: a row in another form hides itself alone."""

    def __init__(self) -> None:
        self.unreadable: list[str] = []

    def at(self, what: str, look: Callable[[], T]) -> T | None:
        """What `look` finds; None where it cannot read it."""
        try:
            with reading(what):
                return look()
        except UnreadableRow as error:
            self.unreadable.append(str(error))
            return None


def explain(conn: Connection, name: str) -> dict[str, Any]:
    """The liveblog's match, the health of its resources, and for each post its state, the reason and who owns which field.

    `name` is a `ticker_id` or `local_id`. What this version cannot read is named under `unreadable`. Raises NotFound for
    an unknown liveblog.
    """
    game = liveblogs.require_game(conn, name)
    found = Looking()
    found.at(f"games.doc of {game.local_id}", partial(check_document, game))
    attachment = sync.attachment(conn, game.id)
    head = {"liveblog": game.local_id, "title": game.title, "version": game.version}
    if attachment is None:
        return {**head, "match": None, "posts": [], "unreadable": found.unreadable}
    rows = ledger.rows(conn, game.id)
    board = found.at(f"ledger of {ledger.GAME_KEY}", partial(ledger.board_of, rows.pop(ledger.GAME_KEY, None)))
    events = liveblogs.events_named(conn, [row.local_id for row in rows.values() if row.local_id])
    terms = found.at("attachments.terms", partial(sync.terms_of, attachment))
    edited = found.at("games.doc", partial(_game_owners, {} if board is None else board.written, game.document)) or {}
    posts = [
        found.at(f"ledger of {row.key}", partial(_post, row, events.get(row.local_id or ""))) for row in rows.values()
    ]
    return {
        **head,
        "match": _match(conn, attachment, found),
        "terms": None if terms is None else terms.as_dict(),
        "edited": [unit for unit, owner in edited.items() if owner == "editor"],
        "posts": [post for post in posts if post is not None],
        "unreadable": found.unreadable,
    }


def _match(conn: Connection, attachment: sync.Attachment, found: Looking) -> dict[str, Any]:
    follow = sync.follow(conn, attachment.follow_id)
    if follow is not None:
        found.at(f"follows of {follow.id}", partial(sync.status_of, follow))
    resources = sync.resources(conn, attachment.follow_id)
    for row in resources.values():
        found.at(f"resources of {row.name}", partial(sync.check_resource, row))
    for name, body in sync.packed_bodies(conn, attachment.follow_id).items():
        found.at(f"resources.body of {name}", partial(sync.unpacked, {name: body}))
    failing = follow is not None and follow.last_error is not None
    return {
        "provider": attachment.provider,
        "id": attachment.match_id,
        "status": None if follow is None else follow.status,
        "pending": follow is not None and bool(follow.pending),
        "closed_at": None if follow is None else follow.closed_at,
        "failure": {"since": follow.failing_since, "cause": follow.last_error} if failing and follow else None,
        "resources": {
            name: {
                "last_good": row.good_at,
                "last_change": row.changed_at,
                "failures": row.failures,
                "last_error": row.last_error,
                "skipped": list(row.faults) if isinstance(row.faults, list | tuple) else [],
            }
            for name, row in resources.items()
        },
    }


def _game_owners(written: dict[str, Any], document: dict[str, Any]) -> dict[str, str]:
    """Owners of the parts that the sync has ever written; the rest was never its business."""
    return owners(written, {name: document.get(name) for name in written}, NESTED_IN_GAME)


def _post(row: ledger.LedgerRow, event: StoredEvent | None) -> dict[str, Any]:
    ledger.entry_of(row)
    status = "deleted" if event is None else STATUS[event.local_status]
    edited: list[str] = []
    if event is not None:
        check_document(event)
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
