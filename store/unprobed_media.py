"""Which files of a post are to be probed: those whose facts it does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapping.documents.scalars import LocalStatus

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from store.records import StoredEvent
    from store.sql.bulk_write import Row

FACTS = {"i": ("width", "height"), "v": ("width", "height", "duration_ms")}
"""What a post has to say of a file of each subtype, else it is probed."""


def unprobed(event: StoredEvent, before: Mapping[str, Any], organization_id: str, now: float) -> list[Row]:
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


def _is_unknown(file: Mapping[str, Any]) -> bool:
    needed = FACTS.get(str(file.get("subtype")), FACTS["i"])
    return (
        str(file.get("url")).lower().startswith(("http://", "https://"))
        and file.get("local_status") != LocalStatus.DELETED
        and any(not file.get(name) for name in needed)
    )
