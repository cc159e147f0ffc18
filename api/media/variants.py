"""Makes resized forms of an image, as pure functions of its bytes; what is too large is refused before a pixel is decoded."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from io import BytesIO
from threading import Lock
from typing import Any, Final

from PIL import AvifImagePlugin, Image, ImageCms

from api.media.disk_cache import RefusedImage, Variant
from config.sections import MediaConfig
from mapping.rules.media_address import ImageOptions
from store.files.image_facts import (
    READ_BY_PILLOW,
    TURNED,
    BrokenGif,
    ImageFacts,
    Pieces,
    clean_gif,
    identify,
    orientation,
)
from store.files.storage import CONTENT_TYPES

LARGEST_SIDE: Final = 4096
"""Pixels of a side of what is made, also where the address asks for the image as it is."""
SCANS: Final = 100
"""Scans of a progressive JPEG: real ones have ten, and each of them passes over all pixels."""
PROFILE_BYTES: Final = 65_536
"""The largest colour profile that is kept: those of screens and cameras have a few KB."""
SAVING: Final[dict[str, dict[str, Any]]] = {
    "jpeg": {"quality": 80, "progressive": True, "optimize": True},
    "png": {"compress_level": 6},
    "webp": {"quality": 80, "method": 2},
    "avif": {"quality": 60, "speed": 10, "max_threads": 1},
}
"""How each format is written: what looks like the original, at a cost that a request can wait for."""
BETTER: Final = ("avif", "webp")
"""Formats that not all readers take, the smaller first."""
DRAFTS: Final = (1, 2, 4, 8)
"""Parts of its size at which a JPEG can be decoded for less than the whole."""
DECODING: Final = {"jpeg": 4, "png": 4, "gif": 5, "webp": 12, "avif": 12}
"""Bytes of memory that decoding takes for a pixel."""
CONVERTING: Final = 4
"""… and what is added for an image with colours from a table, or see-through."""
COEFFICIENTS: Final = 6
"""… and for each pixel of a progressive JPEG, also of one that is decoded smaller."""
ORIENTED: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What turns an image upright, by its EXIF orientation."""

SMALL: Final = 0.25
"""Part of the memory for decoding below which several images are decoded at a time."""
_ONE_LARGE = Lock()

AvifImagePlugin.DEFAULT_MAX_THREADS = 1  # a thread each is what the workers have


def check(body: bytes, limits: MediaConfig) -> None:
    """Raise RefusedImage for what is no image, or one that can never be shown: by its header alone."""
    facts = identify(body)
    if facts is None:
        raise RefusedImage("no image that the service takes")
    check_size(facts, limits)


def check_size(facts: ImageFacts, limits: MediaConfig) -> None:
    """Raise RefusedImage for more pixels or frames than the limits, or pixels that memory for decoding does not hold."""
    pixels = facts.width * facts.height
    if pixels > limits.pixels or facts.frames > limits.frames:
        raise RefusedImage("more pixels or frames than the service takes")
    smallest = DRAFTS[-1] if facts.format == "jpeg" else DRAFTS[0]
    if pixels * DECODING[facts.format] / smallest**2 > limits.decode_bytes:
        raise RefusedImage("decoding it would take too much memory")


def render(body: bytes, options: ImageOptions, accepted: frozenset[str], limits: MediaConfig) -> Variant:
    """The variant of an image for a reader who takes the formats `accepted` beside JPEG, PNG and GIF.

    Upright, never enlarged, without metadata but for its colour profile; always written anew, so nothing that a file
    hides behind or between its pixels is passed on. Raises RefusedImage.
    """
    check(body, limits)
    with _refusing():
        moving = _moving(body, options, limits)
        if moving is not None:
            return Variant(CONTENT_TYPES["gif"], moving)
        with Image.open(Pieces.of(body), formats=(*READ_BY_PILLOW, "WEBP", "AVIF")) as image:
            return _render(image, body, options, accepted, limits)


@contextmanager
def _refusing() -> Iterator[None]:
    """What Pillow and zlib raise at a broken file is a refusal."""
    try:
        yield
    except (OSError, ValueError, SyntaxError, struct.error, LookupError, EOFError, MemoryError, BrokenGif) as error:
        raise RefusedImage(f"the image cannot be decoded: {type(error).__name__}") from error


def _render(
    image: Image.Image, body: bytes, options: ImageOptions, accepted: frozenset[str], limits: MediaConfig
) -> Variant:
    """Decode, resize, turn and write, in this order, so that all but the first work on few pixels."""
    turn = orientation(image.info.get("exif"))
    wanted, crop = geometry(image.size, options, turned=turn in TURNED)
    original = image.size
    taken = _draft(image, min((crop[2] - crop[0]) / wanted[0], (crop[3] - crop[1]) / wanted[1]), body, limits)
    with _ONE_LARGE if taken > SMALL else nullcontext():
        resized = _resize(image, original, wanted, crop)
    upright, profile = _in_rgb(resized, image.info.get("icc_profile"))
    if turn in ORIENTED:
        upright = upright.transpose(ORIENTED[turn])
    return _write(upright, _choose_format(_format(image), accepted, clear=upright.mode == "RGBA"), profile)


def _resize(
    image: Image.Image, original: tuple[int, int], wanted: tuple[int, int], crop: tuple[float, float, float, float]
) -> Image.Image:
    """The part of an image in the wanted size, or in that which it could be decoded at."""
    image.load()
    across, down = image.width / original[0], image.height / original[1]
    shown = (crop[0] * across, crop[1] * down, crop[2] * across, crop[3] * down)
    size = (min(wanted[0], math.ceil(shown[2] - shown[0])), min(wanted[1], math.ceil(shown[3] - shown[1])))
    return _plain(image).resize(size, Image.Resampling.LANCZOS, box=shown, reducing_gap=2.0)


