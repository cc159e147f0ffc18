"""The sync's own rows, read with the suspicion that another version or another hand has written them.

Everything here raises UnreadableRow, which names table, column and key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mapping.board import Board
from mapping.match import Status
from mapping.reconcile import Entry, State
from mapping.terms import Terms
from providers.base import Known
from store.errors import UnreadableRow

if TYPE_CHECKING:
    from store import sync
    from store.liveblogs import StoredEvent, StoredGame

NUMBERS = ("kickoff", "good_at", "changed_at")
"""Columns of a follow that hold a time or nothing; SQLite keeps anything in them."""


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Whatever goes wrong in reading these columns is their fault."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        said = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise UnreadableRow(f"{what}: {said}") from error


def terms_of(attachment: sync.Attachment) -> Terms:
    """What the liveblog asked for."""
    with reading(f"attachments.terms of {attachment.game_id}"):
        return Terms.from_dict(attachment.terms)


def status_of(row: sync.FollowRow) -> Status:
    """Where the match stands, the columns beside it checked as well."""
    with reading(f"follows.status of {row.id}"):
        status = Status(row.status)
    if not isinstance(row.hints, dict) or not all(isinstance(each, str) for each in row.hints.values()):
        raise UnreadableRow(f"follows.hints of {row.id}: no object of texts")
    for name in NUMBERS:
        if not isinstance(getattr(row, name), int | None):
            raise UnreadableRow(f"follows.{name} of {row.id}: no number")
    return status


def known_of(row: sync.ResourceRow) -> Known:
    """What is held of the resource."""
    texts = isinstance(row.etag, str | None) and isinstance(row.digest, str | None)
    numbers = isinstance(row.rows, int) and isinstance(row.failures, int)
    if not texts or not numbers or not isinstance(row.faults, list | tuple):
        raise UnreadableRow(f"resources of {row.name}: not of the form of this version")
    return Known(etag=row.etag, digest=row.digest, rows=row.rows)


def entry_of(line: sync.LedgerRow) -> Entry:
    """The line of a post."""
    with reading(f"ledger of {line.key}"):
        return Entry(
            key=line.key,
            kind=line.kind,
            source=line.written["source"],
            local_id=line.local_id or "",
            state=State(line.state),
            missing=line.missing,
            reason=line.reason,
            written={**line.written["document"]},
            written_status=line.written["status"],
            restore_status=line.written.get("restore"),
        )


def placed_of(line: sync.LedgerRow) -> int:
    """The time at which the sync placed the post."""
    with reading(f"ledger of {line.key}"):
        return int(line.written["placed"])


def board_of(line: sync.LedgerRow | None) -> Board:
    """The line of the liveblog itself."""
    if line is None:
        return Board()
    with reading(f"ledger of {line.key}"):
        return Board(written={**line.written["document"]}, doubted={**line.written["doubted"]})


def check_game(game: StoredGame) -> None:
    """Raise for a liveblog whose document is none."""
    if not isinstance(game.document, Mapping):
        raise UnreadableRow(f"games.doc of {game.local_id}: no object")


def check_event(event: StoredEvent) -> None:
    """Raise for an event whose document is none."""
    if not isinstance(event.document, Mapping):
        raise UnreadableRow(f"events.doc of {event.local_id}: no object")
