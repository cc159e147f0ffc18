"""Which files of a post are to be probed: those whose facts it does not say, as long as the post has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete

from mapping.documents.scalars import LocalStatus
from store.media.tables import media_probes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sqlalchemy import Connection

    from store.engine.records import StoredEvent
    from store.engine.sql.bulk_write import Row

FACTS = {"i": ("width", "height"), "v": ("width", "height", "duration_ms")}
"""What a post has to say of a file of each subtype, else it is probed."""


def unprobed_files(event: StoredEvent, before: Mapping[str, Any], organization_id: str, now: float) -> list[Row]:
    """Rows for the files of a post that are new in it, or have a new address, and whose facts it does not say."""
    media = event.document.get("media")
    if not media:
        return []
    known = {(file.get("local_id"), file.get("url")) for file in before.get("media") or ()}
    return [
        {
            "media_id": file["local_id"],
            "event_id": event.local_id,
            "game_id": event.game_id,
            "organization_id": organization_id,
            "url": file["url"],
            "tries": 0,
            "next_at": now,
            "error": None,
        }
        for file in media
        if (file.get("local_id"), file.get("url")) not in known and _is_unknown(file)
    ]


def forget_gone(conn: Connection, event: StoredEvent, before: Mapping[str, Any]) -> None:
    """Forget the probes of files that a post has lost, given-up ones too; of a deleted post, of all its files."""
    kept = [] if event.local_status == LocalStatus.DELETED else event.document.get("media") or ()
    named = {
        (file.get("local_id"), file.get("url")) for file in kept if file.get("local_status") != LocalStatus.DELETED
    }
    gone = {
        str(file.get("local_id"))
        for file in before.get("media") or ()
        if (file.get("local_id"), file.get("url")) not in named
    }
    if gone:
        of_post = media_probes.c.event_id == event.local_id
        conn.execute(delete(media_probes).where(of_post, media_probes.c.media_id.in_(gone)))


def _is_unknown(file: Mapping[str, Any]) -> bool:
    needed = FACTS.get(str(file.get("subtype")), FACTS["i"])
    return (
        str(file.get("url")).lower().startswith(("http://", "https://"))
        and file.get("local_status") != LocalStatus.DELETED
        and any(not file.get(name) for name in needed)
    )
