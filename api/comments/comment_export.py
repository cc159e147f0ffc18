"""All comments of a liveblog as a file: CSV without formulas, or JSON Lines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api.http.json_path import rfc3339
from api.http.table_export import TableFile
from store.comments import comments

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from api.http.table_export import Read, Row
    from store.comments.comments import StoredComment

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


async def export_comments(read: Read, game_id: str, form: str) -> AsyncIterator[str]:
    """The file of a liveblog in parts, in the order of writing, each read when it is wanted."""
    file = TableFile(COLUMNS, form)
    yield file.head()
    after = 0
    while found := await read(partial(comments.read_for_export, game_id=game_id, after=after, limit=PAGE)):
        yield file.text([_row(each) for each in found])
        after = found[-1].serial


def _row(comment: StoredComment) -> Row:
    return {name: getattr(comment, name) for name in COLUMNS} | {"created_at": rfc3339(comment.created_at)}
