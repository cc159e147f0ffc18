"""The picture of a reader, which this service shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapping.rules.image_address import ImageOptions, ImageRequest, image_path

if TYPE_CHECKING:
    from api.http.services import Services

PICTURE = ImageOptions(width=48, height=48, fit="cover", dpr=2)


def reader_picture(services: Services, organization_id: str, url: str | None) -> str | None:
    """The address under which readers see the picture, None where there is none."""
    if url is None:
        return None
    path = image_path(services.keys.media, ImageRequest(organization_id, url, PICTURE))
    return f"{services.settings.public_url.rstrip('/')}{path}"
