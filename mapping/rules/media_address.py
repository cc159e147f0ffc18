"""Addresses of images and videos, `/media/{signature}/{options}/{media}`: made and read by pure functions.

`media` names an image and the organization on whose behalf it is fetched; the signature covers it and the options, so nobody
can have images fetched, or resized to sizes, that the service has not offered.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from mapping.errors import InvalidRequest, NotFound

Fit = Literal["contain", "cover"]
"""Contain: as large as fits into the box. Cover: fills the box, what is over on two sides is cut off."""

FITS: tuple[str, ...] = get_args(Fit)
LARGEST = 4096
"""Pixels that a side of an image may have, its density counted."""
DENSITIES = (1, 2, 3)
SIGNATURE_BYTES = 16
VIDEO = "video"
"""Stands where an image has its options."""
READ = 2048
"""Addresses that stay read; those that are not ours are checked each time."""
_OPTIONS = re.compile(
    r"(?:w(?P<width>[1-9]\d{0,3}))?(?:h(?P<height>[1-9]\d{0,3}))?(?:-(?P<fit>contain|cover))?(?:@(?P<dpr>[123]))?"
)


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """How an image is resized: the box in CSS pixels (None: whatever follows from the other side), never enlarged.

    `dpr`: pixels of the device to one of CSS. Without width and height the image keeps its size.
    """

    width: int | None = None
    height: int | None = None
    fit: Fit = "contain"
    dpr: int = 1

    def __str__(self) -> str:
        """As it stands in the address: `w640h360-cover@2`; `-contain` where nothing else is said."""
        width = f"w{self.width}" if self.width else ""
        height = f"h{self.height}" if self.height else ""
        return f"{width}{height}-{self.fit}{f'@{self.dpr}' if self.dpr > 1 else ''}"


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """An image as it is requested. `url`: `http(s)://…` or `imageservice://<organization>/<key>`."""

    organization_id: str
    url: str
    options: ImageOptions


def read_options(text: str) -> ImageOptions:
    """The options of an address. Raises InvalidRequest for what is none, or too large."""
    found = _OPTIONS.fullmatch(text)
    if found is None:
        raise InvalidRequest("options look like w640h360-cover@2", field="options")
    width, height = (int(found[side] or 0) or None for side in ("width", "height"))
    options = ImageOptions(width, height, "cover" if found["fit"] == "cover" else "contain", int(found["dpr"] or 1))
    if max(width or 0, height or 0) * options.dpr > LARGEST:
        raise InvalidRequest(f"a side of an image has at most {LARGEST} pixels", field="options")
    return options


def image_path(key: bytes, wanted: ImageRequest) -> str:
    """The path of the proxy's address, signed with `key`."""
    media = _encode(f"{wanted.organization_id} {wanted.url}".encode())
    options = str(wanted.options)
    return f"/media/{_signature(key, options, media)}/{options}/{media}"


def video_path(key: bytes, url: str) -> str:
    """The path under which readers get an uploaded video, signed with `key`."""
    media = _encode(url.encode())
    return f"/media/{_signature(key, VIDEO, media)}/{VIDEO}/{media}/play"


def read_video_path(keys: tuple[bytes, ...], signature: str, media: str) -> str:
    """The `imageservice://` address of the video. Raises NotFound where none of the keys has signed it."""
    if not _is_signed(keys, signature, VIDEO, media):
        raise NotFound("there is no such video")
    return urlsafe_b64decode(media + "=" * (-len(media) % 4)).decode()


@lru_cache(READ)
def read_path(keys: tuple[bytes, ...], signature: str, options: str, media: str) -> ImageRequest:
    """What an address requests. Raises NotFound where none of the keys has signed it."""
    if not _is_signed(keys, signature, options, media):
        raise NotFound("there is no such image")
    organization_id, _, url = urlsafe_b64decode(media + "=" * (-len(media) % 4)).decode().partition(" ")
    return ImageRequest(organization_id, url, read_options(options))


def _is_signed(keys: tuple[bytes, ...], signature: str, options: str, media: str) -> bool:
    sent = signature.encode("utf-8", "replace")
    return any(hmac.compare_digest(_signature(key, options, media).encode(), sent) for key in keys)


def _signature(key: bytes, options: str, media: str) -> str:
    signed = hmac.digest(key, f"{options}/{media}".encode("utf-8", "replace"), hashlib.sha256)
    return _encode(signed[:SIGNATURE_BYTES])


def _encode(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
