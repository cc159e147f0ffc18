"""The lines of an export: a row of a table as JSON, and back, with every value checked against its column."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import from_json
from sqlalchemy import BigInteger, Boolean, Column, Double, LargeBinary

from store.engine.columns import Json, dumps
from store.engine.errors import StoreError
from store.engine.portable_table import PortableTable
from store.files.port import KEY
from store.media.tables import uploads
from store.upkeep.portable_tables import OWNERS, PORTABLE

FORMAT = "matchwire-organization"
FORMAT_VERSION = 1
LONGEST_LINE = 64 << 20
"""Bytes of a line; the largest are the last answers of a provider, compressed."""
SHOWN = 60
"""Characters of a foreign text that an error shows."""

TABLES = {each.table.name: each for each in PORTABLE}
_COLUMNS = {name: {column.name: column for column in each.columns} for name, each in TABLES.items()}
_JSON_KINDS: Mapping[str, type] = {"options": list, "faults": list, "pending": object}
"""What columns of JSON hold by their names; all others hold objects."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_CONTENT_TYPES = {"i": re.compile(r"image/(jpeg|png|gif|webp|avif)"), "v": re.compile(r"video/(mp4|webm|quicktime)")}
_NOTHING = re.compile(r"(?!)")
_INT64 = range(-(2**63), 2**63)


class LineRefused(StoreError):
    """A line of an export that cannot be imported; the text says why and shows little of it."""


def line_of(name: str, row: Mapping[str, Any]) -> bytes:
    """The line of a row. Raises StoreError for one that the database holds in a form that is no JSON."""
    shown = {
        key: base64.b64encode(value).decode() if isinstance(value, bytes | memoryview) else value
        for key, value in row.items()
    }
    try:
        return dumps({"table": name, "row": shown}).encode() + b"\n"
    except (ValueError, TypeError, RecursionError) as error:
        keys = [row.get(key.name) for key in TABLES[name].table.primary_key]
        raise StoreError(f"the row {keys} of {name} is not readable: mend or delete it first") from error


def value_of(line: bytes) -> dict[str, Any]:
    """The JSON object of a line, which ends with a line feed. Raises LineRefused."""
    if len(line) > LONGEST_LINE:
        raise LineRefused(f"longer than {LONGEST_LINE} bytes")
    if not line.endswith(b"\n"):
        raise LineRefused("the file ends within a line or before its last one")
    try:
        value = from_json(line, allow_inf_nan=False)
    except ValueError as error:
        raise LineRefused(f"no JSON: {str(error)[:SHOWN]}") from error
    if not isinstance(value, dict):
        raise LineRefused("no JSON object")
    return value


def row_of(value: Mapping[str, Any], organization: str) -> tuple[PortableTable, dict[str, Any]]:
    """The table and the row that a line names, with exactly the columns of an export. Raises LineRefused."""
    name, row = _table_and_row(value)
    columns = _COLUMNS[name]
    read = {key: _read(columns[key], each) for key, each in row.items()}
    if TABLES[name].table is uploads:
        _check_upload(read)
    if any(read.get(owner, organization) != organization for owner in OWNERS):
        raise LineRefused(f"a row of {name} that belongs to another organization")
    return TABLES[name], read


def _check_upload(row: Mapping[str, Any]) -> None:
    """Refuse what becomes part of a path or of the headers of a response, and is not of the form of an upload."""
    forms = {"key": KEY, "digest": _DIGEST, "content_type": _CONTENT_TYPES.get(row["subtype"], _NOTHING)}
    for column, form in forms.items():
        if not form.fullmatch(row[column]):
            raise LineRefused(f"uploads.{column} is not that of an upload")
    if row["bytes"] < 0:
        raise LineRefused("uploads.bytes is below 0")


def _table_and_row(value: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    name, row = value.get("table"), value.get("row")
    if value.keys() != {"table", "row"} or not isinstance(name, str) or not isinstance(row, dict):
        raise LineRefused("neither a row of a table nor the last line")
    if name not in TABLES:
        raise LineRefused(f"no table {_shown(name)} is imported")
    columns = _COLUMNS[name]
    if unknown := row.keys() - columns.keys():
        raise LineRefused(f"{name} has no column {_shown(min(unknown))}")
    if missing := columns.keys() - row.keys():
        raise LineRefused(f"{name} lacks the column {min(missing)}")
    return name, row


def _read(column: Column[Any], value: Any) -> Any:
    place = f"{column.table.name}.{column.name}"
    if value is not None:
        read = next((read for kind, read in _READERS.items() if isinstance(column.type, kind)), _text)
        return read(place, value)
    if not column.nullable:
        raise LineRefused(f"{place} is null")
    return None


def _json(place: str, value: Any) -> Any:
    kind = _JSON_KINDS.get(place.rpartition(".")[2], dict)
    if not isinstance(value, kind):
        raise LineRefused(f"{place} is no JSON {'object' if kind is dict else 'array'}")
    try:
        dumps(value)
    except ValueError as error:
        raise LineRefused(f"{place} holds a number beyond all bounds") from error
    return value


def _boolean(place: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise LineRefused(f"{place} is no boolean")
    return value


def _double(place: str, value: Any) -> float:
    if type(value) not in {int, float} or not abs(value) <= sys.float_info.max:
        raise LineRefused(f"{place} is no number")
    return float(value)


def _integer(place: str, value: Any) -> int:
    if type(value) is not int or value not in _INT64:
        raise LineRefused(f"{place} is no integer of 64 bits")
    return value


def _text(place: str, value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise LineRefused(f"{place} is no text")
    return value


def _bytes(place: str, value: Any) -> bytes:
    try:
        return base64.b64decode(_text(place, value), validate=True)
    except ValueError as error:
        raise LineRefused(f"{place} is no base64") from error


_READERS: Mapping[type, Callable[[str, Any], Any]] = {
    Json: _json,
    Boolean: _boolean,
    Double: _double,
    BigInteger: _integer,
    LargeBinary: _bytes,
}
"""Kinds of columns; all others hold text."""


def _shown(text: str) -> str:
    return repr(text[:SHOWN])
