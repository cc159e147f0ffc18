"""What search engines demand of a live blog's structured data: one table, which holds for every output that has some."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

Json = dict[str, Any]
STATUSES = {f"https://schema.org/Event{name}" for name in ("Scheduled", "Postponed", "Rescheduled", "Cancelled")}


def said(value: Any) -> bool:
    """Text with something in it and no markup of our own."""
    return isinstance(value, str) and bool(value.strip()) and not re.search(r"</?(p|div|a|strong|em|br)\b", value)


def address(value: Any) -> bool:
    """An absolute address."""
    return isinstance(value, str) and urlsplit(value).scheme in {"http", "https"} and bool(urlsplit(value).netloc)


def anchored(value: Any) -> bool:
    return address(value) and bool(urlsplit(value).fragment)


def dated(value: Any) -> bool:
    """A time that says its zone."""
    return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None


def filled(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def typed(value: Any) -> bool:
    """An object of a type."""
    return isinstance(value, dict) and "@type" in value


RULES: dict[str, tuple[dict[str, Callable[[Any], bool]], dict[str, Callable[[Any], bool]]]] = {
    "LiveBlogPosting": (
        {
            "headline": said, "url": address, "inLanguage": said, "datePublished": dated, "dateModified": dated,
            "coverageStartTime": dated, "author": typed, "publisher": typed,
        },
        {
            "coverageEndTime": dated, "description": said, "abstract": said, "image": address, "about": typed,
            "liveBlogUpdate": filled,
        },
    ),
    "BlogPosting": (
        {"headline": said, "url": anchored, "articleBody": said, "datePublished": dated, "dateModified": dated},
        {"image": filled, "video": filled, "sharedContent": filled},
    ),
    "WebPage": ({"url": address, "headline": said}, {}),
    "ImageObject": ({"url": address}, {"caption": said, "creditText": said, "width": int, "height": int}),
    "VideoObject": (
        {"name": said, "description": said, "uploadDate": dated, "contentUrl": address},
        {"thumbnailUrl": address, "duration": re.compile(r"PT\d+S").fullmatch, "creditText": said, "width": int, "height": int},
    ),
    "Organization": ({"name": said, "url": address}, {"logo": typed}),
    "SportsEvent": (
        {"name": said, "sport": said, "eventStatus": STATUSES.__contains__, "startDate": dated, "location": typed},
        {"previousStartDate": dated, "description": said, "competitor": filled},
    ),
    "SportsTeam": ({"name": said}, {"logo": address}),
    "Person": ({"name": said}, {"image": address}),
    "Place": ({"name": said, "address": lambda value: typed(value) or said(value)}, {}),
    "VirtualLocation": ({"url": address}, {}),
    "PostalAddress": ({}, {"addressLocality": said, "addressCountry": said}),
}  # fmt: skip
"""Type → what it must have and what it may have, each with its test; nothing else is allowed."""


def faults(schema: Json) -> list[str]:
    """What breaks the rules, as paths; empty for structured data as it should be."""
    found = list(_faults(schema, schema.get("@type", "")))
    found += [] if schema.get("@context") == "https://schema.org" else ["@context"]
    found += [] if schema.get("@type") == "LiveBlogPosting" else ["@type"]
    urls = [each["url"] for each in schema.get("liveBlogUpdate", [])]
    found += ["liveBlogUpdate: two with one address"] * (len(urls) != len(set(urls)))
    found += ["liveBlogUpdate: an address elsewhere"] * any(not url.startswith(schema["url"] + "#") for url in urls)
    times = [schema[name] for name in ("coverageStartTime", "coverageEndTime") if name in schema]
    return found + ["coverageEndTime before coverageStartTime"] * (times != sorted(times))


def _faults(thing: Json, path: str) -> Iterator[str]:
    must, may = RULES[thing["@type"]]
    yield from (f"{path}.{name} is missing" for name in must if name not in thing)
    for name, value in thing.items():
        if name in {"@type", "@context"}:
            continue
        check = {**must, **may}.get(name)
        if check is None or not check(value):
            yield f"{path}.{name}: {value!r}"
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                yield from _faults(each, f"{path}.{name}")
