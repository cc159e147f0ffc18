"""`matchwire account …`: the people who may sign in at the desk, managed beside the running daemon, which knows at once."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from api.desk.passwords import hash_password, new_password_fault
from config import Settings
from ingest.cli.shared import Commands, fail, on_database, out, the_organization
from mapping.desk.account_roles import AccountRole
from store.engine.unit import Unit

if TYPE_CHECKING:
    from store.accounts.accounts import StoredAccount
    from store.accounts.audit import AuditEntry

app = Commands(help="The people who may sign in at the desk.")

EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}")
LONGEST_NAME = 100
FAULTS = {
    "short": "is shorter than {shortest} characters",
    "long": "is longer than {longest} characters",
    "simple": "consists of too few different characters",
    "common": "is one that is easily guessed",
    "own": "says too much of the person or of this service",
    "leaked": "is in the list of those that have leaked",
}

Email = Annotated[str, typer.Argument(help="The e-mail address of the account.")]
OfRole = Annotated[AccountRole, typer.Option("--role", "-r", help="What the person may do in the organization.")]


@app.command()
def add(
    settings: Settings,
    email: Email,
    *,
    role: OfRole = AccountRole.EDITOR,
    name: Annotated[str | None, typer.Option(help="The name; left out: what stands before the @.")] = None,
    organization: Annotated[str | None, typer.Option("--organization", "-o", help="Left out: the only one.")] = None,
    no_password: Annotated[
        bool, typer.Option("--no-password", help="The person signs in by OpenID Connect alone.")
    ] = False,
) -> None:
    """Make an account; its password is prompted for, or read as a line of standard input."""
    from store.accounts import accounts

    if not EMAIL.fullmatch(email) or not email.isprintable():
        fail(f"{email} is not an e-mail address")
    shown = name if name is not None else email.partition("@")[0]
    if not shown.strip() or len(shown) > LONGEST_NAME or not shown.isprintable():
        fail(f"a name is 1 to {LONGEST_NAME} printable characters")
    spec = accounts.AccountSpec(
        organization_id=the_organization(settings, organization),
        email=email,
        name=shown,
        role=role,
        password_hash=None if no_password else _ask_for_password(settings, email, shown),
    )

    def create(unit: Unit) -> None:
        _note(unit, accounts.create(unit, spec), "account.add", role)

    on_database(settings, create)
    out.print(f"{email} may sign in at {settings.public_url.rstrip('/')}/desk as {role}.")


def add_demo_editor(unit: Unit, password: str) -> None:
    """Make the account by which people try the desk of the demo."""
    from store.accounts import accounts

    who = {"organization_id": "demo", "email": "editor@example.org", "name": "Robin Demo"}
    spec = accounts.AccountSpec(**who, role=AccountRole.EDITOR, password_hash=hash_password(password))
    accounts.create(unit, spec)


@app.command("list")
def list_(settings: Settings) -> None:
    """Show all accounts, disabled ones too."""
    from store.accounts import accounts, second_factors

    rows, coded = on_database(
        settings, lambda unit: (accounts.list_accounts(unit.conn), second_factors.accounts_with_one(unit.conn))
    )
    table = Table("e-mail", "name", "organization", "role", "signs in by", "state", "id")
    for row in rows:
        password = "password and code" if row.id in coded else "password"
        ways = [word for word, has in ((password, row.password_hash), ("OpenID Connect", row.subject)) if has]
        state = "active" if row.disabled_at is None else "disabled"
        table.add_row(row.email, row.name, row.organization_id, row.role, ", ".join(ways) or "–", state, row.id)
    out.print(table)


@app.command()
def password(settings: Settings, email: Email) -> None:
    """Set another password; all sessions of the account end."""
    from store.accounts import accounts, sessions

    account = on_database(settings, partial(_account, email=email))
    hashed = _ask_for_password(settings, account.email, account.name)

    def change(unit: Unit) -> None:
        accounts.change(unit, account.id, password_hash=hashed)
        sessions.end_all(unit, account.id)
        _note(unit, account, "account.password")

    on_database(settings, change)
    out.print("The password is set; whoever was signed in has to sign in again.")


@app.command()
def unlock(settings: Settings) -> None:
    """Let everybody try to sign in again at once: forget all tries that failed, for whichever account and from wherever.

    They are kept as hashes, which name no account.
    """
    from store.accounts import sign_in_tries

    forgotten = on_database(settings, sign_in_tries.forgive_all)
    out.print(f"Nobody waits any more; {forgotten} counts of failed tries are forgotten.")


@app.command("second-factor-reset")
def second_factor_reset(settings: Settings, email: Email) -> None:
    """Take the second factor of an account away, whose app and recovery codes are lost; all its sessions end.

    Make sure first that it is the person who wants it.
    """
    from store.accounts import second_factors, sessions

    def reset(unit: Unit) -> bool:
        account = _account(unit, email)
        had_one = second_factors.remove(unit, account.id)
        if had_one:
            sessions.end_all(unit, account.id)
            _note(unit, account, "account.second-factor-reset")
        return had_one

    if not on_database(settings, reset):
        fail(f"{email} has no second factor")
    out.print(f"{email} signs in without a code until another app is set up.")


@app.command()
def role(
    settings: Settings,
    email: Email,
    new_role: Annotated[AccountRole, typer.Argument(metavar="ROLE", help="viewer, editor or admin.")],
) -> None:
    """Give an account another role, which counts at once."""
    from store.accounts import accounts

    def change(unit: Unit) -> None:
        account = _account(unit, email)
        accounts.change(unit, account.id, role=new_role)
        _note(unit, account, "account.role", new_role)

    on_database(settings, change)
    out.print(f"{email} is {new_role}.")


@app.command()
def disable(settings: Settings, email: Email) -> None:
    """Let the account sign in no more, and end its sessions; what it has written keeps its name."""
    from store.accounts import accounts, sessions

    def change(unit: Unit) -> None:
        account = _account(unit, email)
        accounts.change(unit, account.id, disabled_at=unit.now)
        sessions.end_all(unit, account.id)
        _note(unit, account, "account.disable")

    on_database(settings, change)
    out.print(f"{email} signs in no more.")


@app.command()
def enable(settings: Settings, email: Email) -> None:
    """Let a disabled account sign in again."""
    from store.accounts import accounts

    def change(unit: Unit) -> None:
        account = _account(unit, email)
        accounts.change(unit, account.id, disabled_at=None)
        _note(unit, account, "account.enable")

    on_database(settings, change)
    out.print(f"{email} may sign in again.")


@app.command("sessions-end")
def sessions_end(
    settings: Settings,
    email: Annotated[str | None, typer.Argument(help="The e-mail address of the account.", show_default=False)] = None,
    *,
    everybody: Annotated[bool, typer.Option("--all", help="The sessions of all accounts.")] = False,
) -> None:
    """End all sessions of an account, or of everybody; whoever was signed in has to sign in again."""
    from store.accounts import accounts, sessions

    if (email is None) is not everybody:
        fail("name either an account or --all")

    def end(unit: Unit) -> int:
        named = accounts.list_accounts(unit.conn) if email is None else [_account(unit, email)]
        ended = {each.id: sessions.end_all(unit, each.id) for each in named}
        for each in named:
            if ended[each.id]:
                _note(unit, each, "account.sessions-end")
        return sum(ended.values())

    ended = on_database(settings, end)
    out.print(f"{ended} sessions have ended.")


@app.command()
def audit(
    settings: Settings,
    *,
    organization: Annotated[
        str | None, typer.Option("--organization", "-o", help="Of this organization alone.")
    ] = None,
) -> None:
    """Write what people and these commands have done as CSV: time, organization, account, e-mail, operation, target."""
    from mapping.rules.plain_text import csv_text
    from store.accounts import audit as entries

    rows = on_database(settings, lambda unit: list(entries.all_entries(unit.conn, organization)))
    heads = ("time", "organization", "account", "email", "operation", "target")
    sys.stdout.write(csv_text([heads, *map(_audit_row, rows)]))


def _audit_row(each: AuditEntry) -> tuple[str, ...]:
    at = datetime.fromtimestamp(each.at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return at, each.organization_id, each.account_id, each.email or "", each.operation, each.target


def _note(unit: Unit, account: StoredAccount, operation: str, what: str = "") -> None:
    """Write down what the operator has done to the account; by its id, as e-mail addresses are not for ever."""
    from store.accounts import audit as entries

    target = f"{account.id} {what}".rstrip()
    entries.record(unit, account.organization_id, entries.OPERATOR, operation, target)


def _account(unit: Unit, email: str) -> StoredAccount:
    from mapping.errors import NotFound
    from store.accounts import accounts

    found = accounts.find_by_email(unit.conn, email)
    if found is None:
        raise NotFound(f"no account {email}")
    return found


def _ask_for_password(settings: Settings, email: str, name: str) -> str:
    """The hash of a password that is prompted for twice, or, where nobody sits at a terminal, the line of standard input."""
    from mapping.desk.password_rules import LONGEST, SHORTEST

    if sys.stdin.isatty():
        given = str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    else:
        given = sys.stdin.readline().rstrip("\r\n")
    fault = new_password_fault(given, settings.desk.leaked_passwords, email, name)
    if fault is not None:
        fail(f"the password {FAULTS[fault].format(shortest=SHORTEST, longest=LONGEST)}")
    return hash_password(given)
