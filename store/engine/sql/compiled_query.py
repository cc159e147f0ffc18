"""Statements that run all the time: compiled once for each kind of database, then handed to the driver as they are.

SQLAlchemy's own way to a row costs several times what SQLite needs for the row itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Dialect,
    Executable,
    Float,
    Select,
    Text,
    any_,
    bindparam,
    exc,
    func,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.types import TypeEngine

from store.engine.sql.json_type import Json, dumps, read

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
        return [_converted(row, conversions) for row in execute(conn, compiled.sql, compiled.values(given))]

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
    wrapped: Any = exc.DBAPIError.instance(
        sql, None, error, module.Error, connection_invalidated=lost, dialect=conn.dialect
    )
    return cast("exc.DBAPIError", wrapped)


def _reader(dialect: Dialect, kind: TypeEngine[Any]) -> Convert | None:
    """What makes a value of the driver one of this type; None where it is one, as floats are with every driver."""
    if isinstance(kind, Json):
        return read
    return None if isinstance(kind, Float) else kind.dialect_impl(dialect).result_processor(dialect, None)


def _converted(row: Sequence[Any], conversions: list[tuple[int, Convert]]) -> tuple[Any, ...]:
    values = list(row)
    for index, convert in conversions:
        values[index] = convert(values[index])
    return tuple(values)
