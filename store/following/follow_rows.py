"""Followed matches and the liveblogs on them: the rows that the sync reads and writes; no rules."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, Table, and_, bindparam, exists, insert, select, update

from mapping.belief.belief import ConfirmedMatch, Kept, pack_belief, unpack_belief
from mapping.documents.import_options import ImportOptions
from mapping.documents.scalars import LocalStatus
from mapping.match.identity import MatchIdentity, is_another, is_renamed, teams_of
from mapping.match.match import Match, Status
from store.engine.errors import UnreadableRow
from store.engine.liveblog_records import new_object_id, reading
from store.engine.statements import CompiledQuery, TableWrite, update_rows, upsert, write_batch
from store.engine.unit import Unit
from store.following.standby_tables import standbys as standbys_table
from store.tables import attachments as attachments_table
from store.tables import beliefs as beliefs_table
from store.tables import follows as follows_table
from store.tables import games as games_table
from store.tables import resources as resources_table


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
    teams: str = ""
    """The provider's ids of both, as `teams_text` gives them; empty where they are not known."""
    next_poll_at: float = 0.0
    hints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowRow(NewFollow):
    """A followed match: its canonical status, how its polls have ended, which process has its lease."""

    id: str
    good_at: int | None = None
    changed_at: int | None = None
    failures: int = 0
    failing_since: int | None = None
    last_error: str | None = None
    pending: Any = None
    closed_at: int | None = None
    owner: str | None = None
    fence: int = 0
    joined: int = 0
    edition: int = 0
    """Which of the matches that were given this id, one after the other."""


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
    closed_at: int | None = None
    """When the window after the end closed: the liveblog is finished, and the sync writes no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenLiveblog(Attachment):
    """A liveblog that its match writes to. `supported`: another source stands by for it."""

    supported: bool = False


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


FOLLOW_TIMES = ("kickoff", "good_at", "changed_at")
"""Columns of a follow that hold a time or nothing; SQLite keeps anything in them."""

OPEN = and_(
    attachments_table.c.closed_at.is_(None),
    exists().where(games_table.c.id == attachments_table.c.game_id, games_table.c.local_status != LocalStatus.DELETED),
)
"""The attachment is one that the sync writes for: not closed, its liveblog not deleted."""
_ATTACHED = CompiledQuery(
    select(
        attachments_table,
        exists().where(standbys_table.c.game_id == attachments_table.c.game_id).label("supported"),
    )
    .where(attachments_table.c.follow_id == bindparam("follow_id"), OPEN)
    .order_by(attachments_table.c.created_at, attachments_table.c.game_id)
)
_RESOURCES = CompiledQuery(
    select(*(column for column in resources_table.c if column.name not in {"follow_id", "body"})).where(
        resources_table.c.follow_id == bindparam("follow_id")
    )
)
_BODIES = CompiledQuery(
    select(resources_table.c.name, resources_table.c.body).where(
        resources_table.c.follow_id == bindparam("follow_id"), resources_table.c.body.is_not(None)
    )
)
_BELIEF = CompiledQuery(select(beliefs_table.c.belief).where(beliefs_table.c.follow_id == bindparam("follow_id")))
QUICK = 1
"""How hard bodies are compressed: a quarter of the time of the usual 6, for a tenth more bytes."""


def follow_for(unit: Unit, match: NewFollow, *, kickoff_open: bool = False) -> FollowRow:
    """The follow of this match at its endpoint; it is inserted when there is none, and left as it is when there is one.

    Another match of the same id has another follow. `kickoff_open`: the hour of the kick-off may not be fixed yet.
    """
    columns = follows_table.c
    query = select(follows_table).where(columns.endpoint == match.endpoint, columns.match_id == match.match_id)
    known = [follow_of(row) for row in unit.conn.execute(query.order_by(columns.edition.desc()))]
    wanted = MatchIdentity(teams=team_ids(match.teams), kickoff=match.kickoff, kickoff_open=kickoff_open)
    for row in known:
        if not is_another(identity_of(row), wanted):
            return row
    edition = 1 + max((row.edition for row in known), default=-1)
    new = FollowRow(id=new_object_id(unit.now), edition=edition, **_values(match))
    unit.conn.execute(insert(follows_table).values(_values(new)))
    return new


def is_match(row: FollowRow, match: Match) -> bool:
    """Whether this is the match of the row, under whatever id."""
    before, now = identity_of(row), MatchIdentity.of(match)
    return is_renamed(before, now) if row.match_id != match.match_id else not is_another(before, now)


def is_same(before: FollowRow, after: FollowRow) -> bool:
    """Whether both are one match of a provider, under whatever ids."""
    return before.provider == after.provider and is_renamed(identity_of(before), identity_of(after))


def identity_of(row: FollowRow) -> MatchIdentity:
    """What sets the match of the row from others with its id; a column in another form counts as not known."""
    status = Status(row.status) if row.status in set(Status) else None
    kickoff = row.kickoff if isinstance(row.kickoff, int) else None
    return MatchIdentity(teams=team_ids(row.teams), kickoff=kickoff, status=status, closed=row.closed_at is not None)


def teams_text(match: Match) -> str:
    """The ids of the match's teams as a row holds them."""
    return "\n".join(sorted(teams_of(match)))


