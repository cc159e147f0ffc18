"""The older form of a post: one text with spans instead of blocks of markup, converted both ways.

`event_info.title` is a text block that is one headline, `attributes_json` (a JSON object in a string) a text block with
markup, each of `web_embed_urls` an embed block. `start` and `end` count Unicode characters, `end` is not part of the span.
"""

from __future__ import annotations

import html
import json
import re
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from mapping import strict_json
from mapping.rich_text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Document = dict[str, Any]

RICH_TEXT = "Svc::Model::Content::RichTextContentBlock"
WEB_EMBED = "Svc::Model::Content::WebEmbedContentBlock"
INFO = "Svc::Model::EventInfo::BasicEventInfo"

CONVERTED = frozenset({"title", "attributes_json", "web_embed_urls"})
"""Fields of the older form that stand in the blocks alone; the others are kept as they are."""

TAGS = {"Headline": "h3", "Bold": "b", "Italic": "i", "Underline": "u", "Strikethrough": "s"}
"""Kind of a span → element, in the order in which they are nested."""
KINDS = {tag: kind for kind, tag in TAGS.items()} | {"strong": "Bold", "em": "Italic", "h4": "Headline", "a": "Ref"}
REF = "Ref"
SPANS = ("spans", "attributes")
ADDRESSES = ("url", "href", "ref", "target")
"""Names under which clients of the older form send the same thing."""

MOST_SPANS = 500
"""Spans of one text; cutting it costs the square of their number."""

SHORT, CACHED = 2000, 5000
"""Characters of markup of which the conversion is cached, and how many conversions are: 20 MB at most."""

_TITLE = re.compile(r"<h3>([^<]*)</h3>")
_TOKEN = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:[^">]|"[^"]*")*)>|([^<]+|<)')
"""An element's tag or a piece of text, as sanitised markup has them."""
_HREF = re.compile(r'href="([^"]*)"')
_LINES = frozenset({"br", "p", "li", "h3", "h4", "blockquote", "ul", "ol"})


class TextSpan(NamedTuple):
    kind: str
    start: int
    end: int
    url: str = ""


_PLACE = attrgetter("start", "end")
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # unlike faster ones it breaks at no text


def blocks_of(info: Mapping[str, Any]) -> list[Document]:
    """The content blocks with what the older form says. Raises ValueError for `attributes_json` that says nothing."""
    title, attributes = info.get("title"), info.get("attributes_json")
    texts = [f"<h3>{html.escape(title, quote=False)}</h3>"] if title else []
    texts += [markup_of(attributes)] if attributes else []
    return [
        *({"_type": RICH_TEXT, "text": text} for text in texts if text),
        *({"_type": WEB_EMBED, "url": url} for url in info.get("web_embed_urls") or ()),
    ]


def info_of(document: Mapping[str, Any]) -> Document | None:
    """The older form of a post, None where it has neither text nor anything else that the older form knows."""
    kept = {name: value for name, value in _mapping(document.get("event_info")).items() if name not in CONVERTED}
    texts, urls = _texts_of(document, RICH_TEXT, "text"), _texts_of(document, WEB_EMBED, "url")
    made: Document = {}
    if texts and (headline := _TITLE.fullmatch(texts[0])):
        made["title"], texts = html.unescape(headline[1]), texts[1:]
    made |= {"attributes_json": attributes_of(texts)} if texts else {}
    made |= {"web_embed_urls": urls} if urls else {}
    return {"_type": INFO, **kept, **made} if kept.keys() - {"_type"} or made else None


def _texts_of(document: Mapping[str, Any], kind: str, name: str) -> list[str]:
    """The texts under `name` of the post's blocks of one kind."""
    blocks = [each for each in _list(document.get("contents")) if isinstance(each, dict) and each.get("_type") == kind]
    return [text for block in blocks if isinstance(text := block.get(name), str)]


def markup_of(attributes_json: str) -> str:
    """Text with spans as markup; raises ValueError where it is no such JSON."""
    value = strict_json.loads(attributes_json)
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise ValueError("it should be a JSON object with a text and spans")  # noqa: TRY004 -- callers catch one kind
    text: str = value["text"]
    given = next((_list(value[name]) for name in SPANS if name in value), [])
    if len(given) > MOST_SPANS:
        raise ValueError(f"it should have at most {MOST_SPANS} spans")
    spans = [_span(each, len(text)) for each in given]
    return sanitise("".join(_segments(text, [span for span in spans if span.start < span.end])))


