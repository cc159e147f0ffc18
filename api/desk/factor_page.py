"""The second factor of one's account: set up, changed and removed by whoever shows again what it is signed in with."""

from __future__ import annotations

from starlette.responses import Response

from api.desk.account_page import ACCOUNT, account_response, ask_password_again, require_password
from api.desk.code_step import begin_set_up
from api.desk.desk_frame import DeskPage
from api.desk.factor_form import ACTS, codes_response
from api.http.param import Query
from api.http.request import ApiRequest, DeskPerson
from mapping.desk.second_factor_text import SecondFactorText
from mapping.errors import Forbidden, InvalidRequest
from store.accounts import audit, second_factors, sessions
from store.accounts.accounts import StoredAccount
from store.engine.unit import Unit


async def change_factor(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Another app, new recovery codes, or no second factor: whichever button it was; by password, and a code where there is one."""
    act = form.get("act", "")
    account, has_factor, kind = await require_password(request, person)
    _check_act(request, act, has_factor=has_factor)
    refused = await ask_password_again(request, page, person, account, form, with_code=has_factor)
    if refused is not None:
        return refused
    if act == ACTS[0]:
        return await begin_set_up(request, page, account, kind, ACCOUNT, has_factor=has_factor)
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
