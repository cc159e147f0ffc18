"""JSON Feed 1.1."""

from __future__ import annotations

from typing import Any

from api.feeds.enclosures import Enclosure
from api.feeds.feed import Feed, Item, clean
from api.http.errors import json_bytes
from api.http.json_path import rfc3339
from api.view.key_moments import KeyMoments, as_json

CONTENT_TYPE = "application/json; charset=utf-8"
VERSION = "https://jsonfeed.org/version/1.1"


def render(feed: Feed) -> bytes:
    """The feed as JSON Feed 1.1; `next_url` only where there are more posts. `_matchwire` is an extension of ours."""
    document: dict[str, Any] = {
        "version": VERSION,
        "title": clean(feed.title),
        "home_page_url": feed.page_url,
        "feed_url": feed.self_url,
        "language": feed.language,
    }
    if feed.next_url:
        document["next_url"] = feed.next_url
    if feed.hub_url:
        document["hubs"] = [{"type": "WebSub", "url": feed.hub_url}]
    if feed.key_moments is not None:
        document["_matchwire"] = _extension(feed.key_moments, feed.page_url)
    document["items"] = [_item(item) for item in feed.items]
    return json_bytes(document)


def _extension(key_moments: KeyMoments, page: str) -> dict[str, Any]:
    """What the format has no member for: the recap and the key moments, oldest first."""
    return {"recap": key_moments.recap, "key_events": [as_json(each, page) for each in key_moments.moments]}


def _item(item: Item) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": item.id, "url": item.url}
    if item.title:
        entry["title"] = clean(item.title)
    # The format wants some content in every item, also where all that a post says is its title.
    entry["content_html"] = clean(item.html)
    if image := next((each.url for each in item.enclosures if not each.video), None):
        entry["image"] = clean(image)
    entry["date_published"] = rfc3339(item.published)
    entry["date_modified"] = rfc3339(item.updated)
    if (comments := item.extras.get("comments")) is not None:
        entry["_matchwire"] = {"comments": comments}
    if item.enclosures:
        entry["attachments"] = [_enclosure(each) for each in item.enclosures]
    return entry


def _enclosure(file: Enclosure) -> dict[str, Any]:
    about = {"title": clean(file.title), "duration_in_seconds": file.seconds}
    return {
        "url": clean(file.url),
        "mime_type": file.content_type,
        **{name: each for name, each in about.items() if each},
    }
