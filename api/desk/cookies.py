"""The cookies of the desk: where a browser may be given one, how a session begins, and how it is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers
from starlette.responses import Response

from api.desk.desk_frame import redirect
from api.http.request import ApiRequest
from config.cross_checks import is_loopback
from mapping.desk.account_roles import SignInProof
from store.accounts import audit, sessions, sign_in_steps
from store.accounts.accounts import StoredAccount
from store.engine.unit import Unit

LONGEST = 4096
SESSION, OPENID, STEP = "matchwire-desk", "matchwire-openid", "matchwire-step"
OPENID_AGE = 600
"""Seconds that somebody may take to sign in at the provider."""
OPENID_AT_ONCE = 8
"""Tabs of a browser that may be on their way to the provider; with a further one the first is forgotten."""


log = structlog.get_logger(__name__)
BROWSER_LENGTH = 200


class CookieKind(NamedTuple):
    """How cookies are named and bounded at an address."""

    prefix: str
    secure: bool

    def name(self, what: str) -> str:
        """The name of the cookie."""
        return self.prefix + what

    def header(self, what: str, value: str, age: int | None = None) -> str:
        """The value of `Set-Cookie`; `age` in seconds, 0 has the browser forget it, None lasts as long as the browser."""
        parts = [f"{self.name(what)}={value}", "Path=/", "HttpOnly", "SameSite=Lax"]
        if age is not None:
            parts.append(f"Max-Age={age}")
        if self.secure:
            parts.append("Secure")
        return "; ".join(parts)


PROTECTED, LOOPBACK = CookieKind("__Host-", secure=True), CookieKind("", secure=False)


def cookie_kind(public_url: str) -> CookieKind | None:
    """How cookies are made for people who use this address; None where a password would cross a network in the clear.

    Not every browser keeps a Secure cookie of http://127.0.0.1, and none one with the prefix: on this machine itself, for
    the first hour, there is neither.
    """
    parts = urlsplit(public_url)
    if parts.scheme == "https":
        return PROTECTED
    return LOOPBACK if is_loopback(parts.hostname or "") else None


def cookie_of(headers: Headers, name: str) -> str | None:
    """The value of the cookie; None where there is none, or more than one of the name, of which one is not ours."""
    found = [value for each, value in _pairs(headers) if each == name]
    return found[0] if len(found) == 1 and 0 < len(found[0]) <= LONGEST else None


def cookie_names(headers: Headers, begin: str) -> list[str]:
    """The names of cookies that begin so, as browsers send them: the one that was set first comes first."""
    return [each for each, _ in _pairs(headers) if each.startswith(begin)]


def _pairs(headers: Headers) -> Iterator[tuple[str, str]]:
    for line in headers.getlist("cookie"):
        for part in line.split(";"):
            name, _, value = part.strip().partition("=")
            yield name, value


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
