"""The person whom a provider of OpenID Connect has signed in, and what the configuration allows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from mapping.desk.account_roles import RANKS, AccountRole

LONGEST = 300
EMAIL = ("email", "email_verified")
"""One thing: whether an address is verified is said by whoever says the address."""
LEFT_OUT = "_claim_names"
"""Where a provider names the claims that it says elsewhere, as Entra does for groups that are too many."""


class OpenIdPerson(NamedTuple):
    """Who has signed in: `grants` is the organization → role of the groups, None where the provider leaves these out."""

    subject: str | None
    email: str | None
    is_verified: bool
    name: str
    grants: Mapping[str, AccountRole] | None


def is_complete(claims: Mapping[str, Any], *, groups_claim: str | None, trust_email: bool) -> bool:
    """Whether an ID token says what an account needs; `groups_claim`: None where groups mean nothing."""
    address = all(_says(claims, name) for name in (EMAIL[:1] if trust_email else EMAIL))
    return address and (groups_claim is None or _says(claims, groups_claim) or _leaves_out(claims, groups_claim))


def complete_claims(claims: Mapping[str, Any], user_info: Mapping[str, Any]) -> Mapping[str, Any]:
    """The claims of an ID token, and what it does not say from UserInfo."""
    said = {name: value for name, value in claims.items() if value is not None}
    if any(name not in said for name in EMAIL) and _says(user_info, EMAIL[0]):
        said = {name: value for name, value in said.items() if name not in EMAIL}
    elif EMAIL[0] in said:
        user_info = {name: value for name, value in user_info.items() if name not in EMAIL}
    return {**user_info, **said}


def person_of_claims(
    claims: Mapping[str, Any], *, groups_claim: str | None, trust_email: bool, rows: Iterable[tuple[str, str, str]]
) -> OpenIdPerson:
    """The person of these claims; `rows`: group, organization, role. What cannot be read counts as not said."""
    email = _text(claims.get("email"))
    return OpenIdPerson(
        subject=_text(claims.get("sub")),
        email=email if email is not None and "@" in email else None,
        is_verified=trust_email or claims.get("email_verified") is True or claims.get("email_verified") == "true",
        name=_text(claims.get("name")) or (email or "").partition("@")[0],
        grants=_grants(claims, groups_claim, rows),
    )


def _says(claims: Mapping[str, Any], name: str) -> bool:
    return claims.get(name) is not None


def _leaves_out(claims: Mapping[str, Any], name: str) -> bool:
    elsewhere = claims.get(LEFT_OUT)
    return not _says(claims, name) and isinstance(elsewhere, dict) and name in elsewhere


def _groups(said: object) -> set[str]:
    """A list of names, one name alone, or an object of objects by their names, as Zitadel says roles."""
    if isinstance(said, dict):
        return {name for name, each in said.items() if isinstance(each, dict)}
    listed = said if isinstance(said, list) else [said]
    return {each for each in listed if isinstance(each, str)}


def _grants(
    claims: Mapping[str, Any], groups_claim: str | None, rows: Iterable[tuple[str, str, str]]
) -> Mapping[str, AccountRole] | None:
    """The role of the groups in each organization: of several the one that may do most."""
    if groups_claim is None:
        return {}
    if _leaves_out(claims, groups_claim):
        return None
    groups, roles = _groups(claims.get(groups_claim)), dict[str, list[AccountRole]]()
    for group, organization, account_role in rows:
        if group in groups:
            roles.setdefault(organization, []).append(AccountRole(account_role))
    return {organization: max(each, key=RANKS.__getitem__) for organization, each in roles.items()}


def _text(value: object) -> str | None:
    return (
        value.strip() if isinstance(value, str) and 0 < len(value.strip()) <= LONGEST and value.isprintable() else None
    )
