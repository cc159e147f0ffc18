"""Markup from strangers, cleaned to what may stay; and names written from right to left, isolated in our texts."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping
from html.parser import HTMLParser
from threading import Lock

import nh3
from cachetools import LRUCache, cached

TEXT_TAGS = frozenset({"a", "b", "code", "del", "em", "i", "s", "span", "strike", "strong", "sub", "sup", "u"})
"""Elements within a line."""
TABLE_TAGS = frozenset({"caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"})
BLOCK_TAGS = TABLE_TAGS | {"blockquote", "br", "div", "h1", "h2", "h3", "h4", "h5", "li", "ol", "p", "pre", "ul"}
"""Elements that begin and end a line of their own; text on both sides of one is never one word."""
TAGS = TEXT_TAGS | BLOCK_TAGS
ATTRIBUTES: Mapping[str, frozenset[str]] = {"a": frozenset({"href"})}
SCHEMES = frozenset({"http", "https", "mailto", "tel"})
REL = "noopener noreferrer nofollow"

DEEPEST = 200
"""Elements within elements; taking deeper ones apart costs the cleaner the square of the depth."""

PLAIN_KEPT = 4 * 1024 * 1024
"""Characters of markup and plain text that are kept in this process."""

DROPPED = frozenset({"iframe", "math", "noscript", "object", "script", "style", "svg", "template", "textarea", "title"})
"""Elements that go with all they contain; of others that are not allowed the text stays."""
_UNWRAPPED_BLOCKS = re.compile(
    r"(?<=\S)(?=</?(?:address|article|aside|center|col|dd|details|dl|dt|fieldset|figcaption|figure|footer|form|h6|header|hr|img|legend"
    r"|main|nav|option|section|select|summary)\b)",
    re.IGNORECASE,
)
"""Where an element begins or ends that stands on lines of its own and is not allowed: a blank takes its place."""

_CLEANER = nh3.Cleaner(
    tags=set(TAGS),
    clean_content_tags=set(DROPPED),
    attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
    link_rel=REL,
    url_schemes=set(SCHEMES),
    url_relative="deny",
)
_EDGE = r"(?:\s|&nbsp;|<br>)+"
_EDGES = re.compile(rf"\A{_EDGE}|{_EDGE}\Z")
_OPENING_OR_CLOSING = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_TAG = re.compile(r"<[^<>]*>")
NEVER_NESTED = frozenset({"br", "dd", "dt", "hr", "img", "input", "li", "option", "p", "td", "th", "tr", "wbr"})
"""Elements that hold nothing, or that their next sibling closes."""


FIRST_STRONG_ISOLATE, POP_DIRECTIONAL_ISOLATE = "\u2068", "\u2069"
"""Around a name: inside it its own direction counts, outside it counts as one neutral character (UAX #9)."""
RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u200f\u202b\u202e\u2067\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""Letters of Hebrew, Arabic, Syriac, Thaana, N'Ko and the like, and what turns the direction by itself."""
ISOLATES = re.compile("[\u2066-\u2069]")


def sanitise(markup: str) -> str:
    """The markup with nothing but the allowed elements and links; sanitising twice changes nothing more.

    Of markup that is nested deeper than anybody writes it, the text alone is left.
    `<p onclick="x()">a<script>b</script></p>` is `<p>a</p>`.
    """
    before = html.escape(_TAG.sub(" ", markup), quote=False) if too_deep(markup) else _UNWRAPPED_BLOCKS.sub(" ", markup)
    after = _CLEANER.clean(before)
    while after != before:
        before, after = after, _CLEANER.clean(after)
    return after


def tidy(markup: str) -> str:
    """Sanitised and without blanks and line breaks at its ends; empty when there is no text in it.

    Nothing is left of `<p> <br/></p>`.
    """
    clean = sanitise(markup)
    return _EDGES.sub("", clean) if _text(clean) else ""


def escape(text: str) -> str:
    """Plain text as rich text; sanitising it changes nothing. `a < b` is `a &lt; b`."""
    return sanitise(html.escape(text, quote=False))


def plain(markup: str) -> str:
    """The text alone, on one line: for titles, feeds and search.

    `<p>One &amp; <b>two</b></p><p>three</p>` is `One & two three`.
    """
    return _plain(markup)[1]


@cached(LRUCache(PLAIN_KEPT, getsizeof=lambda kept: len(kept[0]) + len(kept[1])), lock=Lock())
def _plain(markup: str) -> tuple[str, str]:
    """Kept, with its markup: a feed asks three times for each post, at each version. Readers' threads share it."""
    return markup, _text(sanitise(markup))


def _text(clean: str) -> str:
    reader = _Reader()
    reader.feed(clean)
    reader.close()
    return " ".join("".join(reader.found).split())


def too_deep(markup: str) -> bool:
    """Whether more than `DEEPEST` elements are open at once; a closing tag that closes nothing does not count."""
    if markup.count("<") <= DEEPEST:
        return False
    opened: Counter[str] = Counter()
    depth = 0
    for closing, name in _OPENING_OR_CLOSING.findall(markup):
        tag = name.lower()
        if tag in NEVER_NESTED or (closing and not opened[tag]):
            continue
        step = -1 if closing else 1
        opened[tag] += step
        depth += step
        if depth > DEEPEST:
            return True
    return False


class _Reader(HTMLParser):
    """Collects text; elements that start a line leave a blank."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        if tag in BLOCK_TAGS:
            self.found.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCK_TAGS:
            self.found.append(" ")


def isolate(name: str) -> str:
    """The name as it stands in a sentence, a title or a list: between isolates where any of it runs from right to left.

    All our languages run from left to right, where other names need none. Isolating twice changes nothing more.
    """
    if RIGHT_TO_LEFT.search(name) is None:
        return name
    return f"{FIRST_STRONG_ISOLATE}{ISOLATES.sub('', name)}{POP_DIRECTIONAL_ISOLATE}"


def without_isolates(text: str) -> str:
    """The text without what isolates names in it."""
    return ISOLATES.sub("", text)
