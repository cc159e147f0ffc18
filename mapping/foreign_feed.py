"""A liveblog of another service, as its feed or its delta read gives it: posts to be created here, under names of our own."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import nh3

from mapping import strict_json
from mapping.foreign_xml import feed_document
from mapping.rich_text import plain, tidy
from mapping.rules.addresses import plausible

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

    `next_url`: of a feed; `after`: of a delta read, the event to continue after. `left_out`: posts that could not be read.
    """

    title: str
    language: str
    posts: list[Document]
    next_url: str = ""
    after: str = ""
    left_out: int = 0


def source_of(url: str) -> str:
    """What names a liveblog of another service, whichever way it is read: the host and the liveblog, or the path."""
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
    if str(document.get("version", "")).startswith("https://jsonfeed.org/"):
        return _of_feed(document, source)
    if isinstance(document.get("game"), dict) and isinstance(document.get("events"), list):
        return _of_delta(document, source)
    raise ValueError("is neither a feed (JSON feed, Atom, RSS) nor the answer of a delta read")


def _of_feed(document: Document, source: str) -> ForeignPage:
    items = [each for each in document.get("items") or () if isinstance(each, dict)]
    posts = [post for each in items if (post := _item(each, source))]
    return ForeignPage(
        title=_text(document.get("title")),
        language=_text(document.get("language")),
        posts=posts,
        next_url=_text(document.get("next_url")),
        left_out=len(items) - len(posts),
    )


def _item(item: Document, source: str) -> Document | None:
    """The item as a post; None where it has no id, no time or nothing to show."""
    name, created = _text(item.get("id")), _seconds(item.get("date_published"))
    html = _text(item.get("content_html")) or _text(item.get("content_text"))
    body, files = tidy(html), _files(item, html)
    if not name or created is None or not (body or files):
        return None
    title, words = _text(item.get("title")), plain(html)
    contents: list[Document] = [{"_type": f"{CONTENT}::RichTextContentBlock", "text": body}] if body else []
    contents += [{"_type": f"{CONTENT}::MultiMediaContentBlock", "items": files}] if files else []
    return {
        "_type": "Svc::Model::Event",
        "local_id": own_name("e", source, name),
        "created_at": created,
        "updated_at": max(created, _seconds(item.get("date_modified")) or 0),
        "headline": "" if words.startswith(title.rstrip("\N{HORIZONTAL ELLIPSIS} .")) else title,
        "contents": contents,
    }


def _files(item: Document, html: str) -> list[Document]:
    """What the item shows, each file once: those that it names, and images within its HTML."""
    found: dict[str, Document] = {}
    for each in item.get("attachments") or ():
        if isinstance(each, dict):
            kind = "Video" if _text(each.get("mime_type")).startswith("video/") else "Image"
            found.setdefault(_text(each.get("url")), _shown(kind, each.get("url"), _text(each.get("title"))))
    images = _Images()
    images.feed(nh3.clean(html, tags={"img"}, attributes={"img": {"src", "alt"}}))
    for url, title in (*images.found, (_text(item.get("image")), "")):
        found.setdefault(url, _shown("Image", url, title))
    return [each for url, each in found.items() if plausible(url)]


def _shown(kind: str, url: Any, title: str) -> Document:
    return {"_type": f"{CONTENT}::{kind}MediaContent", "source_url": _text(url), "title": title}


class _Images(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        given = dict(attrs)
        self.found.append((given.get("src") or "", given.get("alt") or ""))


def _of_delta(document: Document, source: str) -> ForeignPage:
    events = [each for each in document["events"] if isinstance(each, dict)]
    published = [each for each in events if not each.get("local_status") and _text(each.get("local_id"))]
    game, last = document["game"], events[-1] if events else {}
    meta = game.get("meta_info")
    return ForeignPage(
        title=_text(meta.get("title")) if isinstance(meta, dict) else "",
        language=_text(game.get("locale")),
        posts=[_event(each, source) for each in published],
        after=_text(last.get("local_id")) if document.get("more") is True else "",
        left_out=len(events) - len(published),
    )


def _event(event: Document, source: str) -> Document:
    """The event with names of our own, and without what is known over there alone."""
    kept = {name: event[name] for name in KEPT if event.get(name) not in (None, "", [])}
    kept |= _with_files(kept.get("contents") or [], kept.get("media") or [])
    name = own_name("e", source, _text(event.get("local_id")))
    own: Document = _renamed(kept, name)
    return {"_type": "Svc::Model::Event", "local_id": name, **own}


def _with_files(contents: list[Any], media: list[Any]) -> Document:
    """The contents and the files that can be read from there: of an upload over there nobody here has the address."""
    files = [each for each in media if isinstance(each, dict)]
    gone = {each.get("local_id") for each in files if not plausible(_text(each.get("url")))}
    left = [each for each in files if each.get("local_id") not in gone]
    return {"media": left, "contents": [_without(gone, each) for each in contents]}


def _without(gone: set[Any], block: Any) -> Any:
    items = block.get("items") if isinstance(block, dict) else None
    if not isinstance(items, list):
        return block
    return {
        **block,
        "items": [each for each in items if isinstance(each, dict) and each.get("media_local_id") not in gone],
    }


def _renamed(value: Any, post: str) -> Any:
    """The value with names of our own for the parts of a post: others may have parts of the same names."""
    if isinstance(value, list):
        return [_renamed(each, post) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: own_name("n", post, each) if name in NAMES and isinstance(each, str) and each else _renamed(each, post)
        for name, each in value.items()
        if name not in FOREIGN
    }


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _seconds(value: Any) -> int | None:
    """Unix seconds of a time as ISO 8601 writes it, None for anything else."""
    try:
        at = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
