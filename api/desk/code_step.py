"""The step of a sign-in behind the password: a code of the account's app, or setting one up where all have to have it."""

from __future__ import annotations

import math
from functools import partial
from html import escape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

import structlog

from api.desk.cookies import STEP, cookie_kind, cookie_of
from api.desk.credential_checks import check_code, network_of
from api.desk.desk_frame import DeskPage, alert_html, redirect
from api.desk.factor_form import app_html, code_form, codes_response, recovery_form
from api.desk.handlers import CODE_STEP, SIGN_IN, read_form
from api.desk.session_start import begin_session, with_session
from api.desk.sessions_door import check_site
from mapping.desk.desk_text import DeskText
from mapping.desk.own_path import own_path
from mapping.desk.second_factor_text import SecondFactorText
from mapping.desk.sign_in_proof import SignInProof
from mapping.errors import RateLimited
from store.accounts import audit, second_factors, sign_in_steps

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.desk.cookies import CookieKind
    from api.http.request import ApiRequest
    from store.accounts.accounts import StoredAccount
    from store.accounts.second_factors import StoredFactor
    from store.engine.unit import Unit

log = structlog.get_logger(__name__)


class _Step(NamedTuple):
    kind: CookieKind
    account: StoredAccount
    factor: StoredFactor


async def begin_step(
    request: ApiRequest, account: StoredAccount, kind: CookieKind, wanted: str, *, has_factor: bool
) -> Response:
    """Lead to the page of the step, with a cookie that is no session; an account without a second factor gets a new secret."""

    def begin(unit: Unit) -> str:
        if not has_factor:
            second_factors.prepare(unit, account.id)
        return sign_in_steps.begin(unit, account.id)

    token = await request.services.store.write(begin)
    return redirect(
        request, f"{CODE_STEP}?{urlencode({'next': wanted})}", kind.header(STEP, token, age=sign_in_steps.LASTS)
    )


async def show_step(request: ApiRequest) -> Response:
    """The form for the code; whoever has not entered a password is led to that of the sign-in."""
    wanted, step = own_path(request.query.get("next")), await _step(request)
    return _to_sign_in(request, wanted) if step is None else _form(request, step, wanted)


async def send_code(request: ApiRequest) -> Response:
    """Begin the session of whoever has entered the password, where the code is right."""
    check_site(request.scope, request.services.settings.public_url)
    form = await read_form(request)
    wanted, step, entered = own_path(form.get("next")), await _step(request), form.get("code", "")
    if step is None:
        return _to_sign_in(request, wanted)
    if step.factor.secret is None:
        return await _set_up(request, step, wanted, entered)
    try:
        opens = await check_code(request, step.account, entered)
    except RateLimited as error:
        seconds = max(1, math.ceil(error.retry_after or 1))
        said = DeskPage.of(request, None).text(DeskText.WAIT, seconds=seconds)
        return _form(request, step, wanted, said, status=429, headers={"Retry-After": str(seconds)})
    if not opens:
        log.info("desk.code_refused", client=step.account.id, network=network_of(request))
        return _refuse(request, step, wanted)
    return await begin_session(request, step.account, step.kind, wanted, SignInProof.CODE)


async def _set_up(request: ApiRequest, step: _Step, wanted: str, entered: str) -> Response:
    """Take the app over and begin the session, with the recovery codes as its first page."""

    def confirm(unit: Unit) -> list[str] | None:
        codes = second_factors.confirm(unit, step.account.id, entered)
        if codes is not None:
            audit.record(unit, step.account.organization_id, step.account.id, "desk.set_second_factor")
        return codes

    codes = await request.services.store.write(confirm)
    if codes is None:
        return _refuse(request, step, wanted)
    shown = codes_response(DeskPage.of(request, None), codes, wanted)
    return await with_session(request, shown, step.account, step.kind, SignInProof.CODE)


async def _step(request: ApiRequest) -> _Step | None:
    """What the cookie stands for, None where there is none, it is over, or nobody signs in so."""
    settings, services = request.services.settings, request.services
    kind = cookie_kind(settings.public_url)
    token = None if kind is None else cookie_of(request.headers, kind.name(STEP))
    if kind is None or token is None or not settings.desk.passwords:
        return None
    account, factor = await services.store.read(partial(_found, token, now=services.clock()))
    if account is None or factor is None or services.organizations(account.organization_id) is None:
        return None
    return _Step(kind, account, factor)


def _found(token: str, conn: Connection, *, now: float) -> tuple[StoredAccount | None, StoredFactor | None]:
    account = sign_in_steps.find(conn, token, now=now)
    return account, None if account is None else second_factors.find(conn, account.id, now=now)


def _to_sign_in(request: ApiRequest, wanted: str) -> Response:
    return redirect(request, f"{SIGN_IN}?{urlencode({'next': wanted})}")


def _refuse(request: ApiRequest, step: _Step, wanted: str) -> Response:
    said = DeskPage.of(request, None).text(SecondFactorText.WRONG_CODE)
    return _form(request, step, wanted, said, status=403)


def _form(
    request: ApiRequest,
    step: _Step,
    wanted: str,
    said: str = "",
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    page, hidden = DeskPage.of(request, None), f'<input type="hidden" name="next" value="{escape(wanted)}">'
    if step.factor.secret is not None:
        shown = code_form(page, CODE_STEP, hidden, DeskText.SIGN_IN) + recovery_form(page, CODE_STEP, hidden)
    else:
        secret = step.factor.next_secret or ""
        shown = f"<p>{page.text(SecondFactorText.NEEDED)}</p>"
        shown += app_html(page, secret, step.account.email, CODE_STEP, hidden)
    body = f'<div class="card narrow">{alert_html(said)}{shown}</div>'
    return page.response(page.texts.text(SecondFactorText.TITLE), body, status, headers)
