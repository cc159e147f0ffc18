"""Lists of records, counted and read a page at a time, and those of liveblogs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    Table,
    Text,
    and_,
    bindparam,
    case,
    false,
    func,
    literal,
    or_,
    select,
    type_coerce,
    union_all,
)

from mapping.documents.scalars import LocalStatus
from store.engine.liveblog_records import StoredEvent, StoredGame
from store.liveblogs.event_rows import event_of, in_chunks
from store.liveblogs.liveblogs import game_of
from store.liveblogs.search import SHARED, TAG, TAG_LENGTH, TEAM, FoundRecords, find_links, find_words
from store.tables import events, game_links, games

T = TypeVar("T")

_WRITTEN = type_coerce(events.c.doc, Text)
_SHOWN_IN_LISTS = or_(
    *(_WRITTEN.contains(f'"{name}"') for name in ("tag_ids", "editor", "milestone", "event_type", "subtype"))
)
"""Where a document may say something that lists show."""
_OUTLINES = (
    select(
        *(
            case((_SHOWN_IN_LISTS, column), else_=literal({}, column.type)).label("doc")
            if column is events.c.doc
            else column
            for column in events.c
        )
    )
    .where(
        events.c.game_id.in_(bindparam("ids", expanding=True)),
        events.c.local_status != LocalStatus.DELETED,
        _WRITTEN.startswith("{"),  # else it is none that anybody is shown
    )
    .order_by(events.c.game_id, events.c.sort)
)


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list: `number` counts from 1, `limit` are records a page."""

    limit: int = 30
    number: int = 1

    @property
    def offset(self) -> int:
        return (self.number - 1) * self.limit


COUNTED = 1000
"""Records beyond a page that are counted."""


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """One page, and how many records there are in all; at least so many where they are not `exact`."""

    records: list[T]
    total: int
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFilter:
    """Owners of the liveblogs, and conditions; `start` and `end` bound their beginning, or creation where none is planned."""

    owners: Sequence[str]
    holders: Sequence[str] = ()
    """Clients and organizations (`Organization <id>`) with which liveblogs of other owners are shared."""
    q: str = ""
    template_id: str | None = None
    team_id: str | None = None
    tag: str | None = None
    start: int | None = None
    end: int | None = None


def liveblogs(conn: Connection, wanted: GameFilter, page: Page) -> Listed[StoredGame]:
    """Liveblogs that are not deleted, the newest first."""
    shared = select(game_links.c.game_id).where(
        game_links.c.kind == SHARED, game_links.c.value.in_(list(wanted.holders))
    )
    sharing = select(games.c.organization_id).where(games.c.id.in_(shared)).distinct() if wanted.holders else None
    others = [*conn.scalars(sharing)] if sharing is not None else []
    named = find_words(conn, games, [*wanted.owners, *others], wanted.q)
    if wanted.team_id:
        named &= find_links(conn, TEAM, [wanted.team_id])
    if wanted.tag:
        named &= find_links(conn, TAG, [wanted.tag[:TAG_LENGTH]])
    conditions = [games.c.local_status != LocalStatus.DELETED, *_of_games(wanted)]
    records = ListedRecords(
        games, games.c.organization_id, wanted.owners, conditions, named, shared if others else None
    )
    listed = read_page(conn, records, page)
    return Listed([game_of(row) for row in listed.records], listed.total, listed.exact)


def outlines(conn: Connection, game_ids: Sequence[str]) -> dict[str, list[StoredEvent]]:
    """The events of the liveblogs that editors see, oldest first, as far as lists show them.

    A document is empty unless it may name labels, an editor or what a summary counts: reading them costs the most.
    """
    found: dict[str, list[StoredEvent]] = {game_id: [] for game_id in game_ids}
    for ids in in_chunks(game_ids):
        for row in conn.execute(_OUTLINES, {"ids": list(ids)}):
            stored = event_of(row)
            found[stored.game_id].append(stored)
    return found


def _of_games(wanted: GameFilter) -> list[ColumnElement[bool]]:
    begins = func.coalesce(games.c.starts_at, games.c.created_at)
    conditions: list[ColumnElement[bool]] = []
    if wanted.template_id:
        conditions.append(or_(games.c.template_id == wanted.template_id, games.c.sportstype == wanted.template_id))
    if wanted.start is not None:
        conditions.append(begins >= wanted.start)
    if wanted.end is not None:
        conditions.append(begins < wanted.end)
    return conditions


@dataclass(frozen=True, slots=True)
class ListedRecords:
    """The records of `owners`, by the column that says whose they are, and those whose ids `shared` selects."""

    table: Table
    owner: ColumnElement[str]
    owners: Sequence[str]
    conditions: Sequence[ColumnElement[bool]]
    named: FoundRecords
    shared: Select[Any] | None = None

    def newest(self, most: int) -> Subquery:
        """Ids and times of creation of the newest ones, at most so many: those of each owner by the index, few by their ids."""
        if self.named.few:
            return self._of(self._of_all()).subquery()
        whose = [self.owner == each for each in self.owners]
        if self.shared is not None:
            whose.append(and_(self.table.c.id.in_(self.shared), self.owner.not_in(list(self.owners))))
        order = (self.table.c.created_at.desc(), self.table.c.id.desc())
        parts = (self._of(each).order_by(*order).limit(most) for each in whose or [false()])
        return union_all(*(select(each.subquery()) for each in parts)).subquery()

    def _of_all(self) -> ColumnElement[bool]:
        """The column is no bare one: by its index all records of an owner would be read."""
        own = self.owner.concat("").in_(list(self.owners))
        return own if self.shared is None else or_(own, self.table.c.id.in_(self.shared))

    def _of(self, whose: ColumnElement[bool]) -> Select[Any]:
        query = select(self.table.c.id, self.table.c.created_at)
        return query.where(whose, *self.conditions, *self.named.conditions)


def read_page(conn: Connection, records: ListedRecords, page: Page) -> Listed[Any]:
    most = page.offset + page.limit + COUNTED
    total = conn.scalar(select(func.count()).select_from(records.newest(most + 1))) or 0
    newest = records.newest(page.offset + page.limit)
    shown = select(newest.c.id).order_by(newest.c.created_at.desc(), newest.c.id.desc())
    ids = conn.scalars(shown.limit(page.limit).offset(page.offset)).all()
    table = records.table
    query = select(table).where(table.c.id.in_(ids)).order_by(table.c.created_at.desc(), table.c.id.desc())
    return Listed([*conn.execute(query)], min(total, most), exact=total <= most)
