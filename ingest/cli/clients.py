"""`matchwire clients …`: who may use the API, managed beside the running daemon, which knows within seconds."""

from __future__ import annotations

import re
import sys
from functools import partial
from typing import Annotated

import typer
from rich.table import Table

from config import Settings
from ingest.cli.shared import Commands, err, fail, on_database, out

app = Commands(help="The clients that may use the API.")

SCOPES = ("read", "write", "stats", "webhooks", "external", "comments", "admin")
LONGEST_ID = 255

ClientId = Annotated[str, typer.Argument(help="The client_id.")]


@app.command()
def create(
    settings: Settings,
    client_id: ClientId,
    *,
    organization: Annotated[
        list[str] | None, typer.Option("--organization", "-o", help="May be repeated; left out: the only one.")
    ] = None,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", "-s", help=f"May be repeated: {', '.join(SCOPES)}.")
    ] = None,
    type_prefix: Annotated[
        str, typer.Option(help="How responses begin the names of types: Svc, or what an older client expects.")
    ] = "Svc",
) -> None:
    """Create a client; its secret is shown once and stored as a hash."""
    from config.values import TYPE_PREFIX
    from store.clients import clients

    if unknown := [name for name in scope or () if name not in SCOPES]:
        fail(f"there is no scope {', '.join(unknown)}; there are {', '.join(SCOPES)}")
    if not client_id.isprintable() or not 0 < len(client_id) <= LONGEST_ID or set(client_id) & set(":. "):
        fail("a client_id is 1 to 255 printable characters without colon, dot and blank")
    if not re.fullmatch(TYPE_PREFIX, type_prefix):
        fail("a prefix of types is a letter and up to 31 letters and digits")
    spec = clients.ClientSpec(
        id=client_id,
        secrets=(clients.hash_secret(secret := _new_secret()),),
        organizations=_owners(settings, organization),
        scopes=tuple(scope or ("read",)),
        response_prefix=type_prefix,
    )
    on_database(settings, partial(clients.create, spec=spec))
    _show_once(secret)


@app.command("list")
def list_(settings: Settings) -> None:
    """Show all clients, revoked ones too; secrets are never shown."""
    from store.clients import clients

    rows = on_database(settings, lambda unit: clients.list_clients(unit.conn))
    table = Table("client_id", "organizations", "scopes", "live secrets", "from", "state")
    for row in rows:
        table.add_row(
            row.id,
            " ".join(row.organizations),
            " ".join(row.scopes),
            str(len(row.secrets)),
            "configuration" if row.declared else "command",
            "active" if row.revoked_at is None else "revoked",
        )
    out.print(table)


@app.command()
def rotate(settings: Settings, client_id: ClientId) -> None:
    """Give a client a new secret; the one before stays valid until the next rotation."""
    from store.clients import clients

    secret = _new_secret()
    hashed = clients.hash_secret(secret)
    on_database(settings, partial(clients.rotate, client_id=client_id, secret_hash=hashed))
    _show_once(secret)


@app.command()
def revoke(settings: Settings, client_id: ClientId) -> None:
    """Revoke a client: it is unknown from now on, and its id is never given again."""
    from store.clients import clients

    on_database(settings, partial(clients.revoke, client_id=client_id))
    out.print("The client is revoked; a running daemon knows within two seconds.")


@app.command("hash")
def hash_secret(
    secret: Annotated[
        str | None, typer.Argument(help="The secret; left out: read from standard input, or made up on a terminal.")
    ] = None,
) -> None:
    """Print the hash of a client's secret, to be used in the configuration instead of the secret itself."""
    from store.clients.clients import hash_secret as hashed

    if secret is None and sys.stdin.isatty():
        secret = _new_secret()
        err.print(f"secret (shown once): {secret}")
    given = secret if secret is not None else sys.stdin.readline().strip()
    if not given:
        fail("there is no secret")
    out.print(f"sha256:{hashed(given)}")


def _new_secret() -> str:
    from secrets import token_urlsafe

    return token_urlsafe(32)


def _show_once(secret: str) -> None:
    out.print(f"secret (shown once): {secret}")


def _owners(settings: Settings, named: list[str] | None) -> tuple[str, ...]:
    known = tuple(settings.organizations)
    if not named and len(known) == 1:
        return known
    if not named or not set(named) <= set(known):
        fail(f"name organizations of the configuration with --organization: {', '.join(known) or 'there is none'}")
    return tuple(dict.fromkeys(named))
