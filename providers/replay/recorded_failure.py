"""A failed response as a recording keeps it, and as a replay gives it again."""

from __future__ import annotations

import asyncio
import base64
import gzip
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Literal, NamedTuple, get_args

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from providers.replay.faults import HTML

Ending = Literal["whole", "late", "broken", "large", "cut", "garbled", "strange"]
"""How the answer ended: as it should, not in time, with a broken connection, too large, with half a compressed body, with a
body that was not compressed as it said, or compressed in a way that was not requested."""

ENDINGS: tuple[str, ...] = get_args(Ending)
SERVED = range(200, 1000)
BODILESS = frozenset({204, 205, 304})
LARGEST = 64 * 1024 * 1024
"""Bytes that a replay sends of an answer that was too large."""
CHUNK = 64 * 1024


class Failure(NamedTuple):
    """An answer that could not be used: `status` 0 where none came, of the body what was kept of it."""

    status: int = 0
    body: bytes = b""
    ending: str = "whole"
    error: str = ""
    """The error when it was recorded: its class and its message."""
    retry_after: str | None = None
    size: int = 0
    """Bytes, of an answer that was too large."""

    def fields(self) -> dict[str, Any]:
        """As a line of a recording holds it; a body that is no UTF-8 in base64."""
        fields: dict[str, Any] = {"status": self.status, "manner": self.ending, "error": self.error}
        fields |= {} if self.retry_after is None else {"retry_after": self.retry_after}
        fields |= {"size": self.size} if self.size else {}
        try:
            return fields | {"raw": self.body.decode()}
        except UnicodeDecodeError:
            return fields | {"base64": base64.b64encode(self.body).decode()}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Failure:
        """Out of a line (ValueError says what is wrong with it)."""
        status, ending = document.get("status"), document.get("manner", "whole")
        if not isinstance(status, int) or isinstance(status, bool) or (status and status not in SERVED):
            raise ValueError("`status` is neither 0 nor a status code")
        if ending not in ENDINGS:
            raise ValueError(f"`manner` is not one of {', '.join(ENDINGS)}")
        size, retry_after = document.get("size", 0), document.get("retry_after")
        if not isinstance(size, int) or not (retry_after is None or isinstance(retry_after, str)):
            raise ValueError("`size` is no number or `retry_after` no string")
        return cls(status, _body(document), ending, str(document.get("error", "")), retry_after, size)


def _body(document: Mapping[str, Any]) -> bytes:
    if ("raw" in document) == ("base64" in document):
        raise ValueError("exactly one of `raw` and `base64` is needed")
    kept = document.get("raw", document.get("base64"))
    if not isinstance(kept, str):
        raise ValueError("`raw` or `base64` is not a string")  # noqa: TRY004 -- callers catch one kind of error
    return kept.encode() if "raw" in document else base64.b64decode(kept, validate=True)


def response_of(failure: Failure, hang: float) -> Response:
    """The same again; what never came hangs for `hang` seconds."""
    if failure.ending == "late":
        return Hanging(hang)
    if failure.ending in SPOILT:
        return SPOILT[failure.ending](failure)
    status = failure.status or 500
    headers = {} if failure.retry_after is None else {"retry-after": failure.retry_after}
    body = b"" if status in BODILESS else failure.body
    return Response(body, status, headers=headers, media_type=HTML)


async def pad_body(body: bytes, size: int) -> AsyncIterator[bytes]:
    """The body after so many bytes of blanks that it is `size` long."""
    blanks = max(0, size - len(body))
    for start in range(0, blanks, CHUNK):
        yield b" " * min(CHUNK, blanks - start)
    yield body


class Hanging(Response):
    """No answer until the client goes away, or a 500 when the time is over."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        try:
            async with asyncio.timeout(self._seconds):
                while (await receive())["type"] != "http.disconnect":
                    pass
        except TimeoutError:
            return


class Cut(Response):
    """The first part of a longer answer, after which the connection breaks."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        promised = (b"content-length", str(len(self.body) * 2 + 1).encode())
        headers = [*(pair for pair in self.raw_headers if pair[0] != b"content-length"), promised]
        await send({"type": "http.response.start", "status": self.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})


SPOILT: Mapping[str, Callable[[Failure], Response]] = {
    "broken": lambda failure: Cut(failure.body, failure.status or 200),
    "large": lambda failure: StreamingResponse(pad_body(failure.body, min(failure.size, LARGEST))),
    "cut": lambda failure: Response(
        gzip.compress(failure.body, mtime=0)[:-8], headers={"content-encoding": "gzip"}, media_type=HTML
    ),
    "garbled": lambda failure: Response(
        b"not what it says " + failure.body, headers={"content-encoding": "gzip"}, media_type=HTML
    ),
    "strange": lambda _: Response(b"?", headers={"content-encoding": "unknown"}, media_type=HTML),
}
