"""Bodies as they come in, plain or packed: counted as they grow, so that nobody takes more than there is room for."""

from __future__ import annotations

import asyncio
import zlib
from typing import TYPE_CHECKING, Any

from mapping.errors import BadBody

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

TOO_LARGE = "the provider's answer is too large"
CUT_OFF = "the provider's answer is cut off"
GARBLED = "the provider's answer is not what its encoding says"
GZIP = 16 + zlib.MAX_WBITS
AT_ONCE = 1024 * 1024
"""Bytes that are unpacked at a time."""


async def plain(raw: AsyncIterable[bytes], limit: int, body: bytearray) -> bytes:
    """The body, which grows in `body`. BadBody where it is larger than `limit`."""
    async for chunk in raw:
        body += chunk
        within(len(body), limit)
    return bytes(body)


async def gunzip(raw: AsyncIterable[bytes], limit: int, body: bytearray) -> bytes:
    """Like `plain`, unpacked. Never more than one byte over the limit is unpacked, whatever a chunk expands to."""
    unpack, received = zlib.decompressobj(GZIP), 0
    async for chunk in raw:
        received += len(chunk)
        within(received, limit)
        await _expand(unpack, chunk, limit, body)
    if not unpack.eof or unpack.unused_data:
        raise BadBody(CUT_OFF)
    return bytes(body)


async def _expand(unpack: Any, chunk: bytes, limit: int, body: bytearray) -> None:
    """A small chunk can hold very much: others get their turn in between."""
    more = True
    while more:
        room = min(AT_ONCE, limit + 1 - len(body))
        try:
            piece = unpack.decompress(chunk, room)
        except zlib.error:
            raise BadBody(GARBLED) from None
        body += piece
        within(len(body), limit)
        more, chunk = len(piece) == room, unpack.unconsumed_tail
        if more:
            await asyncio.sleep(0)


def within(size: int, limit: int) -> None:
    """Raise BadBody for what is too large."""
    if size > limit:
        raise BadBody(TOO_LARGE)
