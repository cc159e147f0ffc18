"""Conditional responses, which a cache can revalidate: strong `ETag`, `Last-Modified`, 304."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache

from starlette.datastructures import Headers
from starlette.responses import Response

from api.http.json_path import instant
from api.http.rendered import Rendering
from config import Settings

VARY = "Authorization"


FEED_MAX_AGE = 2
"""Seconds for which a cache may keep a feed or page without revalidating it."""


def cache_control(settings: Settings) -> str:
    """Who may keep what readers see of a liveblog, and for how long."""
    return f"{'public' if settings.server.public_feeds else 'private'}, max-age={FEED_MAX_AGE}"


def conditional(
    headers: Headers,
    found: Rendering,
    content_type: str,
    *,
    cache_control: str,
    modified: int | None = None,
    now: float = 0,
    more: Mapping[str, str] | Callable[[], Mapping[str, str]] | None = None,
) -> Response:
    """The body, or 304 where the caller has it already; `more`: headers of both, or what makes them.

    Responses are kept with `found` and sent again, so all who give the same one and `cache_control` give the same headers,
    and nothing makes headers for a response that is kept.
    `modified` (Unix seconds) is sent only once its second is over: within it one more change could still happen, and a
    caller who sends that date later would miss it.
    """
    date = http_date(modified) if modified is not None and modified + 1 <= now else None
    status = 304 if is_unchanged(headers, found.etag, date) else 200
    response = found.responses.get((status, date, cache_control))
    if response is None:
        added = more() if callable(more) else more or {}
        known = {"ETag": found.etag, "Cache-Control": cache_control, "Vary": "Authorization", **added}
        if date is not None:
            known["Last-Modified"] = date
        response = found.responses[status, date, cache_control] = _response(found, status, content_type, known)
    return response


def _response(found: Rendering, status: int, content_type: str, headers: dict[str, str]) -> Response:
    """The response with what the content's type and coding add to the headers."""
    if found.coding is not None:
        headers["Vary"] += ", Accept-Encoding"
    if status != 200:
        return Response(None, status, headers)
    coding = {"Content-Encoding": found.coding} if found.coding else {}
    return Response(found.body, status, {**headers, "Content-Type": content_type, **coding})


@lru_cache(maxsize=1024)
def http_date(seconds: int) -> str:
    """Unix seconds as HTTP writes them."""
    return format_datetime(instant(seconds), usegmt=True)


def is_unchanged(headers: Headers, etag: str, modified: str | None) -> bool:
    """Whether the request's preconditions say that its sender has what these validators describe (RFC 9110, 13.2.2)."""
    if (tags := headers.get("if-none-match")) is not None:
        return "*" in tags.split() or etag in {tag.strip().removeprefix("W/") for tag in tags.split(",")}
    since = headers.get("if-modified-since")
    if since is None or modified is None:
        return False
    try:
        return parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
    except (ValueError, TypeError, OverflowError):
        return False  # not a date, or one without a time zone: the header counts as absent
