"""Finds the account of somebody whom a provider of OpenID Connect has signed in."""

from __future__ import annotations

from enum import StrEnum

from mapping.desk.openid_claims import OpenIdPerson
from store.accounts import accounts, sessions
from store.accounts.accounts import AccountSpec, StoredAccount
from store.engine.unit import Unit


class NoAccount(StrEnum):
    """Why somebody whom the provider has signed in has no account, as the log says it."""

    NO_SUBJECT = "the provider's own name of the person (sub) is not printable, or very long"
    NO_ADDRESS = "the provider says no e-mail address: does it have one, and does desk.openid.scopes request it?"
    NOT_VERIFIED = "the provider does not say that the e-mail address is verified (desk.openid.trust_email)"
    UNKNOWN = "no account has the e-mail address, and no group of the person is in desk.openid.roles"
    OF_ANOTHER = "the account with the e-mail address belongs to another person of the provider"
    GROUPS_GONE = "groups have made the account, and none of the person's is in desk.openid.roles any more"
    GROUPS_LEFT_OUT = "the provider leaves out the groups because they are too many (_claim_names): have it send fewer"


def account_of(unit: Unit, issuer: str, person: OpenIdPerson, *, by_groups: bool) -> StoredAccount | NoAccount:
    """The person's account, or why there is none; the first time it is found by the e-mail address, then by the subject.

    `by_groups`: groups say who has an account. One that they have made takes the role of today, and nobody signs in to it
    whom they name no more. Accounts that the operator has made keep their own role.
    """
    if person.subject is None:
        return NoAccount.NO_SUBJECT
    found = accounts.find_by_subject(unit.conn, issuer, person.subject)
    if found is None:
        return _begin(unit, issuer, person)
    if not by_groups or found.by_groups != 1:
        return found
    if person.grants is None:  # not known is not gone: what is open goes on
        return NoAccount.GROUPS_LEFT_OUT
    role = person.grants.get(found.organization_id)
    if role is None:
        sessions.end_all(unit, found.id)
        return NoAccount.GROUPS_GONE
    if role != found.role:
        accounts.change(unit, found.id, role=role)
    return accounts.require(unit.conn, found.id)


def _begin(unit: Unit, issuer: str, person: OpenIdPerson) -> StoredAccount | NoAccount:
    """The account with the person's address, which is the person's from now on, or a new one by the groups."""
    if person.email is None:
        return NoAccount.NO_ADDRESS
    if not person.is_verified:
        return NoAccount.NOT_VERIFIED
    found = accounts.find_by_email(unit.conn, person.email)
    if found is not None and found.subject is not None:
        return NoAccount.OF_ANOTHER
    made = {}
    if found is None:
        if not person.grants:
            return NoAccount.GROUPS_LEFT_OUT if person.grants is None else NoAccount.UNKNOWN
        organization, role = min(person.grants.items())
        spec = AccountSpec(organization_id=organization, email=person.email, name=person.name, role=role)
        found, made = accounts.create(unit, spec), {"by_groups": 1}
    accounts.change(unit, found.id, issuer=issuer, subject=person.subject, **made)
    return accounts.require(unit.conn, found.id)
