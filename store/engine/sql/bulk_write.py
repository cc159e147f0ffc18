"""Rows on their way into several tables: one statement each on SQLite, a single one and so one round trip on PostgreSQL.

write_batch(conn, insert_rows(events, new), update_rows(games, [{"id": game_id, "version": 8}]), insert_rows(outbox, [note]))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Literal, NamedTuple

from sqlalchemy import (
    Column,
    Connection,
    Dialect,
    LargeBinary,
    Table,
    Text,
    bindparam,
    cast,
    column,
    func,
    select,
    update,
)

from store.engine.sql.compiled_query import Convert, compiled_for, execute
from store.engine.sql.json_type import Json, column_value, dumps

Row = Mapping[str, Any]


class Shape(NamedTuple):
    """What rows have in common that one statement writes."""

    table: Table
    how: Literal["insert", "leave", "upsert", "add", "change"]
    columns: tuple[str, ...]

    @property
    def keys(self) -> list[str]:
        return [column.name for column in self.table.primary_key]

    @property
    def others(self) -> list[str]:
        return [name for name in self.columns if name not in self.keys]


class TableWrite(NamedTuple):
    """Rows of one shape."""

    shape: Shape
    rows: Sequence[Row]


def insert_rows(table: Table, rows: Sequence[Row]) -> list[TableWrite]:
    """New rows; IntegrityError where a key is taken."""
    return [TableWrite(Shape(table, "insert", names), some) for names, some in _alike(rows)]


def insert_ignore(table: Table, rows: Sequence[Row]) -> list[TableWrite]:
    """New rows; where a key is taken, what has it stays as it is."""
    return [TableWrite(Shape(table, "leave", names), some) for names, some in _alike(rows)]


def upsert(table: Table, rows: Sequence[Row]) -> list[TableWrite]:
    """New rows; where the primary key is taken, the columns that are named take their new values."""
    return [TableWrite(Shape(table, "upsert", names), some) for names, some in _alike(rows)]


def add_numbers(table: Table, rows: Sequence[Row]) -> list[TableWrite]:
    """New rows; where the primary key is taken, the columns that are named grow by their new values."""
    return [TableWrite(Shape(table, "add", names), some) for names, some in _alike(rows)]


def update_rows(table: Table, rows: Sequence[Row]) -> list[TableWrite]:
    """New values for columns of rows that exist; each row names its primary key too."""
    return [TableWrite(Shape(table, "change", names), some) for names, some in _alike(rows)]


def write_batch(conn: Connection, *wanted: list[TableWrite]) -> None:
    """Write the rows. No row may be named twice, because PostgreSQL writes all of them at the same moment."""
    parts = [part for some in wanted for part in some]
    if conn.dialect.name == "postgresql":
        if parts:
            statement = _statement(conn.dialect, tuple(shape for shape, _ in parts))
            execute(conn, statement.sql, statement.parts(parts))
        return
    for part in parts:
        statement = _statement(conn.dialect, (part.shape,))
        rows = statement.rows(part)
        execute(conn, statement.sql, rows if len(rows) > 1 else rows[0])


def _alike(rows: Sequence[Row]) -> list[tuple[tuple[str, ...], list[Row]]]:
    """The rows in runs that name the same columns."""
    return [(names, list(some)) for names, some in groupby(rows, tuple)]


class ParameterSource(NamedTuple):
    """Where the value of a parameter comes from: rows of a part (PostgreSQL), a column of one, or the statement itself."""

    part: int
    column: str
    convert: Convert | None
    fixed: Any = None


class Statement(NamedTuple):
    """SQL for one part (SQLite) or several, and where its parameters come from, by position."""

    sql: str
    sources: tuple[ParameterSource, ...]

    def rows(self, part: TableWrite) -> list[tuple[Any, ...]]:
        """The parameters for each row."""
        return [
            tuple(
                [row[each.column] if each.convert is None else each.convert(row[each.column]) for each in self.sources]
            )
            for row in part.rows
        ]

    def parts(self, parts: Sequence[TableWrite]) -> tuple[Any, ...]:
        """The parameters for all rows, a JSON array of them for each part."""
        return tuple(
            [each.fixed if each.convert is None else each.convert(parts[each.part].rows) for each in self.sources]
        )


_STATEMENTS: dict[tuple[str, tuple[Shape, ...]], Statement] = {}
"""As many as there are ways to call `write_batch` in this service."""


def _statement(dialect: Dialect, shapes: tuple[Shape, ...]) -> Statement:
    known = _STATEMENTS.get((dialect.name, shapes))
    if known is None:
        known = _STATEMENTS[dialect.name, shapes] = _compiled(dialect, shapes)
    return known


def _compiled(dialect: Dialect, shapes: tuple[Shape, ...]) -> Statement:
    at_once = dialect.name == "postgresql"
    built = [_for_rows(index, shape) if at_once else _for_row(index, shape) for index, shape in enumerate(shapes)]
    *before, last = built
    compiled = compiled_for(dialect, last.add_cte(*(each.cte(f"part{index}") for index, each in enumerate(before))))
    origins = _whole(shapes) if at_once else _columns(dialect, shapes)
    return Statement(
        compiled.sql,
        tuple(origins.get(name, ParameterSource(-1, "", None, fixed)) for name, fixed in compiled.parameters),
    )


def _columns(dialect: Dialect, shapes: tuple[Shape, ...]) -> dict[str, ParameterSource]:
    """A parameter for each column."""
    return {
        _name(index, name): ParameterSource(
            index, name, shape.table.c[name].type.dialect_impl(dialect).bind_processor(dialect)
        )
        for index, shape in enumerate(shapes)
        for name in shape.columns
    }


def _whole(shapes: tuple[Shape, ...]) -> dict[str, ParameterSource]:
    """A parameter for each part."""
    found: dict[str, ParameterSource] = {}
    for index, shape in enumerate(shapes):
        kinds = ((name, _conversion(shape.table.c[name])) for name in shape.columns)
        conversions = tuple((name, convert) for name, convert in kinds if convert is not None)
        found[_name(index, "rows")] = ParameterSource(index, "", partial(_as_json, conversions=conversions))
    return found


def _name(index: int, what: str) -> str:
    return f"part{index}_{what}"


def _for_row(index: int, shape: Shape) -> Any:
    """SQLite's statement for a row."""
    from sqlalchemy.dialects import sqlite  # each dialect is loaded by who speaks it alone

    given: dict[str, Any] = {name: bindparam(_name(index, name)) for name in shape.columns}
    if shape.how == "change":
        return _update(shape, given)
    return _without_conflict(sqlite.insert(shape.table).values(given), shape)


