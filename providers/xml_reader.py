"""Reads XML bodies into plain values as JSON bodies have them: within bounds, without a document type or entities.

An element becomes an object of its attributes and children by name, with its text under `#text`; one that has neither
attributes nor children is its text alone, empty where it has none. The names in `rows` are lists, however often they stand
there, and so is any other name that stands twice. Names of a namespace (`xmlns`, `xsi:…`) are left out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from xml.parsers import expat  # noqa: TID251 -- the one place

from mapping.errors import BadBody
from providers.fetch import CACHED, MAX_DEPTH

TEXT = "#text"
"""The name under which an element with attributes or children has its text."""

MAX_ELEMENTS = 600_000
"""Elements of one body: a match of a list has 26, so that 20,000 of them are read. The largest bodies that are known have 6,000."""

Element = dict[str, Any]


def decode_xml(resource: str, body: bytes, rows: frozenset[str] = frozenset()) -> Element:
    """{name of the root: its value}; not to be altered, because the next caller with the same body is given the same one.

    BadBody for what is not well-formed XML in UTF-8, names a document type or an entity of its own, is nested deeper than
    MAX_DEPTH or has more than MAX_ELEMENTS elements.
    """
    try:
        return _cached(body, rows) if len(body) <= CACHED else _decode(body, rows)
    except BadBody as error:
        raise BadBody(f"{resource}: {error.message}") from None


def _decode(body: bytes, rows: frozenset[str]) -> Element:
    if not body.strip():
        raise BadBody("empty answer")
    builder = _Builder(rows)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.ExternalEntityRefHandler = _refuse
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.text
    try:
        text = body.decode("utf-8-sig")  # a parser of bytes would believe what they say of their encoding
        parser.Parse(text, True)
    except (expat.ExpatError, UnicodeDecodeError):
        raise BadBody("the answer is not XML") from None
    return builder.document


# A body is decoded when its response is classified, and again when the match is translated, in the same poll.
_cached = lru_cache(maxsize=8)(_decode)


def _refuse(*_: object) -> int:
    """No feed needs a document type, and entities and addresses come with one alone."""
    raise BadBody("the answer has a document type")


class _Builder:
    """Takes what the parser finds, in the order of the body, and makes the document of it."""

    def __init__(self, rows: frozenset[str]) -> None:
        self.document: Element = {}
        self._rows = rows
        self._open: list[tuple[Element, list[str]]] = []
        self._elements = 0

    def start(self, _: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if len(self._open) >= MAX_DEPTH:
            raise BadBody("the answer is nested too deeply")
        if self._elements > MAX_ELEMENTS:
            raise BadBody("the answer has too many elements")
        fields = {name: value for name, value in attributes.items() if ":" not in name and name != "xmlns"}
        self._open.append((fields, []))

    def text(self, text: str) -> None:
        self._open[-1][1].append(text)

    def end(self, name: str) -> None:
        fields, texts = self._open.pop()
        text = "".join(texts).strip()
        value: Any = text
        if fields:
            value = fields | ({TEXT: text} if text else {})
        if self._open:
            self._add(self._open[-1][0], name, value)
        else:
            self.document = {name: value}

    def _add(self, parent: Element, name: str, value: Any) -> None:
        if name in self._rows:
            parent.setdefault(name, [])
        if name not in parent:
            parent[name] = value
        elif type(parent[name]) is list:
            parent[name].append(value)
        else:
            parent[name] = [parent[name], value]