def team_ids(text: str) -> frozenset[str]:
    """The ids in what `teams_text` gave; a column in another form names none that a provider has."""
    return frozenset(filter(None, str(text).split("\n")))


def locale_of(terms: Any) -> str:
    """The language of a liveblog by its stored terms; those that nobody can read hide no other liveblog."""
    return str(terms.get("locale", "en")) if isinstance(terms, dict) else "en"


def follows(conn: Connection, *, open_only: bool = True) -> list[FollowRow]:
    """Followed matches, the next to poll first; by default without the closed ones."""
    query = select(follows_table).order_by(follows_table.c.next_poll_at, follows_table.c.id)
    query = query.where(follows_table.c.closed_at.is_(None)) if open_only else query
    return [follow_of(row) for row in conn.execute(query)]


def follow(conn: Connection, follow_id: str) -> FollowRow | None:
    row = _first(conn, follows_table, follows_table.c.id == follow_id)
    return None if row is None else follow_of(row)


def match_id(conn: Connection, follow_id: str) -> str | None:
    """The match of the follow, whatever else is in its row."""
    return conn.scalar(select(follows_table.c.match_id).where(follows_table.c.id == follow_id))


def save_follow(unit: Unit, follow_id: str, beside: Sequence[TableWrite] = (), **columns: Any) -> None:
    """Set these columns of the follow. `beside`: rows of other tables that are written with them."""
    write_batch(unit.conn, update_rows(follows_table, [{"id": follow_id, **columns}]), list(beside))


def attach(unit: Unit, attachment: Attachment) -> None:
    """Put the liveblog on its match, which is open from then on; `created_at` is the instant of the unit."""
    unit.conn.execute(insert(attachments_table).values({**_values(attachment), "created_at": unit.now}))
    save_follow(unit, attachment.follow_id, closed_at=None)


def save_terms(unit: Unit, game_id: str, terms: Mapping[str, Any]) -> None:
    """Change the terms of a liveblog, and have its match looked at as if nothing were known of it."""
    columns = attachments_table.c
    unit.conn.execute(update(attachments_table).where(columns.game_id == game_id).values(terms=dict(terms)))
    for follow_id in unit.conn.scalars(select(columns.follow_id).where(columns.game_id == game_id)).all():
        look_afresh(unit, follow_id)


def look_afresh(unit: Unit, follow_id: str) -> None:
    """Have the match looked at as if nothing were known of it, by the process that has its lease now or later."""
    joined = {"joined": follows_table.c.joined + 1}
    unit.conn.execute(update(follows_table).where(follows_table.c.id == follow_id).values(joined))
    forget_validators(unit, follow_id)


def forget_validators(unit: Unit, follow_id: str) -> None:
    """Have whoever takes the match up next look at it as if nothing were known of it; who follows it now goes on."""
    forgotten = {"etag": None, "digest": None}
    unit.conn.execute(update(resources_table).where(resources_table.c.follow_id == follow_id).values(forgotten))


def attachment(conn: Connection, game_id: str) -> Attachment | None:
    row = _first(conn, attachments_table, attachments_table.c.game_id == game_id)
    return None if row is None else Attachment(**row._asdict())


def attachments_of(conn: Connection, follow_id: str) -> list[WrittenLiveblog]:
    """The liveblogs on a match that are not deleted, oldest first."""
    return [WrittenLiveblog(**row) for row in _ATTACHED.mappings(conn, follow_id=follow_id)]


def find_declared(conn: Connection, organization_id: str, key: str) -> Attachment | None:
    """The liveblog that was created for this key of the organization's configuration."""
    columns = attachments_table.c
    row = _first(conn, attachments_table, columns.organization_id == organization_id, columns.declared_key == key)
    return None if row is None else Attachment(**row._asdict())


def declared_selector(attachment: Attachment) -> Mapping[str, str]:
    """Kind and id by which the configuration named the match of a liveblog that it declares, when that was last obeyed.

    A person may have put the liveblog on another match since. Raises UnreadableRow.
    """
    with reading(f"attachments.selector of {attachment.game_id}"):
        named = attachment.selector.get("declared", attachment.selector)
        return {"kind": named["kind"], "id": named["id"]}


def save_selector(unit: Unit, game_id: str, selector: Mapping[str, Any]) -> None:
    """Note by what the match of the liveblog is named now."""
    columns = attachments_table.c
    unit.conn.execute(update(attachments_table).where(columns.game_id == game_id).values(selector=dict(selector)))


