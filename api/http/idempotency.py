"""The header by which a client that tries again is given what it has created already."""

from __future__ import annotations

import hashlib
import json
import re

from starlette.datastructures import Headers

from api.http.json_path import Json
from mapping.errors import InvalidRequest

IDEMPOTENCY_HEADER = "Idempotency-Key"
IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")
KEY: Json = {
    "name": IDEMPOTENCY_HEADER,
    "in": "header",
    "required": False,
    "description": "The same key with the same body gives what it has created before; 1-255 visible ASCII characters",
    "schema": {"type": "string", "pattern": f"^{IDEMPOTENCY_KEY.pattern}$"},
}


def idempotency_key(headers: Headers) -> str | None:
    """The one `Idempotency-Key`, None where there is none. Raises InvalidRequest."""
    keys = headers.getlist(IDEMPOTENCY_HEADER)
    if len(keys) > 1 or not all(IDEMPOTENCY_KEY.fullmatch(key) for key in keys):
        reason = f"{IDEMPOTENCY_HEADER} should be 1 to 255 visible ASCII characters"
        raise InvalidRequest(reason, field=IDEMPOTENCY_HEADER)
    return keys[0] if keys else None


def digest_of(body: Json) -> str:
    """SHA-256 in hex of what the body means: equal for bodies that differ in spaces or the order of names alone."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