def _for_rows(index: int, shape: Shape) -> Any:
    """PostgreSQL's statement for rows that come as one JSON array: one parameter, whatever the number of columns."""
    from sqlalchemy.dialects import postgresql

    given = cast(bindparam(_name(index, "rows"), type_=Text), postgresql.JSON)
    names = [column(name, _plain(shape.table.c[name])) for name in shape.columns]
    rows = func.json_to_recordset(given).table_valued(*names).render_derived(name=f"rows{index}", with_types=True)
    values: dict[str, Any] = {name: rows.c[name] for name in shape.columns}
    if shape.how == "change":
        return _update(shape, values)
    made = postgresql.insert(shape.table).from_select(list(values), select(*values.values()))
    return _without_conflict(made, shape)


def _plain(of: Column[Any]) -> Any:
    """The type as the database knows it."""
    return Text() if isinstance(of.type, Json) else of.type


def _conversion(of: Column[Any]) -> Convert | None:
    """What makes a value of the column one that JSON can hold."""
    if isinstance(of.type, LargeBinary):
        return _as_hex
    return column_value if isinstance(of.type, Json) else None


def _as_hex(value: bytes | None) -> str | None:
    """Bytes as PostgreSQL reads them."""
    return None if value is None else f"\\x{value.hex()}"


def _as_json(rows: Sequence[Row], *, conversions: Sequence[tuple[str, Convert]]) -> str:
    """The rows as the text of a JSON array. Raises ValueError for NaN and infinities."""
    if not conversions:
        return dumps(rows)
    return dumps([{**row, **{name: convert(row[name]) for name, convert in conversions}} for row in rows])


def _update(shape: Shape, given: Any) -> Any:
    same = [shape.table.c[name] == given[name] for name in shape.keys]
    return update(shape.table).where(*same).values({name: given[name] for name in shape.others})


def _without_conflict(made: Any, shape: Shape) -> Any:
    if shape.how == "insert":
        return made
    if shape.how == "leave" or not shape.others:
        return made.on_conflict_do_nothing()
    columns = shape.table.c
    values = {
        name: columns[name] + made.excluded[name] if shape.how == "add" else made.excluded[name]
        for name in shape.others
    }
    return made.on_conflict_do_update(index_elements=shape.keys, set_=values)
