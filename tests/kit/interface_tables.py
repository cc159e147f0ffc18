"""Reads the tables of docs/interface.md, so that tests can compare what is promised with what is served."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "docs" / "interface.md"

FIELDS = ("Field", "Type", "Required", "Default", "Notes")
OPERATIONS = ("Operation", "Method", "Path", "Since", "Notes")
PARAMETERS = ("Parameter", "Where", "Type", "Required", "Default", "Notes")
PROVIDERS = ("Provider", "Sport", "Scoreboard", "Event types")
ENUMS = ("Name", "Values")
ERRORS = ("Status", "Code", "Retryable", "When")

_CODE = re.compile(r"`([^`]*)`")
_RULE = re.compile(r"\|?[\s:|-]+\|?")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Table:
    """One table: the heading it stands under, the last line of text above it, its columns and rows."""

    heading: str
    subject: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> tuple[str, ...]:
        """All cells of the column called `name`."""
        index = self.columns.index(name)
        return tuple(row[index] for row in self.rows)


@dataclass(frozen=True)
class Field:
    """A row of a field table."""

    name: str
    type: str
    required: bool
    default: str | None


def code(text: str) -> tuple[str, ...]:
    """What stands in backticks, in order."""
    return tuple(_CODE.findall(text))


def tables(text: str) -> tuple[Table, ...]:
    """Every table of a Markdown text; raises ValueError for a table without rows or with a row of another width."""
    found: list[Table] = []
    heading = subject = ""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("|"):
            end = next((i for i in range(at, len(lines)) if not lines[i].startswith("|")), len(lines))
            found.append(_table(heading, subject, lines[at:end]))
            at = end
            continue
        if line.startswith("#"):
            heading = line.lstrip("#").strip()
        if line.strip():
            subject = line.strip()
        at += 1
    return tuple(found)


def with_columns(text: str, columns: tuple[str, ...]) -> tuple[Table, ...]:
    """The tables that have exactly these columns; raises ValueError when there is none."""
    if not (found := tuple(table for table in tables(text) if table.columns == columns)):
        raise ValueError(f"no table with the columns {columns}")
    return found


def documents(text: str) -> dict[str, dict[str, Field]]:
    """The field tables by heading, with the fields in their order."""
    return {table.heading: {field.name: field for field in _fields(table)} for table in with_columns(text, FIELDS)}


def operations(text: str) -> dict[str, tuple[str, str, str]]:
    """Method, path and version of each operation."""
    rows = [row for table in with_columns(text, OPERATIONS) for row in table.rows]
    return {code(row[0])[0]: (row[1], code(row[2])[0], row[3]) for row in rows}


def parameters(text: str) -> dict[str, dict[str, Field]]:
    """The parameters of each operation; the type is given as `where type`."""
    return {
        operation: {
            code(row[0])[0]: Field(code(row[0])[0], f"{row[1]} {row[2]}", row[3] == "yes", _default(row[4]))
            for row in table.rows
        }
        for table in with_columns(text, PARAMETERS)
        for operation in code(table.heading)
    }


def providers(text: str) -> dict[tuple[str, str], tuple[bool, tuple[str, ...]]]:
    """For each provider and sport: whether it has a scoreboard, and its event types."""
    return {
        (code(row[0])[0], code(row[1])[0]): (row[2] == "true", code(row[3]))
        for table in with_columns(text, PROVIDERS)
        for row in table.rows
    }


def enums(text: str) -> dict[str, tuple[str, ...]]:
    """The values of each enumeration; `""` stands for the empty string."""
    rows = [row for table in with_columns(text, ENUMS) for row in table.rows]
    return {code(row[0])[0]: tuple(value.strip('"') for value in code(row[1])) for row in rows}


def error_rows(text: str) -> set[tuple[int, str, bool]]:
    """Status, code and retryability of every error."""
    rows = [row for table in with_columns(text, ERRORS) for row in table.rows]
    return {(int(row[0]), code(row[1])[0], row[2] == "yes") for row in rows}


def _table(heading: str, subject: str, lines: list[str]) -> Table:
    cells = [_cells(line) for line in lines]
    columns, rows = cells[0], tuple(cells[2:])
    if len(cells) < 2 or not _RULE.fullmatch(lines[1]) or not rows:
        raise ValueError(f"the table under {heading!r} is empty")
    if wrong := [row for row in rows if len(row) != len(columns)]:
        raise ValueError(f"the table under {heading!r} has a row of another width: {wrong[0]}")
    return Table(heading, subject, columns, rows)


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip().replace(r"\|", "|") for cell in _CELL.split(line.strip().strip("|")))


def _fields(table: Table) -> list[Field]:
    return [Field(code(row[0])[0], row[1], row[2] == "yes", _default(row[3])) for row in table.rows]


def _default(cell: str) -> str | None:
    values = code(cell)
    return values[0] if values else None if cell == "—" else cell
