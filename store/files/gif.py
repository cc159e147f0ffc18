"""A GIF as it is, made of its pictures alone: comments, applications' blocks and what follows the end are left out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

EXTENSION, PICTURE, END = 0x21, 0x2C, 0x3B
CONTROL, APPLICATION = 0xF9, 0xFF
LOOP: Final = b"NETSCAPE2.0"
"""The application whose block says how often an animation is repeated."""
PARTS: Final = 200_000
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
            if parts > PARTS:
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
    for number in range(PARTS):
        length = body[place]
        place += length + 1
        if not length:
            return place, number + 1
    raise BrokenGif(TOO_MANY)
