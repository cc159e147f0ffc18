"""What the script that counts readers needs on the page of a liveblog."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.http.json_path import Json
    from config import Settings
    from mapping.locales import Translator


def page_data(settings: Settings, organization_id: str, _game: Json, _texts: Translator) -> Mapping[str, object]:
    """Whether readers of this organization are counted."""
    return {"counted": 1} if settings.counts_readers(organization_id) else {}
