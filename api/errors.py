"""One way from an error to an answer: `{code, message, field?, retryable}` with the status that the house gives it."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticSerializationError, to_json
from starlette.responses import Response

from mapping.errors import InvalidRequest, NotFound, ServiceError, Unauthorized

if TYPE_CHECKING:
    from starlette.exceptions import HTTPException

CHALLENGE = 'Basic realm="matchwire", charset="UTF-8", Bearer realm="matchwire"'
RETRY_AFTER = 5
"""Seconds named in `Retry-After` where the error knows no better number."""


class MethodNotAllowed(InvalidRequest):
    """The path exists, but not with this method."""

    status = 405


class RequestTimeout(InvalidRequest):
    """The rest of the request did not come in time; the same request may work later."""

    status = 408
    retryable = True


class UriTooLong(InvalidRequest):
    status = 414


class UnsupportedEncoding(InvalidRequest):
    """The body is compressed, which is refused so that its size cannot lie."""

    status = 415


class HeadersTooLarge(InvalidRequest):
    status = 431


class Overloaded(ServiceError):
    """The process has as many connections as it may have."""

    status = 503
    retryable = True


class InternalError(ServiceError):
    """What is told of an unexpected error: nothing."""

    def __init__(self) -> None:
        super().__init__("unexpected internal error")


def json_bytes(value: Any) -> bytes:
    """Compact JSON in UTF-8; a lone surrogate that got past every check becomes a question mark, never an error."""
    try:
        return to_json(value)
    except PydanticSerializationError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(json_bytes(value), status, headers, media_type="application/json")


def error_response(error: ServiceError) -> Response:
    """The answer that an error is told with, `Retry-After` and `WWW-Authenticate` included."""
    headers: dict[str, str] = {}
    if error.retryable:
        headers["Retry-After"] = str(max(1, math.ceil(RETRY_AFTER if error.retry_after is None else error.retry_after)))
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = CHALLENGE
    return json_response(error.body(), error.status, headers)


def routing_error(error: HTTPException) -> Response:
    """The house's words for what the router refuses: an unknown route or method, a broken request."""
    if error.status_code == 404:
        return error_response(NotFound("there is no such route"))
    refused: ServiceError = InvalidRequest("malformed request")
    if error.status_code == 405:
        refused = MethodNotAllowed("this route does not take this method")
    elif error.status_code >= 500:
        refused = InternalError()
    answer = error_response(refused)
    allowed = (error.headers or {}).get("Allow", "")
    if allowed:
        answer.headers["Allow"] = ", ".join(sorted(allowed.split(", ")))
    return answer
