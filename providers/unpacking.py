"""Reads bodies as they arrive, plain or gzip, and counts decompressed bytes as they grow, so that no body exceeds its limit."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterable
from typing import Any

from mapping.errors import BadBody

TOO_LARGE = "the provider's answer is too large"
CUT_OFF = "the provider's answer is cut off"
GARBLED = "the provider's answer is not what its encoding says"
STRANGE = "the provider's answer has an unknown encoding"
GZIP = 16 + zlib.MAX_WBITS
AT_ONCE = 1024 * 1024
"""Bytes that are unpacked at a time."""


async def read_body(raw: AsyncIterable[bytes], encoding: str, limit: int, body: bytearray) -> bytes:
    """The decompressed body, which grows in `body`; `encoding` is the response's Content-Encoding.

    BadBody where it is larger than `limit` (bytes), cut off, or encoded in another way than requested.
    """
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return await _plain(raw, limit, body)
    if encoding in ("gzip", "x-gzip"):
        return await gunzip(raw, limit, body)
    raise BadBody(STRANGE)


async def _plain(raw: AsyncIterable[bytes], limit: int, body: bytearray) -> bytes:
    async for chunk in raw:
        body += chunk
        within(len(body), limit)
    return bytes(body)


async def gunzip(raw: AsyncIterable[bytes], limit: int, body: bytearray) -> bytes:
    """The unpacked body, which grows in `body`: never more than one byte over the limit, whatever a chunk expands to."""
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
