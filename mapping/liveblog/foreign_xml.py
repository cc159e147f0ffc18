"""Reads an RSS or Atom feed of another service into the shape of a JSON feed, so that both go by the same rules."""

from __future__ import annotations

import re
from calendar import timegm
from collections import Counter
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import feedparser

from mapping.rules.rich_text import DEEPEST, NEVER_NESTED

JSON_FEED = "https://jsonfeed.org/version/1.1"
OWN = "urn:matchwire:"
"""Before the ids of an Atom feed of ours, which are addresses by its standard; other forms give the id alone."""

_TAG = re.compile(r"<(/?)([A-Za-z_][\w:.-]*)[^<>]*?(/?)>")

Document = dict[str, Any]


def feed_document(body: bytes) -> Document:
    """The feed with `title`, `language`, `items` and `next_url` as in a JSON feed; empty for what is neither RSS nor Atom.

    Links are absolute where the feed says what they belong to. RSS does not say when an item was changed. Raises ValueError
    for what is nested deeper than anybody writes it.
    """
    if _is_too_deep(body.decode("latin-1")):
        raise ValueError("is nested too deeply")
    found = feedparser.parse(BytesIO(body))
    if not found.version:
        return {}
    return {
        "version": JSON_FEED,
        "title": found.feed.get("title", ""),
        "language": found.feed.get("language", ""),
        "items": [_item(each) for each in found.entries],
        "next_url": next(
            (each.get("href", "") for each in found.feed.get("links", ()) if each.get("rel") == "next"), ""
        ),
    }


def _is_too_deep(markup: str) -> bool:
    """Whether elements stand in each other deeper than anybody writes them; in time that grows with the markup."""
    opened: list[str] = []
    known: Counter[str] = Counter()
    for closing, name, alone in _TAG.findall(markup):
        if closing:
            while known[name]:
                known[last := opened.pop()] -= 1
                if last == name:
                    break
        elif not alone and name.lower() not in NEVER_NESTED:
            opened.append(name)
            known[name] += 1
            if len(opened) > DEEPEST:
                return True
    return False


def _item(entry: Document) -> Document:
    texts = [each.get("value", "") for each in entry.get("content", ())]
    updated = (
        entry.get("updated_parsed") if "updated_parsed" in entry else None
    )  # else feedparser takes the other for it
    return {
        "id": (entry.get("id") or entry.get("link", "")).removeprefix(OWN),
        "title": entry.get("title", ""),
        "content_html": next(filter(None, texts), "") or entry.get("summary", ""),
        "date_published": _instant(entry.get("published_parsed") or updated),
        "date_modified": _instant(updated),
        "attachments": _attachments(entry),
    }


def _instant(time: Any) -> str:
    """A time in UTC as ISO 8601 writes it, empty where there is none."""
    return datetime.fromtimestamp(timegm(time), UTC).isoformat() if time else ""


def _attachments(entry: Document) -> list[Document]:
    """The files of an entry by their addresses: its enclosures, and what Media RSS says of them."""
    media = [
        (each.get("url", ""), each.get("type") or f"{each.get('medium', 'image')}/*", "")
        for each in entry.get("media_content", ())
    ]
    linked = [
        (each.get("href", ""), each.get("type", ""), each.get("title", ""))
        for each in entry.get("links", ())
        if each.get("rel") == "enclosure"
    ]
    return [{"url": url, "mime_type": kind, "title": title} for url, kind, title in (*media, *linked)]
