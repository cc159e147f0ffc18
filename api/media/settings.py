"""What the image proxy works with: its settings, and what its parts hand to each other. Light: nothing here loads Pillow."""

from __future__ import annotations

from dataclasses import dataclass


class RefusedImage(Exception):
    """No variant is made of it: no image, broken, or larger than the limits."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One resized form: a file, and its media type."""

    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """What is refused: pixels and frames that a header names, and bytes that decoding may take."""

    pixels: int
    frames: int
    decode_bytes: int
    animation_bytes: int
    """The largest GIF that is passed on moving."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaSettings:
    """Times in seconds, sizes in bytes; `config/default.toml` explains each."""

    folder: str
    cache_bytes: int
    hot_bytes: int
    image_bytes: int
    refresh: float
    refresh_most: float
    retry: float
    stale: float
    max_age: int
    workers: int
    render_queue: int
    organization_render_queue: int
    limits: ImageLimits
