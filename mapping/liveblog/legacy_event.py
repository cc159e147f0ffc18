"""Converts posts from and to their older form: one text with spans instead of blocks of markup.

`event_info.title` is the text of a post. One with formatting has it again in `attributes_json` (a JSON object in a string),
with spans: both are one text block. Each of `web_embed_urls` is an embed block. `start` and `end` of a span count Unicode
characters, `end` is not part of the span.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from mapping.documents import strict_json
from mapping.rules.rich_text import BLOCK_TAGS, sanitise

Document = dict[str, Any]

RICH_TEXT = "Svc::Model::Content::RichTextContentBlock"
WEB_EMBED = "Svc::Model::Content::WebEmbedContentBlock"
INFO = "Svc::Model::EventInfo::BasicEventInfo"

CONVERTED = frozenset({"title", "attributes_json", "web_embed_urls"})
"""Fields of the older form that stand in the blocks alone; the others are kept as they are."""

TAGS = {"Headline": "h3", "Ref": "a", "Bold": "b", "Italic": "i", "Underline": "u", "Strikethrough": "s"}
"""Kind of a span → element, in the order in which they are nested."""
KINDS = {
    **{tag: kind for kind, tag in TAGS.items()},
    "strong": "Bold",
    "em": "Italic",
    "del": "Strikethrough",
    "strike": "Strikethrough",
    **dict.fromkeys(("h1", "h2", "h4", "h5"), "Headline"),
}
REF = "Ref"
SPANS = ("attrs", "spans")
"""Names under which clients send the spans; answers have the first."""

PREFIX = "type_prefix"
"""Where a stored post keeps how its client begins the names of types in `attributes_json`; never shown."""
OUR_PREFIX = "Svc::ApiModel::"
_TEXT_TYPE = re.compile(r"((?:[A-Za-z0-9]{1,32}::){1,4})Text::AttributedText")

MOST_SPANS = 500
"""Spans of one text; cutting it costs the square of their number."""

SHORT, CACHED = 2000, 5000
"""Characters of markup of which the conversion is cached, and how many conversions are: 20 MB at most."""

_TOKEN = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:[^">]|"[^"]*")*)>|([^<]+|<)')
"""An element's tag or a piece of text, as sanitised markup has them."""
_HREF = re.compile(r'href="([^"]*)"')


class TextSpan(NamedTuple):
    kind: str
    start: int
    end: int
    url: str = ""


class AttributedText(NamedTuple):
    """A text and its formatting, the spans in the order of their places."""

    body: str
    spans: tuple[TextSpan, ...]

    def as_json(self, prefix: str) -> str:
        """The value of `attributes_json`; `prefix` begins the names of its types."""
        attrs = [_attr(span, prefix) for span in self.spans]
        return _COMPACT.encode({"_type": f"{prefix}Text::AttributedText", "text": self.body, SPANS[0]: attrs})


def _attr(span: TextSpan, prefix: str) -> Document:
    place: Document = {"_type": f"{prefix}Text::{span.kind}Span", "start": span.start, "end": span.end}
    return place | ({"ref": {"_type": f"{prefix}UrlRef", "url": span.url}} if span.kind == REF else {})


_PLACE = attrgetter("start", "end")
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # unlike faster ones it breaks at no text


def blocks_of(info: Mapping[str, Any]) -> list[Document]:
    """The content blocks with what the older form says. Raises ValueError for `attributes_json` that says nothing."""
    text = _block_text(info)
    return [
        *([{"_type": RICH_TEXT, "text": text}] if text else []),
        *({"_type": WEB_EMBED, "url": url} for url in info.get("web_embed_urls") or ()),
    ]


def _block_text(info: Mapping[str, Any]) -> str:
    """The text with formatting goes before the title, which is the same one without."""
    attributes, title = info.get("attributes_json"), info.get("title")
    return (markup_of(attributes) if attributes else "") or (_markup(title, []) if title else "")


def unconverted_part(info: Mapping[str, Any]) -> Document | None:
    """What the older form says that no block does, None where that is nothing."""
    kept = {name: value for name, value in info.items() if name not in CONVERTED}
    prefix = _prefix_of(info.get("attributes_json"))
    kept |= {PREFIX: prefix} if prefix else {}
    return kept if kept.keys() - {"_type"} else None


