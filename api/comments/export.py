"""All comments of a liveblog as CSV or JSON Lines, read in pages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api.errors import json_bytes
from api.feeds.atom import rfc3339
from mapping.rules.csv_cells import csv_text
from store import comments

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from store.comments import StoredComment
    from store.database import Store

CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}
COLUMNS = (
    "id",
    "channel_id",
    "parent_id",
    "created_at",
    "reader_id",
    "author_name",
    "text",
    "status",
    "likes",
    "reports",
)
PAGE = 500


async def lines(store: Store, game_id: str, form: str) -> AsyncIterator[bytes]:
    """The export in pieces, in the order of writing; `form` is one of CONTENT_TYPES."""
    after = 0
    yield head(form)
    while found := await store.read(partial(comments.exported, game_id=game_id, after=after, limit=PAGE)):
        after = found[-1].serial
        yield page_text(found, form)


def head(form: str) -> bytes:
    """What stands before all comments."""
    return csv_text([COLUMNS]).encode() if form == "csv" else b""


def page_text(found: Sequence[StoredComment], form: str) -> bytes:
    """Some comments, a line or row each."""
    rows = [
        {**{name: getattr(each, name) for name in COLUMNS}, "created_at": rfc3339(each.created_at)} for each in found
    ]
    if form == "csv":
        return csv_text([list(row.values()) for row in rows]).encode()
    return b"".join(json_bytes(row) + b"\n" for row in rows)
