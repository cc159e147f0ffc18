"""Who may read which liveblog; one that is not theirs and one that does not exist are the same to a caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from api.auth import REFUSED, proven
from mapping.documents.scalars import LocalStatus
from mapping.errors import NotFound, Unauthorized
from store import liveblogs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from api.auth import Caller
    from api.json_path import Json
    from store.liveblogs import StoredEvent, StoredGame

log = structlog.get_logger(__name__)

READ = ("read", "write")
NO_LIVEBLOG = "there is no such liveblog"


def check_feed_reader(caller: Caller | None, *, public: bool) -> None:
    """Feeds: anybody where they are public, else a client with its secret."""
    if not public:
        proven(caller).demand(*READ)


def check_page_reader(caller: Caller | None, *, public: bool) -> None:
    """Pages: anybody where feeds are public, else a client named by its id alone."""
    if not public and caller is None:
        raise Unauthorized(REFUSED)


def readable_game(
    conn: Connection, name: str, caller: Caller | None, *, public: bool, field: str | None = None
) -> StoredGame:
    """The published liveblog named by `local_id` or `ticker_id`; raises NotFound."""
    game = named_game(conn, name, field=field)
    if game.local_status != LocalStatus.PUBLISHED or not (public or among(game, caller)):
        raise NotFound(NO_LIVEBLOG, field=field)
    return game


def named_game(conn: Connection, name: str, *, field: str | None = None) -> StoredGame:
    """The liveblog named by `local_id` or `ticker_id`, whoever owns it; raises NotFound for a deleted one too."""
    try:
        return liveblogs.require_game(conn, name)
    except NotFound:
        raise NotFound(NO_LIVEBLOG, field=field) from None


def documents(events: Sequence[StoredEvent]) -> list[Json]:
    """The events as JSON; one whose stored document is none is left out and logged."""
    broken = [event.local_id for event in events if not isinstance(event.document, dict)]
    for local_id in broken:
        log.warning("event.unreadable", local_id=local_id)
    return [event.as_document() for event in events if isinstance(event.document, dict)]


def among(game: StoredGame, caller: Caller | None) -> bool:
    """Whether the liveblog belongs to one of the caller's organizations."""
    return caller is not None and game.organization_id in caller.organizations
