"""Tables as CSV (RFC 4180) in which no cell is a formula for the program that opens it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a cell begins with that a spreadsheet computes."""


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """The rows as CSV; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text).writerows([[defuse_formula(each) for each in row] for row in rows])
    return text.getvalue()


def defuse_formula(value: object) -> object:
    """The cell, a text that begins like a formula behind an apostrophe, which spreadsheets do not show."""
    return f"'{value}" if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA) else value
