"""What the desk shows of a liveblog: its posts, and what is known of each, as the database has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from api.http.json_path import Json, text
from api.page.load_liveblog import posts_with_results
from api.view.liveblog_access import cursor, documents
from api.view.match_sources import match_sources
from api.view.references import EDITABLE, complete, externals
from mapping.desk.post_state import PostFilter, PostState, post_state
from mapping.errors import NotFound
from mapping.liveblog.event_patch import event_document
from mapping.liveblog.prefill import synced_parts
from mapping.posts.merge import Document
from mapping.posts.reconcile import Entry
from store.accounts import accounts, desk_posts
from store.engine.errors import UnreadableRow
from store.engine.liveblog_records import StoredEvent, StoredGame
from store.following import follow_rows, ledger, sources
from store.liveblogs import liveblogs

POSTS_SHOWN = 30
MOST_SHOWN = 90
"""As many follow while somebody reads further down and new ones come on top."""
NO_POST = "there is no such post"


class PostRequest(NamedTuple):
    """Which posts: of a filter, older than the one called `after`, and as many as it takes to reach the one called `to`."""

    show: PostFilter = PostFilter.ALL
    after: str = ""
    to: str = ""


class DeskMatch(NamedTuple):
    """The liveblog: as stored, with references resolved, the provider that it follows, and what that said last of it.

    `sources`: both sources of a match that has two, as external.json shows them.
    """

    game: StoredGame
    document: Json
    external: Json | None
    said: Document
    sources: Json | None = None


class DeskPost(NamedTuple):
    """A post, with references resolved, its state, the provider's last word on it, and what it said before."""

    stored: StoredEvent
    document: Json
    state: PostState
    entry: Entry | None
    earlier: Sequence[tuple[int, Json]]


class LoadedDesk(NamedTuple):
    """A page of posts; `names`: of accounts, by their ids; `mark`: changes whenever any of it may have changed."""

    match: DeskMatch
    posts: list[DeskPost]
    older: bool
    names: Mapping[str, str]
    mark: str


def mark_of(conn: Connection, game: StoredGame) -> str:
    """Changes with every write into the liveblog, those that wait for their time too, and with what is known of its sources."""
    count, written, edition = desk_posts.marks(conn, game.id)
    return f"{game.version}.{game.serial}.{count}.{written}.{edition}"


def load_match(conn: Connection, game: StoredGame) -> DeskMatch:
    """The liveblog with what the provider says of it."""
    [document] = complete(conn, [game.as_document()])
    external = externals(conn, [game.id]).get(game.id)
    both = None if external is None else match_sources(conn, *sources.sources_of(conn, [game.id]))
    return DeskMatch(game, document, external, _said(conn, game), both if both and both["sources"] else None)


def _said(conn: Connection, game: StoredGame) -> Document:
    attachment = follow_rows.attachment(conn, game.id)
    if attachment is None:
        return {}
    try:
        row = ledger.rows(conn, game.id, only={ledger.GAME_KEY}).get(ledger.GAME_KEY)
        return synced_parts(ledger.game_of(row), follow_rows.terms_of(attachment))
    except UnreadableRow:
        return {}


def load_desk(conn: Connection, game: StoredGame, account_id: str, wanted: PostRequest, now: float) -> LoadedDesk:
    """A page of posts. Raises InvalidRequest where `after` is no post of the liveblog."""
    before = cursor(conn, game.id, wanted.after or None)
    most = MOST_SHOWN if wanted.to else POSTS_SHOWN
    found = desk_posts.window(conn, game.id, wanted.show, account_id, before=before, limit=most)
    listed = found.posts[: _reaching(found.posts, wanted.to)]
    posts = _with_results(conn, game, _posts(conn, game, listed), now)
    writers = {name for each in posts for name in (each.stored.user_id, text(each.stored.document, "editor"))}
    older = found.older or len(listed) < len(found.posts)
    return LoadedDesk(load_match(conn, game), posts, older, accounts.names_of(conn, writers), mark_of(conn, game))


def _reaching(posts: Sequence[StoredEvent], to: str) -> int:
    """How many of the posts are shown: a page, or more where the one called `to` is among them further down."""
    place = next((number for number, each in enumerate(posts, 1) if each.local_id == to), 0)
    return max(place, POSTS_SHOWN)


def load_post(conn: Connection, game: StoredGame, local_id: str) -> DeskPost:
    """One post, as the write API gives it. Raises NotFound."""
    stored = liveblogs.event(conn, local_id)
    if stored is None or stored.game_id != game.id:
        raise NotFound(NO_POST)
    posts = _posts(conn, game, [stored])
    if not posts or posts[0].stored.local_status not in EDITABLE:
        raise NotFound(NO_POST)
    return posts[0]


def _with_results(conn: Connection, game: StoredGame, posts: Sequence[DeskPost], now: float) -> list[DeskPost]:
    """The posts as readers see them, with the results of their polls."""
    shown = posts_with_results(conn, game.id, [each.document for each in posts], now)
    return [each._replace(document=document) for each, document in zip(posts, shown, strict=True)]


def _posts(conn: Connection, game: StoredGame, stored: Sequence[StoredEvent]) -> list[DeskPost]:
    readable = [each for each in stored if isinstance(each.document, dict)]
    ids = [each.local_id for each in readable]
    entries, before = _entries(conn, game, ids), desk_posts.earlier(conn, game.id, ids)
    shown = complete(conn, [event_document(each, older=False) for each in documents(readable)])
    editorial = game.document.get("meta_info", {}).get("editorial_publishing") is True
    return [
        DeskPost(
            each,
            document,
            _state(each, entries.get(each.local_id), editorial=editorial),
            entries.get(each.local_id),
            _documents(before.get(each.local_id, ())),
        )
        for each, document in zip(readable, shown, strict=True)
    ]


def _documents(before: Iterable[tuple[int, StoredEvent]]) -> list[tuple[int, Json]]:
    return [
        (until, event_document(each.as_document(), older=False))
        for until, each in before
        if isinstance(each.document, dict)
    ]


def _state(stored: StoredEvent, entry: Entry | None, *, editorial: bool) -> PostState:
    edited = bool(text(stored.document, "editor"))
    return post_state(stored.local_status, stored.publish_at, entry, editorial=editorial, edited=edited)


def _entries(conn: Connection, game: StoredGame, ids: Sequence[str]) -> dict[str, Entry]:
    """What the ledger says of these posts, as far as it can be read."""
    found = {}
    for row in ledger.rows_of_posts(conn, game.id, ids):
        try:
            found[row.local_id or ""] = ledger.entry_of(row)
        except UnreadableRow:
            continue
    return found
