"""The page of one's own account: who one is, another password, the second factor, and where one is signed in."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection
from starlette.responses import Response

from api.desk.cookies import CookieKind, begin_session, cookie_kind, forget_session
from api.desk.credential_checks import check_code, check_password, hash_new_password
from api.desk.desk_frame import DeskPage, redirect
from api.desk.handlers import SIGN_IN
from api.desk.passwords import new_password_fault
from api.desk.sign_in import WRONG_CODE, begin_set_up, codes_response, wait_text
from api.http.param import Query
from api.http.request import ApiRequest, DeskPerson
from mapping.desk.account_roles import AccountRole
from mapping.desk.password_rules import LONGEST, SHORTEST, PasswordFault
from mapping.errors import Forbidden, InvalidRequest, RateLimited
from mapping.locales import msgid
from store.accounts import accounts, audit, second_factors, sessions
from store.accounts.accounts import StoredAccount
from store.accounts.sessions import StoredSession
from store.engine.unit import Unit

ACCOUNT = "/desk/account"
FACTOR = f"{ACCOUNT}/second-factor"
ROLES = {
    AccountRole.VIEWER: msgid("Viewer"),
    AccountRole.EDITOR: msgid("Editor"),
    AccountRole.ADMIN: msgid("Administrator"),
}
FAULTS = {
    PasswordFault.SHORT: msgid("The password is too short."),
    PasswordFault.LONG: msgid("The password is too long."),
    PasswordFault.SIMPLE: msgid("The password is one that is easily guessed."),
    PasswordFault.COMMON: msgid("The password is one that is easily guessed."),
    PasswordFault.OWN: msgid("The password says too much of you or of this service."),
    PasswordFault.LEAKED: msgid("The password is in a list of those that have leaked."),
}
DONE = {
    "password": msgid("The password is changed. All other sessions have ended."),
    "ended": msgid("The session has ended."),
}


def account_with_factor(account_id: str, conn: Connection) -> tuple[StoredAccount, bool]:
    """The account, and whether it has a second factor."""
    return accounts.require(conn, account_id), second_factors.has_one(conn, account_id)


async def show_account(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page."""
    done = DONE.get(request.query.get("done", ""))
    return await _page(request, page, person, notice=page.text(done) if done else "")


async def require_password(request: ApiRequest, person: DeskPerson) -> tuple[StoredAccount, bool, CookieKind]:
    """The account, whether it has a second factor, and how cookies are made. Raises Forbidden where it has no password."""
    account, has_factor = await request.services.store.read(partial(account_with_factor, person.client_id))
    kind = cookie_kind(request.services.settings.public_url)
    if kind is None or not _has_password(request, account):
        raise Forbidden("the account has no password")
    return account, has_factor, kind