def _prefix_of(attributes_json: str | None) -> str | None:
    """How the client begins the names of types, e.g. `Svc::ApiModel::`; None where it does not say."""
    try:
        value = _mapping(strict_json.loads(attributes_json or "null"))
    except ValueError:
        return None
    found = _TEXT_TYPE.fullmatch(str(value.get("_type")))
    return found[1] if found else None


def info_of(document: Mapping[str, Any]) -> Document | None:
    """The older form of a post, None where it has neither text nor anything else that the older form knows."""
    stored = _mapping(document.get("event_info"))
    kept = {name: value for name, value in stored.items() if name not in CONVERTED | {PREFIX}}
    texts, urls = _texts_of(document, RICH_TEXT, "text"), _texts_of(document, WEB_EMBED, "url")
    made: Document = {}
    if texts:
        text = attributed_text(texts)
        made |= {"title": text.body}
        made |= {"attributes_json": text.as_json(str(stored.get(PREFIX) or OUR_PREFIX))} if text.spans else {}
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
    return _markup(text, spans)


def attributed_text(texts: Sequence[str]) -> AttributedText:
    """Markup as text with spans; several pieces one below the other.

    What is short is cached: the same post is shown again after each change of it, and in every full read.
    """
    short = sum(map(len, texts)) <= SHORT
    return _cached(tuple(texts)) if short else _convert(texts)


def _convert(texts: Sequence[str]) -> AttributedText:
    reader = _Reader()
    for text in texts:
        reader.line()
        if "<" in text or "&" in text:
            reader.feed(text)
        else:
            reader.add(text)
    body = "".join(reader.found).rstrip("\n")
    spans = tuple(
        span._replace(end=end)
        for span in sorted(reader.spans, key=_PLACE)
        if span.start < (end := min(span.end, len(body))) and (span.url or span.kind != REF)
    )
    return AttributedText(body, spans)


_cached = lru_cache(maxsize=CACHED)(_convert)


def _span(value: Any, length: int) -> TextSpan:
    if not isinstance(value, dict):
        raise ValueError("a span should be a JSON object")  # noqa: TRY004 -- callers catch one kind
    start, end = value.get("start"), value.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= length:
        raise ValueError("start and end of a span should be places in its text")
    kind = _kind_of(value)
    url = _mapping(value.get("ref")).get("url") or value.get("url")
    return TextSpan(kind, start, end, url if kind == REF and isinstance(url, str) else "")


def _kind_of(span: Document) -> str:
    written = str(span.get("type") or span.get("_type") or "").rpartition("::")[2].removesuffix("Span")
    kind = next((each for each in TAGS if each.casefold() == written.casefold()), None)
    if kind is None:
        raise ValueError(f"the type of a span should be one of: {', '.join(TAGS)}")
    return kind


def _markup(text: str, spans: Sequence[TextSpan]) -> str:
    by_kind = [sorted((span for span in spans if span.kind == kind), key=_PLACE) for kind in TAGS]
    return sanitise(_nest(text, 0, len(text), by_kind))


def _nest(text: str, start: int, end: int, by_kind: Sequence[Sequence[TextSpan]]) -> str:
    """Markup of a part of the text: elements of the first kind, within and between them those of the others."""
    if not by_kind:
        return html.escape(text[start:end], quote=False).replace("\n", "<br>")
    spans, *inner = by_kind
    found: list[str] = []
    for span in spans:
        first, last = max(span.start, start), min(span.end, end)
        if first < last:
            found += (_nest(text, start, first, inner), _element(span, _nest(text, first, last, inner)))
            start = last + (span.kind == "Headline" and text[last : last + 1] == "\n")  # a headline ends its line
    return "".join([*found, _nest(text, start, end, inner)])


def _element(span: TextSpan, inner: str) -> str:
    address = f' href="{html.escape(span.url)}"' if span.kind == REF else ""
    return f"<{TAGS[span.kind]}{address}>{inner}</{TAGS[span.kind]}>"


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
        if tag in BLOCK_TAGS:
            self.line(force=tag == "br")
        if tag in KINDS:
            href = _HREF.search(attributes) if attributes else None
            self._open.append((tag, self._length, html.unescape(href[1]) if href else ""))

    def _close(self, tag: str) -> None:
        if tag in KINDS:
            self._end_span(tag)
        if tag in BLOCK_TAGS:
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
