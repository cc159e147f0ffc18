"""Who somebody is whom a provider of OpenID Connect has signed in, and what a configuration makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mapping.desk.account_roles import RANKS, AccountRole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LONGEST = 300


class OpenIdPerson(NamedTuple):
    """Who has signed in: `email` only where it counts, `grants` the organization → role of the groups."""

    subject: str
    email: str | None
    name: str
    grants: Mapping[str, AccountRole]


def person_of_claims(
    claims: Mapping[str, Any], *, groups_claim: str, trust_email: bool, rows: Iterable[tuple[str, str, str]]
) -> OpenIdPerson:
    """The person of these claims; `rows`: group, organization, role. What is of another form than the standard's is left out."""
    email = _text(claims.get("email"))
    verified = trust_email or claims.get("email_verified") is True
    return OpenIdPerson(
        subject=_text(claims.get("sub")) or "",
        email=email if verified and email is not None and "@" in email else None,
        name=_text(claims.get("name")) or (email or "").partition("@")[0],
        grants=_grants(claims.get(groups_claim), rows),
    )


def _grants(listed: object, rows: Iterable[tuple[str, str, str]]) -> Mapping[str, AccountRole]:
    """The role of the groups in each organization: of several the one that may do most."""
    groups = {each for each in listed if isinstance(each, str)} if isinstance(listed, list) else set()
    roles: dict[str, list[AccountRole]] = {}
    for group, organization, account_role in rows:
        if group in groups:
            roles.setdefault(organization, []).append(AccountRole(account_role))
    return {organization: max(each, key=RANKS.__getitem__) for organization, each in roles.items()}


def _text(value: object) -> str | None:
    return (
        value.strip() if isinstance(value, str) and 0 < len(value.strip()) <= LONGEST and value.isprintable() else None
    )
