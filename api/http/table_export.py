"""Tables as files: CSV without formulas, or JSON Lines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection
from starlette.responses import Response, StreamingResponse

from api.http.errors import json_bytes
from api.http.json_path import Json
from api.http.param import TEXT, OneOf, words
from mapping.rules.plain_text import csv_text

Read = Callable[[Callable[[Connection], Any]], Awaitable[Any]]
"""Gives the result of a query."""


Row = dict[str, Any]
FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
FORMAT = OneOf("format", "What the file is", choices=words(FORMATS), default="csv")
BETWEEN = "|"
"""Between the values of a cell that has several."""


class TableFile(NamedTuple):
    """A file of rows with these columns, in one of `FORMATS`."""

    columns: Sequence[str]
    form: str

    def head(self) -> str:
        """What the file begins with."""
        return csv_text([self.columns]) if self.form == "csv" else ""

    def text(self, rows: Sequence[Row]) -> str:
        """The rows as a part of the file."""
        if self.form == "jsonl":
            return "".join(f"{json_bytes(row).decode()}\n" for row in rows)
        return csv_text([_cell(row[name]) for name in self.columns] for row in rows)

    def response(self, name: str, parts: AsyncIterator[str]) -> Response:
        """The file under this name, of which each part is read when it is wanted."""
        headers = {"Content-Disposition": f'attachment; filename="{name}.{self.form}"'}
        return StreamingResponse(parts, media_type=FORMATS[self.form], headers=headers)


def response(description: str) -> Json:
    """What an operation says of the file that it answers with."""
    content = {kind.partition(";")[0]: {"schema": TEXT} for kind in FORMATS.values()}
    return {"description": description, "content": content}


def _cell(value: Any) -> object:
    return BETWEEN.join(value) if isinstance(value, list) else value
