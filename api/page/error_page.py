"""Errors as pages, for browsers: what happened and where to go on, in the reader's language."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from api.http.errors import error_response, status_of
from api.http.static import TYPES
from api.page.document import POLICY, document
from api.page.reader_language import preferred_locale
from mapping.locales import translator
from mapping.locales.labels import PageText

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.responses import Response

    from mapping.errors import ServiceError

TEXTS = {
    401: PageText.NOT_OPEN,
    403: PageText.NOT_OPEN,
    404: PageText.NOT_FOUND,
    429: PageText.TOO_MANY,
}
PAGE = "text/html"


def response_to(error: ServiceError, method: str, depth: int, headers: Headers) -> Response:
    """The response that reports the error: a page for a browser that opens an address, JSON for everybody else.

    `depth`: the slashes in the path that was requested, which say how far it is to the root.
    """
    response = error_response(error)
    if method in {"GET", "HEAD"} and _wants_page(headers.get("accept", "")):
        locale = preferred_locale(headers.get("accept-language", ""))
        response.body = error_page(status_of(type(error)), locale, depth).encode()
        response.headers.update(
            {
                "Content-Type": TYPES["html"],
                "Content-Length": str(len(response.body)),
                "Content-Security-Policy": POLICY,
                "Vary": "Accept, Accept-Language",
            }
        )
    return response


def _wants_page(accept: str) -> bool:
    """Whether the header names HTML itself, as only browsers do for what they show."""
    kinds = [each.partition(";") for each in accept.lower().split(",")]
    return any(kind.strip() == PAGE and weight.strip() != "q=0" for kind, _, weight in kinds)


def error_page(status: int, locale: str, depth: int) -> str:
    """The page for an HTTP status, under a path with `depth` slashes."""
    texts, up = translator(locale), "../" * (depth - 1)
    words = TEXTS.get(status, PageText.FAILED if status >= 500 else PageText.BAD_ADDRESS)
    said, lists = escape(texts.text(words)), escape(texts.text(PageText.ALL_LIVEBLOGS))
    body = (
        f'<header class="front"><h1>{status}</h1></header>'
        f'<main><p>{said}</p><p><a href="{up or "./"}">{lists}</a></p></main>'
    )
    return document(title=f"{status} · matchwire", language=texts.locale, about=texts.text(words), body=body, up=up)
