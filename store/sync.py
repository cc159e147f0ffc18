"""What the sync knows of its matches: rows in, rows out, no rules."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, Table, delete, insert, select, update

from store.ids import new_object_id
from store.tables import attachments as attachments_table
from store.tables import follows as follows_table
from store.tables import ledger as ledger_table
from store.tables import resources as resources_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from store.unit import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFollow:
    """A match of one endpoint that shall be followed from `next_poll_at` on (Unix seconds)."""

    endpoint: str
    provider: str
    organization_id: str
    match_id: str
    sport: str
    status: str
    kickoff: int | None = None
    next_poll_at: float = 0.0
    hints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowRow:
    """A followed match: its canonical status, when it is polled next, how it has been answering, who holds it."""

    id: str
    endpoint: str
    provider: str
    organization_id: str
    match_id: str
    sport: str
    status: str
    kickoff: int | None
    next_poll_at: float
    good_at: int | None
    changed_at: int | None
    failures: int
    failing_since: int | None
    last_error: str | None
    hints: dict[str, str]
    pending: Any
    closed_at: int | None
    owner: str | None
    fence: int
    joined: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A liveblog on a followed match, on the terms of the request that created it."""

    game_id: str
    follow_id: str
    organization_id: str
    provider: str
    match_id: str
    selector: Mapping[str, Any]
    terms: Mapping[str, Any]
    declared_key: str | None = None
    created_at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRow:
    """A resource of a match without its body. `rows`: size of the last good body; `faults`: what was left out of it."""

    name: str
    etag: str | None = None
    digest: str | None = None
    rows: int = 0
    good_at: int | None = None
    changed_at: int | None = None
    failures: int = 0
    last_error: str | None = None
    faults: Any = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """What became of one wanted post. `state`: posted, draft, withdrawn, gone; `written`: as the sync last wrote it."""

    key: str
    kind: str
    state: str
    local_id: str | None = None
    missing: int = 0
    reason: str = ""
    written: Mapping[str, Any] = field(default_factory=dict)


def follow_for(unit: Unit, match: NewFollow) -> FollowRow:
    """The follow of this endpoint and match; it is inserted when there is none, and left as it is when there is one."""
    known = _first(
        unit.conn,
        follows_table,
        follows_table.c.endpoint == match.endpoint,
        follows_table.c.match_id == match.match_id,
    )
    if known is not None:
        return _follow(known)
    row = FollowRow(
        id=new_object_id(unit.now),
        good_at=None,
        changed_at=None,
        failures=0,
        failing_since=None,
        last_error=None,
        pending=None,
        closed_at=None,
        owner=None,
        fence=0,
        joined=0,
        **_values(match),
    )
    unit.conn.execute(insert(follows_table).values(_values(row)))
    return row


def follows(conn: Connection, *, open_only: bool = True) -> list[FollowRow]:
    """Followed matches, the next to poll first; by default without the closed ones."""
    query = select(follows_table).order_by(follows_table.c.next_poll_at, follows_table.c.id)
    if open_only:
        query = query.where(follows_table.c.closed_at.is_(None))
    return [_follow(row) for row in conn.execute(query)]


def follow(conn: Connection, follow_id: str) -> FollowRow | None:
    row = _first(conn, follows_table, follows_table.c.id == follow_id)
    return None if row is None else _follow(row)


def save_follow(unit: Unit, follow_id: str, **columns: Any) -> None:
    """Set these columns of the follow."""
    unit.conn.execute(update(follows_table).where(follows_table.c.id == follow_id).values(columns))


def remove_follow(unit: Unit, follow_id: str) -> None:
    """Forget the match and its resources; its attachments must be gone before."""
    unit.conn.execute(delete(follows_table).where(follows_table.c.id == follow_id))


def attach(unit: Unit, attachment: Attachment) -> None:
    """Put the liveblog on its match; `created_at` is the instant of the unit."""
    unit.conn.execute(insert(attachments_table).values({**_values(attachment), "created_at": unit.now}))


def save_terms(unit: Unit, game_id: str, terms: Mapping[str, Any]) -> None:
    """Change the terms of a liveblog, and have its match looked at as if nothing were known of it."""
    columns = attachments_table.c
    unit.conn.execute(update(attachments_table).where(columns.game_id == game_id).values(terms=dict(terms)))
    for follow_id in unit.conn.scalars(select(columns.follow_id).where(columns.game_id == game_id)).all():
        look_afresh(unit, follow_id)


