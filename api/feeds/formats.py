"""The three formats of feeds: Atom 1.0 (RFC 4287, with the paging links of RFC 5005), RSS 2.0, JSON Feed 1.1."""

from __future__ import annotations

import re
from email.utils import format_datetime
from typing import Annotated, Any, Literal, NotRequired
from urllib.parse import quote
from xml.etree import ElementTree as ET

from pydantic import Field
from typing_extensions import TypedDict

from api.feeds.feed import Enclosure, Feed, Item
from api.http.errors import json_bytes
from api.http.json_path import instant, rfc3339
from api.view.key_moments import KeyEvent, as_json

ATOM_TYPE = "application/atom+xml; charset=utf-8"
ATOM = "http://www.w3.org/2005/Atom"
THREADING = "http://purl.org/syndication/thread/1.0"
ET.register_namespace("thr", THREADING)


RSS_TYPE = "application/rss+xml; charset=utf-8"
MEDIA = "http://search.yahoo.com/mrss/"
SLASH = "http://purl.org/rss/1.0/modules/slash/"
LENGTH = "0"
"""Of a file whose bytes nobody has counted; the format demands a number."""
ET.register_namespace("atom", ATOM)
ET.register_namespace("media", MEDIA)
ET.register_namespace("slash", SLASH)


JSON_TYPE = "application/json; charset=utf-8"
DateTime = Annotated[str, Field(json_schema_extra={"format": "date-time"})]


_FORBIDDEN_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_atom(feed: Feed) -> bytes:
    """The feed as Atom 1.0; ids are built from `local_id`s alone, so that they outlive a move to another address."""
    root = ET.Element("feed", {"xmlns": ATOM, "xml:lang": feed.language})
    add(root, "id", urn(feed.id))
    add(root, "title", feed.title)
    add(root, "updated", rfc3339(feed.updated))
    add(root, "generator", "matchwire")
    add(add(root, "author"), "name", feed.title)
    add(root, "link", rel="self", type="application/atom+xml", href=feed.self_url)
    add(root, "link", rel="alternate", type="text/html", href=feed.page_url)
    if feed.hub_url:
        add(root, "link", rel="hub", href=feed.hub_url)
    for rel, url in (("first", feed.first_url), ("next", feed.next_url)):
        if url:
            add(root, "link", rel=rel, type="application/atom+xml", href=url)
    for item in feed.items:
        _add_entry(root, item)
    return serialise(root)


def urn(local_id: str) -> str:
    return f"urn:matchwire:{quote(local_id, safe='')}"


def _add_entry(root: ET.Element, item: Item) -> None:
    entry = add(root, "entry")
    add(entry, "id", urn(item.id))
    add(entry, "title", item.title)
    add(entry, "published", rfc3339(item.published))
    add(entry, "updated", rfc3339(item.updated))
    add(entry, "link", rel="alternate", type="text/html", href=item.url)
    if (comments := item.extras.get("comments")) is not None:
        add(entry, f"{{{THREADING}}}total", str(comments))
    for file in item.enclosures:
        titled = {"title": file.title} if file.title else {}
        add(entry, "link", rel="enclosure", type=file.content_type, href=file.url, **titled)
    add(entry, "content", item.html, type="html")


def render_rss(feed: Feed) -> bytes:
    """The feed as RSS 2.0; a post's HTML is its description."""
    root = ET.Element("rss", version="2.0")
    channel = add(root, "channel")
    add(channel, "title", feed.title)
    add(channel, "link", feed.page_url)
    add(channel, "description", feed.title)
    add(channel, "language", feed.language)
    add(channel, "lastBuildDate", rfc822(feed.updated))
    add(channel, "generator", "matchwire")
    add(channel, f"{{{ATOM}}}link", rel="self", type="application/rss+xml", href=feed.self_url)
    if feed.hub_url:
        add(channel, f"{{{ATOM}}}link", rel="hub", href=feed.hub_url)
    for rel, url in (("first", feed.first_url), ("next", feed.next_url)):
        if url:
            add(channel, f"{{{ATOM}}}link", rel=rel, type="application/rss+xml", href=url)
    for item in feed.items:
        _add_item(channel, item)
    return serialise(root)


def rfc822(seconds: int) -> str:
    return format_datetime(instant(seconds), usegmt=True)


def _add_item(channel: ET.Element, item: Item) -> None:
    entry = add(channel, "item")
    add(entry, "title", item.title)
    add(entry, "link", item.url)
    add(entry, "guid", item.id, isPermaLink="false")
    add(entry, "pubDate", rfc822(item.published))
    add(entry, "description", item.html)
    if (comments := item.extras.get("comments")) is not None:
        add(entry, f"{{{SLASH}}}comments", str(comments))
    for file in item.enclosures[:1]:  # most readers take no more than one
        add(entry, "enclosure", url=file.url, length=LENGTH, type=file.content_type)
    for file in item.enclosures:
        _add_file(entry, file)


