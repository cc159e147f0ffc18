"""The tables of people: accounts, second factors, sessions, tries to sign in, and what they have done."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Table, UniqueConstraint, select

from store.engine.columns import Bytewise, Counter, integer, metadata, text
from store.engine.portable_table import StoredCapability, of_organization

accounts = Table(
    "accounts",
    metadata,
    Column("id", Bytewise, primary_key=True),
    text("organization_id", index=True),
    text("email", unique=True),
    text("name"),
    text("role"),
    text("password_hash", nullable=True),
    text("issuer", nullable=True),
    text("subject", nullable=True),
    integer("by_groups", server_default="0"),
    integer("created_at"),
    integer("updated_at"),
    integer("disabled_at", nullable=True),
    UniqueConstraint("issuer", "subject"),
)
"""`email`: in lower case, by which a person signs in. `password_hash`: by Argon2id; without one nobody signs in by password.

`issuer` and `subject`: who the person is at the provider of OpenID Connect by which it has signed in. `by_groups`: 1 where
its groups there have made the account, and say which role it has.
"""

desk_sessions = Table(
    "desk_sessions",
    metadata,
    Column("id", Bytewise, primary_key=True),  # random, and of no use to sign in with
    text("token_hash", unique=True),
    Column("account_id", Bytewise, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    text("browser"),
    integer("created_at"),
    integer("seen_at"),
    integer("expires_at", index=True),
    text("proof", server_default="password"),
)
"""Who is signed in; a row that is gone is a session that has ended. `proof`: a `SignInProof`, by what it was begun."""

second_factors = Table(
    "second_factors",
    metadata,
    Column("account_id", Bytewise, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    text("secret"),
    integer("last_step"),
)
"""What the apps of people make their codes of, in a table of its own, which nothing reads but the check of a code.

`last_step`: the time step of the code that counted last; none of it or of before counts again.
"""

recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("account_id", Bytewise, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("code_hash", Bytewise, primary_key=True),
)
"""Codes that each open the account once in the place of an app's; a row that is gone was used."""

sign_in_steps = Table(
    "sign_in_steps",
    metadata,
    Column("token_hash", Bytewise, primary_key=True),
    Column("account_id", Bytewise, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    integer("expires_at", index=True),
    text("secret", nullable=True),
)
"""Who has entered the right password and still owes a code: no session, and of no use as one.

`secret`: of the app that is being set up, whose first code is owed; None where it is one of the second factor.
"""

sign_in_tries = Table(
    "sign_in_tries",
    metadata,
    Column("key", Bytewise, primary_key=True),  # a hash of whose account and from which network
    integer("failures"),
    integer("next_at"),
    integer("tried_at", index=True),
)
"""Failures to sign in, and, with none, the networks from which somebody has signed in."""

audit_entries = Table(
    "audit_entries",
    metadata,
    Column("serial", Counter, primary_key=True, autoincrement=True),
    text("organization_id"),
    Column("account_id", Bytewise, nullable=False),
    text("operation"),
    text("target"),
    integer("at", index=True),
    Index(None, "organization_id", "serial"),
    sqlite_autoincrement=True,
)
"""What people have done, newest last."""

DESK = StoredCapability(
    portable=(
        of_organization(accounts, given={"password_hash": None}),
        of_organization(
            audit_entries, given={"serial": None}, named={"account_id": "account"}, order=(audit_entries.c.serial,)
        ),
    ),
    stays={
        "desk_sessions": "who is signed in at the old place",
        "second_factors": "as passwords do",
        "recovery_codes": "as passwords do",
        "sign_in_steps": "who is about to sign in at the old place",
        "sign_in_tries": "limits of the old place",
    },
    owners={"account": select(accounts.c.id, accounts.c.organization_id)},
)
"""Passwords and second factors stay, as the secrets of clients do: hashes in a file can be guessed at leisure."""
