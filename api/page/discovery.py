"""Where a liveblog is found from outside: the page, the frame, and what leads from one to the other."""

from __future__ import annotations

from html import escape
from urllib.parse import quote, unquote, urlencode, urlsplit

from api.view.liveblog_access import NO_LIVEBLOG
from mapping.errors import InvalidRequest, NotFound

OEMBED = "/oembed"
KINDS = {"json": "application/json", "xml": "text/xml"}
"""Formats of oEmbed, and their media types."""


def frame_url(public_url: str, liveblog: str, delay: int = 0) -> str:
    late = f"?delay={delay}" if delay else ""
    return f"{public_url.rstrip('/')}/embed/{quote(liveblog, safe='')}{late}"


def iframe(url: str, title: str, width: int, height: int, *, name: str = "") -> str:
    """The element for somebody else's page; `title` is what a screen reader says of it.

    A frame with a `name` is made as wide as there is room by the script beside it; one without has no script, and is never
    wider than there is room.
    """
    fitted = f' name="{escape(name)}"' if name else ' style="max-width:100%;border:0"'
    return (
        f'<iframe src="{escape(url)}" title="{escape(title)}" width="{width}" height="{height}"{fitted}'
        ' loading="lazy" allowfullscreen></iframe>'
    )


def discovery(public_url: str, page: str) -> dict[str, str]:
    """The addresses at which consumers of oEmbed find out about a page, by media type."""
    endpoint = f"{public_url.rstrip('/')}{OEMBED}"
    return {f"{kind}+oembed": f"{endpoint}?{urlencode({'url': page, 'format': form})}" for form, kind in KINDS.items()}


def liveblog_of(url: str | None, public_url: str) -> str:
    """The name of the liveblog in the address of its page; raises InvalidRequest without one, NotFound for another page."""
    if not url:
        raise InvalidRequest("url is missing", field="url")
    try:
        parts, ours = urlsplit(url), urlsplit(public_url)
    except ValueError:
        raise NotFound(NO_LIVEBLOG, field="url") from None
    folder = f"{ours.path.rstrip('/')}/liveblogs/"
    name = unquote(parts.path.removeprefix(folder).removesuffix("/"))
    same_host = parts.netloc.casefold() == ours.netloc.casefold() and parts.scheme in {"http", "https"}
    if not (same_host and parts.path.startswith(folder)) or not name or "/" in name or not name.isprintable():
        raise NotFound(NO_LIVEBLOG, field="url")
    return name