def _add_file(entry: ET.Element, file: Enclosure) -> None:
    """All of the files, with what an enclosure cannot say of them."""
    sides = zip(("width", "height"), map(str, file.size or ()), strict=False)
    length = {"duration": str(file.seconds)} if file.seconds else {}
    medium = "video" if file.video else "image"
    content = add(
        entry, f"{{{MEDIA}}}content", url=file.url, type=file.content_type, medium=medium, **dict(sides), **length
    )
    if file.title:
        add(content, f"{{{MEDIA}}}title", file.title)
    if file.credit:
        add(content, f"{{{MEDIA}}}credit", file.credit)


class FeedAttachment(TypedDict):
    """A file of a post."""

    url: str
    mime_type: str
    title: NotRequired[str]
    duration_in_seconds: NotRequired[Annotated[int, Field(ge=1)]]


class FeedItemExtension(TypedDict):
    """What the format has no member for: how many comments a post has."""

    comments: Annotated[int, Field(ge=0)]


class JsonFeedItem(TypedDict):
    """A post."""

    id: str
    content_html: str
    url: NotRequired[str]
    title: NotRequired[str]
    image: NotRequired[str]
    date_published: NotRequired[DateTime]
    date_modified: NotRequired[DateTime]
    _matchwire: NotRequired[FeedItemExtension]
    attachments: NotRequired[list[FeedAttachment]]


class FeedExtension(TypedDict):
    """What the format has no member for: the recap, and the key moments, oldest first."""

    recap: str
    key_events: list[KeyEvent]


class FeedHub(TypedDict):
    """Where changes of the feed can be subscribed to."""

    type: Literal["WebSub"]
    url: str


class JsonFeed(TypedDict):
    """A liveblog as JSON Feed 1.1."""

    version: Literal["https://jsonfeed.org/version/1.1"]
    title: str
    items: list[JsonFeedItem]
    home_page_url: NotRequired[str]
    feed_url: NotRequired[str]
    next_url: NotRequired[str]
    language: NotRequired[str]
    hubs: NotRequired[list[FeedHub]]
    _matchwire: NotRequired[FeedExtension]


def render_json(feed: Feed) -> bytes:
    """The feed as JSON Feed 1.1; `next_url` only where there are more posts. `_matchwire` is an extension of ours."""
    moments = feed.key_moments
    document: dict[str, Any] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": clean(feed.title),
        "home_page_url": feed.page_url,
        "feed_url": feed.self_url,
        "language": feed.language,
        "next_url": feed.next_url,
        "hubs": feed.hub_url and [{"type": "WebSub", "url": feed.hub_url}],
        "_matchwire": moments
        and {"recap": moments.recap, "key_events": [as_json(each, feed.page_url) for each in moments.moments]},
        "items": [_json_item(item) for item in feed.items],
    }
    return json_bytes({name: value for name, value in document.items() if value is not None})


def _json_item(item: Item) -> dict[str, Any]:
    comments = item.extras.get("comments")
    entry = {
        "id": item.id,
        "url": item.url,
        "title": clean(item.title) or None,
        # The format wants some content in every item, also where all that a post says is its title.
        "content_html": clean(item.html),
        "image": next((clean(each.url) for each in item.enclosures if not each.video), None),
        "date_published": rfc3339(item.published),
        "date_modified": rfc3339(item.updated),
        "_matchwire": None if comments is None else {"comments": comments},
        "attachments": [_attachment(each) for each in item.enclosures] or None,
    }
    return {name: value for name, value in entry.items() if value is not None}


def _attachment(file: Enclosure) -> dict[str, Any]:
    about = {"title": clean(file.title), "duration_in_seconds": file.seconds}
    return {
        "url": clean(file.url),
        "mime_type": file.content_type,
        **{name: each for name, each in about.items() if each},
    }


def clean(value: str) -> str:
    """The text without control characters, surrogates and non-characters."""
    return _FORBIDDEN_IN_XML.sub("", value)


def add(parent: ET.Element, tag: str, content: str | None = None, **attributes: str) -> ET.Element:
    """A new last child with text and attributes."""
    child = ET.SubElement(parent, tag, {name: clean(value) for name, value in attributes.items()})
    child.text = None if content is None else clean(content)
    return child


def serialise(root: ET.Element) -> bytes:
    """The document in UTF-8 with its declaration."""
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return body
