"""What the standards demand of feeds, as rules that name what is wrong: RFC 4287, RSS 2.0 with its validator's, JSON Feed 1.1."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from jsonschema_rs import validator_for

from tests.kit import matchday
from tests.kit.harmless import active_parts

ATOM = "{http://www.w3.org/2005/Atom}"
MEDIA = "{http://search.yahoo.com/mrss/}"
XML = "{http://www.w3.org/XML/1998/namespace}"
RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
DAYS, MONTHS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun", "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
RFC822 = re.compile(rf"({DAYS}), \d\d ({MONTHS}) \d{{4}} \d\d:\d\d:\d\d GMT")
MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+")
LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
RELATIVE = re.compile(r"""(?:href|src)=["'](?!https?:|mailto:|tel:)""")

FEED = {
    "id": (1, 1), "title": (1, 1), "updated": (1, 1), "author": (1, 99), "link": (1, 99), "generator": (0, 1),
    "entry": (0, 10**6),
}  # fmt: skip
"""Element of a feed → how often it may stand there, of those that we write."""
ENTRY = {"id": (1, 1), "title": (1, 1), "updated": (1, 1), "published": (0, 1), "link": (1, 99), "content": (0, 1)}
CHANNEL = {
    "title": (1, 1), "link": (1, 1), "description": (1, 1), "language": (0, 1), "lastBuildDate": (0, 1),
    "generator": (0, 1), f"{ATOM}link": (1, 99), "item": (0, 10**6),
}  # fmt: skip
ITEM = {
    "title": (0, 1), "description": (0, 1), "link": (0, 1), "guid": (1, 1), "pubDate": (0, 1), "enclosure": (0, 1),
    f"{MEDIA}content": (0, 99),
}  # fmt: skip
URI = {"type": "string", "pattern": "^https?://[^\\s]+$"}
DATE = {"type": "string", "pattern": f"^{RFC3339.pattern}$"}
STRICT = {"additionalProperties": False, "patternProperties": {"^_[^.]+$": {"type": "object"}}}
JSON_FEED = validator_for(
    {
        "type": "object",
        "required": ["version", "title", "items"],
        **STRICT,
        "properties": {
            "version": {"const": "https://jsonfeed.org/version/1.1"},
            "title": {"type": "string", "minLength": 1},
            "home_page_url": URI, "feed_url": URI, "next_url": URI,
            "language": {"type": "string", "pattern": f"^{LANGUAGE.pattern}$"},
            "hubs": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["type", "url"],
                    **STRICT,
                    "properties": {"type": {"type": "string", "minLength": 1}, "url": URI},
                },
            },
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["id", "content_html"],
                    **STRICT,
                    "properties": {
                        "id": {"type": "string", "minLength": 1},
                        "url": URI, "image": URI, "title": {"type": "string", "minLength": 1}, "content_html": {"type": "string"},
                        "date_published": DATE, "date_modified": DATE,
                        "attachments": {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "object",
                                "required": ["url", "mime_type"],
                                "additionalProperties": False,
                                "properties": {
                                    "url": URI, "mime_type": {"type": "string", "pattern": f"^{MEDIA_TYPE.pattern}$"},
                                    "title": {"type": "string"}, "duration_in_seconds": {"type": "number", "minimum": 0},
                                },
                            },
                        },
                    },
                },
            },
        },
    }
)  # fmt: skip


GOAL = {
    **matchday.incident(
        "goal", "Goal", "3'", side=matchday.HOME, people=(("Scorer", "Ole Brandt"),), score=matchday.pair(1, 0)
    ),
    "local_id": "b1",
}
BOARD = {
    "_type": "Svc::Model::Content::ScoreboardContentBlock",
    "local_id": "b4",
    "scoreboard": {
        "_type": "Svc::Model::Content::Scoreboard::TeamGameScoreboard",
        "home_team": matchday.HOME,
        "away_team": matchday.AWAY,
        "score": matchday.pair(2, 1),
        "scores": [matchday.pair(1, 1, "Half-time"), matchday.pair("", "")],
    },
}


def faults(extension: str, body: bytes) -> list[str]:
    """What is wrong with a feed of that format."""
    return list({"atom": _atom, "rss": _rss, "json": _json}[extension](body))


def _json(body: bytes) -> Iterator[str]:
    document = json.loads(body)
    yield from (f"{list(error.instance_path)}: {error.message}"[:300] for error in JSON_FEED.iter_errors(document))
    yield from _repeated("id", [item.get("id") for item in document.get("items", [])])
    for item in document.get("items", []):
        yield from _html(item.get("content_html", ""))


