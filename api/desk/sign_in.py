"""Signing in by password, and out: the form, what it may try how often, and the cookie of the session."""

from __future__ import annotations

import math
from html import escape
from typing import NamedTuple
from urllib.parse import quote

import structlog
from sqlalchemy import Connection
from starlette.responses import JSONResponse, Response

from api.desk.code_step import begin_set_up, begin_step
from api.desk.cookies import cookie_kind
from api.desk.credential_checks import check_password
from api.desk.desk_frame import HEADERS, DeskPage, alert_html, redirect
from api.desk.handlers import SIGN_IN, read_form, signed_in
from api.desk.password_queue import PasswordsBusy
from api.desk.session_start import begin_session, forget_session
from api.desk.sessions_door import check_site
from api.http.param import Query
from api.http.request import ApiRequest, DeskPerson
from mapping.desk.desk_text import DeskText
from mapping.desk.own_path import own_path
from mapping.errors import Forbidden, RateLimited
from store.accounts import accounts, audit, second_factors, sessions
from store.accounts.accounts import StoredAccount
from store.engine.unit import Unit

log = structlog.get_logger(__name__)

OPENID_BEGIN = "/desk/sign-in/openid"


class _Found(NamedTuple):
    account: StoredAccount
    has_factor: bool


async def show_sign_in(request: ApiRequest) -> Response:
    """The form; somebody who is signed in is led on."""
    wanted = own_path(request.query.get("next"))
    if signed_in(request) is not None:
        return redirect(request, wanted)
    return _form(request, wanted)


async def sign_in(request: ApiRequest) -> Response:
    """Begin a session for the account with this e-mail address and password, or the step of the code that it wants first."""
    settings = request.services.settings
    check_site(request.scope, settings.public_url)
    form = await read_form(request)
    wanted, kind = own_path(form.get("next")), cookie_kind(settings.public_url)
    if kind is None or not settings.desk.passwords:
        raise Forbidden("nobody signs in here by a password")
    try:
        found = await _by_password(request, form)
    except RateLimited as error:
        return _refuse(request, wanted, form, error)
    if found is None:
        message = DeskPage.of(request, None).text(DeskText.WRONG)
        return _form(request, wanted, message, status=403, email=form.get("email", ""))
    if found.has_factor:
        return await begin_step(request, found.account, kind, wanted)
    if settings.desk.second_factor == "required":
        page = DeskPage.of(request, None)
        return await begin_set_up(request, page, found.account, kind, wanted, has_factor=False)
    return await begin_session(request, found.account, kind, wanted)


async def show_session(_: ApiRequest, __: DeskPage, person: DeskPerson) -> Response:
    """Who is signed in, for a page that was made for somebody."""
    return JSONResponse({"account": person.client_id}, headers=HEADERS)


async def sign_out(request: ApiRequest, _page: DeskPage, person: DeskPerson, _form: Query) -> Response:
    """End the session."""

    def end(unit: Unit) -> None:
        sessions.end(unit, person.client_id, person.session_id)
        audit.record(unit, person.organization_id, person.client_id, "desk.sign_out")

    await request.services.store.write(end)
    return redirect(request, SIGN_IN, *forget_session(request))


async def _by_password(request: ApiRequest, form: Query) -> _Found | None:
    email, password = form.get("email", "")[:320], form.get("password", "")
    found = await request.services.store.read(lambda conn: _find(conn, email))
    account, name = None if found is None else found.account, accounts.email_key(email)
    opens = await check_password(request, name, account, password)
    usable = account is not None and account.disabled_at is None
    if not opens or not usable or account is None or request.services.organizations(account.organization_id) is None:
        log.info("desk.sign_in_refused", network=request.network, request_id=request.context.request_id)
        return None
    return found


def _find(conn: Connection, email: str) -> _Found | None:
    account = accounts.find_by_email(conn, email)
    return None if account is None else _Found(account, second_factors.has_one(conn, account.id))


def _refuse(request: ApiRequest, wanted: str, form: Query, error: RateLimited) -> Response:
    seconds, page = max(1, math.ceil(error.retry_after or 1)), DeskPage.of(request, None)
    busy = isinstance(error, PasswordsBusy)
    said = page.text(DeskText.BUSY) if busy else page.text(DeskText.WAIT, seconds=seconds)
    headers = {"Retry-After": str(seconds)}
    return _form(request, wanted, said, status=429, email=form.get("email", ""), headers=headers)


def message_page(request: ApiRequest, name: DeskText, status: int) -> Response:
    """The form with a message."""
    return _form(request, own_path(None), DeskPage.of(request, None).text(name), status=status)


def _form(
    request: ApiRequest,
    wanted: str,
    said: str = "",
    *,
    status: int = 200,
    email: str = "",
    headers: dict[str, str] | None = None,
) -> Response:
    page, settings = DeskPage.of(request, None), request.services.settings
    alert = alert_html(said)
    if cookie_kind(settings.public_url) is None:
        ways = f"<p>{page.text(DeskText.NEEDS_HTTPS)}</p>"
    else:
        ways = _password_form(page, wanted, email) if settings.desk.passwords else ""
        ways += _provider_link(page, settings.desk.openid.name, wanted) if settings.desk.openid.issuer else ""
    body = f'<div class="card narrow">{alert}{ways}</div>'
    return page.response(page.texts.text(DeskText.SIGN_IN), body, status, headers)


def _password_form(page: DeskPage, wanted: str, email: str) -> str:
    return (
        f'<form method="post" action="{page.link(SIGN_IN)}">'
        f'<input type="hidden" name="next" value="{escape(wanted)}">'
        f'<label for="email">{page.text(DeskText.EMAIL)}</label>'
        f'<input id="email" name="email" type="email" autocomplete="username" required maxlength="320" value="{escape(email)}">'
        f'<label for="password">{page.text(DeskText.PASSWORD)}</label>'
        '<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024">'
        f"<button>{page.text(DeskText.SIGN_IN)}</button></form>"
    )


def _provider_link(page: DeskPage, provider: str, wanted: str) -> str:
    address = f"{page.link(OPENID_BEGIN)}?next={quote(wanted, safe='')}"
    return f'<p><a class="button" href="{address}">{page.text(DeskText.SIGN_IN_WITH, provider=provider)}</a></p>'