def resources(conn: Connection, follow_id: str) -> dict[str, ResourceRow]:
    """The match's resources by name, bodies left out."""
    return {row["name"]: ResourceRow(**row) for row in _RESOURCES.mappings(conn, follow_id=follow_id)}


def packed_bodies(conn: Connection, follow_id: str) -> dict[str, bytes]:
    """The last good body of each resource that ever had one, as they are stored."""
    return {name: bytes(body) for name, body in _BODIES.all(conn, follow_id=follow_id)}


def packed_match(conn: Connection, follow_id: str) -> tuple[dict[str, bytes], bytes | None]:
    """The last good bodies of the match and what is believed of it, both as they are stored."""
    belief = _BELIEF.first(conn, follow_id=follow_id)
    return packed_bodies(conn, follow_id), None if belief is None else bytes(belief[0])


def save_belief(unit: Unit, follow_id: str, belief: bytes) -> None:
    """Save what is believed of the match, as `packed_belief` gives it."""
    write_batch(unit.conn, upsert(beliefs_table, [{"follow_id": follow_id, "belief": belief}]))


def packed_belief(belief: ConfirmedMatch) -> bytes:
    """The belief as it is stored, without what was wrong with its last answers."""
    return pack_body(_beliefs().dump_json(pack_belief(belief)))


def unpacked_belief(stored: bytes) -> ConfirmedMatch:
    """The belief in what `packed_belief` gave, of any version. Raises UnreadableRow."""
    try:
        return unpack_belief(_beliefs().validate_json(zlib.decompress(stored)))
    except (zlib.error, ValueError) as error:
        raise UnreadableRow(f"beliefs.belief: {error}") from error


@cache
def _beliefs() -> TypeAdapter[Kept]:
    """Made when it is first needed, because that takes some hundredths of a second."""
    return TypeAdapter(Kept)


def unpack_bodies(stored: Mapping[str, bytes]) -> dict[str, bytes]:
    """The bodies in what `packed_bodies` gave. Raises UnreadableRow."""
    found: dict[str, bytes] = {}
    for name, body in stored.items():
        try:
            found[name] = zlib.decompress(body)
        except zlib.error as error:
            raise UnreadableRow(f"resources.body of {name}: {error}") from error
    return found


def pack_body(body: bytes) -> bytes:
    """The body as it is stored."""
    return zlib.compress(body, QUICK)


def save_resources(
    unit: Unit,
    follow_id: str,
    resources: Iterable[tuple[ResourceRow, bytes | None]],
    ready: Mapping[str, bytes] | None = None,
) -> None:
    """Insert or replace the rows of resources; without a body the last good one stands.

    `ready`: bodies by resource as they are stored, where packing them in the unit would take long.
    """
    known = ready or {}
    rows = [
        {
            "follow_id": follow_id,
            **_values(row),
            **({} if body is None else {"body": known[row.name] if row.name in known else pack_body(body)}),
        }
        for row, body in resources
    ]
    write_batch(unit.conn, upsert(resources_table, sorted(rows, key=len)))


def forget_rows(unit: Unit, follow_id: str) -> None:
    """Have no list of the match be missed when it comes without any row."""
    unit.conn.execute(update(resources_table).where(resources_table.c.follow_id == follow_id).values(rows=0))


def terms_of(attachment: Attachment) -> ImportOptions:
    """The terms of the request that created the liveblog. Raises UnreadableRow."""
    with reading(f"attachments.terms of {attachment.game_id}"):
        return ImportOptions.from_dict(attachment.terms)


def status_of(row: FollowRow) -> Status:
    """The match's status; hints and times of the row are checked as well. Raises UnreadableRow."""
    with reading(f"follows.status of {row.id}"):
        status = Status(row.status)
    if not isinstance(row.hints, dict) or not all(isinstance(each, str) for each in row.hints.values()):
        raise UnreadableRow(f"follows.hints of {row.id}: no object of texts")
    for name in FOLLOW_TIMES:
        if not isinstance(getattr(row, name), int | None):
            raise UnreadableRow(f"follows.{name} of {row.id}: no number")
    return status


def check_resource(row: ResourceRow) -> None:
    """Raise UnreadableRow for a resource that is not of this version's form."""
    texts = isinstance(row.etag, str | None) and isinstance(row.digest, str | None)
    numbers = isinstance(row.rows, int) and isinstance(row.failures, int)
    if not texts or not numbers or not isinstance(row.faults, list | tuple):
        raise UnreadableRow(f"resources of {row.name}: not of the form of this version")


def _first(conn: Connection, table: Table, *where: Any) -> Row[Any] | None:
    return conn.execute(select(table).where(*where)).first()


def follow_of(row: Row[Any]) -> FollowRow:
    """The follow in a row of the whole table."""
    return FollowRow(**row._asdict())


def _values(row: Any) -> dict[str, Any]:
    return {each.name: getattr(row, each.name) for each in fields(row)}
