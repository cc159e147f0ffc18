"""What kept a request from its response, in a word: of the connection, the name, TLS, or time."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator, Mapping

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
