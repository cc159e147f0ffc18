"""Lists all liveblogs of an organization for the desk: what they follow, what is wrong, what waits in them.

Each function is one statement, however many liveblogs there are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, exists, func, select

from mapping.documents.scalars import LocalStatus
from mapping.posts.reconcile import State
from store.engine.liveblog_records import StoredGame
from store.following.follow_rows import locale_of
from store.liveblogs.liveblogs import game_of
from store.liveblogs.search import find_words
from store.public import post_is_public
from store.tables import attachments, events, follows, games, ledger, resources

MOST = 1000
"""Liveblogs on matches that are looked at, those with the latest kick-off first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedLiveblog:
    """A liveblog on a match, with what is stored of the match; times in Unix seconds. `failing`: resources that fail now."""

    game_id: str
    local_id: str
    title: str
    follow_id: str
    provider: str
    endpoint: str
    sport: str
    status: str
    kickoff: int | None
    good_at: int | None
    failing_since: int | None
    pending: bool
    failing: int
    drafts: int
    terms: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestPost:
    """The last public post of a liveblog, as it is stored, and when it was made."""

    document: Mapping[str, Any]
    created_at: int


class WaitingPost(NamedTuple):
    """A draft, in the version that somebody sees, and the liveblog that it is of."""

    liveblog: str
    title: str
    local_id: str
    version: int
    document: Mapping[str, Any]


_OPEN = attachments.c.closed_at.is_(None), games.c.local_status != LocalStatus.DELETED
"""The match writes to the liveblog still."""
_FAILING = (
    select(func.count())
    .select_from(resources)
    .where(resources.c.follow_id == attachments.c.follow_id, resources.c.failures > 0)
    .correlate(attachments)
    .scalar_subquery()
)
_IS_DRAFT = (
    events.c.local_status == LocalStatus.UNPUBLISHED,
    ~exists()
    .where(
        ledger.c.game_id == events.c.game_id,
        ledger.c.local_id == events.c.local_id,
        ledger.c.state == State.WITHDRAWN.value,
    )
    .correlate(events),
)
"""A post waits for a person; what the provider has taken back does not."""
_DRAFTS = (
    select(func.count())
    .select_from(events)
    .where(events.c.game_id == games.c.id, *_IS_DRAFT)
    .correlate(games)
    .scalar_subquery()
)
_LATEST = (
    select(events.c.local_id)
    .where(events.c.game_id == games.c.id, post_is_public())
    .order_by(events.c.sort.desc())
    .limit(1)
    .correlate(games)
    .scalar_subquery()
)


def followed_liveblogs(conn: Connection, organization_id: str) -> list[FollowedLiveblog]:
    """The organization's liveblogs that a match writes to, at most `MOST`.

    They are found by the matches that are open: by its index all liveblogs that the organization ever had would be read.
    """
    query = (
        select(
            attachments.c.game_id,
            games.c.local_id,
            games.c.title,
            attachments.c.follow_id,
            attachments.c.provider,
            follows.c.endpoint,
            follows.c.sport,
            follows.c.status,
            follows.c.kickoff,
            follows.c.good_at,
            follows.c.failing_since,
            follows.c.pending,
            _FAILING.label("failing"),
            _DRAFTS.label("drafts"),
            attachments.c.terms,
        )
        .join(games, games.c.id == attachments.c.game_id)
        .join(follows, follows.c.id == attachments.c.follow_id)
        .where(follows.c.closed_at.is_(None), games.c.organization_id.concat("") == organization_id, *_OPEN)
        .order_by(follows.c.kickoff.desc(), attachments.c.game_id)
        .limit(MOST)
    )
    rows = (row._asdict() for row in conn.execute(query))
    return [FollowedLiveblog(**{**row, "pending": bool(row["pending"])}) for row in rows]


def liveblogs_by_id(conn: Connection, game_ids: Collection[str]) -> dict[str, StoredGame]:
    """These liveblogs by `ticker_id`."""
    return {row.id: game_of(row) for row in conn.execute(select(games).where(games.c.id.in_(list(game_ids))))}


