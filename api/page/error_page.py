"""Errors as pages, for browsers: what happened and where to go on, in the reader's language."""

from __future__ import annotations

from html import escape

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from api.http.errors import error_response, status_of
from api.http.request import headers_of
from api.http.static import TYPES
from api.page.document import POLICY, document
from api.page.reader_language import preferred_locale
from mapping.errors import ServiceError
from mapping.locales import translator
from mapping.locales.labels import PageText

TEXTS = {
    401: PageText.NOT_OPEN,
    403: PageText.NOT_OPEN,
    404: PageText.NOT_FOUND,
    429: PageText.TOO_MANY,
}
READS = frozenset({"GET", "HEAD"})
PAGE, FORM, NAVIGATION = "text/html", "application/x-www-form-urlencoded", "navigate"


def response_to(error: ServiceError, scope: Scope, depth: int, *, has_session: bool = False) -> Response:
    """The response that reports the error: a page for a browser that opens an address or sends a form, JSON for everybody else.

    `depth`: the slashes in the path that was requested, which say how far it is to the root. `has_session`: the browser keeps a
    session, open or ended; neither there nor for a script does it open a window of its own for a password.
    """
    headers = headers_of(scope)
    by_script = headers.get("sec-fetch-mode", NAVIGATION) != NAVIGATION
    response = error_response(error, challenges=not has_session and not by_script)
    if _is_shown(scope, headers) and _wants_page(headers.get("accept", "")):
        locale = preferred_locale(headers.get("accept-language", ""))
        said = "" if scope["method"] in READS else str(error.body()["message"])
        response.body = error_page(status_of(type(error)), locale, depth, said).encode("utf-8", "replace")
        response.headers.update(
            {
                "Content-Type": TYPES["html"],
                "Content-Length": str(len(response.body)),
                "Content-Security-Policy": POLICY,
                "Vary": "Accept, Accept-Language",
            }
        )
    return response


def _is_shown(scope: Scope, headers: Headers) -> bool:
    """Whether a browser shows what it gets: of an address, or of a form."""
    return scope["method"] in READS or headers.get("content-type", "").startswith(FORM)


def _wants_page(accept: str) -> bool:
    """Whether the header names HTML itself, as only browsers do for what they show."""
    kinds = [each.partition(";") for each in accept.lower().split(",")]
    return any(kind.strip() == PAGE and weight.strip() != "q=0" for kind, _, weight in kinds)


def error_page(status: int, locale: str, depth: int, reason: str = "") -> str:
    """The page for an HTTP status, under a path with `depth` slashes. `reason`: why a form was refused."""
    texts, up = translator(locale), "../" * (depth - 1)
    words = TEXTS.get(status, PageText.FAILED if status >= 500 else PageText.BAD_ADDRESS)
    said, lists = escape(texts.text(words)), escape(texts.text(PageText.ALL_LIVEBLOGS))
    body = (
        f'<header class="front"><h1>{status}</h1></header>'
        f'<main><p>{said}</p>{f"<p>{escape(reason)}</p>" if reason else ""}<p><a href="{up or "./"}">{lists}</a></p></main>'
    )
    return document(title=f"{status} · matchwire", language=texts.locale, about=texts.text(words), body=body, up=up)
