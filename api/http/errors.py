"""One way from an error to a response: `{code, message, field?, retryable}` with the status of the error's class."""

from __future__ import annotations

import json
import math
from typing import Any

from pydantic_core import PydanticSerializationError, to_json
from starlette.responses import Response

from mapping.errors import (
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    PayloadTooLarge,
    RateLimited,
    ServiceError,
    StoreUnavailable,
    Unauthorized,
    Unprocessable,
    UpstreamUnavailable,
)

URL_BYTES = 8192
"""Longest path and query of a request."""
HEADER_BYTES = 32 * 1024
"""Longest head of a request that is read."""
SAFE_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)
"""What a response carries unless its handler says otherwise."""
CHALLENGE = 'Basic realm="matchwire", charset="UTF-8", Bearer realm="matchwire"'
RETRY_AFTER = 5
"""Seconds named in `Retry-After` where the error knows no better number."""


class MethodNotAllowed(InvalidRequest):
    """The path exists, but not with this method."""


class RequestTimeout(InvalidRequest):
    """The rest of the request did not come in time; the same request may work later."""

    retryable = True


class UriTooLong(InvalidRequest):
    """The URL is longer than the server takes."""


class UnsupportedEncoding(InvalidRequest):
    """The body is compressed, which is refused so that its size cannot lie."""


class UnsupportedMedia(InvalidRequest):
    """The file is none of the kinds that are taken."""


class RangeNotSatisfiable(InvalidRequest):
    """The file ends before the range begins."""


class FormatNotServed(InvalidRequest):
    """The standard knows this format, and lets a server do without it."""


class HeadersTooLarge(InvalidRequest):
    """The headers are larger, or more, than the server takes."""


class Overloaded(ServiceError):
    """The process has as many connections as it may have."""

    retryable = True


class InternalError(ServiceError):
    """Stands for any unexpected error, and says nothing of it."""

    def __init__(self) -> None:
        super().__init__("unexpected internal error")


STATUS: dict[type[ServiceError], int] = {
    InvalidRequest: 400,
    Unauthorized: 401,
    Forbidden: 403,
    NotFound: 404,
    MethodNotAllowed: 405,
    RequestTimeout: 408,
    Conflict: 409,
    PayloadTooLarge: 413,
    UriTooLong: 414,
    UnsupportedEncoding: 415,
    UnsupportedMedia: 415,
    RangeNotSatisfiable: 416,
    Unprocessable: 422,
    RateLimited: 429,
    HeadersTooLarge: 431,
    ServiceError: 500,
    FormatNotServed: 501,
    Overloaded: 503,
    StoreUnavailable: 503,
    UpstreamUnavailable: 503,
}
"""The HTTP status of an error and of its subclasses that are not named here."""


def status_of(error: type[ServiceError]) -> int:
    """The HTTP status of the class, or of its nearest base class in `STATUS`."""
    return next(STATUS[each] for each in error.__mro__ if each in STATUS)


def json_bytes(value: Any) -> bytes:
    """Compact JSON in UTF-8; a lone surrogate that got past every check becomes a question mark, never an error."""
    try:
        return to_json(value)
    except PydanticSerializationError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(json_bytes(value), status, headers, media_type="application/json")


def error_response(error: ServiceError, *, challenges: bool = True) -> Response:
    """The response that reports the error, with `Retry-After` and `WWW-Authenticate` where they apply.

    `challenges`: a browser may open its own window for a password.
    """
    headers: dict[str, str] = {}
    if error.retryable:
        headers["Retry-After"] = str(max(1, math.ceil(RETRY_AFTER if error.retry_after is None else error.retry_after)))
    if challenges and isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = CHALLENGE
    return json_response(error.body(), status_of(type(error)), headers)
