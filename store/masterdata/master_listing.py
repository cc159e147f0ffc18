"""Lists of master data: filtered, counted, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Table

from store.liveblogs.listing import Listed, ListedRecords, Page, read_page
from store.liveblogs.search import find_words
from store.masterdata.masterdata import Master, master_of
from store.tables import players


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterFilter:
    """Owners of the records, and conditions; None and the empty string filter nothing."""

    owners: Sequence[str]
    q: str = ""
    sportstype: str | None = None
    team_id: str | None = None
    include_inactive: bool = True


def masters(conn: Connection, table: Table, wanted: MasterFilter, page: Page) -> Listed[Master]:
    """Records, the newest first."""
    conditions = [table.c.sportstype == wanted.sportstype] if wanted.sportstype else []
    if table is players:
        conditions += _of_players(wanted)
    named = find_words(conn, table, wanted.owners, wanted.q)
    listed = read_page(conn, ListedRecords(table, table.c.owner_id, wanted.owners, conditions, named), page)
    return Listed([master_of(table, row) for row in listed.records], listed.total, listed.exact)


def _of_players(wanted: MasterFilter) -> list[ColumnElement[bool]]:
    team = [players.c.team_id == wanted.team_id] if wanted.team_id else []
    return team if wanted.include_inactive else [*team, players.c.inactive.is_(False)]
