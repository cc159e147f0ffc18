"""How a session begins and is forgotten: a token that nobody has known before, in the browser's cookie."""

from __future__ import annotations

import structlog
from starlette.responses import Response

from api.desk.cookies import SESSION, STEP, CookieKind, cookie_kind, cookie_of
from api.desk.desk_frame import redirect
from api.http.request import ApiRequest
from mapping.desk.sign_in_proof import SignInProof
from store.accounts import audit, sessions, sign_in_steps
from store.accounts.accounts import StoredAccount
from store.engine.unit import Unit

log = structlog.get_logger(__name__)

BROWSER_LENGTH = 200


async def begin_session(
    request: ApiRequest,
    account: StoredAccount,
    kind: CookieKind,
    wanted: str,
    proof: SignInProof = SignInProof.PASSWORD,
) -> Response:
    """Lead on to `wanted` with a new session."""
    return redirect(request, wanted, *await _session_cookies(request, account, kind, proof))


async def with_session(
    request: ApiRequest, response: Response, account: StoredAccount, kind: CookieKind, proof: SignInProof
) -> Response:
    """The response, with a new session."""
    for cookie in await _session_cookies(request, account, kind, proof):
        response.headers.append("Set-Cookie", cookie)
    return response


async def _session_cookies(
    request: ApiRequest, account: StoredAccount, kind: CookieKind, proof: SignInProof
) -> tuple[str, ...]:
    """Begin a session, and end what the browser had before; gives the values of `Set-Cookie` that make it the browser's."""
    before, step = (cookie_of(request.headers, kind.name(what)) for what in (SESSION, STEP))
    lasts, browser = request.services.settings.desk.session_age, _browser(request)

    def begin(unit: Unit) -> str:
        if before is not None:
            sessions.end_token(unit, before)
        if step is not None:
            sign_in_steps.end(unit, step)
        audit.record(unit, account.organization_id, account.id, "desk.sign_in")
        return sessions.begin(unit, account.id, browser=browser, lasts=lasts, proof=proof)

    token = await request.services.store.write(begin)
    log.info("desk.signed_in", client=account.id, proof=proof, request_id=request.context.request_id)
    forgets = () if step is None else (kind.header(STEP, "", age=0),)
    return kind.header(SESSION, token), *forgets


def forget_session(request: ApiRequest) -> tuple[str, ...]:
    """The values of `Set-Cookie` by which a browser forgets its session."""
    kind = cookie_kind(request.services.settings.public_url)
    return () if kind is None else (kind.header(SESSION, "", age=0),)


def _browser(request: ApiRequest) -> str:
    named = str(request.headers.get("user-agent", ""))
    return named[:BROWSER_LENGTH].encode("ascii", "replace").decode()
