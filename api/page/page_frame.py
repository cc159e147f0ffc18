"""The frame of all public pages: head, dates and times, errors as pages, and the language where no liveblog has one.

Dates and times stand in the service's zone until a script has the reader's.
"""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache
from html import escape
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from starlette.responses import Response
from starlette.types import Scope

from api.http.errors import error_response, status_of
from api.http.json_path import instant, local
from api.http.request import headers_of
from api.http.static import TYPES
from mapping.documents.scalars import Locale
from mapping.errors import ServiceError
from mapping.liveblog.web_embeds import FRAME_HOSTS
from mapping.locales import translator
from mapping.locales.labels import PageText

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
    " media-src https: http:; base-uri 'none'; form-action 'none'"
)
"""Nothing inline runs; only videos come from elsewhere. No click on these pages can do harm, also in a frame."""
ALONE = f"{POLICY}; frame-ancestors 'self'"
"""Of a page that no other site shows in a frame."""
WITH_POSTS = f"{POLICY}; frame-src {' '.join(f'https://{host}' for host in FRAME_HOSTS)}"
"""Of a page with posts: what third parties show, after consent, stands in frames of theirs."""


LOCALES = tuple(filter(None, get_args(Locale)))
NEAREST = {"fr": "fr-fr", "it": "it-it", "nl": "nl-nl", "zh-hant": "zh-tw"}
"""A language, or its script, without a country → the locale that is written so."""
DEFAULT_LOCALE = "en"
LONGEST_HEADER = 256
"""Characters of the header that are looked at."""


SAID = {
    401: PageText.NOT_OPEN,
    403: PageText.NOT_OPEN,
    404: PageText.NOT_FOUND,
    429: PageText.TOO_MANY,
}
READ_METHODS = frozenset({"GET", "HEAD"})
PAGE, FORM, NAVIGATION = "text/html", "application/x-www-form-urlencoded", "navigate"


Form = Literal["date", "time", "day"]
KEPT = 4096
"""Moments that stay written."""


def document(
    *, title: str, language: str, about: str, body: str, up: str = "", script: str = "", head: str = ""
) -> str:
    """A whole document; `title`, `language` and `about` are escaped here, `body` and `head` are HTML."""
    code = f'<script type="module" src="{up}static/{script}"></script>' if script else ""
    return (
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<title>{escape(title)}</title><meta name="description" content="{escape(about)}">'
        f'<link rel="icon" href="{up}static/icon.svg" type="image/svg+xml">'
        f'<link rel="stylesheet" href="{up}static/page.css">{head}{code}</head>'
        f"<body>{body}<footer>matchwire</footer></body></html>"
    )


@lru_cache(maxsize=256)
def preferred_locale(accept_language: str, among: Container[str] = LOCALES) -> str:
    """The locale of these for a header `Accept-Language` (RFC 9110, 12.5.4), English where it names none of them."""
    wanted = [
        each for part in accept_language[:LONGEST_HEADER].lower().split(",") if (each := _read_weight(part))[0] > 0
    ]
    found = (_find_locale(tag) for _, tag in sorted(wanted, key=lambda each: -each[0]))
    return next((each for each in found if each and each in among), DEFAULT_LOCALE)


def _read_weight(part: str) -> tuple[float, str]:
    """The weight of a part and its tag; a weight that is none leaves the part out."""
    tag, _, weight = (each.strip() for each in part.partition(";"))
    try:
        return float(weight.removeprefix("q=").strip() or 1), tag
    except ValueError:
        return 0, tag


def _find_locale(tag: str) -> str:
    """The locale of a tag or of what it begins with, `de` for `de-at`; empty where there is none."""
    subtags = tag.split("-")
    starts = ("-".join(subtags[:length]) for length in range(len(subtags), 0, -1))
    return next((NEAREST.get(each, each) for each in starts if each in LOCALES or each in NEAREST), "")


def response_to(error: ServiceError, scope: Scope, depth: int, *, has_session: bool = False) -> Response:
    """The response that reports the error: a page for a browser that opens an address or sends a form, JSON for everybody else.

    `depth`: the slashes in the path that was requested, which say how far it is to the root. `has_session`: the browser keeps a
    session, open or ended; neither there nor for a script does it open a window of its own for a password.
    """
    headers = headers_of(scope)
    by_script = headers.get("sec-fetch-mode", NAVIGATION) != NAVIGATION
    response = error_response(error, challenges=not has_session and not by_script)
    kinds = [each.partition(";") for each in headers.get("accept", "").lower().split(",")]
    wants_page = any(kind.strip() == PAGE and weight.strip() != "q=0" for kind, _, weight in kinds)
    if wants_page and (scope["method"] in READ_METHODS or headers.get("content-type", "").startswith(FORM)):
        locale = preferred_locale(headers.get("accept-language", ""))
        said = "" if scope["method"] in READ_METHODS else str(error.body()["message"])
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


def error_page(status: int, locale: str, depth: int, reason: str = "") -> str:
    """The page for an HTTP status, under a path with `depth` slashes. `reason`: why a form was refused."""
    from api.http.templates import load_templates  # a start that shows no page needs none

    texts, up = translator(locale), "../" * (depth - 1)
    said = texts.text(SAID.get(status, PageText.FAILED if status >= 500 else PageText.BAD_ADDRESS))
    body = (
        load_templates("api.page")
        .get_template("error.html")
        .render(status=status, said=said, reason=reason, up=up, lists=texts.text(PageText.ALL_LIVEBLOGS))
    )
    return document(title=f"{status} · matchwire", language=texts.locale, about=said, body=body, up=up)


def moment(seconds: int, form: Form, zone: ZoneInfo, locale: str) -> str:
    """A time element in the time of `zone`, which the page's script turns into the reader's own.

    A `date` has its time beside it; a `day` is as short as can be. Its zone is named where no script runs.
    """
    at = instant(seconds).strftime("%Y-%m-%dT%H:%M:%SZ")
    shown, zone_name = _write_moment(seconds, form, zone, locale)
    named = f'<span class="zone"> {escape(zone_name)}</span>' if form == "date" else ""
    return f'<time datetime="{at}" data-form="{form}">{escape(shown)}</time>{named}'


@lru_cache(maxsize=KEPT)
def _write_moment(seconds: int, form: Form, zone: ZoneInfo, locale: str) -> tuple[str, str]:
    """The text, and the name of the zone at that time."""
    at = local(seconds, zone)
    time = at.strftime("%H:%M")
    if form == "time":
        return time, ""
    from babel.dates import format_date, format_skeleton, get_datetime_format  # a start that renders nothing needs none

    calendar = territorial(locale)
    if form == "day":
        return str(format_skeleton("MMMd", at, locale=calendar)), ""
    pattern = str(get_datetime_format("medium", locale=calendar))
    return pattern.format(time, format_date(at, "medium", locale=calendar)).replace("'", ""), at.strftime("%Z")


def territorial(locale: str) -> str:
    """A locale as calendars write it: `de`, `fr_FR`."""
    spoken, _, territory = locale.partition("-")
    return f"{spoken}_{territory.upper()}" if territory else spoken


def with_territory(locale: str) -> str:
    """A locale as social networks want it, which know no language alone: `de_DE`, that of most who speak it."""
    from babel.core import get_global  # a start that renders nothing needs no calendar

    found = territorial(locale)
    likely = None if "_" in found else get_global("likely_subtags").get(found)
    return f"{found}_{likely.rpartition('_')[2]}" if likely else found
