"""Content codings: bodies that are kept are compressed once, and given to those who accept them so.

None of these bodies holds a secret, whatever of the request it repeats, so their compressed length gives none away.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec

SMALLEST = 1024
"""Bytes below which a body fits into one packet anyway."""
GZIP_LEVEL, BROTLI_QUALITY = 6, 5
_WEIGHTED = re.compile(r"\s*([A-Za-z0-9*_-]+)\s*(?:;\s*[Qq]\s*=\s*([01](?:\.[0-9]{0,3})?)\s*)?")


def _brotli(body: bytes) -> bytes:
    brotli = import_module("brotli")  # an extra of the installation, loaded by the first reader who accepts it
    return bytes(brotli.compress(body, mode=brotli.MODE_TEXT, quality=BROTLI_QUALITY))


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, GZIP_LEVEL, mtime=0)


CODINGS: dict[str, Callable[[bytes], bytes]] = {"br": _brotli, "gzip": _gzip}
"""What is offered, the best first; Brotli where its package is installed."""
if find_spec("brotli") is None:
    del CODINGS["br"]


@lru_cache(maxsize=1024)
def accepted_coding(header: str) -> str:
    """The coding for an `Accept-Encoding`, empty for none (RFC 9110, 12.5.3). What cannot be read accepts none."""
    weights: dict[str, float] = {}
    for part in header.split(","):
        found = _WEIGHTED.fullmatch(part)
        if found is not None:
            weights[found[1].lower()] = float(found[2] or 1)
    any_other = weights.get("*", 0.0)
    best = max(CODINGS, key=lambda name: weights.get(name, any_other))
    return best if weights.get(best, any_other) > 0 else ""


def compress(body: bytes, coding: str) -> bytes:
    """The body in that coding; the same bytes give the same again."""
    return CODINGS[coding](body)
