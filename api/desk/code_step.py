"""The step of a sign-in behind the password: a code of the account's app, or setting one up where all have to have it."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple
from urllib.parse import urlencode

import structlog
from starlette.responses import Response

from api.desk.cookies import STEP, CookieKind, cookie_kind, cookie_of
from api.desk.credential_checks import check_code
from api.desk.desk_frame import DeskPage, alert_html, redirect
from api.desk.factor_form import app_html, code_form, codes_response, recovery_form
from api.desk.handlers import CODE_STEP, SIGN_IN, read_form
from api.desk.session_start import begin_session, with_session
from api.desk.sessions_door import check_site
from api.http.request import ApiRequest
from mapping.desk.desk_text import DeskText
from mapping.desk.own_path import own_path
from mapping.desk.second_factor_text import SecondFactorText
from mapping.desk.sign_in_proof import SignInProof
from mapping.errors import Conflict, RateLimited
from store.accounts import audit, sign_in_steps
from store.accounts.accounts import StoredAccount
from store.accounts.sign_in_steps import SignInStep
from store.engine.unit import Unit

log = structlog.get_logger(__name__)


class _Found(NamedTuple):
    kind: CookieKind
    token: str
    step: SignInStep


async def begin_step(request: ApiRequest, account: StoredAccount, kind: CookieKind, wanted: str) -> Response:
    """Lead to the page where a code of the account's app is entered, with a cookie that is no session."""
    token = await request.services.store.write(partial(sign_in_steps.begin, account_id=account.id))
    cookie = kind.header(STEP, token, age=sign_in_steps.LASTS)
    return redirect(request, f"{CODE_STEP}?{urlencode({'next': wanted})}", cookie)


async def begin_set_up(
    request: ApiRequest, page: DeskPage, account: StoredAccount, kind: CookieKind, wanted: str, *, has_factor: bool
) -> Response:
    """Show a new secret, this one time, to whoever has just entered the password; the browser alone goes on with it.

    `has_factor`: whether a code was entered too. Raises Conflict where that is not so any more.
    """
    begin = partial(sign_in_steps.begin_set_up, account_id=account.id, has_factor=has_factor)
    token, secret = await request.services.store.write(begin)
    needed = f"<p>{page.text(SecondFactorText.NEEDED)}</p>" if page.person is None else ""
    shown = needed + app_html(page, secret, account.email) + code_form(page, wanted, SecondFactorText.CONFIRM)
    response = _response(page, shown)
    response.headers.append("Set-Cookie", kind.header(STEP, token, age=sign_in_steps.LASTS))
    return response


async def show_step(request: ApiRequest) -> Response:
    """The form for the code, without any secret; whoever has not entered a password is led to that of the sign-in."""
    wanted, found = own_path(request.query.get("next")), await _find(request)
    if found is None:
        return redirect(request, f"{SIGN_IN}?{urlencode({'next': wanted})}")
    return _form(request, found, wanted)


async def send_code(request: ApiRequest) -> Response:
    """Begin the session of whoever has entered the password, where the code is right."""
    check_site(request.scope, request.services.settings.public_url)
    form = await read_form(request)
    wanted, found, entered = own_path(form.get("next")), await _find(request), form.get("code", "")
    if found is None:
        return _too_late(request, wanted)
    account = found.step.account
    if found.step.secret is not None:
        return await _set_up(request, found, wanted, entered)
    try:
        opens = await check_code(request, account, entered)
    except RateLimited as error:
        seconds = max(1, math.ceil(error.retry_after or 1))
        said = DeskPage.of(request, None).text(DeskText.WAIT, seconds=seconds)
        return _form(request, found, wanted, said, status=429, headers={"Retry-After": str(seconds)})
    if not opens:
        log.info("desk.code_refused", client=account.id, network=request.network)
        return _refuse(request, found, wanted)
    return await begin_session(request, account, found.kind, wanted, SignInProof.CODE)


async def _set_up(request: ApiRequest, found: _Found, wanted: str, entered: str) -> Response:
    """Take the app over and begin the session, with the recovery codes as its first page."""
    account = found.step.account

    def confirm(unit: Unit) -> list[str] | None:
        codes = sign_in_steps.set_up(unit, found.token, entered)
        if codes is not None:
            audit.record(unit, account.organization_id, account.id, "desk.set_second_factor")
        return codes

    try:
        codes = await request.services.store.write(confirm)
    except Conflict:
        return _too_late(request, wanted)
    if codes is None:
        return _refuse(request, found, wanted)
    shown = codes_response(DeskPage.of(request, None), codes, wanted)
    return await with_session(request, shown, account, found.kind, SignInProof.CODE)


async def _find(request: ApiRequest) -> _Found | None:
    """What the cookie stands for, None where there is none, it is over, or nobody signs in so."""
    settings, services = request.services.settings, request.services
    kind = cookie_kind(settings.public_url)
    token = None if kind is None else cookie_of(request.headers, kind.name(STEP))
    if kind is None or token is None or not settings.desk.passwords:
        return None
    step = await services.store.read(partial(sign_in_steps.find, token=token, now=services.clock()))
    if step is None or services.organizations(step.account.organization_id) is None:
        return None
    return _Found(kind, token, step)


def _too_late(request: ApiRequest, wanted: str) -> Response:
    page = DeskPage.of(request, None)
    return _response(page, _again(page, wanted), page.text(SecondFactorText.TOO_LATE), status=409)


def _refuse(request: ApiRequest, found: _Found, wanted: str) -> Response:
    said = DeskPage.of(request, None).text(SecondFactorText.WRONG_CODE)
    return _form(request, found, wanted, said, status=403)


def _form(
    request: ApiRequest,
    found: _Found,
    wanted: str,
    said: str = "",
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    page = DeskPage.of(request, None)
    if found.step.secret is None:
        shown = code_form(page, wanted, DeskText.SIGN_IN) + recovery_form(page, wanted)
    else:
        shown = code_form(page, wanted, SecondFactorText.CONFIRM) + _again(page, wanted)
    return _response(page, shown, said, status=status, headers=headers)


def _again(page: DeskPage, wanted: str) -> str:
    """The way to where the password is entered: a page of the desk leads whoever is not signed in there."""
    return f'<p><a class="button" href="{page.link(wanted)}">{page.text(SecondFactorText.BEGIN_AGAIN)}</a></p>'


def _response(
    page: DeskPage, shown: str, said: str = "", *, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    body = f'<div class="card narrow">{alert_html(said)}{shown}</div>'
    return page.response(page.texts.text(SecondFactorText.TITLE), body, status, headers)
