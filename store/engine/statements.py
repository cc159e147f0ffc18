"""Statements that run all the time: compiled once for each kind of database, then handed to the driver as they are.

SQLAlchemy's own way to a row costs several times what SQLite needs for the row itself. Rows on their way into several tables
are one statement each on SQLite, a single one and so one round trip on PostgreSQL:

write_batch(conn, insert_rows(events, new), update_rows(games, [{"id": game_id, "version": 8}]), insert_rows(outbox, [note]))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Literal, NamedTuple, Protocol

from sqlalchemy import (
    ARRAY,
    JSON,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Executable,
    Float,
    LargeBinary,
    Select,
    Table,
    Text,
    any_,
    bindparam,
    cast,
    column,
    delete,
    exc,
    func,
    select,
    tuple_,
    update,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.types import TypeEngine

from store.engine.columns import Json, column_value, dumps, read

Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Compiled:
    """SQL text with, in the order of its parameters, their names and the values that the statement itself gives them."""

    sql: str
    parameters: tuple[tuple[str, Any], ...]

    def values(self, given: Mapping[str, Any]) -> tuple[Any, ...]:
        """The parameters as the driver takes them, by position."""
        return tuple([given.get(name, fixed) for name, fixed in self.parameters])


class CompiledQuery:
    """A Core `select` with named parameters: values that need no conversion, and lists for `Among`.

    Rows are tuples, their JSON decoded.
    """

    def __init__(self, statement: Select[Any]) -> None:
        self._statement = statement
        self._names = [each.name for each in statement.selected_columns]
        self._made: dict[str, tuple[Compiled, list[tuple[int, Convert]]]] = {}

    def all(self, conn: Connection, **given: Any) -> list[tuple[Any, ...]]:
        """The rows for these parameters."""
        made = self._made.get(conn.dialect.name)
        if made is None:
            made = self._made[conn.dialect.name] = self._make(conn.dialect)
        compiled, conversions = made
        if conn.dialect.name == "sqlite":
            given = {name: dumps(value) if type(value) is list else value for name, value in given.items()}
        return [_convert(row, conversions) for row in execute(conn, compiled.sql, compiled.values(given))]

    def first(self, conn: Connection, **given: Any) -> tuple[Any, ...] | None:
        """The first row, None where there is none."""
        rows = self.all(conn, **given)
        return rows[0] if rows else None

    def mappings(self, conn: Connection, **given: Any) -> list[dict[str, Any]]:
        """The rows by the names of their columns."""
        return [dict(zip(self._names, row, strict=True)) for row in self.all(conn, **given)]

    def _make(self, dialect: Dialect) -> tuple[Compiled, list[tuple[int, Convert]]]:
        readers = enumerate(_reader(dialect, each.type) for each in self._statement.selected_columns)
        return compiled_for(dialect, self._statement), [(index, reader) for index, reader in readers if reader]


class Processor(Protocol):
    """What a compilation hook is given by SQLAlchemy, whose own type is not public."""

    def process(self, obj: Any, **kwargs: Any) -> str:
        """The SQL of `obj`."""


class Among(ColumnElement[bool]):
    """`column IN` any number of texts, which are given as one list: one statement and one parameter for all of them.

    It has no type: to a Boolean SQLAlchemy adds `= 1` on SQLite, and then no index is used.
    """

    inherit_cache = False

    def __init__(self, column: ColumnElement[Any], name: str) -> None:
        self.column = column
        self.name = name


@compiles(Among, "sqlite")
def _among_json(element: Among, compiler: Processor, **more: Any) -> str:
    values = func.json_each(bindparam(element.name)).table_valued("value")
    return compiler.process(element.column.in_(select(values.c.value)), **more)


@compiles(Among, "postgresql")
def _among_array(element: Among, compiler: Processor, **more: Any) -> str:
    return compiler.process(element.column == any_(bindparam(element.name, type_=ARRAY(Text))), **more)


def compiled_for(dialect: Dialect, statement: Executable) -> Compiled:
    """The statement as the driver of this dialect takes it, parameters by position."""
    made: Any = statement.compile(dialect=dialect)  # type: ignore[attr-defined]
    return Compiled(made.string, tuple((name, made.params[name]) for name in made.positiontup))


def execute(conn: Connection, sql: str, values: Sequence[Any] = ()) -> list[Any]:
    """Run the statement in the transaction of `conn`: once with a tuple of values, or (SQLite) for each tuple of a list.

    Returns the driver's rows. Raises the errors of SQLAlchemy.
    """
    driver: Any = conn.connection.dbapi_connection
    try:
        if conn.dialect.name == "postgresql":
            cursor = driver.cursor(binary=True)
            cursor.execute(sql, values)
            return cursor.fetchall() if cursor.pgresult.nfields else []
        cursor = driver.cursor()
        (cursor.executemany if isinstance(values, list) else cursor.execute)(sql, values)
        return list(cursor.fetchall())
    except Exception as error:  # of a driver known at run time only; `raised` distinguishes its errors from others
        raise translate_error(conn, sql, error) from error


def translate_error(conn: Connection, sql: str, error: Exception) -> Exception:
    """The driver's error as SQLAlchemy raises it; any other as it is."""
    module: Any = conn.dialect.loaded_dbapi
    if not isinstance(error, module.Error):
        return error
    lost = conn.dialect.is_disconnect(error, conn.connection.dbapi_connection, None)
    wrapped: Exception = exc.DBAPIError.instance(
        sql, None, error, module.Error, connection_invalidated=lost, dialect=conn.dialect
    )
    return wrapped


