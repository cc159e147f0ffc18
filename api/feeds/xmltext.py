"""XML that every reader accepts: what XML 1.0 forbids is taken out of texts before they become part of a tree."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(words: str) -> str:
    """The text without control characters, surrogates and non-characters."""
    return _FORBIDDEN.sub("", words)


def add(parent: ET.Element, tag: str, words: str | None = None, **attributes: str) -> ET.Element:
    """A new last child with text and attributes."""
    child = ET.SubElement(parent, tag, {name: clean(value) for name, value in attributes.items()})
    child.text = None if words is None else clean(words)
    return child


def serialise(root: ET.Element) -> bytes:
    """The document in UTF-8 with its declaration."""
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return body
