"""The page of one's own account: who one is, another password, the second factor, and where one is signed in."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from typing import NamedTuple

from sqlalchemy import Connection
from starlette.responses import Response

from api.desk.cookies import CookieKind, cookie_kind
from api.desk.credential_checks import check_code, check_password, hash_new_password
from api.desk.desk_frame import DeskPage, alert_html, redirect
from api.desk.factor_form import account_section, code_field, password_field
from api.desk.handlers import SIGN_IN
from api.desk.passwords import new_password_fault
from api.desk.session_start import begin_session, forget_session
from api.http.param import Query
from api.http.request import ApiRequest, DeskPerson
from mapping.desk.account_roles import AccountRole
from mapping.desk.desk_text import DeskText
from mapping.desk.password_rules import LONGEST, SHORTEST, PasswordFault
from mapping.desk.second_factor_text import SecondFactorText
from mapping.errors import Forbidden, RateLimited
from store.accounts import accounts, audit, second_factors, sessions
from store.accounts.accounts import StoredAccount
from store.accounts.sessions import StoredSession
from store.engine.unit import Unit

ACCOUNT = "/desk/account"
FACTOR = f"{ACCOUNT}/second-factor"
ROLES: Mapping[str, DeskText] = {
    AccountRole.READER: DeskText.READER,
    AccountRole.EDITOR: DeskText.EDITOR,
    AccountRole.ADMIN: DeskText.ADMIN,
}
FAULTS: Mapping[PasswordFault, DeskText] = {
    PasswordFault.SHORT: DeskText.PASSWORD_SHORT,
    PasswordFault.LONG: DeskText.PASSWORD_LONG,
    PasswordFault.SIMPLE: DeskText.PASSWORD_COMMON,
    PasswordFault.COMMON: DeskText.PASSWORD_COMMON,
    PasswordFault.OWN: DeskText.PASSWORD_OWN,
    PasswordFault.LEAKED: DeskText.PASSWORD_LEAKED,
}
DONE: Mapping[str, DeskText] = {"password": DeskText.PASSWORD_CHANGED, "ended": DeskText.ENDED}


def account_with_factor(account_id: str, conn: Connection) -> tuple[StoredAccount, bool]:
    """The account, and whether it has a second factor."""
    return accounts.require(conn, account_id), second_factors.has_one(conn, account_id)


async def show_account(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page."""
    done = DONE.get(request.query.get("done", ""))
    return await account_response(request, page, person, notice="" if done is None else page.text(done))


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
        return await account_response(request, page, person, alert=page.text(FAULTS[fault]), status=422)
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
            said = page.text(DeskText.PASSWORD_WRONG)
        elif with_code and not await check_code(request, account, form.get("code", "")):
            said = page.text(SecondFactorText.WRONG_CODE)
        else:
            return None
    except RateLimited as error:
        return await wait_response(request, page, person, error)
    return await account_response(request, page, person, alert=said, status=422)


async def wait_response(request: ApiRequest, page: DeskPage, person: DeskPerson, error: RateLimited) -> Response:
    """The page, saying after how many seconds one may try again."""
    said = page.text(DeskText.WAIT, seconds=round(max(1, error.retry_after or 1)))
    return await account_response(request, page, person, alert=said, status=429)


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


async def account_response(
    request: ApiRequest, page: DeskPage, person: DeskPerson, *, notice: str = "", alert: str = "", status: int = 200
) -> Response:
    """The page, with what is to be said on it, escaped already."""
    services = request.services
    find = partial(_found, person.client_id, now=services.clock(), idle=services.settings.desk.session_idle)
    found = await services.store.read(find)
    account = found.account
    said = f'<p class="notice" role="status">{notice}</p>' if notice else ""
    said += alert_html(alert)
    organization = services.organizations(account.organization_id) or account.organization_id
    facts = (
        f'<p class="facts" dir="auto">{escape(account.name)} · {escape(account.email)} · {escape(organization)} · '
        f"{page.text(DeskText.ROLE)}: {page.text(ROLES[account.role])}</p>"
    )
    has_password = _has_password(request, account)
    if has_password:
        may_remove = services.settings.desk.second_factor != "required"
        ways = [_password(page, account, has_factor=found.codes is not None)]
        ways += [account_section(page, FACTOR, left=found.codes, may_remove=may_remove)]
    else:
        ways = [f"<p>{page.text(DeskText.NO_PASSWORD, provider=services.settings.desk.openid.name)}</p>"]
    shown = _sessions(page, found.lasting, person.session_id, has_password=has_password)
    sections = "".join(f'<section class="card narrow">{each}</section>' for each in ways)
    body = f'{said}{facts}<section class="card">{shown}</section>{sections}'
    return page.response(page.texts.text(DeskText.ACCOUNT), body, status)


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


def _password(page: DeskPage, account: StoredAccount, *, has_factor: bool) -> str:
    return (
        f"<h2>{page.text(DeskText.CHANGE_PASSWORD)}</h2>"
        f'<form method="post" action="{page.link(f"{ACCOUNT}/password")}">{page.account_field()}'
        f'<input type="text" name="email" autocomplete="username" value="{escape(account.email)}" hidden>'
        f"{password_field(page, 'password')}"
        f"{code_field(page, 'password-code') if has_factor else ''}"
        f'<label for="new-password">{page.text(DeskText.NEW_PASSWORD)}</label>'
        f'<input id="new-password" name="new_password" type="password" autocomplete="new-password" required'
        f' minlength="{SHORTEST}" maxlength="{LONGEST}" aria-describedby="rule">'
        f'<p id="rule" class="hint">{page.text(DeskText.PASSWORD_RULE, count=SHORTEST)}</p>'
        f"<button>{page.text(DeskText.CHANGE_PASSWORD)}</button></form>"
    )


def _sessions(page: DeskPage, lasting: Sequence[StoredSession], own: str, *, has_password: bool) -> str:
    """The list, and the form that its buttons send; its first button, which the enter key presses, ends all of them."""
    rows = "".join(_session(page, each, own) for each in lasting)
    password = password_field(page, "end-password", SecondFactorText.END_PROOF)
    everywhere = (
        f'<form id="end" method="post" action="{page.link(f"{ACCOUNT}/end-session")}">{page.account_field()}'
        f"{password if has_password else ''}"
        f'<button formaction="{page.link(f"{ACCOUNT}/end-everywhere")}">{page.text(DeskText.END_ALL)}</button></form>'
    )
    return f'<h2>{page.text(DeskText.SESSIONS)}</h2>{everywhere}<ul class="rows">{rows}</ul>'


def _session(page: DeskPage, each: StoredSession, own: str) -> str:
    here = f"<strong>{page.text(DeskText.THIS_ONE)}</strong> " if each.id == own else ""
    began, seen = map(page.time, (each.created_at, each.seen_at))
    end = (
        f'<button form="end" name="session" value="{escape(each.id)}"{" formnovalidate" if here else ""}'
        f' class="plain" aria-describedby="session-{each.id}">{page.text(DeskText.END_SESSION)}</button>'
    )
    return (
        f'<li><p id="session-{each.id}">{here}<span class="browser">{escape(each.browser) or "–"}</span><br>'
        f'<span class="facts">{page.text(DeskText.BEGAN)} {began} · {page.text(DeskText.SEEN)} {seen}</span></p>{end}</li>'
    )