def look_afresh(unit: Unit, follow_id: str) -> None:
    """Have the match looked at as if nothing were known of it, by whichever process holds it now or later."""
    joined = {"joined": follows_table.c.joined + 1}
    unit.conn.execute(update(follows_table).where(follows_table.c.id == follow_id).values(joined))
    forgotten = {"etag": None, "digest": None}
    unit.conn.execute(update(resources_table).where(resources_table.c.follow_id == follow_id).values(forgotten))


def all_attachments(conn: Connection) -> list[Attachment]:
    """Every liveblog on a match that is still followed."""
    open_follows = select(follows_table.c.id).where(follows_table.c.closed_at.is_(None))
    query = select(attachments_table).where(attachments_table.c.follow_id.in_(open_follows))
    return [Attachment(**row._asdict()) for row in conn.execute(query)]


def move(unit: Unit, game_id: str, follow_id: str) -> None:
    """Put the liveblog on another follow of the same match."""
    columns = attachments_table.c
    unit.conn.execute(update(attachments_table).where(columns.game_id == game_id).values(follow_id=follow_id))


def detach(unit: Unit, game_id: str) -> None:
    """Take the liveblog off its match."""
    unit.conn.execute(delete(attachments_table).where(attachments_table.c.game_id == game_id))


def attachment(conn: Connection, game_id: str) -> Attachment | None:
    row = _first(conn, attachments_table, attachments_table.c.game_id == game_id)
    return None if row is None else Attachment(**row._asdict())


def attachments_of(conn: Connection, follow_id: str) -> list[Attachment]:
    """The liveblogs on a match, oldest first."""
    columns = attachments_table.c
    query = select(attachments_table).where(columns.follow_id == follow_id)
    return [Attachment(**row._asdict()) for row in conn.execute(query.order_by(columns.created_at, columns.game_id))]


def declared(conn: Connection, organization_id: str, key: str) -> Attachment | None:
    """The liveblog that was created for this key of the organization's configuration."""
    columns = attachments_table.c
    row = _first(conn, attachments_table, columns.organization_id == organization_id, columns.declared_key == key)
    return None if row is None else Attachment(**row._asdict())


def resources(conn: Connection, follow_id: str) -> dict[str, ResourceRow]:
    """The match's resources by name, bodies left out."""
    columns = [column for column in resources_table.c if column.name not in {"follow_id", "body"}]
    query = select(*columns).where(resources_table.c.follow_id == follow_id)
    return {row.name: ResourceRow(**row._asdict()) for row in conn.execute(query)}


def bodies(conn: Connection, follow_id: str) -> dict[str, bytes]:
    """The last good body of each resource that ever had one."""
    query = select(resources_table.c.name, resources_table.c.body).where(
        resources_table.c.follow_id == follow_id, resources_table.c.body.is_not(None)
    )
    return {row.name: zlib.decompress(row.body) for row in conn.execute(query)}


def save_resource(unit: Unit, follow_id: str, resource: ResourceRow, body: bytes | None = None) -> None:
    """Insert or replace the resource's row; without a `body` the last good one stands."""
    values = _values(resource) | ({} if body is None else {"body": zlib.compress(body)})
    where = (resources_table.c.follow_id == follow_id, resources_table.c.name == resource.name)
    if not unit.conn.execute(update(resources_table).where(*where).values(values)).rowcount:
        unit.conn.execute(insert(resources_table).values({"follow_id": follow_id, **values}))


def ledger(conn: Connection, game_id: str) -> dict[str, LedgerRow]:
    """The liveblog's ledger by key; the key "game" holds what the sync last wrote to the game itself."""
    columns = [column for column in ledger_table.c if column.name != "game_id"]
    query = select(*columns).where(ledger_table.c.game_id == game_id)
    return {row.key: LedgerRow(**row._asdict()) for row in conn.execute(query)}


def save_ledger(unit: Unit, game_id: str, rows: Iterable[LedgerRow]) -> None:
    """Insert or replace these rows; the others of the liveblog stay."""
    for row in rows:
        values = _values(row)
        where = (ledger_table.c.game_id == game_id, ledger_table.c.key == row.key)
        if not unit.conn.execute(update(ledger_table).where(*where).values(values)).rowcount:
            unit.conn.execute(insert(ledger_table).values({"game_id": game_id, **values}))


def _first(conn: Connection, table: Table, *where: Any) -> Row[Any] | None:
    return conn.execute(select(table).where(*where)).first()


def _follow(row: Row[Any]) -> FollowRow:
    return FollowRow(**row._asdict())


def _values(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name) for name in type(row).__slots__}
