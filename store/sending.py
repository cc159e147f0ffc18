"""Rows on their way into several tables: one statement each on SQLite, a single one and so one round trip on PostgreSQL.

send(conn, inserted(events, new), changed(games, [{"id": game_id, "version": 8}]), inserted(outbox, [note]))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import ARRAY, Text, bindparam, cast, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from store.codec import Json
from store.prepared import Convert, compiled_for, execute

if TYPE_CHECKING:
    from sqlalchemy import Column, ColumnElement, Connection, Dialect, Table

Row = Mapping[str, Any]


class Shape(NamedTuple):
    """What rows have in common that one statement writes."""

    table: Table
    how: Literal["insert", "leave", "put", "change"]
    columns: tuple[str, ...]
    telling: ColumnElement[Any] | None = None

    @property
    def keys(self) -> list[str]:
        return [column.name for column in self.table.primary_key]

    @property
    def others(self) -> list[str]:
        return [name for name in self.columns if name not in self.keys]


class Part(NamedTuple):
    """Rows of one shape."""

    shape: Shape
    rows: Sequence[Row]


def inserted(table: Table, rows: Sequence[Row], *, telling: ColumnElement[Any] | None = None) -> list[Part]:
    """New rows; IntegrityError where a key is taken. `telling`: what PostgreSQL evaluates for each, in RETURNING."""
    return [Part(Shape(table, "insert", names, telling), some) for names, some in _alike(rows)]


def left(table: Table, rows: Sequence[Row]) -> list[Part]:
    """New rows; where a key is taken, what has it stays as it is."""
    return [Part(Shape(table, "leave", names), some) for names, some in _alike(rows)]


def put(table: Table, rows: Sequence[Row]) -> list[Part]:
    """New rows; where the primary key is taken, the columns that are named take their new values."""
    return [Part(Shape(table, "put", names), some) for names, some in _alike(rows)]


def changed(table: Table, rows: Sequence[Row]) -> list[Part]:
    """New values for columns of rows that exist; each row names its primary key too."""
    return [Part(Shape(table, "change", names), some) for names, some in _alike(rows)]


def send(conn: Connection, *wanted: list[Part]) -> None:
    """Write the rows. No row may be named twice, because PostgreSQL writes all of them at the same moment."""
    parts = [part for some in wanted for part in some]
    if conn.dialect.name == "postgresql":
        if parts:
            statement = _statement(conn.dialect, tuple(shape for shape, _ in parts))
            execute(conn, statement.sql, statement.columns(parts))
        return
    for part in parts:
        statement = _statement(conn.dialect, (part.shape,))
        rows = statement.rows(part)
        execute(conn, statement.sql, rows if len(rows) > 1 else rows[0])


def _alike(rows: Sequence[Row]) -> list[tuple[tuple[str, ...], list[Row]]]:
    """The rows in runs that name the same columns."""
    return [(names, list(some)) for names, some in groupby(rows, tuple)]


class Source(NamedTuple):
    """Where the value of a parameter comes from: a column of the rows of a part, or the statement itself."""

    part: int
    column: str
    convert: Convert | None
    fixed: Any = None


class Statement(NamedTuple):
    """SQL for one part (SQLite) or several, and where its parameters come from, by position."""

    sql: str
    sources: tuple[Source, ...]

    def rows(self, part: Part) -> list[tuple[Any, ...]]:
        """The parameters for each row."""
        return [
            tuple([row[column] if convert is None else convert(row[column]) for _, column, convert, _ in self.sources])
            for row in part.rows
        ]

    def columns(self, parts: Sequence[Part]) -> tuple[Any, ...]:
        """The parameters for all rows, an array for each column."""
        return tuple(
            source.fixed
            if source.part < 0
            else [row[source.column] for row in parts[source.part].rows]
            if source.convert is None
            else [source.convert(row[source.column]) for row in parts[source.part].rows]
            for source in self.sources
        )


_STATEMENTS: dict[tuple[str, tuple[Shape, ...]], Statement] = {}
"""As many as there are ways to call `send` in this house."""


def _statement(dialect: Dialect, shapes: tuple[Shape, ...]) -> Statement:
    known = _STATEMENTS.get((dialect.name, shapes))
    if known is None:
        known = _STATEMENTS[dialect.name, shapes] = _compiled(dialect, shapes)
    return known


def _compiled(dialect: Dialect, shapes: tuple[Shape, ...]) -> Statement:
    at_once = dialect.name == "postgresql"
    built = [_for_arrays(index, shape) if at_once else _for_row(index, shape) for index, shape in enumerate(shapes)]
    *before, last = built
    compiled = compiled_for(dialect, last.add_cte(*(each.cte(f"part{index}") for index, each in enumerate(before))))
    origins = {_name(index, name): (index, name) for index, shape in enumerate(shapes) for name in shape.columns}
    sources = []
    for name, fixed in compiled.parameters:
        index, column = origins.get(name, (-1, ""))
        convert = _conversion(dialect, shapes[index].table.c[column]) if column else None
        sources.append(Source(index, column, convert, fixed))
    return Statement(compiled.sql, tuple(sources))


def _name(index: int, column: str) -> str:
    return f"part{index}_{column}"


def _for_row(index: int, shape: Shape) -> Any:
    """SQLite's statement for a row."""
    given: dict[str, Any] = {name: bindparam(_name(index, name)) for name in shape.columns}
    if shape.how == "change":
        return _update(shape, given)
    return _without_conflict(sqlite.insert(shape.table).values(given), shape)


def _for_arrays(index: int, shape: Shape) -> Any:
    """PostgreSQL's statement for rows that come as an array of texts for each column.

    Of texts, because the driver asks the server about every other kind of array on every new connection.
    """
    arrays = [bindparam(_name(index, name), type_=ARRAY(Text)) for name in shape.columns]
    rows = func.unnest(*arrays).table_valued(*shape.columns).render_derived(name=f"rows{index}")
    columns = {name: shape.table.c[name] for name in shape.columns}
    given: dict[str, Any] = {
        name: rows.c[name] if _is_text(each) else cast(rows.c[name], each.type) for name, each in columns.items()
    }
    if shape.how == "change":
        return _update(shape, given)
    made = postgresql.insert(shape.table).from_select(list(given), select(*given.values()))
    made = _without_conflict(made, shape)
    return made if shape.telling is None else made.returning(shape.telling)


def _is_text(column: Column[Any]) -> bool:
    return isinstance(column.type, Json | Text)


def _conversion(dialect: Dialect, column: Column[Any]) -> Convert | None:
    """What makes a value of the column one that is sent."""
    if dialect.name == "postgresql" and not _is_text(column):
        return _as_text
    return column.type.dialect_impl(dialect).bind_processor(dialect)


def _as_text(value: Any) -> str | None:
    """A number, truth or bytes as PostgreSQL reads it."""
    if value is None:
        return None
    return f"\\x{value.hex()}" if isinstance(value, bytes) else str(value)


def _update(shape: Shape, given: Any) -> Any:
    same = [shape.table.c[name] == given[name] for name in shape.keys]
    return update(shape.table).where(*same).values({name: given[name] for name in shape.others})


def _without_conflict(made: Any, shape: Shape) -> Any:
    if shape.how == "insert":
        return made
    if shape.how == "leave" or not shape.others:
        return made.on_conflict_do_nothing()
    return made.on_conflict_do_update(
        index_elements=shape.keys, set_={name: made.excluded[name] for name in shape.others}
    )
