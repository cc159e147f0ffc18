"""What the script of comments needs on the page of a liveblog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.http.errors import json_bytes
from api.http.json_path import node
from mapping.locales.labels import CommentLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.http.json_path import Json
    from config import Settings
    from mapping.locales import Translator


def page_data(settings: Settings, organization_id: str, game: Json, texts: Translator) -> Mapping[str, object]:
    """What it says, as JSON; nothing where the organization or the liveblog takes no comments."""
    if (
        not settings.organization(organization_id).takes_comments
        or node(game, "meta_info").get("allow_comments") is not True
    ):
        return {}
    return {"comments": json_bytes({each.name.lower(): texts.text(each) for each in CommentLabel}).decode()}
