"""Who is signed in: finds the account behind a browser's cookie, and refuses what other sites make a browser send."""

from __future__ import annotations

from functools import partial

import structlog
from starlette.datastructures import Headers
from starlette.types import Scope

from api.desk.cookies import SESSION, cookie_kind, cookie_of
from api.http.openapi import ACCOUNT_HEADER
from api.http.request import DeskPerson, PeopleDoor, Services, headers_of
from mapping.desk.account_roles import SCOPES
from mapping.desk.cross_site import from_own_site, may_carry_session
from mapping.errors import Forbidden, StoreUnavailable
from store.accounts import audit, sessions
from store.accounts.sessions import StoredSession
from store.engine.unit import Unit

log = structlog.get_logger(__name__)

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
TOUCHED_AFTER = 60
"""Seconds after which it is noted again that a session is in use."""
NOT_OWN = "a page of another site, or a program, does not write with the session that a browser keeps"
NOT_THEIRS = "the page was made for somebody else than who is signed in now: load it again"


def check_account(person: DeskPerson, sent: str | None) -> None:
    """Raise Forbidden unless the page that writes, which sends the account it was made for, was made for this person."""
    if sent != person.client_id:
        raise Forbidden(NOT_THEIRS)


def check_site(scope: Scope, public_url: str) -> None:
    """Raise Forbidden for a write that does not come from a page of this service."""
    headers = headers_of(scope)
    own = (public_url, f"{scope.get('scheme', 'http')}://{headers.get('host', '')}")
    if not from_own_site(headers.get("sec-fetch-site"), headers.get("origin"), own):
        raise Forbidden(NOT_OWN)


class SessionsDoor(PeopleDoor):
    """Reads the session anew with each request, so that one which is ended is over in all processes at once."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def presents(self, scope: Scope) -> bool:
        """Whether it has the cookie of a session."""
        return self._token(scope) is not None

    def _token(self, scope: Scope) -> str | None:
        settings = self._services.settings
        kind = cookie_kind(settings.public_url) if settings.desk.enabled else None
        return None if kind is None else cookie_of(headers_of(scope), kind.name(SESSION))

    async def person(self, scope: Scope, *, page: bool) -> DeskPerson | None:
        """The account whose session the cookie is; a write is refused first, whether there is a session or not."""
        headers, token = headers_of(scope), self._token(scope)
        if token is None or not self._counts(scope, headers, page=page):
            return None
        now, settings = self._services.clock(), self._services.settings.desk
        alone = settings.second_factor != "required"
        find = partial(sessions.find, token=token, now=now, idle=settings.session_idle, password_alone=alone)
        found = await self._services.store.read(find)
        if found is None or self._services.organizations(found.organization_id) is None:
            return None
        person = person_of(found)
        if scope["method"] not in SAFE and not page:  # forms carry it in their body, read by their handlers
            check_account(person, headers.get(ACCOUNT_HEADER))
        await self._touch(found, now)
        return person

    def _counts(self, scope: Scope, headers: Headers, *, page: bool) -> bool:
        if scope["method"] not in SAFE:
            check_site(scope, self._services.settings.public_url)
            return True
        return may_carry_session(headers.get("sec-fetch-site"), headers.get("sec-fetch-mode"), page=page)

    async def _touch(self, found: StoredSession, now: float) -> None:
        if now - found.seen_at < TOUCHED_AFTER:
            return
        try:
            await self._services.store.write(lambda unit: sessions.touch(unit, found.id))
        except StoreUnavailable:  # reads go on while nothing can be written
            log.warning("desk.session_not_touched")

    async def record(self, person: DeskPerson, operation: str, target: str) -> None:
        """Write it down; where that fails, the log has it alone, as what was done is done."""

        def write(unit: Unit) -> None:
            audit.record(unit, person.organization_id, person.client_id, operation, target)

        try:
            await self._services.store.write(write)
        except StoreUnavailable:
            log.warning("audit.not_stored", client=person.client_id, operation=operation, target=target)


def person_of(session: StoredSession) -> DeskPerson:
    """The caller that a session stands for."""
    return DeskPerson(
        client_id=session.account_id,
        organizations=frozenset({session.organization_id}),
        scopes=SCOPES[session.role],
        proven=True,
        name=session.name,
        role=session.role,
        organization_id=session.organization_id,
        session_id=session.id,
    )