def latest_posts(conn: Connection, game_ids: Collection[str]) -> dict[str, LatestPost]:
    """The last public post of each of these liveblogs that has one, by `ticker_id`."""
    latest = select(_LATEST).where(games.c.id.in_(list(game_ids)))
    query = select(events.c.game_id, events.c.doc, events.c.created_at).where(events.c.local_id.in_(latest))
    return {game_id: LatestPost(document=document, created_at=at) for game_id, document, at in conn.execute(query)}


def waiting_posts(conn: Connection, game_ids: Collection[str], *, limit: int, offset: int) -> list[WaitingPost]:
    """The drafts of these liveblogs, the oldest first."""
    query = (
        select(games.c.local_id, games.c.title, events.c.local_id, events.c.version, events.c.doc)
        .join(games, games.c.id == events.c.game_id)
        .where(events.c.game_id.in_(list(game_ids)), *_IS_DRAFT)
        .order_by(events.c.created_at, events.c.local_id)
        .limit(limit)
        .offset(offset)
    )
    return [WaitingPost(*row) for row in conn.execute(query)]


def other_liveblogs(
    conn: Connection, organization_id: str, q: str, *, limit: int, offset: int
) -> list[tuple[StoredGame, int]]:
    """The organization's liveblogs that no match writes to, the newest first, and how many drafts wait in each.

    `q`: words that they are named by.
    """
    named = find_words(conn, games, [organization_id], q)
    followed = exists().where(
        attachments.c.game_id == games.c.id,
        attachments.c.closed_at.is_(None),
        follows.c.id == attachments.c.follow_id,
        follows.c.closed_at.is_(None),
    )
    query = (
        select(games, _DRAFTS.label("drafts"))
        .where(
            games.c.organization_id == organization_id,
            games.c.local_status != LocalStatus.DELETED,
            ~followed,
            *named.conditions,
        )
        .order_by(games.c.created_at.desc(), games.c.id.desc())
        .limit(limit)
        .offset(offset)
    )
    return [(game_of(game), drafts) for *game, drafts in conn.execute(query)]


def titles_of(conn: Connection, organization_id: str, local_ids: Collection[str]) -> dict[str, str]:
    """The titles of those of these liveblogs that are the organization's, by `local_id`."""
    wanted = games.c.local_id.in_(list(local_ids)), games.c.organization_id.concat("") == organization_id
    return {row.local_id: row.title for row in conn.execute(select(games.c.local_id, games.c.title).where(*wanted))}


def liveblogs_on(conn: Connection, organization_id: str, provider: str, match_id: str) -> list[str]:
    """The `local_id`s of the organization's liveblogs that this match writes to, oldest first."""
    wanted = attachments.c.provider == provider, attachments.c.match_id == match_id
    query = (
        select(games.c.local_id)
        .join(attachments, attachments.c.game_id == games.c.id)
        .where(games.c.organization_id == organization_id, *wanted, *_OPEN)
        .order_by(attachments.c.created_at, games.c.id)
    )
    return list(conn.scalars(query))


def liveblogs_of_matches(
    conn: Connection, organization_id: str, endpoint: str, match_ids: Collection[str]
) -> dict[str, list[dict[str, str]]]:
    """Match id → `localId` and `locale` of the organization's liveblogs that this match of the endpoint writes to, oldest first."""
    wanted = follows.c.endpoint == endpoint, follows.c.match_id.in_(list(match_ids))
    own = games.c.organization_id.concat("") == organization_id  # by its index all that it ever had would be read
    query = (
        select(follows.c.match_id, games.c.local_id, attachments.c.terms)
        .join(attachments, attachments.c.follow_id == follows.c.id)
        .join(games, games.c.id == attachments.c.game_id)
        .where(own, *wanted, *_OPEN)
        .order_by(attachments.c.created_at, games.c.id)
    )
    found: dict[str, list[dict[str, str]]] = {}
    for match_id, local_id, terms in conn.execute(query):
        found.setdefault(match_id, []).append({"localId": local_id, "locale": locale_of(terms)})
    return found
