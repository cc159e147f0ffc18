"""What a post refers to: records that the caller may see, and ids that nobody else has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.decorate import TABLES
from mapping.errors import Conflict, Unprocessable
from mapping.referring import part_ids, references
from store import masterdata, parts

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from api.auth import Caller
    from api.peek import Json
    from mapping.posting import Posted
    from store.liveblogs import StoredGame


def check_references(
    conn: Connection, sent: Json, game: StoredGame, caller: Caller, *, known: Json | None = None
) -> None:
    """Raise Unprocessable, with the path, for an `_id` that names no record of the caller or of the liveblog's owner.

    `known`: a document whose references need no check, because they stand already.
    """
    standing = {(each.kind, each.id) for each in references(known or {})}
    named = [each for each in references(sent) if (each.kind, each.id) not in standing]
    visible = caller.organizations | {game.organization_id}
    for kind in {each.kind for each in named}:
        found = masterdata.find(conn, TABLES[kind], {each.id for each in named if each.kind == kind})
        for each in named:
            record = found.get(each.id)
            if each.kind == kind and (record is None or record.owner_id not in visible):
                raise Unprocessable(f"there is no such {kind.lower()}", field=each.path)


def check_parts(conn: Connection, posted: Posted, event_id: str) -> None:
    """Raise Unprocessable for an id that two parts of the post have, Conflict for one that belongs to another post."""
    seen: dict[str, str] = {}
    for path, local_id in part_ids(posted.document):
        if local_id in seen:
            raise Unprocessable("two parts of the post have this local_id", field=path)
        seen[local_id] = path
    chosen = [local_id for _, local_id in part_ids(posted.sent)]  # what the service chose is free
    for local_id, holder in parts.holders(conn, chosen).items():
        if holder != event_id and local_id in seen:
            raise Conflict("this local_id is taken", field=seen[local_id])
