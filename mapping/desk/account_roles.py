"""What people may do: the roles of accounts, the scopes that each of them stands for, and what a session was opened with."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class AccountRole(StrEnum):
    """What an account may do in its organization."""

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"


SCOPES: Mapping[AccountRole, frozenset[str]] = {
    AccountRole.VIEWER: frozenset({"read"}),
    AccountRole.EDITOR: frozenset({"read", "write", "external", "comments", "stats"}),
    AccountRole.ADMIN: frozenset({"read", "write", "external", "comments", "stats", "webhooks"}),
}
"""The scopes of each role, in the account's own organization.

The scope `admin` of clients is in none: what it opens shows the process as a whole, to whoever runs it, and names the
matches of every organization.
"""
RANKS: Mapping[AccountRole, int] = {role: rank for rank, role in enumerate(AccountRole)}
"""Which of two roles may do more."""


class SignInProof(StrEnum):
    """By what a session was begun: a password alone, a password and a code, or a provider of OpenID Connect."""

    PASSWORD = "password"  # noqa: S105 -- names the proof
    CODE = "code"
    PROVIDER = "provider"
