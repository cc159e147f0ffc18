"""Takes the address out of an embed code, as sites offer it to be copied; nothing else of the code is kept or shown."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlsplit

import nh3

MOST = 10_000
"""Characters of a code that is read."""
MOST_ELEMENTS = 100
NO_ADDRESS = (
    "Input should be an address, or an embed code that holds one: an <iframe> with src, a <blockquote> with a link"
)
_NAMED = ("cite", "data-instgrm-permalink", "data-href")
"""Attributes in which a code says what it shows."""
_WEB = ("http://", "https://")
_PLUGINS = {"www.facebook.com": "href", "w.soundcloud.com": "url"}
"""Hosts whose frames name what they show in a parameter."""


def address_of_embed(value: Any) -> Any:
    """The address that an embed code shows; anything that is no code, as it is. Raises ValueError for a code without one."""
    if not isinstance(value, str) or value.lstrip()[:1] != "<":
        return value
    if len(value) > MOST or value.count("<") > MOST_ELEMENTS:
        raise ValueError(f"an embed code should have at most {MOST} characters and {MOST_ELEMENTS} elements")
    reader = _Addresses()
    reader.feed(_CLEANER.clean(value))
    reader.close()
    found = next((each for each in (*reader.named, *reversed(reader.links)) if each), "")
    if not found:
        raise ValueError(NO_ADDRESS)
    return found


_CLEANER = nh3.Cleaner(
    tags={"a", "blockquote", "div", "iframe"},
    attributes={tag: {"cite", "href", "src"} for tag in ("a", "blockquote", "div", "iframe")},
    generic_attribute_prefixes={"data-"},
    clean_content_tags={"script", "style"},
    link_rel=None,
    url_relative="pass_through",
)
"""Makes of any code one that Python's parser reads in a time that grows with its length alone."""


class _Addresses(HTMLParser):
    """Collects what frames and quotes name, and links: in a quote, the last one is the post itself."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.named: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "iframe":
            self.named.append(_shown_in_frame(_address(given.get("src", ""))))
        elif tag == "a":
            self.links.append(_address(given.get("href", "")))
        else:
            self.named += [_address(given[name]) for name in _NAMED if name in given]


def _address(value: str) -> str:
    """The address with its scheme, empty for what is none of the web."""
    address = value.strip()
    address = f"https:{address}" if address.startswith("//") else address
    return address if address.lower().startswith(_WEB) else ""


def _shown_in_frame(address: str) -> str:
    """What the frame of a known site shows, else the frame."""
    try:
        parts = urlsplit(address)
        parameter = _PLUGINS.get(parts.netloc.lower(), "")
        named = parse_qs(parts.query, max_num_fields=50).get(parameter, [""])[0] if parameter else ""
    except ValueError:
        return address
    return _address(named) or address
