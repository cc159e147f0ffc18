"""Lists of master data and of liveblogs: filtered, counted, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    Text,
    bindparam,
    case,
    func,
    literal,
    or_,
    select,
    type_coerce,
)

from mapping.documents.scalars import LocalStatus
from store.event_rows import event_of, in_chunks
from store.liveblogs import StoredEvent, StoredGame, game_of
from store.masterdata import Master, master_of
from store.search import SHARED, TAG, TAG_LENGTH, TEAM, found, found_games
from store.tables import events, game_links, games, players

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

_WRITTEN = type_coerce(events.c.doc, Text)
_SHOWN_IN_LISTS = or_(*(_WRITTEN.contains(f'"{name}"') for name in ("tag_ids", "editor")))
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


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """One page, and how many records there are in all."""

    records: list[T]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterFilter:
    """Owners of the records, and conditions; None and the empty string filter nothing."""

    owners: Sequence[str]
    q: str = ""
    sportstype: str | None = None
    team_id: str | None = None
    include_inactive: bool = True


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


def masters(conn: Connection, table: Table, wanted: MasterFilter, page: Page) -> Listed[Master]:
    """Records, the newest first."""
    conditions = [table.c.owner_id.in_(list(wanted.owners)), *found(table.name, wanted.owners, wanted.q, table.c.id)]
    if wanted.sportstype:
        conditions.append(table.c.sportstype == wanted.sportstype)
    if table is players:
        conditions += _of_players(wanted)
    rows, total = _page(conn, table, conditions, page)
    return Listed([master_of(table, row) for row in rows], total)


def liveblogs(conn: Connection, wanted: GameFilter, page: Page) -> Listed[StoredGame]:
    """Liveblogs that are not deleted, the newest first."""
    shared = select(game_links.c.game_id).where(
        game_links.c.kind == SHARED, game_links.c.value.in_(list(wanted.holders))
    )
    sharing = select(games.c.organization_id).where(games.c.id.in_(shared)).distinct() if wanted.holders else None
    owners = [*wanted.owners, *(conn.scalars(sharing) if sharing is not None else ())]
    conditions = [
        or_(games.c.organization_id.in_(list(wanted.owners)), games.c.id.in_(shared)),
        games.c.local_status != LocalStatus.DELETED,
        *found_games(owners, wanted.q),
        *_of_games(wanted),
    ]
    rows, total = _page(conn, games, conditions, page)
    return Listed([game_of(row) for row in rows], total)


def outlines(conn: Connection, game_ids: Sequence[str]) -> dict[str, list[StoredEvent]]:
    """The events of the liveblogs that editors see, oldest first, as far as lists show them.

    A document is empty unless it may name labels or an editor: most do not, and reading them costs the most.
    """
    found: dict[str, list[StoredEvent]] = {game_id: [] for game_id in game_ids}
    for ids in in_chunks(game_ids):
        for row in conn.execute(_OUTLINES, {"ids": list(ids)}):
            stored = event_of(row)
            found[stored.game_id].append(stored)
    return found


def _of_players(wanted: MasterFilter) -> list[ColumnElement[bool]]:
    team = [players.c.team_id == wanted.team_id] if wanted.team_id else []
    return team if wanted.include_inactive else [*team, players.c.inactive.is_(False)]


def _of_games(wanted: GameFilter) -> list[ColumnElement[bool]]:
    begins = func.coalesce(games.c.starts_at, games.c.created_at)
    conditions: list[ColumnElement[bool]] = []
    if wanted.template_id:
        conditions.append(or_(games.c.template_id == wanted.template_id, games.c.sportstype == wanted.template_id))
    if wanted.team_id:
        conditions.append(games.c.id.in_(_linked(TEAM, wanted.team_id)))
    if wanted.tag:
        conditions.append(games.c.id.in_(_linked(TAG, wanted.tag[:TAG_LENGTH])))
    if wanted.start is not None:
        conditions.append(begins >= wanted.start)
    if wanted.end is not None:
        conditions.append(begins < wanted.end)
    return conditions


def _linked(kind: str, value: str) -> Any:
    return select(game_links.c.game_id).where(game_links.c.kind == kind, game_links.c.value == value)


def _page(
    conn: Connection, table: Table, conditions: list[ColumnElement[bool]], page: Page
) -> tuple[Sequence[Any], int]:
    total = conn.scalar(select(func.count()).select_from(table).where(*conditions)) or 0
    order = (table.c.created_at.desc(), table.c.id.desc())
    query = select(table).where(*conditions).order_by(*order).limit(page.limit).offset(page.offset)
    return conn.execute(query).all(), total
