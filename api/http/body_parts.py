"""Parts of a response that is sent piece by piece."""

from __future__ import annotations

from starlette.types import Message as ASGIMessage


def body_part(body: bytes) -> ASGIMessage:
    """A part of a response that goes on."""
    return {"type": "http.response.body", "body": body, "more_body": True}


END: ASGIMessage = {"type": "http.response.body", "body": b"", "more_body": False}
"""Nothing follows."""
