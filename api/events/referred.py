"""What a post refers to: records that the caller may see, and ids that nobody else has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.references import TABLES, wanted
from mapping.errors import Conflict, Unprocessable
from mapping.referring import part_ids, references
from store import declarations, masterdata
from store.event_rows import owners_of_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from api.auth import Caller
    from api.json_path import Json
    from mapping.event_patch import Posted
    from store.liveblogs import StoredGame


def check_references(
    conn: Connection, sent: Json, game: StoredGame, caller: Caller, *, known: Json | None = None
) -> None:
    """Raise Unprocessable, with the path, for an `_id` that names no record of the caller or of the liveblog's owner.

    A label is one that the owner declares. `known`: a document whose references need no check, because they stand already.
    """
    _check_labels(conn, sent.get("tag_ids") or (), game, (known or {}).get("tag_ids") or ())
    named = list(references(sent)) if wanted([sent]) else []
    if not named:
        return
    standing = {(each.kind, each.id) for each in references(known or {})}
    named = [each for each in named if (each.kind, each.id) not in standing]
    visible = caller.organizations | {game.organization_id}
    for kind in {each.kind for each in named}:
        found = masterdata.find(conn, TABLES[kind], {each.id for each in named if each.kind == kind})
        for each in named:
            record = found.get(each.id)
            if each.kind == kind and (record is None or record.owner_id not in visible):
                raise Unprocessable(f"there is no such {kind.lower()}", field=each.path)


def _check_labels(conn: Connection, sent: Sequence[str], game: StoredGame, known: Sequence[str]) -> None:
    named = [(index, each) for index, each in enumerate(sent) if each not in known]
    if not named:
        return
    declared = declarations.declared_ids(conn, "tag", game.organization_id)
    for index, each in named:
        if each not in declared:
            raise Unprocessable("there is no such tag", field=f"tag_ids.{index}")


def check_parts(conn: Connection, posted: Posted, event_id: str) -> None:
    """Raise Unprocessable for an id that two parts of the post have, Conflict for one that belongs to another post."""
    seen: dict[str, str] = {}
    for path, local_id in part_ids(posted.document):
        if local_id in seen:
            raise Unprocessable("two parts of the post have this local_id", field=path)
        seen[local_id] = path
    chosen = [local_id for _, local_id in part_ids(posted.sent)]  # what the service chose is free
    for local_id, holder in owners_of_parts(conn, chosen).items():
        if holder != event_id and local_id in seen:
            raise Conflict("this local_id is taken", field=seen[local_id])
