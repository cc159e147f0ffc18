"""The frame of all pages of the desk: head, navigation, and the headers that keep other sites out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from markupsafe import Markup
from starlette.responses import Response

from api.http import static
from api.http.request import ApiRequest, DeskPerson
from api.page.page_frame import moment, preferred_locale
from mapping.locales import Translator, msgid, translator
from mapping.locales.labels import SCORE, SCORE_CONTEXT

STATIC = "api.desk.static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Nothing inline runs, nothing comes from elsewhere, and no other site shows the desk."""
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "Vary": "Cookie, Accept-Language",
    "X-Frame-Options": "DENY",
}
"""`Referrer-Policy`: with none at all, browsers would send no `Origin` with our own forms."""


DESK_LOCALES = frozenset({"en", "en-gb", "de"})
"""The languages in which the desk's own texts are written."""


class NavigationLink(NamedTuple):
    """A page that the navigation leads to: its path, and its name."""

    path: str
    name: str
    scope: str = "read"
    """Whom the navigation leads there: people who have it."""


NAVIGATION = (
    NavigationLink("/desk", msgid("Matches")),
    NavigationLink("/desk/queue", msgid("Queue")),
    NavigationLink("/desk/comments", msgid("Comments"), "comments"),
    NavigationLink("/desk/rules", msgid("Follow rules"), "webhooks"),
)
"""Of the scopes of people `webhooks` is that of admins alone."""


class DeskPage(NamedTuple):
    """What a page of the desk is made with: its reader's texts, who is signed in, and the way up to the root."""

    texts: Translator
    person: DeskPerson | None
    path: str
    up: str
    zone: ZoneInfo

    @classmethod
    def of(cls, request: ApiRequest, person: DeskPerson | None) -> DeskPage:
        """For the page of this request."""
        path = str(request.scope["path"])
        texts = translator(preferred_locale(request.headers.get("accept-language", ""), DESK_LOCALES))
        zone = ZoneInfo(request.services.settings.server.timezone)
        return cls(texts, person, path, "../" * (path.count("/") - 1), zone)

    def text(self, words: str, /, **values: object) -> str:
        """The text in the reader's language."""
        return self.texts.text(words, context=None, **values)

    def score(self, home: str, away: str) -> str:
        """A score as the reader's language writes it."""
        return self.texts.text(SCORE, context=SCORE_CONTEXT, home=home, away=away)

    def time(self, seconds: float | None) -> Markup:
        """Date and time as the reader writes them, nothing for none."""
        if seconds is None:
            return Markup()
        return Markup(moment(int(seconds), "date", self.zone, self.texts.locale))  # noqa: S704 -- escapes what it writes

    def time_of_day(self, seconds: float, zone: ZoneInfo) -> Markup:
        """The time in a zone."""
        return Markup(moment(int(seconds), "time", zone, self.texts.locale))  # noqa: S704 -- escapes what it writes

    def link(self, path: str) -> str:
        """The address of a path of this service, wherever the service lies: `/desk/account`."""
        return self.up + path.removeprefix("/") or "./"

    def render(self, template: str, **shown: Any) -> Markup:
        """What a template makes of all that is `shown`."""
        from api.desk.page_templates import TEMPLATES  # a start that shows no page needs none

        return Markup(TEMPLATES.get_template(template).render(page=self, _=self.text, **shown))  # noqa: S704

    def response(
        self, template: str, status: int = 200, headers: Mapping[str, str] | None = None, **shown: Any
    ) -> Response:
        """The whole page."""
        files = self.link(f"/desk/static/{static.version(STATIC)}")
        html = self.render(template, files=files, navigation=NAVIGATION, **shown).encode("utf-8", "replace")
        return Response(html, status, {**HEADERS, **(headers or {})}, media_type=static.TYPES["html"])


def redirect(request: ApiRequest, path: str, *cookies: str) -> Response:
    """To a path of this service, wherever it lies, as a page to be read; `cookies`: values of `Set-Cookie`."""
    up = "../" * (str(request.scope["path"]).count("/") - 1)
    response = Response(status_code=303, headers={**HEADERS, "Location": (up + path.removeprefix("/")) or "./"})
    for each in cookies:
        response.headers.append("Set-Cookie", each)
    return response
