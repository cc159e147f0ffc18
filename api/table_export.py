"""Tables as files: CSV without formulas, or JSON Lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from api import openapi
from api.request import choice
from mapping.rules.csv_cells import csv_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.json_path import Json

Row = dict[str, Any]
FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
BETWEEN = "|"
"""Between the values of a cell that has several."""
FORMAT = openapi.query("format", "What the file is", {"type": "string", "enum": [*FORMATS], "default": "csv"})


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
            return "".join(f"{json.dumps(row, ensure_ascii=False, separators=(',', ':'))}\n" for row in rows)
        return csv_text([_cell(row[name]) for name in self.columns] for row in rows)

    def headers(self, name: str) -> dict[str, str]:
        """Those of a response that is the file."""
        return {"Content-Disposition": f'attachment; filename="{name}.{self.form}"'}


def response(description: str) -> Json:
    """What an operation says of the file that it answers with."""
    content = {kind.partition(";")[0]: {"schema": openapi.TEXT} for kind in FORMATS.values()}
    return {"description": description, "content": content}


def wanted_format(query: dict[str, str]) -> str:
    """Raises InvalidRequest for a `format` that there is not."""
    return choice(query, "format", {each: each for each in FORMATS}, "csv")


def _cell(value: Any) -> object:
    return BETWEEN.join(value) if isinstance(value, list) else value
