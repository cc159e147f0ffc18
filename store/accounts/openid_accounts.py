"""The account of whom a provider of OpenID Connect has signed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.accounts import accounts, sessions
from store.accounts.accounts import AccountSpec

if TYPE_CHECKING:
    from mapping.desk.openid_claims import OpenIdPerson
    from store.accounts.accounts import StoredAccount
    from store.engine.unit import Unit


def account_of(unit: Unit, issuer: str, person: OpenIdPerson, *, by_groups: bool) -> StoredAccount | None:
    """The person's account, None where it has none; the first time it is found by the e-mail address, then by the subject.

    `by_groups`: groups say who has an account. One that they have made takes the role of today, and nobody signs in to it
    whom they name no more. Accounts that the operator has made keep their own role.
    """
    found = accounts.find_by_subject(unit.conn, issuer, person.subject) or _bind(unit, issuer, person)
    if found is None:
        return _make(unit, issuer, person)
    if not by_groups or not _made_by_groups(found):
        return found
    role = person.grants.get(found.organization_id)
    if role is None:
        sessions.end_all(unit, found.id)
        return None
    if role != found.role:
        accounts.change(unit, found.id, role=role)
    return accounts.require(unit.conn, found.id)


def _bind(unit: Unit, issuer: str, person: OpenIdPerson) -> StoredAccount | None:
    """The account with the person's address, which is the person's from now on; not one that is somebody else's already."""
    found = None if person.email is None else accounts.find_by_email(unit.conn, person.email)
    if found is None or found.subject is not None:
        return None
    accounts.change(unit, found.id, issuer=issuer, subject=person.subject)
    return accounts.require(unit.conn, found.id)


def _make(unit: Unit, issuer: str, person: OpenIdPerson) -> StoredAccount | None:
    taken = person.email is None or accounts.find_by_email(unit.conn, person.email) is not None
    if taken or person.email is None or not person.grants:
        return None
    organization, role = min(person.grants.items())
    spec = AccountSpec(organization_id=organization, email=person.email, name=person.name, role=role)
    made = accounts.create(unit, spec)
    accounts.change(unit, made.id, issuer=issuer, subject=person.subject, by_groups=1)
    return accounts.require(unit.conn, made.id)


def _made_by_groups(account: StoredAccount) -> bool:
    return account.by_groups == 1
