"""The frame of all pages of the desk: head, navigation, and the headers that keep other sites out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from html import escape
from typing import NamedTuple
from zoneinfo import ZoneInfo

from starlette.responses import Response

from api.http import static
from api.http.request import ApiRequest, DeskPerson
from api.page.reader_language import preferred_locale
from api.page.times import moment
from mapping.desk.comments_text import CommentsText
from mapping.desk.desk_text import DeskText
from mapping.desk.matches_text import MatchesText
from mapping.locales import Translator, translator

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


class NavigationLink(NamedTuple):
    """A page that the navigation leads to: its path, and its name."""

    path: str
    name: StrEnum
    scope: str = "read"
    """Whom the navigation leads there: people who have it."""


NAVIGATION = (
    NavigationLink("/desk", MatchesText.MATCHES),
    NavigationLink("/desk/comments", CommentsText.COMMENTS, "comments"),
    NavigationLink("/desk/account", DeskText.ACCOUNT),
)


def alert_html(message: str) -> str:
    """What went wrong, spoken at once; `message` is escaped already, and nothing is shown for an empty one."""
    return f'<p class="alert" role="alert">{message}</p>' if message else ""


def pager_html(links: Iterable[tuple[str, str]]) -> str:
    """The ways to other pages of a list: address and name of each, both escaped already."""
    shown = "".join(f'<a class="button" href="{address}">{name}</a>' for address, name in links)
    return f'<p class="pager">{shown}</p>' if shown else ""


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
        texts = translator(preferred_locale(request.headers.get("accept-language", "")))
        zone = ZoneInfo(request.services.settings.server.timezone)
        return cls(texts, person, path, "../" * (path.count("/") - 1), zone)

    def text(self, name: StrEnum, **values: object) -> str:
        """The text in the reader's language, escaped."""
        return escape(self.texts.text(name, context=None, **values))

    def time(self, seconds: float) -> str:
        """Date and time as the reader writes them."""
        return moment(int(seconds), "date", self.zone, self.texts.locale)

    def link(self, path: str) -> str:
        """The address of a path of this service, escaped, wherever the service lies: `/desk/account`."""
        return escape(self.up + path.removeprefix("/")) or "./"

    def account_field(self) -> str:
        """What every form of a person carries."""
        account = "" if self.person is None else self.person.client_id
        return f'<input type="hidden" name="account" value="{escape(account)}">'

    def row_form(self, path: str, back: str, **shown: str) -> str:
        """The form that the buttons of a list's rows send, by its id `act`; `back`: the address to go on at.

        `shown`: what all rows have in common, as they were shown.
        """
        fields = {"back": back, **shown}
        hidden = "".join(f'<input type="hidden" name="{name}" value="{escape(fields[name])}">' for name in fields)
        return f'<form id="act" method="post" action="{self.link(path)}" hidden>{self.account_field()}{hidden}</form>'

    def response(
        self,
        title: str,
        body: str,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        scripts: Iterable[str] = (),
    ) -> Response:
        """The whole page; `title` is escaped here, `body` is HTML. `scripts`: names of the page's own files."""
        html = self._document(title, body, scripts).encode("utf-8", "replace")
        return Response(html, status, {**HEADERS, **(headers or {})}, media_type=static.TYPES["html"])

    def _document(self, title: str, body: str, scripts: Iterable[str]) -> str:
        files = self.link(f"/desk/static/{static.version(STATIC)}")
        own = "".join(f'<script type="module" src="{files}/{escape(each)}"></script>' for each in scripts)
        account, said = "", ""
        if self.person is not None:
            account = f'<meta name="account" content="{escape(self.person.client_id)}">'
            said = f' data-signed-out="{self.text(DeskText.SIGNED_OUT)}"'
        return (
            f'<!doctype html><html lang="{escape(self.texts.locale)}"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">'
            f"{account}<title>{escape(title)} · matchwire</title>"
            f'<link rel="icon" href="{self.link("/static/icon.svg")}" type="image/svg+xml">'
            f'<link rel="stylesheet" href="{files}/desk.css">'
            f'<script type="module" src="{files}/desk.js"></script>{own}</head><body{said}>'
            f'<a class="skip" href="#content">{self.text(DeskText.SKIP)}</a>{self._head()}'
            f'<main id="content" tabindex="-1"><h1>{escape(title)}</h1>{body}</main></body></html>'
        )

    def _head(self) -> str:
        name = f'<a class="brand" href="{self.link("/desk")}">matchwire</a>'
        if self.person is None:
            return f'<header class="top">{name}</header>'
        links = "".join(
            f'<li><a href="{self.link(each.path)}"{self._current(each)}>{self.text(each.name)}</a></li>'
            for each in NAVIGATION
            if each.scope in self.person.scopes
        )
        out = (
            f'<form method="post" action="{self.link("/desk/sign-out")}">{self.account_field()}'
            f'<button class="plain">{self.text(DeskText.SIGN_OUT)}</button></form>'
        )
        pages = f'<nav aria-label="{self.text(DeskText.NAVIGATION)}"><ul>{links}</ul></nav>'
        return (
            f'<header class="top">{name}{pages}<p class="who" dir="auto">{escape(self.person.name)}</p>{out}</header>'
        )

    def _current(self, link: NavigationLink) -> str:
        return ' aria-current="page"' if link.path == self.path else ""


def redirect(request: ApiRequest, path: str, *cookies: str) -> Response:
    """To a path of this service, wherever it lies, as a page to be read; `cookies`: values of `Set-Cookie`."""
    up = "../" * (str(request.scope["path"]).count("/") - 1)
    response = Response(status_code=303, headers={**HEADERS, "Location": (up + path.removeprefix("/")) or "./"})
    for each in cookies:
        response.headers.append("Set-Cookie", each)
    return response
