"""Reads the body of a provider's response as it arrives, or says in a word what kept it away.

Bodies are plain or gzip; decompressed bytes are counted as they grow, so that none exceeds its limit.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
import zlib
from collections.abc import AsyncIterable, Iterator, Mapping
from typing import Any

from mapping.errors import BadBody

TOO_LARGE = "the provider's answer is too large"
CUT_OFF = "the provider's answer is cut off"
GARBLED = "the provider's answer is not what its encoding says"
STRANGE = "the provider's answer has an unknown encoding"
GZIP = 16 + zlib.MAX_WBITS
AT_ONCE = 1024 * 1024
"""Bytes that are unpacked at a time."""


OF_SYSTEM = {
    errno.EHOSTUNREACH: "no route",
    errno.ENETUNREACH: "no route",
    errno.ECONNREFUSED: "refused",
    errno.ETIMEDOUT: "time-out",
}
"""What the operating system says, where a number of its own says it."""
MEANINGS: Mapping[str, tuple[type[BaseException], ...]] = {
    "DNS": (socket.gaierror,),
    "TLS": (ssl.SSLError, ssl.CertificateError),
    "no route": (),
    "refused": (),
    "time-out": (TimeoutError,),
    "broken off": (OSError,),
}
"""What is in the way and the errors that say so; the first ones say more than the last."""


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


def obstacle_of(error: BaseException) -> str:
    """What kept a request from its answer: DNS, TLS, time-out, refused, no route, broken off, or no HTTP."""
    words = {word for each in _causes(error) if (word := _word(each))}
    return next((word for word in MEANINGS if word in words), "no HTTP")


def _word(error: BaseException) -> str | None:
    import aiohttp

    if isinstance(error, OSError) and error.errno in OF_SYSTEM and not isinstance(error, socket.gaierror):
        return OF_SYSTEM[error.errno]
    kinds = {**MEANINGS, "broken off": (OSError, aiohttp.ClientConnectionError)}
    return next((word for word, kind in kinds.items() if isinstance(error, kind)), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and all that stands behind it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
