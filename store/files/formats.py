"""The formats of images that the service takes; apart from Pillow, which no start waits for."""

from __future__ import annotations

from typing import Final

HEAD: Final = 262_144
"""Bytes from which an image is identified."""
CONTENT_TYPES: Final = {
    "jpeg": "image/jpeg",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
}
"""Formats that the service takes, each with its media type. SVG is none: it is a document that can run scripts."""
