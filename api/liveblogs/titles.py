"""The title of a team game: the client's own, else “Home – Away”, which follows the teams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.json_path import Json, kind, node, text
from api.references import complete
from store.records import title_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sqlalchemy import Connection


def default_title(conn: Connection, document: Mapping[str, Any]) -> str:
    """What a team game is called when nobody says otherwise; empty for a title game."""
    meta = node(document, "meta_info")
    if kind(meta) != "TeamGameMetaInfo":
        return ""
    bare = {"meta_info": {**meta, "title": None}, "scoreboard": document.get("scoreboard") or {}}
    return title_of(complete(conn, [bare])[0], {})


def has_own_title(conn: Connection, document: Mapping[str, Any]) -> bool:
    """Whether somebody has chosen the title."""
    title = text(document, "meta_info", "title")
    return bool(title) and title != default_title(conn, document)


def titled(conn: Connection, document: Json, *, keep: bool) -> Json:
    """The document with the default title, unless its own is to be kept."""
    default = "" if keep else default_title(conn, document)
    return {**document, "meta_info": {**document["meta_info"], "title": default}} if default else document
