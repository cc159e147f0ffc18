"""Reads a liveblog of another service from its feed or delta read: posts to be created here, under names of our own."""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import UTC, datetime
from html import escape
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import nh3

from mapping.documents import strict_json
from mapping.liveblog.foreign_xml import feed_document
from mapping.rules.callable_addresses import plausible
from mapping.rules.rich_text import plain, tidy, too_deep

Document = dict[str, Any]

CONTENT = "Svc::Model::Content"
FOREIGN = frozenset(
    {
        "_id", "comments", "editor", "event_info", "is_sticky", "owner_id", "sort", "state_info", "tag_ids", "team_id",
        "user_id", "version",
    }
)  # fmt: skip
"""Fields that mean something over there alone, or say the same again."""
NAMES = frozenset({"local_id", "media_local_id", "team_local_id"})
KEPT = ("headline", "highlight", "contents", "media", "sport_event", "created_at", "updated_at")
"""What an event keeps."""
LIVEBLOG = ("liveblogId", "id", "ticker_local_id", "local_id", "ticker_id")
"""Parameters that name the liveblog."""
DIGITS = 24
MARK_AND_BLANKS = b"\xef\xbb\xbf \t\r\n"
"""What may stand before the beginning of a text in UTF-8."""


class ForeignPage(NamedTuple):
    """A page of the liveblog: its posts as documents for `event.create`, in the page's order, and how to go on.

    `next_url`: of a feed; `after`: of a delta read, the event to continue after. `left_out`: posts that are none here, by why;
    `lost`: parts of the others that cannot be shown here, by what they are.
    """

    title: str
    language: str
    posts: list[Document]
    left_out: Counter[str]
    lost: Counter[str]
    next_url: str = ""
    after: str = ""


def source_of(url: str) -> str:
    """What names a liveblog of another service, whichever way it is read: the host and the liveblog, or the path.

    `https://Example.org/feed?liveblogId=7` is `example.org 7`.
    """
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    named = next((query[each] for each in LIVEBLOG if query.get(each)), parts.path)
    return f"{parts.netloc.casefold()} {named}"


def own_name(kind: str, *of: str) -> str:
    """A name here for what has that name there: the same each time."""
    return kind + hashlib.sha256("\0".join(of).encode("utf-8", "replace")).hexdigest()[:DIGITS]


def read_page(body: bytes, source: str) -> ForeignPage:
    """The page; raises ValueError for what is neither a feed (JSON, Atom, RSS) nor an answer of a delta read."""
    found = feed_document(body) if body.lstrip(MARK_AND_BLANKS).startswith(b"<") else strict_json.loads(body)
    return _page(found if isinstance(found, dict) else {}, source)


def _page(document: Document, source: str) -> ForeignPage:
    if str(document.get("version", "")).startswith("https://jsonfeed.org/") and isinstance(document.get("items"), list):
        return _of_feed(document, source)
    if isinstance(document.get("game"), dict) and isinstance(document.get("events"), list):
        return _of_delta(document, source)
    raise ValueError("is neither a feed (JSON feed, Atom, RSS) nor the answer of a delta read")


def _of_feed(document: Document, source: str) -> ForeignPage:
    reading = _Reading(source)
    return ForeignPage(
        title=_text(document.get("title")),
        language=_text(document.get("language")),
        posts=[post for each in document["items"] if (post := reading.item(each))],
        next_url=_text(document.get("next_url")),
        left_out=reading.left_out,
        lost=reading.lost,
    )


class _Reading:
    """Reads the items of a page, and counts what is left out."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.left_out: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self._seen: set[str] = set()

    def item(self, item: Any) -> Document | None:
        """The item as a post; None where it has no id, no time or nothing to show, or was there before."""
        known = item if isinstance(item, dict) else {}
        name, created = _text(known.get("id")), _seconds(known.get("date_published"))
        title, html = _text(known.get("title")), _text(known.get("content_html")) or _text(known.get("content_text"))
        body, parts = _add_title(title, html), _Parts(html)
        shown = [*self._embeds(parts), *self._files(known, parts)]
        why = {
            "post without an id": not name,
            "post without a time": created is None,
            "post without anything to show": not (body or shown),
            "post that is there twice": name in self._seen,
        }
        if created is None or any(why.values()):
            self.left_out[next(each for each, so in why.items() if so)] += 1
            return None
        self._seen.add(name)
        self.lost += parts.lost
        contents: list[Document] = [{"_type": f"{CONTENT}::RichTextContentBlock", "text": body}] if body else []
        return {
            "_type": "Svc::Model::Event",
            "local_id": own_name("e", self.source, name),
            "created_at": created,
            "updated_at": max(created, _seconds(known.get("date_modified")) or 0),
            "contents": [*contents, *shown],
        }

    def _embeds(self, parts: _Parts) -> list[Document]:
        """The pages of other sites that the item shows in frames."""
        return [
            {"_type": f"{CONTENT}::WebEmbedContentBlock", "url": url}
            for url in dict.fromkeys(parts.frames)
            if self._readable("iframe", url)
        ]

    def _files(self, item: Document, parts: _Parts) -> list[Document]:
        """What the item shows, each file once: those that it names, images and videos within its HTML."""
        named = [each for each in _list(item.get("attachments")) if self._is_shown(each)]
        files = [(KINDS[_kind(each)], _text(each.get("url")), _text(each.get("title"))) for each in named]
        files += [*parts.files, *(("Image", url, "") for url in [_text(item.get("image"))] if url)]
        found: dict[str, Document] = {}
        for kind, url, title in files:
            found.setdefault(url, {"_type": f"{CONTENT}::{kind}MediaContent", "source_url": url, "title": title})
        items = [each for url, each in found.items() if self._readable("file", url)]
        return [{"_type": f"{CONTENT}::MultiMediaContentBlock", "items": items}] if items else []

    def _is_shown(self, attachment: Any) -> bool:
        """Whether a post can show it."""
        shown = isinstance(attachment, dict) and _kind(attachment) in KINDS
        if not shown:
            form = _text(attachment["mime_type"]) if isinstance(attachment, dict) else "none"
            self.lost[f"file of the type {form}"] += 1
        return shown

    def _readable(self, what: str, url: str) -> bool:
        readable = plausible(url)
        self.lost[f"{what} without an address that can be read here"] += not readable
        return readable


KINDS = {"image": "Image", "video": "Video"}
"""The first part of a file's type → what shows it."""


