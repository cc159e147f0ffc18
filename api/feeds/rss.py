"""RSS 2.0."""

from __future__ import annotations

from email.utils import format_datetime
from xml.etree import ElementTree as ET

from api.feeds.enclosures import Enclosure
from api.feeds.feed import Feed, Item, add, serialise
from api.http.json_path import instant

CONTENT_TYPE = "application/rss+xml; charset=utf-8"
ATOM = "http://www.w3.org/2005/Atom"
MEDIA = "http://search.yahoo.com/mrss/"
SLASH = "http://purl.org/rss/1.0/modules/slash/"
LENGTH = "0"
"""Of a file whose bytes nobody has counted; the format demands a number."""
ET.register_namespace("atom", ATOM)
ET.register_namespace("media", MEDIA)
ET.register_namespace("slash", SLASH)


def render(feed: Feed) -> bytes:
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
