"""Signing in by password and by a code of an app, setting the app up where everybody has to have one, and signing out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import urlencode

import structlog
from markupsafe import Markup
from sqlalchemy import Connection
from starlette.responses import JSONResponse, Response

from api.desk.cookies import STEP, CookieKind, begin_session, cookie_kind, cookie_of, forget_session, with_session
from api.desk.credential_checks import check_code, check_password
from api.desk.desk_frame import HEADERS, DeskPage, redirect
from api.desk.handlers import CODE_STEP, SIGN_IN, read_form, signed_in
from api.desk.passwords import PasswordsBusy
from api.desk.sessions_door import check_site
from api.http.param import Query
from api.http.request import ApiRequest, DeskPerson
from mapping.desk.account_roles import SignInProof
from mapping.desk.cross_site import own_path
from mapping.desk.one_time_codes import app_address, in_groups
from mapping.errors import Conflict, Forbidden, RateLimited
from mapping.locales import msgid
from store.accounts import accounts, audit, second_factors, sessions, sign_in_steps
from store.accounts.accounts import StoredAccount
from store.accounts.sign_in_steps import SignInStep
from store.engine.unit import Unit

log = structlog.get_logger(__name__)

WRONG_CODE = msgid("The code is wrong, or was used already. Please enter the next one that the app shows.")


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
        said = DeskPage.of(request, None).text("The e-mail address or the password is wrong.")
        return _form(request, wanted, said, status=403, email=form.get("email", ""))
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
    seconds, page = seconds_to_wait(error), DeskPage.of(request, None)
    if isinstance(error, PasswordsBusy):
        said = page.text("Many people are signing in. Please try again in a moment.")
    else:
        said = wait_text(page, error)
    headers = {"Retry-After": str(seconds)}
    return _form(request, wanted, said, status=429, email=form.get("email", ""), headers=headers)


def seconds_to_wait(error: RateLimited) -> int:
    """Whole seconds after which one may try again."""
    return max(1, math.ceil(error.retry_after or 1))


def wait_text(page: DeskPage, error: RateLimited) -> str:
    """That one has tried too often, and when one may go on."""
    return page.text("Too many tries. Please try again in {seconds} seconds.", seconds=seconds_to_wait(error))


def message_page(request: ApiRequest, words: str, status: int) -> Response:
    """The form with a message, which is a text of the catalogues."""
    return _form(request, own_path(None), DeskPage.of(request, None).text(words), status=status)


def _form(
    request: ApiRequest,
    wanted: str,
    alert: str = "",
    *,
    status: int = 200,
    email: str = "",
    headers: dict[str, str] | None = None,
) -> Response:
    settings = request.services.settings
    is_protected = cookie_kind(settings.public_url) is not None
    return DeskPage.of(request, None).response(
        "sign_in.html",
        status,
        headers,
        alert=alert,
        is_protected=is_protected,
        desk=settings.desk,
        wanted=wanted,
        email=email,
    )


class _Step(NamedTuple):
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
    import segno  # a start that sets no app up draws nothing

    begin = partial(sign_in_steps.begin_set_up, account_id=account.id, has_factor=has_factor)
    token, secret = await request.services.store.write(begin)
    address = app_address(secret, account.email)
    picture = segno.make_qr(address).svg_inline(light="#fff", omitsize=True, lineclass=None)
    response = page.response(
        "code.html",
        alert="",
        step="set-up",
        wanted=wanted,
        secret=in_groups(secret),
        address=address,
        picture=Markup(picture),  # noqa: S704 -- drawn by segno
    )
    response.headers.append("Set-Cookie", kind.header(STEP, token, age=sign_in_steps.LASTS))
    return response


async def show_step(request: ApiRequest) -> Response:
    """The form for the code, without any secret; whoever has not entered a password is led to that of the sign-in."""
    wanted, found = own_path(request.query.get("next")), await _find_step(request)
    if found is None:
        return redirect(request, f"{SIGN_IN}?{urlencode({'next': wanted})}")
    return _code_form(request, found, wanted)


async def send_code(request: ApiRequest) -> Response:
    """Begin the session of whoever has entered the password, where the code is right."""
    check_site(request.scope, request.services.settings.public_url)
    form = await read_form(request)
    wanted, found, entered = own_path(form.get("next")), await _find_step(request), form.get("code", "")
    if found is None:
        return _too_late(request, wanted)
    account = found.step.account
    if found.step.secret is not None:
        return await _set_up(request, found, wanted, entered)
    try:
        opens = await check_code(request, account, entered)
    except RateLimited as error:
        said, headers = wait_text(DeskPage.of(request, None), error), {"Retry-After": str(seconds_to_wait(error))}
        return _code_form(request, found, wanted, said, status=429, headers=headers)
    if not opens:
        log.info("desk.code_refused", client=account.id, network=request.network)
        return _wrong_code(request, found, wanted)
    return await begin_session(request, account, found.kind, wanted, SignInProof.CODE)


async def _set_up(request: ApiRequest, found: _Step, wanted: str, entered: str) -> Response:
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
        return _wrong_code(request, found, wanted)
    shown = codes_response(DeskPage.of(request, None), codes, wanted)
    return await with_session(request, shown, account, found.kind, SignInProof.CODE)


async def _find_step(request: ApiRequest) -> _Step | None:
    """What the cookie stands for, None where there is none, it is over, or nobody signs in so."""
    settings, services = request.services.settings, request.services
    kind = cookie_kind(settings.public_url)
    token = None if kind is None else cookie_of(request.headers, kind.name(STEP))
    if kind is None or token is None or not settings.desk.passwords:
        return None
    step = await services.store.read(partial(sign_in_steps.find, token=token, now=services.clock()))
    if step is None or services.organizations(step.account.organization_id) is None:
        return None
    return _Step(kind, token, step)


def _too_late(request: ApiRequest, wanted: str) -> Response:
    page = DeskPage.of(request, None)
    said = page.text("That took too long, or was done in another window. Please begin again.")
    return page.response("code.html", 409, alert=said, step="late", wanted=wanted, secret=None)


def _wrong_code(request: ApiRequest, found: _Step, wanted: str) -> Response:
    return _code_form(request, found, wanted, DeskPage.of(request, None).text(WRONG_CODE), status=403)


def _code_form(
    request: ApiRequest,
    found: _Step,
    wanted: str,
    alert: str = "",
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    step = "enter" if found.step.secret is None else "set-up"
    page = DeskPage.of(request, None)
    return page.response("code.html", status, headers, alert=alert, step=step, wanted=wanted, secret=None)


def codes_response(page: DeskPage, codes: Sequence[str], wanted: str) -> Response:
    """The page with recovery codes, and the way on to `wanted`."""
    return page.response("recovery_codes.html", codes=codes, wanted=wanted)
