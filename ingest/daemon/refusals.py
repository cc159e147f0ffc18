"""Refusals that come before any handler: in the one error shape, with the headers that all responses carry."""

from __future__ import annotations

from email.utils import formatdate
from http import HTTPStatus
from typing import TYPE_CHECKING

from api.errors import error_response
from api.middleware.request_limits import SAFE_HEADERS

if TYPE_CHECKING:
    from starlette.responses import Response

    from mapping.errors import ServiceError


def as_response(error: ServiceError) -> Response:
    """The response for an ASGI server."""
    response = error_response(error)
    response.raw_headers += SAFE_HEADERS.items()
    return response


def as_bytes(error: ServiceError) -> bytes:
    """The last response of a connection, as it is sent."""
    response = as_response(error)
    lines = [f"HTTP/1.1 {response.status_code} {HTTPStatus(response.status_code).phrase}".encode()]
    fields = [*response.raw_headers, (b"date", formatdate(usegmt=True).encode()), (b"connection", b"close")]
    lines += [name + b": " + value for name, value in fields]
    return b"\r\n".join(lines) + b"\r\n\r\n" + bytes(response.body)
