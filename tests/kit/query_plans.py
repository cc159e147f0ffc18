"""Every statement that a process gives its database, and how the database would look for the rows."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg

QUERY = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b", re.IGNORECASE)
LITERAL = re.compile(r"'(?:[^']|'')*'|\b\d[\d.e+]*\b|\?|%s")
LISTS = re.compile(r"\((?:[?](?:, ?)?)+\)")

READ = re.compile(r"\s*SELECT\b", re.IGNORECASE)
SCANS = ("Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Index Scan")
GATHERS = ("Sort", "Aggregate", "Hash", "WindowAgg")
"""Steps that need all rows before they give the first one."""
NAMES = ("Relation Name", "Index Name")
STEPS_OF_A_ROW = 25
"""Of SQLite's machine: three where rows are only counted, thirty where they are joined and sorted."""
STEPS = 100
"""Steps of SQLite's machine between two counts."""

Statements = dict[str, tuple[str, Any]]
"""Text without its values → the text as it was sent, and its parameters; one for each form."""


class Explained(NamedTuple):
    """Scans of whole tables or indexes as the plan names them, and how many rows a query looked at; 0 for what writes."""

    scans: list[str]
    rows: int


def form_of(statement: str) -> str:
    """The statement without values and however many of them there are."""
    return LISTS.sub("(?)", LITERAL.sub("?", " ".join(statement.split())))


@contextmanager
def sent_to_sqlite() -> Iterator[Statements]:
    """What all connections that are made meanwhile are given, in all threads; with its values in the text."""
    found: Statements = {}
    connect = sqlite3.connect

    def note(statement: str) -> None:
        if QUERY.match(statement):
            found.setdefault(form_of(statement), (statement, ()))

    def connected(*args: Any, **more: Any) -> sqlite3.Connection:
        made = connect(*args, **more)
        made.set_trace_callback(note)
        return made

    modules = (sqlite3, sqlite3.dbapi2)
    for module in modules:
        module.connect = connected  # type: ignore[attr-defined]
    try:
        yield found
    finally:
        for module in modules:
            module.connect = connect  # type: ignore[attr-defined]


@contextmanager
def sent_to_postgresql() -> Iterator[Statements]:
    """The same for PostgreSQL."""
    found: Statements = {}
    execute, execute_many = psycopg.Cursor.execute, psycopg.Cursor.executemany

    def note(statement: Any, values: Any) -> None:
        if isinstance(statement, str) and QUERY.match(statement):
            found.setdefault(form_of(statement), (statement, values))

    def noted(cursor: Any, statement: Any, values: Any = None, **more: Any) -> Any:
        note(statement, values)
        return execute(cursor, statement, values, **more)

    def noted_many(cursor: Any, statement: Any, rows: Any, **more: Any) -> Any:
        rows = list(rows)
        note(statement, rows[0] if rows else None)
        return execute_many(cursor, statement, rows, **more)

    psycopg.Cursor.execute, psycopg.Cursor.executemany = noted, noted_many  # type: ignore[method-assign,assignment]
    try:
        yield found
    finally:
        psycopg.Cursor.execute, psycopg.Cursor.executemany = execute, execute_many  # type: ignore[method-assign]


def explained_by_sqlite(connection: sqlite3.Connection, statement: str) -> Explained:
    """The plan, and what a query looks at, as so many rows as SQLite's machine makes steps of."""
    scans = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}") if row[3].startswith("SCAN ")]
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += STEPS

    if READ.match(statement):
        connection.set_progress_handler(count, STEPS)
        connection.execute(statement).fetchall()
    return Explained(scans, steps // STEPS_OF_A_ROW)


def explained_by_postgresql(connection: psycopg.Connection[Any], statement: str, values: Any) -> Explained:
    """The same; what a limit ends or a condition of an index bounds is no scan."""
    reads = READ.match(statement) and "FOR UPDATE" not in statement and "FOR SHARE" not in statement
    options = "ANALYZE, TIMING OFF, FORMAT JSON" if reads else "FORMAT JSON"
    (plan,) = connection.execute(f"EXPLAIN ({options}) {statement}", values).fetchone() or ([{"Plan": {}}],)
    connection.rollback()
    steps = list(_steps(plan[0]["Plan"], limited=False))
    scans = [" ".join((kind, *(step.get(name, "") for name in NAMES))) for kind, step, whole in steps if whole]
    return Explained(scans, round(sum(_rows(step) for kind, step, _ in steps if kind in SCANS)))


def _steps(plan: dict[str, Any], *, limited: bool) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Each step with its kind, and whether it goes through a whole table or index."""
    kind = plan.get("Node Type", "")
    yield kind, plan, kind == "Seq Scan" or (kind in SCANS and "Index Cond" not in plan and not limited)
    for part in plan.get("Plans", ()):
        yield from _steps(part, limited=kind == "Limit" or (limited and kind not in GATHERS))


def _rows(step: dict[str, Any]) -> float:
    found = step.get("Actual Rows", 0) + step.get("Rows Removed by Filter", 0)
    return float(found * step.get("Actual Loops", 0))