def _reader(dialect: Dialect, kind: TypeEngine[Any]) -> Convert | None:
    """What makes a value of the driver one of this type; None where it is one, as floats are with every driver."""
    if isinstance(kind, Json):
        return read
    return None if isinstance(kind, Float) else kind.dialect_impl(dialect).result_processor(dialect, None)


def _convert(row: Sequence[Any], conversions: list[tuple[int, Convert]]) -> tuple[Any, ...]:
    values = list(row)
    for index, convert in conversions:
        values[index] = convert(values[index])
    return tuple(values)


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
            arrays = [convert(parts[index].rows) for index, convert in statement.arrays]
            execute(conn, statement.sql, tuple(arrays))
        return
    for shape, rows in parts:
        statement = _statement(conn.dialect, (shape,))
        columns = statement.columns
        values = [tuple([row[name] if to is None else to(row[name]) for name, to in columns]) for row in rows]
        execute(conn, statement.sql, values if len(values) > 1 else values[0])


def _alike(rows: Sequence[Row]) -> list[tuple[tuple[str, ...], list[Row]]]:
    """The rows in runs that name the same columns."""
    return [(names, list(some)) for names, some in groupby(rows, tuple)]


class Statement(NamedTuple):
    """SQL, and what its parameters are made of, by position."""

    sql: str
    columns: tuple[tuple[str, Convert | None], ...] = ()
    """SQLite, for one row: the name of its column."""
    arrays: tuple[tuple[int, Convert], ...] = ()
    """PostgreSQL, for all rows of several parts: the number of the part, whose rows are one JSON array."""


_STATEMENTS: dict[tuple[str, tuple[Shape, ...]], Statement] = {}
"""As many as there are ways to call `write_batch` in this service."""


def _statement(dialect: Dialect, shapes: tuple[Shape, ...]) -> Statement:
    known = _STATEMENTS.get((dialect.name, shapes))
    if known is None:
        known = _for_rows(dialect, shapes) if dialect.name == "postgresql" else _for_row(dialect, *shapes)
        _STATEMENTS[dialect.name, shapes] = known
    return known


def _for_row(dialect: Dialect, shape: Shape) -> Statement:
    """SQLite's statement for a row; a parameter for each column."""
    given: dict[str, Any] = {name: bindparam(f"new_{name}") for name in shape.columns}
    if shape.how == "change":
        compiled = compiled_for(dialect, _update(shape, given))
    else:
        compiled = compiled_for(dialect, _without_conflict(_insert("sqlite", shape.table).values(given), shape))
    names = [name.removeprefix("new_") for name, _ in compiled.parameters]
    types = [shape.table.c[name].type.dialect_impl(dialect) for name in names]
    converts = [kind.bind_processor(dialect) for kind in types]
    return Statement(compiled.sql, columns=tuple(zip(names, converts, strict=True)))


def _for_rows(dialect: Dialect, shapes: tuple[Shape, ...]) -> Statement:
    """PostgreSQL's statement for all rows of several parts; a parameter for each part, whatever the number of columns."""
    arrays: dict[str, tuple[int, Convert]] = {}
    for index, shape in enumerate(shapes):
        conversions = [(name, convert) for name in shape.columns if (convert := _conversion(shape.table.c[name]))]
        arrays[f"array{index}"] = index, partial(_as_json, conversions=conversions)
    *before, last = (_for_part(index, shape) for index, shape in enumerate(shapes))
    compiled = compiled_for(dialect, last.add_cte(*(each.cte(f"part{index}") for index, each in enumerate(before))))
    return Statement(compiled.sql, arrays=tuple(arrays[name] for name, _ in compiled.parameters))


def _for_part(index: int, shape: Shape) -> Any:
    given = cast(bindparam(f"array{index}", type_=Text), JSON)
    kinds = {name: shape.table.c[name].type for name in shape.columns}
    names = [column(name, Text() if isinstance(kind, Json) else kind) for name, kind in kinds.items()]
    rows = func.json_to_recordset(given).table_valued(*names).render_derived(name=f"rows{index}", with_types=True)
    values: dict[str, Any] = {name: rows.c[name] for name in shape.columns}
    if shape.how == "change":
        return _update(shape, values)
    made = _insert("postgresql", shape.table).from_select(list(values), select(*values.values()))
    return _without_conflict(made, shape)


def _conversion(of: Column[Any]) -> Convert | None:
    """What makes a value of the column one that JSON can hold; bytes as PostgreSQL reads them."""
    if isinstance(of.type, LargeBinary):
        return lambda value: None if value is None else f"\\x{value.hex()}"
    return column_value if isinstance(of.type, Json) else None


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


def delete_some(conn: Connection, table: Table, *where: ColumnElement[bool], limit: int) -> int:
    """Delete at most `limit` of these rows, so that nobody waits long for their locks; how many there were."""
    columns = tuple(table.primary_key)
    some = select(*columns).where(*where).limit(limit)
    key = columns[0] if len(columns) == 1 else tuple_(*columns)
    return int(conn.execute(delete(table).where(key.in_(some))).rowcount)


def insert_new(conn: Connection, table: Table, **values: Any) -> bool:
    """Insert the row; False where its key, or what has to be unique in it, is taken."""
    made = _insert(conn.dialect.name, table).values(values).on_conflict_do_nothing().returning(*table.primary_key)
    return conn.execute(made).first() is not None


def _insert(dialect: str, table: Table) -> Any:
    """The dialect's own INSERT; each is loaded by who speaks it alone."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(table)
