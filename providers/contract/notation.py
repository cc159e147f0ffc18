"""How the bodies of a sample are written: the rules change documents, and write them again as the provider would."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from typing import Any

from providers.xml_reader import TEXT, decode_xml

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML can have, not even as a number."""


@dataclass(frozen=True, slots=True)
class Notation:
    """`read`: body → document of objects, lists and values; `write`: the body again, with other white space if `spaced`."""

    read: Callable[[bytes], Any]
    write: Callable[..., bytes]


def _json(document: Any, *, spaced: bool = False) -> bytes:
    return json.dumps(document, indent=3 if spaced else None).encode()


def _xml(document: Any, *, spaced: bool = False) -> bytes:
    """Attributes become children, and what XML has no type for becomes text."""
    parts: list[str] = []
    _write("", document, parts.append)
    return ("\n  " if spaced else "").join(parts).encode()


def _write(name: str, value: Any, put: Callable[[str], None]) -> None:
    if isinstance(value, list):
        for each in value:
            _write(name, each, put)
    elif name == TEXT and not isinstance(value, dict):
        put(_text(value))
    else:
        opens, closes = _tags(name)
        put(opens)
        for inner, each in value.items() if isinstance(value, dict) else ((TEXT, value),):
            _write(inner, each, put)
        put(closes)


@cache
def _tags(name: str) -> tuple[str, str]:
    tag = name if NAME.fullmatch(name) else "_"
    return (f"<{tag}>", f"</{tag}>") if name else ("", "")


def _text(value: Any) -> str:
    return "" if value is None else escape(UNWRITABLE.sub("", str(value)), quote=False)


JSON = Notation(json.loads, _json)


def xml(*rows: str) -> Notation:
    """Notation of XML whose elements of these names are rows of lists."""
    decode = partial(decode_xml, "sample", rows=frozenset(rows))
    return Notation(lambda body: deepcopy(decode(body)), _xml)  # rules change what they read
