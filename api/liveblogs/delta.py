"""The delta document: an abbreviated liveblog, posts in full, and tombstones for posts that a reader must forget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.json_path import Json, at, text
from api.reading import documents
from api.references import abbreviated, complete, summary
from mapping.documents.scalars import LocalStatus
from mapping.event_patch import shown
from store import deltas

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from store.liveblogs import StoredEvent, StoredGame

RESPONSE = "Svc::Model::Api::GameShowResponse"
BATCH = 200
GAME = (
    "_type",
    "local_id",
    "ticker_id",
    "organization_id",
    "template_id",
    "sportstype",
    "version",
    "local_status",
    "created_at",
    "updated_at",
    "locale",
    "meta_info",
    "scoreboard",
    "options",
    "state_info",
)
"""What the abbreviated liveblog keeps."""
HIGHLIGHTED = frozenset({"sticky", "inplace", "milestone"})
MILESTONE = "milestone"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaRequest:
    """Which changes of which liveblog; posts that the filters refuse count as gone."""

    liveblog: str
    since: int = 0
    limit: int = 20
    after: str | None = None
    include_after: bool = False
    descending: bool = True
    tags: frozenset[str] = frozenset()
    highlights: bool = False
    milestones: bool = False

    def takes(self, event: StoredEvent) -> bool:
        """Whether the filters let the post pass."""
        word = text(event.document, "highlight")
        if self.milestones and word == MILESTONE:
            return True
        ids = at(event.document, "tag_ids")
        tagged = not self.tags or (isinstance(ids, list) and any(each in self.tags for each in ids))
        return tagged and (not self.highlights or word in HIGHLIGHTED)


def delta(conn: Connection, game: StoredGame, request: DeltaRequest, cursor: StoredEvent | None) -> Json:
    """The liveblog's changes since the request's version; `cursor` is the event that the reader has seen last."""
    if game.local_status != LocalStatus.PUBLISHED:
        return response(conn, game, [], version=game.version, more=False)
    found = list(_found(conn, game, request, cursor))
    events = [each for each, _ in zip(found, range(request.limit), strict=False)]
    return response(conn, game, events, version=game.version, more=len(found) > request.limit, request=request)


def response(
    conn: Connection,
    game: StoredGame,
    events: Sequence[StoredEvent],
    *,
    version: int,
    more: bool,
    request: DeltaRequest | None = None,
) -> Json:
    """The document; it leads to `version` once all its pages are read."""
    visible = {event.local_id for event in events if event.public and (request is None or request.takes(event))}
    full = documents([event for event in events if event.local_id in visible])
    head, *posts = complete(conn, [_head(game), *(shown(document) for document in full)])
    by_id = {post["local_id"]: post for post in posts}
    return {
        "_type": RESPONSE,
        "game": head,
        "events": [by_id.get(event.local_id) or tombstone(event) for event in events],
        "version": version,
        "more": more,
    }


def tombstone(event: StoredEvent) -> Json:
    """What is told of a post that a reader must forget; one that waits for its time counts as withdrawn."""
    status = LocalStatus.DELETED if event.local_status == LocalStatus.DELETED else LocalStatus.UNPUBLISHED
    return abbreviated(
        {
            "_type": "Svc::Model::Event",
            "local_id": event.local_id,
            "version": event.version,
            "local_status": status,
            "sort": event.sort,
        }
    )


def _head(game: StoredGame) -> Json:
    document = game.as_document()
    if game.local_status != LocalStatus.PUBLISHED:
        document |= {"meta_info": {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo"}}
        return {name: document[name] for name in (*GAME[:8], "meta_info")}
    return {**{name: document[name] for name in GAME if document.get(name) is not None}, "summary": summary(document)}


def _found(
    conn: Connection, game: StoredGame, request: DeltaRequest, cursor: StoredEvent | None
) -> Iterator[StoredEvent]:
    """One event more than asked for, where there are so many; of a first read only what the filters take."""
    left = request.limit + 1
    if cursor is not None and request.include_after and (cursor.public or request.since):
        left -= 1
        yield cursor
    after = cursor.sort if cursor else None
    size = min(BATCH, left)
    while left > 0:
        batch = deltas.changed(
            conn, game.id, since=request.since, after=after, limit=size, descending=request.descending
        )
        wanted = [event for event in batch if request.since or request.takes(event)]
        yield from wanted[:left]
        left -= len(wanted)
        if len(batch) < size:
            return
        after = batch[-1].sort