def geometry(
    size: tuple[int, int], options: ImageOptions, *, turned: bool = False
) -> tuple[tuple[int, int], tuple[float, float, float, float]]:
    """The size of the variant, and the part of the image that it shows: both as the image is stored.

    `turned`: it is stored on its side, so its width is shown as its height.
    """
    width, height = size
    sides = [side * options.dpr if side else None for side in (options.width, options.height)]
    across, down = reversed(sides) if turned else sides
    if options.fit == "cover" and across and down:
        scale = max(across / width, down / height)
        part = across / scale, down / scale
    else:
        across, down = across or LARGEST_SIDE, down or LARGEST_SIDE
        scale = min(1.0, across / width, down / height, LARGEST_SIDE / width, LARGEST_SIDE / height)
        part = float(width), float(height)
    made = max(1, round(part[0] * min(1.0, scale))), max(1, round(part[1] * min(1.0, scale)))
    left, top = (width - part[0]) / 2, (height - part[1]) / 2
    return made, (max(0.0, left), max(0.0, top), min(width, left + part[0]), min(height, top + part[1]))


def _moving(body: bytes, options: ImageOptions, limits: MediaConfig) -> bytes | None:
    """An animated GIF that is small enough, and wanted no smaller; raises RefusedImage for one of too many frames."""
    if not body.startswith(b"GIF8"):
        return None
    whole, pictures = clean_gif(body, limits.frames)
    if pictures > limits.frames:
        raise RefusedImage("more frames than the service takes")
    size = int.from_bytes(body[6:8], "little"), int.from_bytes(body[8:10], "little")
    as_it_is = geometry(size, options)[0] == size and len(whole) <= limits.animation_bytes
    return whole if pictures > 1 and as_it_is else None


def _draft(image: Image.Image, enough: float, body: bytes, limits: MediaConfig) -> float:
    """The part of the limit that decoding takes.

    Has a JPEG decoded at the half, quarter or eighth of its size: where that is `enough`, or all that memory allows.
    Raises RefusedImage where it would take too much all the same.
    """
    name, pixels, left = _format(image), image.width * image.height, limits.decode_bytes
    cost = pixels * DECODING[name]
    if name != "jpeg":
        fits = [1] if cost + pixels * CONVERTING * (image.mode not in {"RGB", "L"}) <= left else []
    else:
        if body.count(b"\xff\xda") > SCANS:
            raise RefusedImage("more scans than an image has")
        left -= COEFFICIENTS * pixels if "progressive" in image.info else 0
        fits = [part for part in DRAFTS if cost / part**2 <= left]
    if not fits:
        raise RefusedImage("decoding it would take too much memory")
    part = max((part for part in fits if part <= enough), default=fits[0])
    image.draft(image.mode, (image.width // part, image.height // part))
    return (limits.decode_bytes - left + cost / part**2) / limits.decode_bytes


def _format(image: Image.Image) -> str:
    """MPO is a JPEG with further images behind the first."""
    return "jpeg" if image.format == "MPO" else (image.format or "").casefold()


def _plain(image: Image.Image) -> Image.Image:
    """The decoded image in a mode that can be resized well."""
    if image.mode == "CMYK":
        return image
    if image.has_transparency_data:
        mode = "RGBA"
    elif image.mode.startswith("I"):
        return image.point(lambda value: value / 256).convert("L")  # 16 bits a pixel
    elif image.mode in {"1", "L"}:
        mode = "L"
    else:
        mode = "RGB"
    return image if image.mode == mode else image.convert(mode)


def _in_rgb(image: Image.Image, profile: bytes | None) -> tuple[Image.Image, bytes | None]:
    """The image as screens show it, and the profile that its colours still need. Inks and greys are turned into light.

    A profile of greys would stand above pixels of three colours in a format that has no greys, and browsers refuse that.
    """
    space = {"CMYK": "CMYK", "L": "GRAY"}.get(image.mode, "RGB")
    read = _profile(profile, space)
    if space == "RGB":
        return image, profile if read is not None else None
    if read is None:
        return (image.convert("RGB") if space == "CMYK" else image), None
    turned = ImageCms.profileToProfile(image, read, ImageCms.createProfile("sRGB"), outputMode="RGB")
    return (turned or image.convert("RGB")), None


def _profile(content: bytes | None, space: str) -> ImageCms.ImageCmsProfile | None:
    """A colour profile of that space; None where it is none that can be read."""
    try:
        read = ImageCms.ImageCmsProfile(BytesIO(content)) if content else None
    except (OSError, ImageCms.PyCMSError):
        return None
    return read if read is not None and read.profile.xcolor_space.strip() == space else None


def _choose_format(name: str, accepted: frozenset[str], *, clear: bool) -> str:
    """The format: the smallest that the reader takes, else what the original has, or the one that keeps it see-through."""
    better = next((each for each in BETTER if each in accepted), None)
    return better or ("png" if clear or name in {"png", "gif"} else "jpeg")


def _write(image: Image.Image, name: str, profile: bytes | None) -> Variant:
    image.info = {}  # Pillow would write comments and the like
    file = BytesIO()
    kept = {"icc_profile": profile} if profile and len(profile) <= PROFILE_BYTES else {}
    image.save(file, name, **SAVING[name], **kept)
    return Variant(CONTENT_TYPES[name], file.getvalue())
