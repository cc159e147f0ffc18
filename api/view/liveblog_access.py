"""Who may read, follow and write which liveblog; one that is not the caller's and one that does not exist are the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import structlog
from cachetools import LRUCache
from sqlalchemy import Connection
from starlette.datastructures import Headers

from api.http.json_path import Json, kind, nodes, text
from api.http.request import Caller, DeskPerson
from mapping.documents.scalars import file_is_public
from mapping.errors import Conflict, InvalidRequest, NotFound
from mapping.polls.reader_polls import public_block
from store.engine.liveblog_records import StoredEvent, StoredGame
from store.engine.unit import Unit
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import NO_LIVEBLOG

log = structlog.get_logger(__name__)

WRITE = "w"
LIVEBLOG = ("ticker_local_id", "ticker_id")
"""Query parameters that name the liveblog of an event; either takes either kind of name."""
READ_NAMES = ("liveblogId", "id", *LIVEBLOG, "local_id")
"""Query parameters that name the liveblog of a read; all take either kind of name."""
WRITERS_ONLY = ("user_id", "editor")
"""Clients that wrote a post or a file of it: no reader sees them."""
MAX_DIGITS = 15
INDEXED = 10_000
"""Names in the index; the least recently used one is dropped first."""


class LiveblogIndex:
    """The liveblogs of recently written events. A hint, by which writes to one liveblog queue up: nothing relies on it."""

    def __init__(self) -> None:
        self._known: LRUCache[str, str] = LRUCache(INDEXED)

    def __call__(self, name: str) -> str | None:
        """The `local_id` of the liveblog that has this name, or of that in which the event with this name is."""
        return self._known.get(name)

    def note(self, name: str, liveblog: str) -> None:
        """`name`, of an event or a liveblog, belongs to `liveblog`."""
        self._known[name] = liveblog


def readable(game: StoredGame | None, caller: Caller | None, *, public: bool, field: str | None = None) -> StoredGame:
    """The liveblog, where it is published and the caller may read it; raises NotFound."""
    found = watchable(game, caller, public=public, field=field)
    if not found.public:
        raise NotFound(NO_LIVEBLOG, field=field)
    return found


def published_game(conn: Connection, game_id: str) -> StoredGame:
    """The published liveblog, for a body that is kept for all who may read it; raises NotFound."""
    return readable(liveblogs.find_game(conn, game_id), None, public=True)


def watchable(game: StoredGame | None, caller: Caller | None, *, public: bool, field: str | None = None) -> StoredGame:
    """The liveblog, where the caller may follow its changes, withdrawn and deleted ones too; raises NotFound."""
    if game is None or not (public or among(game, caller)):
        raise NotFound(NO_LIVEBLOG, field=field)
    return game


def cursor(conn: Connection, game_id: str, local_id: str | None) -> StoredEvent | None:
    """The event that a reader has seen last; one that was deleted since still marks its place."""
    if local_id is None:
        return None
    event = liveblogs.event(conn, local_id)
    if event is None or event.game_id != game_id:
        raise InvalidRequest("there is no such event in this liveblog", field="continue_event_id")
    return event


def in_batches(
    read: Callable[[str | None], Sequence[StoredEvent]], after: StoredEvent | None, size: int
) -> Iterator[StoredEvent]:
    """The events that `read` gives after a `sort`, from the one after `after` on, in batches of `size`."""
    sort = after.sort if after is not None else None
    while True:
        batch = read(sort)
        yield from batch
        if len(batch) < size:
            return
        sort = batch[-1].sort


def documents(events: Sequence[StoredEvent]) -> list[Json]:
    """The events as JSON; one whose stored document is none is left out and logged."""
    broken = [event.local_id for event in events if not isinstance(event.document, dict)]
    for local_id in broken:
        log.warning("event.unreadable", local_id=local_id)
    return [event.as_document() for event in events if isinstance(event.document, dict)]


def public_documents(events: Sequence[StoredEvent]) -> list[Json]:
    """What readers see of the events, which is all that any read without write access shows: of public ones, without clients."""
    found = documents([event for event in events if event.public])
    return [_public(_without_solutions({**each, **_public_files(each)})) for each in found]


def _public(value: Json) -> Json:
    return {name: each for name, each in value.items() if name not in WRITERS_ONLY}


def _without_solutions(event: Json) -> Json:
    """The event with its quizzes as they are before a vote."""
    blocks = nodes(event, "contents")
    if not any(kind(each) == "QuizContentBlock" for each in blocks):
        return event
    return {**event, "contents": [public_block(each) for each in blocks]}


def _public_files(event: Json) -> Json:
    """The published files of an event, and its blocks without the others: what is withdrawn has no address any more."""
    media = nodes(event, "media")
    if not media:
        return {}
    withdrawn = {text(each, "local_id") for each in media if not file_is_public(each)}
    shown = {"media": [_public(each) for each in media if file_is_public(each)]}
    return shown | ({"contents": [_without(withdrawn, each) for each in nodes(event, "contents")]} if withdrawn else {})


def _without(withdrawn: Collection[str], block: Json) -> Json:
    """The block without the items that show one of these files."""
    if "items" not in block:
        return block
    return {**block, "items": [each for each in nodes(block, "items") if text(each, "media_local_id") not in withdrawn]}


def among(game: StoredGame, caller: Caller | None) -> bool:
    """Whether the liveblog belongs to one of the caller's organizations."""
    return caller is not None and game.organization_id in caller.organizations


