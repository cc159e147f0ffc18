"""How a response begins the names of types: `Svc::`, or as the client is set, or as its request does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from store.clients.clients import TYPE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

_NAME = re.compile(r"([A-Za-z][A-Za-z0-9]{0,31})::", re.ASCII)
_OURS = f'"_type":"{TYPE_PREFIX}::'.encode()
"""In compact JSON a text cannot hold this: quotes in a text are escaped."""


def prefix_in(document: Mapping[str, Any]) -> str | None:
    """How the document begins the name of its own type; None where it has none."""
    kind = document.get("_type")
    found = _NAME.match(kind) if isinstance(kind, str) else None
    return found[1] if found else None


def rename_in_json(body: bytes, prefix: str) -> bytes:
    """The compact JSON with all names of types beginning with `prefix`."""
    return body if prefix == TYPE_PREFIX else body.replace(_OURS, f'"_type":"{prefix}::'.encode())


def rename_types(response: Response, prefix: str) -> None:
    """Let all names of types in a JSON response begin with `prefix`; one that is kept encoded was made so."""
    encoded = "content-encoding" in response.headers
    if prefix == TYPE_PREFIX or encoded or response.media_type != "application/json":
        return
    response.body = rename_in_json(bytes(response.body), prefix)
    response.headers["content-length"] = str(len(response.body))
