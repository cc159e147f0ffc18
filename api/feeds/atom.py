"""Atom 1.0 (RFC 4287, with the paging links of RFC 5005)."""

from __future__ import annotations

from urllib.parse import quote
from xml.etree import ElementTree as ET

from api.feeds.feed import Feed, Item, add, serialise
from api.http.json_path import rfc3339

CONTENT_TYPE = "application/atom+xml; charset=utf-8"
ATOM = "http://www.w3.org/2005/Atom"
THREADING = "http://purl.org/syndication/thread/1.0"
ET.register_namespace("thr", THREADING)


def render(feed: Feed) -> bytes:
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
