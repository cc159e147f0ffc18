"""The image that stands for a whole liveblog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.http.json_path import at
from api.view.post_files import image_url

if TYPE_CHECKING:
    from api.http.json_path import Json

PLACES = (
    ("marketplace_info", "cover_image"),
    ("meta_info", "home_team", "banner_image"),
    ("meta_info", "away_team", "banner_image"),
)


def cover(game: Json) -> str:
    """The address of its cover image, else of a photo of a team, as its owner keeps it; empty where there is none."""
    return next((url for place in PLACES if (url := image_url(at(game, *place)))), "")
