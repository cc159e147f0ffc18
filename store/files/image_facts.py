"""What an image is, by its content: format, size and number of frames from the first bytes, without decoding a pixel."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Final

from PIL import ExifTags, Image, PngImagePlugin

from store.files.storage import CONTENT_TYPES, HEAD

EXTENSION, PICTURE, END = 0x21, 0x2C, 0x3B
CONTROL, APPLICATION = 0xF9, 0xFF
LOOP: Final = b"NETSCAPE2.0"
"""The application whose block says how often an animation is repeated."""
SUB_BLOCKS: Final = 200_000
"""Sub-blocks that are read: a file of 20 MB has 80,000 of 255 bytes each, one that is made of empty ones has millions."""
TOO_MANY: Final = "more parts than an image has"
HEADER: Final = 13
"""Bytes of the signature and the description of the screen."""


class BrokenGif(Exception):
    """It ends in the middle, or is no GIF."""


def clean_gif(body: bytes, most: int) -> tuple[bytes, int]:
    """The file with its pictures, their delays and the number of repetitions, and how many pictures it has.

    It is read up to the first picture beyond `most`. Nothing is decoded. Raises BrokenGif.
    """
    kept = []
    pictures = 0
    for start, end, keep in _blocks(body):
        pictures += body[start] == PICTURE
        if keep:
            kept.append(body[start:end])
        if pictures > most:
            break
    return b"".join((body[: HEADER + _table(body[10])], *kept, bytes((END,)))), pictures


def count_pictures(head: bytes, most: int) -> int:
    """How many pictures there are in the first bytes of a file; no more are counted than one beyond `most`."""
    pictures = 0
    with suppress(BrokenGif):
        for start, _, _ in _blocks(head):
            pictures += head[start] == PICTURE
            if pictures > most:
                break
    return pictures


def _blocks(body: bytes) -> Iterator[tuple[int, int, bool]]:
    """Where each block begins and ends, and whether it is kept. Raises BrokenGif."""
    if body[:6] not in {b"GIF87a", b"GIF89a"} or len(body) < HEADER:
        raise BrokenGif("no GIF")
    place = HEADER + _table(body[10])
    parts = 0
    try:
        while body[place] != END:
            start, (place, keep, read) = place, _block(body, place)
            parts += read
            if parts > SUB_BLOCKS:
                raise BrokenGif(TOO_MANY)
            yield start, place, keep
    except IndexError:
        raise BrokenGif("it ends in the middle") from None


def _block(body: bytes, place: int) -> tuple[int, bool, int]:
    """Where the block ends that begins at `place`, whether it is kept, and how many parts it has."""
    if body[place] == PICTURE:
        end, parts = _skip(body, place + 11 + _table(body[place + 9]))
        return end, True, parts
    if body[place] != EXTENSION:
        raise BrokenGif("an unknown block")
    looping = body[place + 1] == APPLICATION and body[place + 3 : place + 14] == LOOP
    end, parts = _skip(body, place + 2)
    return end, looping or body[place + 1] == CONTROL, parts


def _table(flags: int) -> int:
    """Bytes of the table of colours that follows."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _skip(body: bytes, place: int) -> tuple[int, int]:
    """The place behind a row of sub-blocks, and how many they are, the empty one at the end included."""
    for number in range(SUB_BLOCKS):
        length = body[place]
        place += length + 1
        if not length:
            return place, number + 1
    raise BrokenGif(TOO_MANY)


READ_BY_PILLOW: Final = ("JPEG", "PNG", "GIF")
"""Formats whose headers Pillow reads from the beginning of a file alone; it wants WebP and AVIF whole."""
TURNED: Final = frozenset({5, 6, 7, 8})
"""EXIF orientations that swap width and height."""

PARTS: Final = 5_000
"""Segments, chunks and boxes of a header that are read. Real ones have dozens; more could hold up everybody for long."""
READS: Final = 10_000
"""… and the pieces that Pillow may read of it, some three a part, one a byte between them …"""
PIECE: Final = 256
"""… and one more for so many bytes of a file that is decoded."""

RIFF: Final = len(b"RIFF____WEBP")

