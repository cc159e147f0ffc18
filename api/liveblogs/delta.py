"""The delta read: an abbreviated liveblog, posts in full, and tombstones for posts that a reader must forget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from sqlalchemy import Connection
from starlette.responses import Response

from api.capabilities import extras_of, with_extras
from api.http import openapi
from api.http.caching import conditional
from api.http.errors import json_bytes
from api.http.json_path import Json, at, text
from api.http.param import FLAGS, NAME, Flag, Integer, Limit, Query, Text
from api.http.request import ApiRequest, rename_in_json
from api.view.liveblog_access import cursor, in_batches, public_documents, read_liveblog, watchable
from api.view.liveblog_reads import DELAY, ReadCache, view_of
from api.view.references import abbreviate, complete, summary, summary_of
from mapping.documents.event import HIGHLIGHTED
from mapping.documents.game import GameShowResponse
from mapping.documents.scalars import LocalStatus
from mapping.errors import InvalidRequest
from mapping.liveblog.event_patch import event_document
from mapping.posts.game_summary import extent_of
from mapping.rules.webhook_delivery import known_since
from store.engine.liveblog_records import StoredEvent, StoredGame
from store.liveblogs import event_reads, liveblogs
from store.liveblogs.event_reads import events_to_summarise

DELTA_PATH = "/api/v6/ticker/show.json"
DEFAULT_LIMIT = 20
NEWEST = 10**15 - 1
AHEAD = 100
"""Versions that another process may have given readers before this one knows of them; beyond, a version is made up."""
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
MILESTONE = "milestone"
KINDS = ("sticky", "inplace", MILESTONE, "stickyNoHighlight")
"""Ways in which a post may be highlighted."""
WAYS = f"({'|'.join(KINDS)})"
REFRESH = Integer("refresh", openapi.KNOWN_VERSION, high=NEWEST)
LIMIT = Integer("limit", "Events an answer", low=1, high=Limit("feed_limit_max"), default=DEFAULT_LIMIT)
AFTER = Text("continue_event_id", "Go on after this event")
INCLUDE_AFTER = Flag("include_continue_event", "Repeat that event")
REVERSE = Flag("reverse", "Oldest first")
TAGS = Text("tags", "Only events with one of these labels, separated by commas")
HIGHLIGHTS = Text(
    "highlights",
    "Only events that are highlighted in one of these ways, separated by commas; `true` for the first three of them",
    {"type": "string", "pattern": f"^(true|false|1|0|{WAYS}(,{WAYS})*)?$", "default": ""},
)
MILESTONES = Flag("include_milestone_events", "Milestones, whatever the other filters say")
DELTA = openapi.operation(
    "ticker.delta",
    "What has changed since a version",
    "Liveblogs",
    {
        200: openapi.document_answer(
            GameShowResponse, "The abbreviated liveblog, changed posts in full, tombstones for those that are gone"
        ),
        304: {"description": "The caller has it already (`If-None-Match`)"},
        **openapi.PUBLIC_ERRORS,
    },
    parameters=[
        Text("id", openapi.LIVEBLOG, NAME, required=True),
        REFRESH,
        LIMIT,
        AFTER,
        INCLUDE_AFTER,
        REVERSE,
        TAGS,
        HIGHLIGHTS,
        MILESTONES,
        DELAY,
    ],
    security=openapi.OPEN,
)


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
    highlights: frozenset[str] = frozenset()
    milestones: bool = False

    def takes(self, event: StoredEvent) -> bool:
        """Whether the filters let the post pass."""
        highlight = text(event.document, "highlight")
        if self.milestones and highlight == MILESTONE:
            return True
        ids = at(event.document, "tag_ids")
        tagged = not self.tags or (isinstance(ids, list) and any(each in self.tags for each in ids))
        return tagged and (not self.highlights or highlight in self.highlights)


async def show(request: ApiRequest) -> Response:
    """What has changed in a liveblog since a version (ours: delta read)."""
    context, settings = request.context, request.services.settings
    wanted = delta_request(context.query, settings.limits.feed_limit_max)

    view = await view_of(request, wanted.liveblog, request.services[ReadCache].game)
    game = watchable(view.game, context.caller, public=settings.server.public_feeds, field="id")

    extras = await extras_of(request.services, game.organization_id, game.id, view.at)

    prefix = context.response_prefix
    known = replace(wanted, since=view.known_since(wanted.since, game.version + AHEAD))
    reset = known.since != wanted.since and wanted.after is None

    def render(conn: Connection) -> bytes:
        current = watchable(liveblogs.find_game(conn, game.id), None, public=True, field="id")
        since = known_since(known.since, current.version)
        found = delta(conn, current, replace(known, since=since), cursor(conn, current.id, known.after))
        if reset or (since != known.since and known.after is None):
            found["reset"] = True
        return rename_in_json(json_bytes(with_extras(found, extras)), prefix)

    key = ("delta", prefix, game.id, game.version, known, reset, *(each.key for each in extras))
    body = await request.services[ReadCache].body(key, render, view, request.accept_encoding)
    sharing = "public" if settings.server.public_feeds else "private"
    return conditional(
        request.headers, body, "application/json", cache_control=f"{sharing}, max-age=0, must-revalidate"
    )


def delta_request(query: Query, limit_max: int) -> DeltaRequest:
    """The request in a query; raises InvalidRequest with the parameter at fault."""
    return DeltaRequest(
        liveblog=read_liveblog(query, "id"),
        since=REFRESH.of(query),
        limit=LIMIT.of(query, high=limit_max),
        after=AFTER.of(query) or None,
        include_after=INCLUDE_AFTER.of(query) and AFTER.name in query,
        descending=not REVERSE.of(query),
        tags=frozenset(filter(None, TAGS.of(query).split(","))),
        highlights=_highlights(HIGHLIGHTS.of(query)),
        milestones=MILESTONES.of(query),
    )


def _highlights(said: str) -> frozenset[str]:
    """The ways of highlighting that the query wants, none where all posts are wanted; raises InvalidRequest."""
    if said in FLAGS:
        return frozenset(HIGHLIGHTED) if FLAGS[said] else frozenset()
    wanted = frozenset(said.split(","))
    if not wanted <= set(KINDS):
        raise InvalidRequest(f"highlights should be some of: {', '.join(KINDS)}", field="highlights")
    return wanted


def delta(conn: Connection, game: StoredGame, request: DeltaRequest, seen: StoredEvent | None) -> Json:
    """The liveblog's changes since the request's version; `seen` is the event that the reader has seen last."""
    if not game.public:
        return response(conn, game, [], version=game.version, more=False)
    found = list(_find_events(conn, game, request, seen))
    return response(
        conn, game, found[: request.limit], version=game.version, more=len(found) > request.limit, request=request
    )


def response(
    conn: Connection,
    game: StoredGame,
    events: Sequence[StoredEvent],
    *,
    version: int,
    more: bool,
    request: DeltaRequest | None = None,
) -> Json:
    """The document; it leads to `version` once all its pages are read.

    The liveblog's own `events` are the list to be shown, abbreviated; the others are their bodies, and those of milestones
    that were wanted beside the filters.
    """
    visible = [event for event in events if request is None or request.takes(event)]
    head, *posts = complete(conn, [_head(conn, game), *map(event_document, public_documents(visible))])
    by_id = {post["local_id"]: post for post in posts}
    listed = [by_id.get(event.local_id) or tombstone(event) for event in events]
    beside = _milestones_beside(visible, request)
    head["events"] = [abbreviate(each) for each in listed if each["local_id"] not in beside]
    return {
        "_type": RESPONSE,
        "game": head,
        "events": listed,
        "version": version,
        "more": more,
    }


def _milestones_beside(visible: Iterable[StoredEvent], request: DeltaRequest | None) -> set[str]:
    """Posts that are there because milestones are wanted whatever the filters say: they are not in the list to be shown."""
    if request is None or not request.milestones:
        return set()
    filters = replace(request, milestones=False)
    return {event.local_id for event in visible if not filters.takes(event)}


def tombstone(event: StoredEvent) -> Json:
    """Stands for a post that a reader must forget; one that waits for its time counts as withdrawn."""
    status = LocalStatus.DELETED if event.local_status == LocalStatus.DELETED else LocalStatus.UNPUBLISHED
    return abbreviate(
        {
            "_type": "Svc::Model::Event",
            "local_id": event.local_id,
            "version": event.version,
            "local_status": status,
            "sort": event.sort,
        }
    )


def _head(conn: Connection, game: StoredGame) -> Json:
    document = game.as_document()
    if not game.public:
        document |= {"meta_info": {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo"}}
        return {name: document[name] for name in (*GAME[:8], "meta_info")}
    return {
        **{name: document[name] for name in GAME if document.get(name) is not None},
        **_summaries(conn, game, document),
    }


def _summaries(conn: Connection, game: StoredGame, document: Json) -> Json:
    posts, ends = (public_documents(read(conn, game.id)) for read in (events_to_summarise, event_reads.first_and_last))
    extent = extent_of(ends)._replace(total=event_reads.count(conn, game.id))
    return {"summary": summary_of(document, posts, extent), "summary_text": summary(document)}


def _find_events(
    conn: Connection, game: StoredGame, request: DeltaRequest, seen: StoredEvent | None
) -> Iterator[StoredEvent]:
    """One event more than the limit, where there are so many; of a first read only what the filters take."""
    left = request.limit + 1
    if seen is not None and request.include_after and (seen.public or request.since):
        left -= 1
        yield seen
    size = min(BATCH, left)

    def read(after: str | None) -> Sequence[StoredEvent]:
        return event_reads.changed_events(
            conn, game.id, since=request.since, after=after, limit=size, descending=request.descending
        )

    changed = (event for event in in_batches(read, seen, size) if request.since or request.takes(event))
    yield from islice(changed, left)
