"""The second factor of one's account: set up, changed and removed by whoever shows again what it is signed in with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api.desk.account_page import ACCOUNT, FACTOR, account_response, refuse_proof, wait_response
from api.desk.cookies import cookie_kind
from api.desk.credential_checks import check_code
from api.desk.desk_frame import DeskPage, alert_html
from api.desk.factor_form import ACTS, app_html, codes_response
from api.desk.session_start import with_session
from mapping.desk.second_factor_text import SecondFactorText
from mapping.desk.sign_in_proof import SignInProof
from mapping.errors import Forbidden, InvalidRequest, RateLimited
from store.accounts import accounts, audit, second_factors, sessions

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.http.people import DeskPerson
    from api.http.request import ApiRequest, Query
    from store.accounts.accounts import StoredAccount
    from store.accounts.second_factors import StoredFactor
    from store.engine.unit import Unit

CONFIRM = f"{FACTOR}/confirm"


async def change_factor(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Another app, new recovery codes, or no second factor: whichever button it was; by password, and a code where there is one."""
    account, factor = await _own(request, person)
    has_factor, act = factor is not None and factor.secret is not None, form.get("act", "")
    _check_act(request, act, has_factor=has_factor)
    refused = await refuse_proof(request, page, person, account, form)
    if refused is None and has_factor:
        refused = await _refuse_code(request, page, person, account, form)
    if refused is not None:
        return refused
    if act == ACTS[0]:
        return await _show_app(request, page, account)
    if act == ACTS[1]:
        return await _renew_codes(request, page, account)
    return await _remove(request, page, person, account)


def _check_act(request: ApiRequest, act: str, *, has_factor: bool) -> None:
    """Raise InvalidRequest for what no button does, Forbidden for what this account cannot do."""
    if act not in ACTS:
        raise InvalidRequest("the form does nothing of that name")
    if act != ACTS[0] and not has_factor:
        raise Forbidden("the account has no second factor")
    if act == ACTS[2] and request.services.settings.desk.second_factor == "required":
        raise Forbidden("everybody needs a second factor here")


async def confirm_factor(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Take the app over whose first code that is: other sessions end, this browser gets a new one, and recovery codes are shown."""
    account, factor = await _own(request, person)
    kind = cookie_kind(request.services.settings.public_url)
    if kind is None or factor is None or factor.next_secret is None:
        said = page.text(SecondFactorText.TOO_LATE)
        return await account_response(request, page, person, alert=said, status=409)

    def confirm(unit: Unit) -> list[str] | None:
        codes = second_factors.confirm(unit, account.id, form.get("code", ""))
        if codes is not None:
            sessions.end_all(unit, account.id)
            audit.record(unit, account.organization_id, account.id, "desk.set_second_factor")
        return codes

    codes = await request.services.store.write(confirm)
    if codes is None:
        return _app_response(page, account, factor, page.text(SecondFactorText.WRONG_CODE), status=422)
    nobodys = DeskPage.of(request, None)  # its session has ended: what a form of it sent would be refused
    shown = codes_response(nobodys, codes, ACCOUNT)
    return await with_session(request, shown, account, kind, SignInProof.CODE)


async def _own(request: ApiRequest, person: DeskPerson) -> tuple[StoredAccount, StoredFactor | None]:
    """The person's account and second factor. Raises Forbidden where it has no password to go with one."""
    services = request.services
    account, factor = await services.store.read(partial(_found, person.client_id, now=services.clock()))
    if account.password_hash is None or not services.settings.desk.passwords:
        raise Forbidden("the account has no password")
    return account, factor


def _found(account_id: str, conn: Connection, *, now: float) -> tuple[StoredAccount, StoredFactor | None]:
    return accounts.require(conn, account_id), second_factors.find(conn, account_id, now=now)


async def _refuse_code(
    request: ApiRequest, page: DeskPage, person: DeskPerson, account: StoredAccount, form: Query
) -> Response | None:
    try:
        if await check_code(request, account, form.get("code", "")):
            return None
    except RateLimited as error:
        return await wait_response(request, page, person, error)
    said = page.text(SecondFactorText.WRONG_CODE)
    return await account_response(request, page, person, alert=said, status=422)


async def _show_app(request: ApiRequest, page: DeskPage, account: StoredAccount) -> Response:
    def prepare(unit: Unit) -> StoredFactor | None:
        second_factors.prepare(unit, account.id)
        return second_factors.find(unit.conn, account.id, now=unit.now)

    factor = await request.services.store.write(prepare)
    return _app_response(page, account, factor)


async def _renew_codes(request: ApiRequest, page: DeskPage, account: StoredAccount) -> Response:
    def renew(unit: Unit) -> list[str]:
        audit.record(unit, account.organization_id, account.id, "desk.renew_recovery_codes")
        return second_factors.renew_recovery_codes(unit, account.id)

    return codes_response(page, await request.services.store.write(renew), ACCOUNT)


async def _remove(request: ApiRequest, page: DeskPage, person: DeskPerson, account: StoredAccount) -> Response:
    def remove(unit: Unit) -> None:
        second_factors.remove(unit, account.id)
        sessions.end_all(unit, account.id, but=person.session_id)
        audit.record(unit, account.organization_id, account.id, "desk.remove_second_factor")

    await request.services.store.write(remove)
    return await account_response(request, page, person, notice=page.text(SecondFactorText.REMOVED))


def _app_response(
    page: DeskPage, account: StoredAccount, factor: StoredFactor | None, said: str = "", *, status: int = 200
) -> Response:
    secret = "" if factor is None else factor.next_secret or ""
    shown = app_html(page, secret, account.email, CONFIRM, page.csrf_field())
    title = page.texts.text(SecondFactorText.TITLE)
    return page.response(title, f'<section class="card narrow">{alert_html(said)}{shown}</section>', status)
