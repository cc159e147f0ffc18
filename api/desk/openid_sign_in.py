"""Signing in by OpenID Connect: the way to the provider, and back with a code that only this browser may use."""

from __future__ import annotations

import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import partial
from typing import TYPE_CHECKING

import structlog
from starlette.responses import Response

from api.desk.cookies import (
    OPENID,
    OPENID_AGE,
    OPENID_AT_ONCE,
    CookieKind,
    begin_session,
    cookie_kind,
    cookie_names,
    cookie_of,
)
from api.desk.desk_frame import HEADERS
from api.desk.openid_provider import OpenIdProvider, OpenIdRefused, error_code
from api.desk.sign_in import message_page
from api.http.request import ApiRequest
from mapping.desk.account_roles import SignInProof
from mapping.desk.cross_site import own_path
from mapping.desk.openid_claims import person_of_claims
from mapping.errors import NotFound, UpstreamUnavailable
from mapping.locales import msgid
from store.accounts.openid_accounts import NoAccount, account_of

if TYPE_CHECKING:
    from api.desk.openid_tokens import CodeRequest

log = structlog.get_logger(__name__)

BEGIN = "/desk/sign-in/openid"
BACK = f"{BEGIN}/callback"
PROVIDER_FAILED = msgid("The sign-in did not work. Please try again.")
NO_ACCOUNT = msgid("Nobody has an account here by that name. Please ask whoever runs the service.")
GROUPS_LEFT_OUT = msgid(
    "Your provider does not say in which groups you are: they are too many. Please ask whoever runs it."
)
BYTES = 32
NAMED = 16
"""Characters of a state that name its cookie: each tab has one of its own."""


async def begin_openid(request: ApiRequest) -> Response:
    """Lead to the provider, with a cookie that binds the answer to this tab of this browser."""
    from api.desk.openid_tokens import CodeRequest  # a start that signs nobody in needs none of it

    kind, provider = _way(request)
    begun = CodeRequest(*(secrets.token_urlsafe(BYTES) for _ in CodeRequest._fields))
    try:
        address = await provider.address(begun, _back(request))
    except UpstreamUnavailable as error:
        return _fail(request, error)
    response = Response(status_code=303, headers={**HEADERS, "Location": address})
    packed = _packed(begun, own_path(request.query.get("next")))
    response.headers.append("Set-Cookie", kind.header(_cookie(begun.state), packed, age=OPENID_AGE))
    tabs = cookie_names(request.headers, kind.name(OPENID))
    for name in tabs[: max(0, len(tabs) + 1 - OPENID_AT_ONCE)]:
        response.headers.append("Set-Cookie", kind.header(name.removeprefix(kind.prefix), "", age=0))
    return response


async def finish_openid(request: ApiRequest) -> Response:
    """Begin the session of whom the provider has signed in, where the browser is the one that has begun."""
    kind, provider = _way(request)
    state = request.query.get("state", "")
    begun = _unpacked(cookie_of(request.headers, kind.name(_cookie(state))))
    if begun is None or not hmac.compare_digest(state.encode(), begun[0].state.encode()):
        return _refuse(request, "this browser has not begun it, or more than ten minutes ago, or has finished it")
    response = await _finish(request, kind, provider, *begun)
    response.headers.append("Set-Cookie", kind.header(_cookie(begun[0].state), "", age=0))
    return response


async def _finish(
    request: ApiRequest, kind: CookieKind, provider: OpenIdProvider, begun: CodeRequest, wanted: str
) -> Response:
    code, settings = request.query.get("code"), request.services.settings.desk.openid
    if not code:
        said = error_code(request.query.get("error"))
        return _refuse(request, f"the provider gives no code, and says: {said or 'nothing'}")
    try:
        claims = await provider.claims(code, begun, _back(request))
    except OpenIdRefused as error:
        return _refuse(request, str(error))
    except UpstreamUnavailable as error:
        return _fail(request, error)
    rows = [(each.group, each.organization, each.account_role) for each in settings.roles]
    person = person_of_claims(claims, groups_claim=provider.groups_claim, trust_email=settings.trust_email, rows=rows)
    find = partial(account_of, issuer=str(settings.issuer), person=person, by_groups=bool(rows))
    account = await request.services.store.write(find)
    if isinstance(account, NoAccount):
        left_out = account is NoAccount.GROUPS_LEFT_OUT
        return _refuse(request, account.value, GROUPS_LEFT_OUT if left_out else NO_ACCOUNT)
    if account.disabled_at is not None or not request.services.organizations(account.organization_id):
        what = "organization is not configured" if account.disabled_at is None else "account is disabled"
        return _refuse(request, f"the person's {what}", NO_ACCOUNT)
    return await begin_session(request, account, kind, own_path(wanted), SignInProof.PROVIDER)


def _way(request: ApiRequest) -> tuple[CookieKind, OpenIdProvider]:
    """What is needed for it; raises NotFound where nobody signs in so."""
    settings = request.services.settings
    kind = cookie_kind(settings.public_url)
    if kind is None or settings.desk.openid.issuer is None:
        raise NotFound("nobody signs in here by OpenID Connect")
    return kind, request.services[OpenIdProvider]


def _back(request: ApiRequest) -> str:
    return request.services.settings.public_url.rstrip("/") + BACK


def _cookie(state: str) -> str:
    return f"{OPENID}-{state[:NAMED]}"


def _refuse(request: ApiRequest, reason: str, said: str = PROVIDER_FAILED) -> Response:
    log.warning("desk.openid_refused", reason=reason, request_id=request.context.request_id)
    return message_page(request, said, 403)


def _fail(request: ApiRequest, error: UpstreamUnavailable) -> Response:
    log.warning("desk.openid_failed", reason=str(error), request_id=request.context.request_id)
    return message_page(request, PROVIDER_FAILED, 503)


def _packed(begun: CodeRequest, wanted: str) -> str:
    return urlsafe_b64encode(json.dumps([*begun, wanted]).encode()).decode().rstrip("=")


def _unpacked(value: str | None) -> tuple[CodeRequest, str] | None:
    """What the cookie holds; None where it is not one of ours."""
    from api.desk.openid_tokens import CodeRequest

    try:
        texts = json.loads(urlsafe_b64decode((value or "") + "=="))
    except (ValueError, RecursionError):
        return None
    if not isinstance(texts, list) or len(texts) != 4 or not all(isinstance(each, str) and each for each in texts):
        return None
    return CodeRequest(*texts[:3]), texts[3]
