"""RSS 2.0."""

from __future__ import annotations

from email.utils import format_datetime
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from api.feeds.common import add, serialise
from api.json_path import instant

if TYPE_CHECKING:
    from api.feeds.common import Feed, Item

CONTENT_TYPE = "application/rss+xml; charset=utf-8"
ATOM = "http://www.w3.org/2005/Atom"
DC = "http://purl.org/dc/elements/1.1/"
ET.register_namespace("atom", ATOM)
ET.register_namespace("dc", DC)


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
    if feed.next_url:
        add(channel, f"{{{ATOM}}}link", rel="next", type="application/rss+xml", href=feed.next_url)
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
