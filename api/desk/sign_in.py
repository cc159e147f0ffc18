"""Signing in by password, and out: the form, what it may try how often, and the cookie of the session."""

from __future__ import annotations

import math
from functools import partial
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog

from api.desk.cookies import SESSION, cookie_kind, cookie_of
from api.desk.desk_frame import DeskPage, alert_html, redirect
from api.desk.handlers import SIGN_IN, read_form, signed_in
from api.desk.passwords import PasswordChecks, PasswordsBusy
from api.desk.sessions_door import check_site
from api.http.request import client_network
from mapping.desk.desk_text import DeskText
from mapping.desk.own_path import own_path
from mapping.errors import Forbidden, RateLimited
from store.accounts import accounts, audit, sessions, sign_in_tries

if TYPE_CHECKING:
    from starlette.responses import Response

    from api.desk.cookies import CookieKind
    from api.http.people import DeskPerson
    from api.http.request import ApiRequest, Query
    from store.accounts.accounts import StoredAccount
    from store.engine.unit import Unit

log = structlog.get_logger(__name__)

OPENID_BEGIN = "/desk/sign-in/openid"
OF_ACCOUNT = {5: 1, 6: 2, 7: 4, 8: 8, 9: 16, 10: 32, 11: 60, 12: 120, 13: 300, 14: 600, 15: 900}
"""Failures for one account from one network → seconds until the next try from there. Other networks do not wait."""
OF_NETWORK = {20: 1, 30: 2, 40: 4, 60: 8}
"""Failures from one network for whichever accounts → the same, and never long: people share networks."""
BROWSER_LENGTH = 200


async def show_sign_in(request: ApiRequest) -> Response:
    """The form; somebody who is signed in is led on."""
    wanted = own_path(request.query.get("next"))
    if signed_in(request) is not None:
        return redirect(request, wanted)
    return _form(request, wanted)


async def sign_in(request: ApiRequest) -> Response:
    """Begin a session for the account with this e-mail address and password; any session of before ends."""
    settings = request.services.settings
    check_site(request.scope, settings.public_url)
    form = await read_form(request)
    wanted, kind = own_path(form.get("next")), cookie_kind(settings.public_url)
    if kind is None or not settings.desk.passwords:
        raise Forbidden("nobody signs in here by a password")
    try:
        account = await _by_password(request, form)
    except RateLimited as error:
        return _refuse(request, wanted, form, error)
    if account is None:
        message = DeskPage.of(request, None).text(DeskText.WRONG)
        return _form(request, wanted, message, status=403, email=form.get("email", ""))
    return await begin_session(request, account, kind, wanted)


async def begin_session(request: ApiRequest, account: StoredAccount, kind: CookieKind, wanted: str) -> Response:
    """Lead on to `wanted` with a new session, whose token nobody has known before; the browser's session of before ends."""
    before, lasts = cookie_of(request.headers, kind.name(SESSION)), request.services.settings.desk.session_age
    browser = _browser(request)

    def begin(unit: Unit) -> str:
        if before is not None:
            sessions.end_token(unit, before)
        audit.record(unit, account.organization_id, account.id, "desk.sign_in")
        return sessions.begin(unit, account.id, browser=browser, lasts=lasts)

    token = await request.services.store.write(begin)
    log.info("desk.signed_in", client=account.id, request_id=request.context.request_id)
    return redirect(request, wanted, kind.header(SESSION, token))


async def sign_out(request: ApiRequest, _page: DeskPage, person: DeskPerson, _form: Query) -> Response:
    """End the session."""

    def end(unit: Unit) -> None:
        sessions.end(unit, person.client_id, person.session_id)
        audit.record(unit, person.organization_id, person.client_id, "desk.sign_out")

    await request.services.store.write(end)
    return redirect(request, SIGN_IN, *forget_session(request))


def forget_session(request: ApiRequest) -> tuple[str, ...]:
    """The values of `Set-Cookie` by which a browser forgets its session."""
    kind = cookie_kind(request.services.settings.public_url)
    return () if kind is None else (kind.header(SESSION, "", age=0),)


def network_of(request: ApiRequest) -> str:
    """The network of whoever sends it."""
    return client_network(request.client.host) if request.client else ""


async def check_password(request: ApiRequest, name: str, account: StoredAccount | None, password: str) -> bool:
    """Whether it is the account's password, as often as one may try for that name; of a wrong one the next may have to wait.

    Raises RateLimited.
    """
    store, network = request.services.store, network_of(request)
    of_account, of_network = sign_in_tries.try_key(name, network), sign_in_tries.try_key("", network)
    delays = {of_account: OF_ACCOUNT, of_network: OF_NETWORK}
    await store.write(partial(sign_in_tries.begin, delays=delays))
    stored = None if account is None else account.password_hash
    opens, better = await request.services[PasswordChecks].verify(network, stored, password)
    if account is None or not opens:
        return False

    def forgive(unit: Unit) -> None:
        sign_in_tries.forgive(unit, of_account, of_network)
        if better is not None:
            accounts.change(unit, account.id, password_hash=better)

    await store.write(forgive)
    return True


async def _by_password(request: ApiRequest, form: Query) -> StoredAccount | None:
    email, password = form.get("email", "")[:320], form.get("password", "")
    account = await request.services.store.read(lambda conn: accounts.find_by_email(conn, email))
    opens = await check_password(request, accounts.email_key(email), account, password)
    usable = account is not None and account.disabled_at is None
    if not opens or not usable or account is None or request.services.organizations(account.organization_id) is None:
        log.info("desk.sign_in_refused", network=network_of(request), request_id=request.context.request_id)
        return None
    return account


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
        ways = ways or f"<p>{page.text(DeskText.NO_WAY_IN)}</p>"
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


def _browser(request: ApiRequest) -> str:
    named = str(request.headers.get("user-agent", ""))
    return named[:BROWSER_LENGTH].encode("ascii", "replace").decode()
