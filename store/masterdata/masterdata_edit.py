"""Lists, creates and changes master data for people; what a person has changed, an import leaves alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Connection, Table, insert, select, update

from store.engine.liveblog_records import new_object_id
from store.engine.unit import Unit
from store.liveblogs import history
from store.liveblogs.listing import Listed, ListedRecords, Page, read_page
from store.liveblogs.search import find_words, index_master
from store.masterdata.masterdata import Master, find, master_of
from store.masterdata.masterdata_use import Correction, correct_liveblogs
from store.tables import players

MasterTable: TypeAlias = Table
"""One of the tables of master data."""
COLUMNS = ("owner_id", "sportstype", "name", "ext_id", "team_id")
"""Fields of a record's JSON that stand in columns of their own."""


def create(unit: Unit, table: Table, fields: Mapping[str, Any]) -> Master:
    """A new record; `fields` as in its JSON, with owner, sport and name."""
    record_id = new_object_id(unit.now)
    columns = {name: fields.get(name) for name in COLUMNS if name in table.c}
    document = {name: value for name, value in _fields(fields).items() if value is not None}
    if _is_taken(unit.conn, table, columns):
        document["ext_id"], columns["ext_id"] = columns["ext_id"], None
    values = {
        "id": record_id,
        "source": "",
        "doc": document,
        "written": {},
        "created_at": unit.now,
        "updated_at": unit.now,
        **columns,
        **({"inactive": False} if table is players else {}),
    }
    unit.conn.execute(insert(table).values(values))
    index_master(unit.conn, table.name, record_id, str(fields["owner_id"]), fields)
    return require(unit.conn, table, record_id)


def find_or_create(unit: Unit, table: Table, fields: Mapping[str, Any]) -> Master:
    """The owner's oldest record of that name in that sport, else a new one; `fields` as with `create`."""
    columns = [table.c[name] == fields[name] for name in ("owner_id", "sportstype", "name")]
    query = select(table.c.id).where(*columns).order_by(table.c.created_at, table.c.id).limit(1)
    record_id = unit.conn.scalar(query)
    return create(unit, table, fields) if record_id is None else require(unit.conn, table, record_id)


def change(unit: Unit, table: Table, before: Master, fields: Mapping[str, Any]) -> Master:
    """The record with the fields that are given; None clears one.

    Open liveblogs that name the record show it once `masterdata_use.correct` has been there. Without a difference nothing
    is written.
    """
    columns, own = _ext_id(unit.conn, table, before, fields)
    columns |= {"name": fields["name"]} if "name" in fields else {}
    document = {**before.document, **_fields(fields), **own}
    values = {**columns, "doc": {name: value for name, value in document.items() if value is not None}}
    if values["doc"] == before.document and all(getattr(before, name) == columns[name] for name in columns):
        return before
    history.keep_masters(unit, table, [before.id])
    query = update(table).where(table.c.id == before.id).values(**values, updated_at=unit.now)
    unit.conn.execute(query)
    named = {**values["doc"], "name": columns.get("name", before.name)}
    index_master(unit.conn, table.name, before.id, before.owner_id, named)
    after = require(unit.conn, table, before.id)
    correct_liveblogs(unit, before.owner_id, [Correction(before, after)])
    return after


def lock(unit: Unit, table: Table, record_id: str) -> Master | None:
    """The record, locked until the unit ends; None where there is none."""
    unit.conn.execute(select(table.c.id).where(table.c.id == record_id).with_for_update())
    return find(unit.conn, table, [record_id]).get(record_id)


def require(conn: Connection, table: Table, record_id: str) -> Master:
    """A record that is known to be there."""
    return find(conn, table, [record_id])[record_id]


def _ext_id(
    conn: Connection, table: Table, before: Master, fields: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where a changed `ext_id` goes, as column and as part of the document.

    The column is what imports find a record by: one that an import has found keeps it, and of several records with the
    same `ext_id` the first one has it.
    """
    wanted = fields.get("ext_id")
    if "ext_id" not in fields or wanted == before.as_document().get("ext_id"):
        return {}, {}
    if before.imported:
        return {}, {"ext_id": None if wanted == before.ext_id else wanted or ""}
    if _is_taken(conn, table, {"owner_id": before.owner_id, "sportstype": before.sportstype, "ext_id": wanted}):
        return {"ext_id": None}, {"ext_id": wanted}
    return {"ext_id": wanted}, {"ext_id": None}


def _is_taken(conn: Connection, table: Table, columns: Mapping[str, Any]) -> bool:
    """Whether imports find another record that people made by this `ext_id`."""
    if columns["ext_id"] is None:
        return False
    same = [table.c[name] == columns[name] for name in ("owner_id", "sportstype", "ext_id")]
    return conn.scalar(select(table.c.id).where(table.c.source == "", *same)) is not None


def _fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in COLUMNS and not name.startswith("_")}


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterFilter:
    """Owners of the records, and conditions; None and the empty string filter nothing."""

    owners: Sequence[str]
    q: str = ""
    sportstype: str | None = None
    team_id: str | None = None
    include_inactive: bool = True


def list_records(conn: Connection, table: Table, wanted: MasterFilter, page: Page) -> Listed[Master]:
    """Records, the newest first."""
    conditions = [table.c.sportstype == wanted.sportstype] if wanted.sportstype else []
    if table is players:
        conditions += [players.c.team_id == wanted.team_id] if wanted.team_id else []
        conditions += [] if wanted.include_inactive else [players.c.inactive.is_(False)]
    named = find_words(conn, table, wanted.owners, wanted.q)
    listed = read_page(conn, ListedRecords(table, table.c.owner_id, wanted.owners, conditions, named), page)
    return Listed([master_of(table, row) for row in listed.records], listed.total, listed.exact)