async def change_password(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Set another password, by the current one and a code where there is one: all sessions end, and the browser gets a new one."""
    store, new = request.services.store, form.get("new_password", "")
    account, has_factor, kind = await require_password(request, person)
    proof = await store.read(lambda conn: sessions.proof_of(conn, person.session_id))
    leaked = request.services.settings.desk.leaked_passwords
    fault = await asyncio.to_thread(new_password_fault, new, leaked, account.email, account.name)
    if fault is not None:  # before the code, which counts once
        return await _page(request, page, person, alert=page.text(FAULTS[fault]), status=422)
    refused = await ask_password_again(request, page, person, account, form, with_code=has_factor)
    if refused is not None:
        return refused
    try:
        hashed = await hash_new_password(request, new)
    except RateLimited as error:
        return await wait_response(request, page, person, error)

    def change(unit: Unit) -> None:
        accounts.change(unit, account.id, password_hash=hashed)
        sessions.end_all(unit, account.id)
        audit.record(unit, account.organization_id, account.id, "desk.change_password")

    await store.write(change)
    return await begin_session(request, account, kind, f"{ACCOUNT}?done=password", proof)


async def ask_password_again(
    request: ApiRequest,
    page: DeskPage,
    person: DeskPerson,
    account: StoredAccount,
    form: Query,
    *,
    with_code: bool = False,
) -> Response | None:
    """The page with a message where the form does not have the account's password, None where it does.

    `with_code`: a code of the second factor is wanted too.
    """
    try:
        if not await check_password(request, account.id, account, form.get("password", "")):
            said = page.text("The current password is wrong.")
        elif with_code and not await check_code(request, account, form.get("code", "")):
            said = page.text(WRONG_CODE)
        else:
            return None
    except RateLimited as error:
        return await wait_response(request, page, person, error)
    return await _page(request, page, person, alert=said, status=422)


async def wait_response(request: ApiRequest, page: DeskPage, person: DeskPerson, error: RateLimited) -> Response:
    """The page, saying after how many seconds one may try again."""
    return await _page(request, page, person, alert=wait_text(page, error), status=429)


async def end_session(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """End one of one's sessions, by the password where there is one; of the browser's own one signs out, without."""
    ended = form.get("session", "")
    refused = None if ended == person.session_id else await _refuse_end(request, page, person, form)
    if refused is not None:
        return refused

    def end(unit: Unit) -> None:
        sessions.end(unit, person.client_id, ended)
        audit.record(unit, person.organization_id, person.client_id, "desk.end_session", ended)

    await request.services.store.write(end)
    if ended == person.session_id:
        return redirect(request, SIGN_IN, *forget_session(request))
    return redirect(request, f"{ACCOUNT}?done=ended")


async def end_everywhere(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """End all of one's sessions, this one too, by the password where there is one."""
    refused = await _refuse_end(request, page, person, form)
    if refused is not None:
        return refused

    def end(unit: Unit) -> None:
        sessions.end_all(unit, person.client_id)
        audit.record(unit, person.organization_id, person.client_id, "desk.end_everywhere")

    await request.services.store.write(end)
    return redirect(request, SIGN_IN, *forget_session(request))


async def _refuse_end(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response | None:
    account = await request.services.store.read(lambda conn: accounts.require(conn, person.client_id))
    if not _has_password(request, account):
        return None
    return await ask_password_again(request, page, person, account, form)


async def _page(
    request: ApiRequest, page: DeskPage, person: DeskPerson, *, notice: str = "", alert: str = "", status: int = 200
) -> Response:
    """The page, with what is to be said on it."""
    services = request.services
    find = partial(_found, person.client_id, now=services.clock(), idle=services.settings.desk.session_idle)
    found = await services.store.read(find)
    return page.response(
        "account.html",
        status,
        notice=notice,
        alert=alert,
        account=found.account,
        organization=services.organizations(found.account.organization_id) or found.account.organization_id,
        role=ROLES[AccountRole(found.account.role)],
        sessions=found.lasting,
        has_password=_has_password(request, found.account),
        codes_left=found.codes,
        desk=services.settings.desk,
        shortest=SHORTEST,
        longest=LONGEST,
    )


def _has_password(request: ApiRequest, account: StoredAccount) -> bool:
    return account.password_hash is not None and request.services.settings.desk.passwords


class _Found(NamedTuple):
    """What the page shows. `codes`: recovery codes that are left, None without a second factor."""

    account: StoredAccount
    lasting: list[StoredSession]
    codes: int | None


def _found(account_id: str, conn: Connection, *, now: float, idle: float) -> _Found:
    account, has_factor = account_with_factor(account_id, conn)
    codes = second_factors.recovery_codes_left(conn, account_id) if has_factor else None
    return _Found(account, sessions.of_account(conn, account_id, now=now, idle=idle), codes)


async def change_factor(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Another app, new recovery codes, or no second factor: whichever button it was; by password, and a code where there is one."""
    act = form.get("act", "")
    account, has_factor, kind = await require_password(request, person)
    _check_act(request, act, has_factor=has_factor)
    refused = await ask_password_again(request, page, person, account, form, with_code=has_factor)
    if refused is not None:
        return refused
    if act == "app":
        return await begin_set_up(request, page, account, kind, ACCOUNT, has_factor=has_factor)
    if act == "codes":
        return await _renew_codes(request, page, account)
    return await _remove(request, page, person, account)


def _check_act(request: ApiRequest, act: str, *, has_factor: bool) -> None:
    """Raise InvalidRequest for what no button does, Forbidden for what this account cannot do."""
    if act not in {"app", "codes", "remove"}:
        raise InvalidRequest("the form does nothing of that name")
    if act != "app" and not has_factor:
        raise Forbidden("the account has no second factor")
    if act == "remove" and request.services.settings.desk.second_factor == "required":
        raise Forbidden("everybody needs a second factor here")


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
    return await _page(
        request, page, person, notice=page.text("The second factor is removed. All other sessions have ended.")
    )
