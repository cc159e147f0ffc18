"""Master data as people make and change it; what an import brought stays theirs where they have changed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import Connection, Table, insert, select, update

from mapping.errors import Conflict
from store.ids import new_object_id
from store.masterdata import Master, find
from store.masterdata_use import Correction, correct_liveblogs
from store.search import index_master
from store.tables import players

if TYPE_CHECKING:
    from collections.abc import Mapping

    from store.unit import Unit

MasterTable: TypeAlias = Table
"""One of the tables of master data."""
COLUMNS = ("owner_id", "sportstype", "name", "ext_id", "team_id")
"""Fields of a record's JSON that stand in columns of their own."""


def create(unit: Unit, table: Table, fields: Mapping[str, Any]) -> Master:
    """A new record; `fields` as in its JSON, with owner, sport and name. Raises Conflict for an `ext_id` in use."""
    record_id = new_object_id(unit.now)
    document = _document(fields)
    columns = {name: fields.get(name) for name in COLUMNS if name in table.c}
    _check_ext_id(unit.conn, table, columns, source="")
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


def change(unit: Unit, table: Table, before: Master, fields: Mapping[str, Any]) -> Master:
    """The record with the fields that are given; None clears one. Raises Conflict for an `ext_id` in use.

    Every open liveblog that names the record shows it as it is now. Without a difference nothing is written.
    """
    columns = {name: fields[name] for name in ("name", "ext_id") if name in fields}
    document = {**before.document, **_fields(fields)}
    values = {**columns, "doc": {name: value for name, value in document.items() if value is not None}}
    if values["doc"] == before.document and all(getattr(before, name) == columns[name] for name in columns):
        return before
    if columns.get("ext_id") not in {None, before.ext_id}:
        identity = {"owner_id": before.owner_id, "sportstype": before.sportstype, **columns}
        _check_ext_id(unit.conn, table, identity, source=before.source)
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


def _check_ext_id(conn: Connection, table: Table, columns: Mapping[str, Any], *, source: str) -> None:
    if columns.get("ext_id") is None:
        return
    same = [table.c[name] == columns[name] for name in ("owner_id", "sportstype", "ext_id")]
    if conn.scalar(select(table.c.id).where(table.c.source == source, *same)) is not None:
        raise Conflict("another record of the organization has this ext_id", field="ext_id")


def _document(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in _fields(fields).items() if value is not None}


def _fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in COLUMNS and not name.startswith("_")}