def attributes_of(texts: Sequence[str]) -> str:
    """Markup as text with spans, in a JSON string; several pieces one below the other.

    What is short is cached: the same post is shown again after each change of it, and in every full read.
    """
    short = sum(map(len, texts)) <= SHORT
    return _cached(tuple(texts)) if short else _converted(texts)


def _converted(texts: Sequence[str]) -> str:
    reader = _Reader()
    for index, text in enumerate(texts):
        reader.line(force=index > 0)
        if "<" in text or "&" in text:
            reader.feed(text)
        else:
            reader.add(text)
    body = "".join(reader.found).rstrip("\n")
    spans = [
        {"type": span.kind, "start": span.start, "end": end, **({"url": span.url} if span.url else {})}
        for span in sorted(reader.spans, key=_PLACE)
        if span.start < (end := min(span.end, len(body)))
    ]
    return _COMPACT.encode({"text": body, "spans": spans})


_cached = lru_cache(maxsize=CACHED)(_converted)


def _span(value: Any, length: int) -> TextSpan:
    if not isinstance(value, dict):
        raise ValueError("a span should be a JSON object")  # noqa: TRY004 -- callers catch one kind
    start, end = value.get("start"), value.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= length:
        raise ValueError("start and end of a span should be places in its text")
    kind = _kind_of(value)
    url = next((value[name] for name in ADDRESSES if isinstance(value.get(name), str)), "")
    return TextSpan(kind, start, end, url if kind == REF else "")


def _kind_of(span: Document) -> str:
    written = str(span.get("type") or span.get("_type") or "").rpartition("::")[2].removesuffix("TextSpan")
    kind = next((each for each in (*TAGS, REF) if each.casefold() == written.casefold()), None)
    if kind is None:
        raise ValueError(f"the type of a span should be one of: {', '.join((*TAGS, REF))}")
    return kind


def _segments(text: str, spans: Sequence[TextSpan]) -> Iterator[str]:
    """The text cut where a span begins or ends, each piece in the elements that hold there."""
    cuts = sorted({0, len(text), *(span.start for span in spans), *(span.end for span in spans)})
    broken = {span.end for span in spans if span.kind == "Headline"}  # its element ends the line by itself
    for start, end in pairwise(cuts):
        piece = text[start:end].removeprefix("\n" if start in broken else "")
        around = [span for span in spans if span.start <= start and end <= span.end]
        yield _in_elements(html.escape(piece, quote=False).replace("\n", "<br>"), around)


def _in_elements(markup: str, spans: Sequence[TextSpan]) -> str:
    """The markup in the elements of all these spans."""
    links = [span.url for span in spans if span.kind == REF]
    if links:
        markup = f'<a href="{html.escape(links[0])}">{markup}</a>'
    kinds = {span.kind for span in spans}
    for kind in reversed(TAGS):
        if kind in kinds:
            markup = f"<{TAGS[kind]}>{markup}</{TAGS[kind]}>"
    return markup


class _Reader:
    """Collects the text of sanitised markup, and the places at which elements open and close."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.spans: list[TextSpan] = []
        self._length = 0
        self._ended: dict[tuple[str, int, str], int] = {}
        self._open: list[tuple[str, int, str]] = []

    def line(self, *, force: bool = False) -> None:
        if self._length and (force or not self.found[-1].endswith("\n")):
            self.add("\n")

    def add(self, text: str) -> None:
        self.found.append(text)
        self._length += len(text)

    def feed(self, markup: str) -> None:
        for closing, tag, rest, text in _TOKEN.findall(markup):
            if text:
                self.add(html.unescape(text) if "&" in text else text)
            elif closing:
                self._close(tag)
            else:
                self._start(tag, rest)

    def _start(self, tag: str, attributes: str) -> None:
        if tag in _LINES:
            self.line(force=tag == "br")
        if tag in KINDS:
            href = _HREF.search(attributes) if attributes else None
            self._open.append((tag, self._length, html.unescape(href[1]) if href else ""))

    def _close(self, tag: str) -> None:
        if tag in KINDS:
            self._end_span(tag)
        if tag in _LINES:
            self.line()

    def _end_span(self, tag: str) -> None:
        """A span that goes on where one of the same kind ended is the same span."""
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index][0] == tag:
                break
        else:
            return
        _, start, url = self._open.pop(index)
        kind, end = KINDS[tag], self._length
        place = self._ended.pop((kind, start, url), len(self.spans))
        if place < len(self.spans):
            self.spans[place] = self.spans[place]._replace(end=end)
        else:
            self.spans.append(TextSpan(kind, start, end, url))
        self._ended[kind, end, url] = place


def _mapping(value: Any) -> Document:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
