"""The page of one's own account: who one is, another password, and where one is signed in."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from api.desk.cookies import cookie_kind
from api.desk.desk_frame import DeskPage, alert_html, redirect
from api.desk.handlers import SIGN_IN
from api.desk.passwords import PasswordChecks
from api.desk.sign_in import begin_session, check_password, forget_session, network_of
from api.page.times import moment
from mapping.desk.account_roles import AccountRole
from mapping.desk.desk_text import DeskText
from mapping.desk.password_rules import LONGEST, SHORTEST, PasswordFault, password_fault
from mapping.errors import Forbidden, RateLimited
from store.accounts import accounts, audit, sessions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.http.people import DeskPerson
    from api.http.request import ApiRequest, Query
    from store.accounts.accounts import StoredAccount
    from store.accounts.sessions import StoredSession
    from store.engine.unit import Unit

ACCOUNT = "/desk/account"
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
}
DONE: Mapping[str, DeskText] = {"password": DeskText.PASSWORD_CHANGED, "ended": DeskText.ENDED}


async def show_account(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page."""
    done = DONE.get(request.query.get("done", ""))
    return await _page(request, page, person, notice="" if done is None else page.text(done))


async def change_password(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Set another password, whoever knows the current one: all sessions end, and the browser gets a new one."""
    store = request.services.store
    account = await store.read(lambda conn: accounts.require(conn, person.client_id))
    kind, new = cookie_kind(request.services.settings.public_url), form.get("new_password", "")
    if account.password_hash is None or kind is None or not request.services.settings.desk.passwords:
        raise Forbidden("the account has no password")
    try:
        said = await _new_password_fault(request, account, form)
        hashed = "" if said else await request.services[PasswordChecks].hash(network_of(request), new)
    except RateLimited as error:
        seconds = round(max(1, error.retry_after or 1))
        return await _page(request, page, person, alert=page.text(DeskText.WAIT, seconds=seconds), status=429)
    if said is not None:
        return await _page(request, page, person, alert=page.text(said), status=422)

    def change(unit: Unit) -> None:
        accounts.change(unit, account.id, password_hash=hashed)
        sessions.end_all(unit, account.id)
        audit.record(unit, account.organization_id, account.id, "desk.change_password")

    await store.write(change)
    return await begin_session(request, account, kind, f"{ACCOUNT}?done=password")


async def _new_password_fault(request: ApiRequest, account: StoredAccount, form: Query) -> DeskText | None:
    """Why the password stays as it is, None where it is changed. Raises RateLimited."""
    if not await check_password(request, account.id, account, form.get("password", "")):
        return DeskText.PASSWORD_WRONG
    fault = password_fault(form.get("new_password", ""), account.email, account.name)
    return None if fault is None else FAULTS[fault]


async def end_session(request: ApiRequest, _shown: DeskPage, person: DeskPerson, form: Query) -> Response:
    """End one of one's sessions; of the browser's own one signs out."""
    ended = form.get("session", "")

    def end(unit: Unit) -> None:
        sessions.end(unit, person.client_id, ended)
        audit.record(unit, person.organization_id, person.client_id, "desk.end_session", ended)

    await request.services.store.write(end)
    if ended == person.session_id:
        return redirect(request, SIGN_IN, *forget_session(request))
    return redirect(request, f"{ACCOUNT}?done=ended")


async def end_everywhere(request: ApiRequest, _shown: DeskPage, person: DeskPerson, _form: Query) -> Response:
    """End all of one's sessions, this one too."""

    def end(unit: Unit) -> None:
        sessions.end_all(unit, person.client_id)
        audit.record(unit, person.organization_id, person.client_id, "desk.end_everywhere")

    await request.services.store.write(end)
    return redirect(request, SIGN_IN, *forget_session(request))


async def _page(
    request: ApiRequest, page: DeskPage, person: DeskPerson, *, notice: str = "", alert: str = "", status: int = 200
) -> Response:
    services = request.services
    find = partial(_found, person.client_id, now=services.clock(), idle=services.settings.desk.session_idle)
    account, lasting = await services.store.read(find)
    zone = ZoneInfo(services.settings.server.timezone)
    said = f'<p class="notice" role="status">{notice}</p>' if notice else ""
    said += alert_html(alert)
    organization = services.organizations(account.organization_id) or account.organization_id
    facts = (
        f'<p class="facts" dir="auto">{escape(account.name)} · {escape(account.email)} · {escape(organization)} · '
        f"{page.text(DeskText.ROLE)}: {page.text(ROLES[account.role])}</p>"
    )
    provider = services.settings.desk.openid.name
    has_password = account.password_hash is not None and services.settings.desk.passwords
    password = (
        _password(page, account) if has_password else f"<p>{page.text(DeskText.NO_PASSWORD, provider=provider)}</p>"
    )
    shown = _sessions(page, lasting, person.session_id, zone)
    body = f'{said}{facts}<section class="card">{shown}</section><section class="card narrow">{password}</section>'
    return page.response(page.texts.text(DeskText.ACCOUNT), body, status)


def _found(account_id: str, conn: Connection, *, now: float, idle: float) -> tuple[StoredAccount, list[StoredSession]]:
    return accounts.require(conn, account_id), sessions.of_account(conn, account_id, now=now, idle=idle)


def _password(page: DeskPage, account: StoredAccount) -> str:
    return (
        f"<h2>{page.text(DeskText.CHANGE_PASSWORD)}</h2>"
        f'<form method="post" action="{page.link(f"{ACCOUNT}/password")}">{page.csrf_field()}'
        f'<input type="text" name="email" autocomplete="username" value="{escape(account.email)}" hidden>'
        f'<label for="password">{page.text(DeskText.CURRENT_PASSWORD)}</label>'
        '<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024">'
        f'<label for="new-password">{page.text(DeskText.NEW_PASSWORD)}</label>'
        f'<input id="new-password" name="new_password" type="password" autocomplete="new-password" required'
        f' minlength="{SHORTEST}" maxlength="{LONGEST}" aria-describedby="rule">'
        f'<p id="rule" class="hint">{page.text(DeskText.PASSWORD_RULE, count=SHORTEST)}</p>'
        f"<button>{page.text(DeskText.CHANGE_PASSWORD)}</button></form>"
    )


def _sessions(page: DeskPage, lasting: Sequence[StoredSession], own: str, zone: ZoneInfo) -> str:
    rows = "".join(_session(page, each, own, zone) for each in lasting)
    everywhere = (
        f'<form method="post" action="{page.link(f"{ACCOUNT}/end-everywhere")}">{page.csrf_field()}'
        f"<button>{page.text(DeskText.END_ALL)}</button></form>"
    )
    return f'<h2>{page.text(DeskText.SESSIONS)}</h2><ul class="rows">{rows}</ul>{everywhere}'


def _session(page: DeskPage, each: StoredSession, own: str, zone: ZoneInfo) -> str:
    here = f"<strong>{page.text(DeskText.THIS_ONE)}</strong> " if each.id == own else ""
    began, seen = (moment(at, "date", zone, page.texts.locale) for at in (each.created_at, each.seen_at))
    end = (
        f'<form method="post" action="{page.link(f"{ACCOUNT}/end-session")}">{page.csrf_field()}'
        f'<input type="hidden" name="session" value="{escape(each.id)}">'
        f'<button class="plain" aria-describedby="session-{each.id}">{page.text(DeskText.END_SESSION)}</button></form>'
    )
    return (
        f'<li><p id="session-{each.id}">{here}<span class="browser">{escape(each.browser) or "–"}</span><br>'
        f'<span class="facts">{page.text(DeskText.BEGAN)} {began} · {page.text(DeskText.SEEN)} {seen}</span></p>{end}</li>'
    )