def _kind(attachment: Document) -> str:
    return _text(attachment.get("mime_type")).partition("/")[0] or "image"


def _add_title(title: str, html: str) -> str:
    """The text with the title as its first line, unless it begins with it."""
    body, named = tidy(html), tidy(escape(title, quote=False))
    if not named or plain(body).startswith(plain(named).rstrip("\N{HORIZONTAL ELLIPSIS} .")):
        return body
    return f"<p><b>{named}</b></p>{body}" if body else named


class _Parts(HTMLParser):
    """What markup shows beside its text; what it shows that no post can is counted. Of too deep a markup it is the text alone."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.files: list[tuple[str, str, str]] = []
        self.frames: list[str] = []
        self.lost: Counter[str] = Counter()
        self._video = False
        if too_deep(html):
            self.lost["markup that is nested too deeply"] += 1
            return
        self.feed(nh3.clean(html, tags=SHOWN | NOT_SHOWN, attributes={"*": {"src", "alt", "title"}}))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        url = given.get("src", "").strip()
        url = f"https:{url}" if url.startswith("//") else url
        if tag == "img":
            self.files.append(("Image", url, given.get("alt", "")))
        elif tag == "iframe":
            self.frames.append(url)
        elif tag == "video" or (tag == "source" and self._video):
            self._video = not url
            if url:
                self.files.append(("Video", url, given.get("title", "")))
        elif tag in NOT_SHOWN:
            self.lost[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "video":
            self.lost["video without an address that can be read here"] += self._video
            self._video = False


SHOWN = {"img", "iframe", "video", "source"}
NOT_SHOWN = {"audio", "canvas", "embed", "form", "object", "svg"}
"""Elements that show something which no post has."""


def _of_delta(document: Document, source: str) -> ForeignPage:
    events = [each for each in document["events"] if isinstance(each, dict)]
    published = [each for each in events if not each.get("local_status") and _text(each.get("local_id"))]
    game, last = document["game"], events[-1] if events else {}
    meta, lost = game.get("meta_info"), Counter[str]()
    return ForeignPage(
        title=_text(meta.get("title")) if isinstance(meta, dict) else "",
        language=_text(game.get("locale")),
        posts=[_event(each, source, lost) for each in published],
        after=_text(last.get("local_id")) if document.get("more") is True else "",
        left_out=+Counter({"post that is not published": len(document["events"]) - len(published)}),
        lost=lost,
    )


def _event(event: Document, source: str, lost: Counter[str]) -> Document:
    """The event with names of our own, and without what is known over there alone."""
    kept = {name: event[name] for name in KEPT if event.get(name) not in (None, "", [])}
    if all(isinstance(kept.get(part, []), list) for part in ("contents", "media")):  # else the document is refused
        kept |= _with_files(kept.get("contents", []), kept.get("media", []), lost)
    name = own_name("e", source, _text(event.get("local_id")))
    own: Document = _rename_parts(kept, name)
    return {"_type": "Svc::Model::Event", "local_id": name, **own}


def _with_files(contents: list[Any], media: list[Any], lost: Counter[str]) -> Document:
    """The contents and the files that can be read from there: of an upload over there nobody here has the address."""
    files = [each for each in media if isinstance(each, dict)]
    gone = {_text(each.get("local_id")) for each in files if not plausible(_text(each.get("url")))}
    lost["file without an address that can be read here"] += len(gone)
    left = [each for each in files if _text(each.get("local_id")) not in gone]
    return {"media": left, "contents": [_without(gone, each) for each in contents]}


def _without(gone: set[str], block: Any) -> Any:
    items = block.get("items") if isinstance(block, dict) else None
    if not isinstance(items, list):
        return block
    return {
        **block,
        "items": [each for each in items if isinstance(each, dict) and _text(each.get("media_local_id")) not in gone],
    }


def _rename_parts(value: Any, post: str) -> Any:
    """The value with names of our own for the parts of a post: others may have parts of the same names."""
    if isinstance(value, list):
        return [_rename_parts(each, post) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: own_name("n", post, each)
        if name in NAMES and isinstance(each, str) and each
        else _rename_parts(each, post)
        for name, each in value.items()
        if name not in FOREIGN
    }


def _list(value: Any) -> list[Any]:
    """The list; of anything else one of that alone, of nothing an empty one."""
    return value if isinstance(value, list) else [value] if value else []


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _seconds(value: Any) -> int | None:
    """Unix seconds of a time as ISO 8601 writes it, None for anything else."""
    try:
        at = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