Image.MAX_IMAGE_PIXELS = None  # sizes are checked against the settings, before anything is decoded
PngImagePlugin.MAX_TEXT_MEMORY = PngImagePlugin.MAX_TEXT_CHUNK  # 64 MiB of unpacked comments otherwise
warnings.filterwarnings("ignore", module=r"PIL\.")  # strangers' files have broken EXIF blocks every day


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What an image says of itself. Width and height as it is shown, its EXIF orientation applied.

    `frames`: those that the first bytes show, so an animation of a large file can have more.
    """

    format: str
    content_type: str
    width: int
    height: int
    frames: int


def identify(head: bytes) -> ImageFacts | None:
    """The facts of the image that begins with `head` (its first `HEAD` bytes); None where it is none that the service takes."""
    head = head[:HEAD]
    try:
        if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
            return _webp(head)
        if head[4:8] == b"ftyp":
            return _avif(head)
        with Image.open(Pieces(head, READS), formats=READ_BY_PILLOW) as image:
            return _facts(
                image.format or "",
                *image.size,
                frames=_frames(image, head),
                orientation=orientation(image.info.get("exif")),
            )
    except (OSError, ValueError, SyntaxError, struct.error, IndexError, EOFError):
        return None


class Pieces(BytesIO):
    """A file that may be read in so many pieces; OSError beyond."""

    def __init__(self, content: bytes, reads: int) -> None:
        super().__init__(content)
        self._left = reads

    @classmethod
    def of(cls, body: bytes) -> Pieces:
        """A file that is to be decoded."""
        return cls(body, READS + len(body) // PIECE)

    def read(self, size: int | None = -1, /) -> bytes:
        self._left -= 1
        if self._left < 0:
            raise OSError("more parts than an image has")
        return super().read(size)


def orientation(exif: bytes | None) -> int:
    """The orientation that an EXIF block names, 1 (upright) where it names none or cannot be read."""
    tags = Image.Exif()
    try:
        tags.load(exif or b"")
        named = tags.get(ExifTags.Base.Orientation, 1)
    except Exception:  # noqa: BLE001 -- Pillow's parser fails in many ways; what it cannot read turns nothing
        return 1
    return named if named in range(1, 9) else 1


def _facts(name: str, width: int, height: int, *, frames: int, orientation: int = 1) -> ImageFacts | None:
    """None for an image without pixels. MPO is JPEG with further images behind the first."""
    name = "jpeg" if name == "MPO" else name.casefold()
    if orientation in TURNED:
        width, height = height, width
    return ImageFacts(name, CONTENT_TYPES[name], width, height, frames) if width and height else None


def _frames(image: Image.Image, head: bytes) -> int:
    """Frames that are there; the first is, where the file ends before the second. Of a GIF no more than PARTS and one."""
    if image.format == "MPO":
        return 1
    if image.format == "GIF":
        return max(1, count_pictures(head, PARTS))
    try:
        return max(1, getattr(image, "n_frames", 1))
    except (OSError, ValueError, SyntaxError, struct.error, IndexError, EOFError):
        return 1


def _webp(head: bytes) -> ImageFacts | None:
    """The canvas of a WebP file, which its first chunk names."""
    size: tuple[int, int] | None = None
    frames, exif = 0, None
    for place, (name, content) in enumerate(_few(_riff_chunks(head))):
        if place == 0:
            size = _webp_size(name, content)
        frames += name == b"ANMF"
        exif = content if name == b"EXIF" else exif
    return _facts("webp", *size, frames=max(1, frames), orientation=orientation(exif)) if size else None


def _webp_size(name: bytes, content: bytes) -> tuple[int, int] | None:
    """The size that a first chunk names: of an extended, a lossy or a lossless file."""
    if name == b"VP8X" and len(content) >= 10:
        return int.from_bytes(content[4:7], "little") + 1, int.from_bytes(content[7:10], "little") + 1
    if name == b"VP8 " and content[3:6] == b"\x9d\x01\x2a" and len(content) >= 10:
        width, height = struct.unpack_from("<HH", content, 6)
        return width & 0x3FFF, height & 0x3FFF
    if name == b"VP8L" and content[:1] == b"\x2f" and len(content) >= 5:
        (bits,) = struct.unpack_from("<I", content, 1)
        return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    return None


def _riff_chunks(head: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Name and content of each chunk that begins within the head."""
    place = RIFF
    while place + 8 <= len(head):
        length = int.from_bytes(head[place + 4 : place + 8], "little")
        yield head[place : place + 4], head[place + 8 : place + 8 + length]
        place += 8 + length + length % 2


def _avif(head: bytes) -> ImageFacts | None:
    """The largest image that an AVIF file's properties name: its tiles and thumbnails are smaller."""
    brands = _box(head, b"ftyp")
    brands = brands[:4] + brands[8:]
    if not {b"avif", b"avis"}.intersection(brands[place : place + 4] for place in range(0, len(brands), 4)):
        return None
    properties = list(_few(_boxes(_box(_box(_box(head, b"meta")[4:], b"iprp"), b"ipco"))))
    sizes = [struct.unpack_from(">II", each, 4) for name, each in properties if name == b"ispe" and len(each) >= 12]
    width, height = max(sizes, key=lambda size: size[0] * size[1], default=(0, 0))
    turned = any(name == b"irot" and each[:1] in {b"\x01", b"\x03"} for name, each in properties)
    frames = 2 if brands[:4] == b"avis" else 1
    return _facts("avif", width, height, frames=frames, orientation=6 if turned else 1)


def _box(content: bytes, name: bytes) -> bytes:
    """The content of the box of that name, empty where there is none."""
    return dict(_few(_boxes(content))).get(name, b"")


def _few(parts: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """The same parts; raises ValueError after PARTS of them."""
    for number, part in enumerate(parts):
        if number == PARTS:
            raise ValueError("more parts than an image has")
        yield part


def _boxes(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Name and content of each box of an ISO media file that begins here."""
    place = 0
    while place + 8 <= len(content):
        length = int.from_bytes(content[place : place + 4], "big")
        if length < 8:
            return  # to the end of the file, or larger than 4 GiB: the pixels
        yield content[place + 4 : place + 8], content[place + 8 : place + length]
        place += length
