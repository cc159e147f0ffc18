"""Which events of a liveblog a feed holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapping.errors import InvalidRequest
from store import liveblogs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from api.feeds.common import FeedRequest
    from store.liveblogs import StoredEvent

BATCH = 200


def chosen_events(conn: Connection, game_id: str, request: FeedRequest, now: int) -> tuple[list[StoredEvent], bool]:
    """At most `limit` public events in the order asked for, and whether more follow; raises InvalidRequest."""
    cursor = _cursor(conn, game_id, request.after)
    first = [cursor] if cursor is not None and request.include_after and cursor.public else []
    found = [event for event in first if _old_enough(event, request.delay, now)]
    for event in _following(conn, game_id, request, cursor.sort if cursor else None):
        if _old_enough(event, request.delay, now):
            found.append(event)
        if len(found) > request.limit:
            break
    return found[: request.limit], len(found) > request.limit


def _cursor(conn: Connection, game_id: str, local_id: str | None) -> StoredEvent | None:
    """The event that a reader has seen last; one that was deleted since still marks its place."""
    if local_id is None:
        return None
    event = liveblogs.event(conn, local_id)
    if event is None or event.game_id != game_id:
        raise InvalidRequest("there is no such event in this liveblog", field="continue_event_id")
    return event


def _following(conn: Connection, game_id: str, request: FeedRequest, after: str | None) -> Iterator[StoredEvent]:
    size = min(BATCH, request.limit + 1)
    while True:
        batch = liveblogs.events(conn, game_id, after=after, limit=size, descending=request.descending)
        yield from batch
        if len(batch) < size:
            return
        after = batch[-1].sort


def _old_enough(event: StoredEvent, delay: int, now: int) -> bool:
    return delay == 0 or event.created_at <= now - delay
