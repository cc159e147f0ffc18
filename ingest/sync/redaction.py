"""Redaction: takes an endpoint's secrets out of what is recorded, however a provider or an address repeats them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from html import escape
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlencode, urlsplit

from providers.base import Endpoint
from providers.replay.paths import LEFT_OUT

SHORTEST_SECRET = 4
"""A shorter one would be found everywhere, and guards nothing."""

ENCODINGS = ("utf-8", "latin-1", "utf-16-le", "utf-16-be")
"""In which bodies that are no JSON may repeat a secret."""

_SECRET_NAME = re.compile(r"key|token|secret|passw|credential|auth|signature", re.IGNORECASE)
"""Names of options and of parts of a query whose values are secrets."""


def redact(text: str, endpoint: Endpoint) -> str:
    """The text without the endpoint's secrets, as they are and as headers, addresses, pages and JSON write them."""
    for form in forms(endpoint):
        text = text.replace(form, LEFT_OUT)
    return text


def stripped_bytes(body: bytes, endpoint: Endpoint) -> bytes:
    """The same for a body of any kind; of one that breaks off within a secret the beginning of the secret goes too."""
    for form in forms(endpoint):
        for encoding in ENCODINGS:
            try:
                written, left_out = form.encode(encoding), LEFT_OUT.encode(encoding, "replace")
            except UnicodeEncodeError:
                continue
            body = _endless(body.replace(written, left_out), written)
    return body


def address(path: str, endpoint: Endpoint) -> str:
    """A path with its query, without secrets: parts of the query that hold one, or are named as if, are left out."""
    parts = urlsplit(path)
    kept = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _SECRET_NAME.search(name) and redact(value, endpoint) == value
    ]
    query = f"?{urlencode(kept)}" if kept else ""
    return redact(parts.path.strip("/"), endpoint) + query


def forms(endpoint: Endpoint) -> tuple[str, ...]:
    """All that the endpoint's secrets may look like, the longest first."""
    found = {form for secret in _secrets(endpoint) for form in _forms(secret)}
    return tuple(sorted(found, key=len, reverse=True))


def _secrets(endpoint: Endpoint) -> set[str]:
    """Passwords and keys, with user and password as HTTP Basic sends them."""
    pairs = [(user, password) for user, password in _credentials(endpoint) if len(password) >= SHORTEST_SECRET]
    options = (str(value) for name, value in endpoint.options.items() if _SECRET_NAME.search(name))
    plain = {secret for secret in (endpoint.api_key or "", *options) if len(secret) >= SHORTEST_SECRET}
    return plain | {password for _, password in pairs} | {_basic(user, password) for user, password in pairs}


def _credentials(endpoint: Endpoint) -> Iterator[tuple[str, str]]:
    """User and password as they are configured, and as the address holds them."""
    parts = urlsplit(endpoint.base_url)
    yield endpoint.username or "", endpoint.password or ""
    yield unquote(parts.username or ""), unquote(parts.password or "")


def _basic(user: str, password: str) -> str:
    return base64.b64encode(f"{user}:{password}".encode()).decode()


def _forms(secret: str) -> Iterator[str]:
    quoted = {secret, quote(secret), quote(secret, safe=""), quote_plus(secret)}
    yield from quoted
    yield from (re.sub("%..", lambda found: found[0].lower(), form) for form in quoted)
    yield from (escape(secret), escape(secret, quote=False))
    for ascii_only in (True, False):
        written = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield from (written, written.replace("/", "\\/"))


def _endless(body: bytes, secret: bytes) -> bytes:
    """The body without the beginning of a secret at its very end."""
    longest = min(len(secret) - 1, len(body))
    found = (size for size in range(longest, SHORTEST_SECRET - 1, -1) if body.endswith(secret[:size]))
    return body[: len(body) - next(found, 0)]
