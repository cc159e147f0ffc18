"""Clients of the API: ids, hashed secrets, scopes, organizations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from mapping.errors import Conflict, NotFound
from store.engine.unit import Unit
from store.tables import clients

LIVE_SECRETS = 2
"""Secrets of one client that are valid at a time, so that a rotation interrupts nobody."""

TYPE_PREFIX = "Svc"

LISTS = ("secrets", "organizations", "scopes")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSpec:
    """A client as it is declared or created; `secrets` are hashes (`hash_secret`), the newest last."""

    id: str
    secrets: tuple[str, ...]
    organizations: tuple[str, ...]
    scopes: tuple[str, ...]
    response_prefix: str = TYPE_PREFIX
    """How responses to it begin the names of types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRow(ClientSpec):
    """A stored client. `declared`: it comes from the configuration file and changes with it.

    One that is not `readable` by this version may do nothing: it has neither secrets nor organizations nor scopes.
    """

    declared: bool
    revoked_at: int | None
    created_at: int
    readable: bool = True


def hash_secret(secret: str) -> str:
    """SHA-256 of the secret as 64 hex digits; the secrets are long and random, so no salt is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def declare(unit: Unit, declared: Iterable[ClientSpec]) -> None:
    """Make the declared clients exactly these; clients that were created by command stay.

    Raises Conflict when one of the ids was created by command.
    """
    wanted = {spec.id: spec for spec in declared}
    known = {row.id: row for row in list_clients(unit.conn)}
    for spec in wanted.values():
        before = known.get(spec.id)
        if before is None:
            _insert(unit, spec, declared=True)
        elif before.declared:
            unit.conn.execute(update(clients).where(clients.c.id == spec.id).values(_columns(spec)))
        else:
            raise Conflict(f"client {spec.id} was created by command; remove it before declaring it")
    for row in known.values():
        if row.declared and row.id not in wanted:
            unit.conn.execute(delete(clients).where(clients.c.id == row.id))


def create(unit: Unit, spec: ClientSpec) -> None:
    """Create a client by command. Raises Conflict when the id is taken, by a revoked client too."""
    if _row(unit.conn, spec.id) is not None:
        raise Conflict(f"client {spec.id} exists")
    _insert(unit, spec, declared=False)


def rotate(unit: Unit, client_id: str, secret_hash: str) -> None:
    """Add a secret; of the earlier ones the newest stays valid. Raises NotFound, Conflict for a declared client."""
    client = _require_created(unit.conn, client_id)
    if client.revoked_at is not None:
        raise NotFound(f"client {client_id} is revoked")
    secrets = [*client.secrets, secret_hash][-LIVE_SECRETS:]
    unit.conn.execute(update(clients).where(clients.c.id == client_id).values(secrets=secrets))


def revoke(unit: Unit, client_id: str) -> None:
    """Revoke a client: it is unknown from now on. Raises NotFound, Conflict for a declared client."""
    _require_created(unit.conn, client_id)
    unit.conn.execute(update(clients).where(clients.c.id == client_id).values(revoked_at=unit.now, secrets=[]))


def find(conn: Connection, client_id: str) -> ClientRow | None:
    """The client with this id, unless it is revoked."""
    row = _row(conn, client_id)
    return None if row is None or row.revoked_at is not None else row


def list_clients(conn: Connection) -> list[ClientRow]:
    """All clients, revoked ones too, by id."""
    return [_client(row) for row in conn.execute(select(clients).order_by(clients.c.id))]


def _insert(unit: Unit, spec: ClientSpec, *, declared: bool) -> None:
    values = {"id": spec.id, **_columns(spec), "declared": declared, "revoked_at": None, "created_at": unit.now}
    unit.conn.execute(insert(clients).values(values))


def _columns(spec: ClientSpec) -> dict[str, Any]:
    return {"response_prefix": spec.response_prefix, **{name: list(getattr(spec, name)) for name in LISTS}}


def _require_created(conn: Connection, client_id: str) -> ClientRow:
    client = _row(conn, client_id)
    if client is None:
        raise NotFound(f"no client {client_id}")
    if client.declared:
        raise Conflict(f"client {client_id} is declared in the configuration; change it there")
    return client


def _row(conn: Connection, client_id: str) -> ClientRow | None:
    row = conn.execute(select(clients).where(clients.c.id == client_id)).first()
    return None if row is None else _client(row)


def _client(row: Row[Any]) -> ClientRow:
    values = row._asdict()
    readable = all(isinstance(values[name], list) for name in LISTS) and all(
        isinstance(each, str) for name in LISTS for each in values[name]
    )
    lists = {name: tuple(values[name]) if readable else () for name in LISTS}
    return ClientRow(**{**values, **lists, "readable": readable})
