"""What the parts of the image proxy hand to each other. Light: nothing here loads Pillow."""

from __future__ import annotations

from dataclasses import dataclass


class RefusedImage(Exception):
    """No variant is made of it: no image, broken, or larger than the limits."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One resized form: a file, and its media type."""

    content_type: str
    body: bytes