def may_write_events(game: StoredGame, caller: Caller) -> bool:
    """The owner's clients, and those to whom the liveblog grants `w`: an organization, or a single client."""
    if game.organization_id in caller.organizations:
        return True
    granted = {
        (text(each, "reftype"), text(each, "refid"))
        for each in nodes(game.document, "permissions")
        if text(each, "permission") == WRITE
    }
    return not granted.isdisjoint(holders(caller))


def holders(caller: Caller) -> frozenset[tuple[str, str]]:
    """What a permission may name so that it means the caller: (`reftype`, `refid`)."""
    organizations = frozenset(("Organization", name) for name in caller.organizations)
    return organizations if isinstance(caller, DeskPerson) else organizations | {("Client", caller.client_id)}


def liveblog_in(query: Mapping[str, str]) -> str | None:
    """The name of the liveblog in the query of a read, if it has one."""
    return next((query[name] for name in READ_NAMES if query.get(name)), None)


def read_liveblog(query: Mapping[str, str], own: str) -> str:
    """The name of the liveblog; `own`: the parameter by which the read is described. Raises InvalidRequest."""
    name = query.get(own) or liveblog_in(query)
    if not name:
        raise InvalidRequest(f"{own} is missing", field=own)
    return name


def named_liveblog(query: Mapping[str, str]) -> dict[str, str]:
    """The query's names of the liveblog, by parameter; raises InvalidRequest where there is none."""
    names = {name: query[name] for name in LIVEBLOG if query.get(name)}
    if not names:
        raise InvalidRequest(f"{LIVEBLOG[0]} is missing", field=LIVEBLOG[0])
    return names


def writable_game(unit: Unit, names: Mapping[str, str], caller: Caller) -> StoredGame:
    """The liveblog, locked for this unit, in which the caller may write events; raises NotFound, InvalidRequest."""
    (field, name), *others = names.items()
    game = liveblogs.lock_game(unit, name, field=field)
    if not may_write_events(game, caller):
        raise NotFound(NO_LIVEBLOG, field=field)
    if any(other not in {game.id, game.local_id} for _, other in others):
        raise InvalidRequest(f"{' and '.join(names)} name different liveblogs", field=field)
    return game


def expected_version(headers: Headers) -> int | None:
    """The version in `If-Match`; None where there is none or any will do. Raises InvalidRequest."""
    given = headers.getlist("if-match")
    if not given or given == ["*"]:
        return None
    digits = given[0].strip().removeprefix("W/").strip('"')
    if len(given) > 1 or not (digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS):
        raise InvalidRequest("If-Match should be one version", field="If-Match")
    return int(digits)


def check_version(expected: int | None, *, changed: int, current: int) -> None:
    """Raise Conflict unless nothing was changed since `expected`.

    `changed`: the version at which what is to be written was changed last; `current`: that of the liveblog.
    """
    if expected is not None and not changed <= expected <= current:
        raise Conflict(f"somebody else was faster: the version is {changed}", field="If-Match")
