"""What is public now, of rows and documents that have been read; `store.public` says the same in SQL, and nobody else says it.

A post that is scheduled is not public before it is published, whatever the time is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mapping.documents.scalars import LocalStatus


def liveblog_is_public(local_status: int) -> bool:
    """Whether readers see the liveblog; `local_status`: its own."""
    return local_status == LocalStatus.PUBLISHED


def post_is_public(local_status: int, publish_at: int | None) -> bool:
    """Whether readers of its liveblog see the post; `publish_at`: set while it waits for its time."""
    return local_status == LocalStatus.PUBLISHED and publish_at is None


def file_is_public(entry: Mapping[str, Any]) -> bool:
    """Whether readers of its post see the file of an entry of `media`; an entry that says nothing is published."""
    status = entry.get("local_status")
    return status is None or status == LocalStatus.PUBLISHED