def _atom(body: bytes) -> Iterator[str]:
    root = ET.fromstring(body)
    if root.tag != f"{ATOM}feed":
        yield f"the root is {root.tag}"
    if not LANGUAGE.fullmatch(root.get(f"{XML}lang", "")):
        yield "xml:lang is no language"
    yield from _counted(root, {f"{ATOM}{name}": times for name, times in FEED.items()})
    yield from _atom_common(root)
    if not all(author.findtext(f"{ATOM}name") for author in root.iter(f"{ATOM}author")):
        yield "an author without a name"
    if [link.get("rel") for link in root.findall(f"{ATOM}link")].count("self") != 1:
        yield "not one link to itself"
    entries = root.findall(f"{ATOM}entry")
    yield from _repeated("id", [entry.findtext(f"{ATOM}id") for entry in entries])
    for entry in entries:
        yield from _counted(entry, {f"{ATOM}{name}": times for name, times in ENTRY.items()})
        yield from _atom_common(entry)
        content = entry.find(f"{ATOM}content")
        if content is not None:
            yield from [] if content.get("type") == "html" and len(content) == 0 else ["content is not escaped HTML"]
            yield from _html(content.text or "")
        if (entry.findtext(f"{ATOM}published") or "") > (entry.findtext(f"{ATOM}updated") or ""):
            yield "published after it was updated"


def _atom_common(element: ET.Element) -> Iterator[str]:
    if not urlsplit(element.findtext(f"{ATOM}id") or "").scheme:
        yield "an id that is no IRI"
    for name in ("updated", "published"):
        yield from (f"{name}: {each.text}" for each in element.findall(f"{ATOM}{name}") if not _rfc3339(each.text))
    links = element.findall(f"{ATOM}link")
    for link in links:
        if not _absolute(link.get("href")) or not MEDIA_TYPE.fullmatch(link.get("type", "text/html")):
            yield f"a link of another form: {link.attrib}"
    alternates = [
        (link.get("type"), link.get("hreflang")) for link in links if link.get("rel", "alternate") == "alternate"
    ]
    yield from _repeated("alternate link", alternates)


def _rss(body: bytes) -> Iterator[str]:
    root = ET.fromstring(body)
    channel = root.find("channel")
    if (root.tag, root.get("version"), len(root)) != ("rss", "2.0", 1) or channel is None:
        yield "not one channel of RSS 2.0"
        return
    yield from _counted(channel, CHANNEL)
    if not LANGUAGE.fullmatch(channel.findtext("language", "en")):
        yield "language"
    yield from (
        f"{name} is empty" for name in ("title", "link", "description") if not (channel.findtext(name) or "").strip()
    )
    links = channel.findall(f"{ATOM}link")
    yield from [] if [link.get("rel") for link in links].count("self") == 1 else ["not one link to itself"]
    yield from (
        "a link without address or type"
        for link in links
        if not (_absolute(link.get("href")) and (link.get("type") or link.get("rel") == "hub"))
    )
    yield from _dated(channel, "lastBuildDate")
    items = channel.findall("item")
    yield from _repeated("guid", [item.findtext("guid") for item in items])
    for item in items:
        yield from _rss_item(item)


def _rss_item(item: ET.Element) -> Iterator[str]:
    yield from _counted(item, ITEM)
    yield from _dated(item, "pubDate")
    if item.find("title") is None and item.find("description") is None:
        yield "an item with neither title nor description"
    guid = item.find("guid")
    if guid is None or not guid.text or guid.get("isPermaLink") != "false":
        yield "a guid that is taken for an address"
    if not _absolute(item.findtext("link")):
        yield "an item's link is not absolute"
    for file in item.findall("enclosure"):
        if (
            set(file.attrib) != {"url", "length", "type"}
            or not file.get("length", "").isdigit()
            or not _absolute(file.get("url"))
        ):
            yield f"an enclosure of another form: {file.attrib}"
    yield from _html(item.findtext("description") or "")


def _dated(element: ET.Element, name: str) -> Iterator[str]:
    for each in element.findall(name):
        if (
            not RFC822.fullmatch(each.text or "")
            or parsedate_to_datetime(each.text or "").strftime("%a") != (each.text or "")[:3]
        ):
            yield f"{name}: {each.text}"


def _counted(element: ET.Element, allowed: dict[str, tuple[int, int]]) -> Iterator[str]:
    counts = Counter(child.tag for child in element)
    yield from (f"{tag} does not belong into {element.tag}" for tag in counts.keys() - allowed.keys())
    for tag, (least, most) in allowed.items():
        if not least <= counts[tag] <= most:
            yield f"{element.tag} has {counts[tag]} of {tag}"


def _html(html: str) -> Iterator[str]:
    """No validator likes addresses that are relative, or markup that readers strip."""
    yield from (f"relative: {html[found.start() :][:80]}" for found in RELATIVE.finditer(html))
    yield from (f"dangerous: {each}" for each in active_parts(html))


def _repeated(what: str, values: list[Any]) -> Iterator[str]:
    yield from (f"{what} {value!r} stands {times} times" for value, times in Counter(values).items() if times > 1)


def _absolute(address: str | None) -> bool:
    parts = urlsplit(address or "")
    return parts.scheme in {"http", "https"} and bool(parts.netloc) and not re.search(r"\s", address or "")


def _rfc3339(text: str | None) -> bool:
    return bool(RFC3339.fullmatch(text or "")) and datetime.fromisoformat(text or "").tzinfo is not None
