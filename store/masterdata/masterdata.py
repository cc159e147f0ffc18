"""Teams, players, tournaments and locations of an organization: imports find them by `ext_id` and keep them up to date.

An import merges field by field: what differs from the provider's last word is a person's, and stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, bindparam, insert, or_, select, update

from mapping.match.match import Incident, Match, Named, Person, Side
from mapping.match.references import References
from mapping.posts.merge import merge_game
from store.engine.errors import UnreadableRow
from store.engine.liveblog_records import new_object_id
from store.engine.statements import Among, CompiledQuery
from store.engine.unit import Unit
from store.liveblogs import history
from store.liveblogs.search import NAMES, index_master
from store.media import file_uses
from store.media.file_uses import HOLDERS, note_uses
from store.tables import locations, players, teams, tournaments

Edited = dict[tuple[str, str], dict[str, Any]]
"""What people have changed of records, by table and `ext_id`."""

TYPES = {
    "teams": "Svc::Model::Team",
    "players": "Svc::Model::Player",
    "tournaments": "Svc::Model::Tournament",
    "locations": "Svc::Model::Location",
}
COLUMNS = frozenset({"name", "team_id"})
"""Merged fields that stand in columns instead of the document."""
PERSON_FIELDS = (
    "short_name",
    "number",
    "position",
    "country",
    "gender",
    "birthdate",
    "height",
    "weight",
    "image",
)


def _of_provider(table: Table, wanted: ColumnElement[bool]) -> Select[Any]:
    """What people or the provider made of those that are wanted, the provider's own last."""
    columns = table.c
    return (
        select(table)
        .where(
            columns.owner_id == bindparam("owner_id"),
            columns.sportstype == bindparam("sportstype"),
            or_(columns.source == "", columns.source == bindparam("source")),
            wanted,
        )
        .order_by(columns.source)
    )


EDITED = {
    "teams": ("name", "short_name", "image"),
    "players": ("name", *PERSON_FIELDS),
    "tournaments": ("name",),
    "locations": (),
}
"""Fields that stay a person's in liveblogs too, by table."""
_KNOWN = {
    table.name: CompiledQuery(
        _of_provider(table, Among(table.c.ext_id, "ext_ids")).with_only_columns(
            table.c.ext_id, table.c.id, table.c.name, table.c.doc, table.c.written
        )
    )
    for table in (teams, players)
}
_WHOLE = {
    table.name: CompiledQuery(_of_provider(table, Among(table.c.ext_id, "ext_ids")))
    for table in (teams, players, tournaments, locations)
}
_ACTIVE = CompiledQuery(
    select(players.c.id, players.c.ext_id, players.c.written).where(
        players.c.team_id == bindparam("team_id"),
        players.c.inactive.is_(False),
        or_(players.c.source == "", players.c.source == bindparam("source")),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Master:
    """One record of master data. `source` is '' for what people made, else the provider that brought it.

    `ext_id` is what imports find it by; where its document has one too, that one is shown. `imported`: an import has
    found it.
    """

    id: str
    type: str
    owner_id: str
    source: str
    ext_id: str | None
    sportstype: str
    name: str
    created_at: int
    updated_at: int
    document: dict[str, Any]
    team_id: str | None = None
    inactive: bool | None = None
    imported: bool = False

    def as_document(self) -> dict[str, Any]:
        """The API's JSON."""
        if self.type == TYPES["locations"]:
            return {"_type": self.type, "_id": self.id, "name": self.name, **self.document}
        more = {"ext_id": self.ext_id, "team_id": self.team_id, "inactive": self.inactive, **self.document}
        return {
            "_type": self.type,
            "_id": self.id,
            "owner_id": self.owner_id,
            "sportstype": self.sportstype,
            "name": self.name,
            **{key: value for key, value in more.items() if value is not None and value != ""},
        }


def import_match(unit: Unit, *, owner_id: str, source: str, match: Match) -> References:
    """Make the organization's master data say what the match says; returns the `_id`s by the provider's `ext_id`.

    A row with the same `ext_id` is reused, one that people made (source '') too. Only rows that differ are written. A
    player of one of the teams who is not in its squad any more becomes inactive; an empty squad says nothing.
    """
    scope = Scope(unit, owner_id, source, match.sport)
    sides = match.teams
    team_ids = _upsert(scope, teams, {side.ext_id: _team(side) for side in sides})
    people = _people(sides, team_ids)
    player_ids = _upsert(scope, players, people)
    for side in sides:
        _mark_inactive(scope, team_ids[side.ext_id], {person.ext_id for person in (*side.lineup, *side.bench)})
    return References(
        owner_id=owner_id,
        teams=team_ids,
        players=player_ids,
        tournament=_one(scope, tournaments, match.tournament),
        location=_one(scope, locations, match.location),
        edited=scope.edited,
    )


def import_people(unit: Unit, *, owner_id: str, source: str, match: Match, begin: int, number: int) -> bool:
    """The part of `import_match` that takes long where squads are large: `number` people from `begin` on; whether more are left."""
    scope = Scope(unit, owner_id, source, match.sport)
    sides = match.teams
    people = _people(sides, _upsert(scope, teams, {side.ext_id: _team(side) for side in sides}))
    _upsert(scope, players, dict(islice(people.items(), begin, begin + number)))
    return begin + number < len(people)


def references(conn: Connection, owner_id: str, match: Match, involved: Iterable[Incident]) -> References:
    """Like `import_match`, which has been before: the `_id`s of the match's teams and of the people in these incidents."""
    people = {each.person.ext_id for incident in involved for each in incident.people}
    scope = {"owner_id": owner_id, "sportstype": match.sport, "source": match.provider}
    team_ids, edited_teams = _ids(conn, scope, teams, {side.ext_id for side in match.teams})
    player_ids, edited_players = _ids(conn, scope, players, people)
    return References(owner_id=owner_id, teams=team_ids, players=player_ids, edited=edited_teams | edited_players)


def _ids(
    conn: Connection, scope: Mapping[str, str], table: Table, ext_ids: Collection[str]
) -> tuple[dict[str, str], Edited]:
    """`_id`s by `ext_id`, and what people have changed of these records."""
    rows = _KNOWN[table.name].all(conn, **scope, ext_ids=sorted(ext_ids)) if ext_ids else []
    edited = {
        (table.name, ext_id): _edited_fields(table, {**document, "name": name}, written)
        for ext_id, _, name, document, written in rows
    }
    return {ext_id: object_id for ext_id, object_id, *_ in rows}, {key: made for key, made in edited.items() if made}


def _edited_fields(table: Table, current: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that differ from the provider's last word, None where they are cleared."""
    return {name: current.get(name) for name in EDITED[table.name] if current.get(name) != written.get(name)}


def find(conn: Connection, table: Table, ids: Iterable[str]) -> dict[str, Master]:
    """The records of `table` (teams, players, tournaments, locations) with these `_id`s, by `_id`."""
    wanted = list(ids)
    rows = conn.execute(select(table).where(table.c.id.in_(wanted)))
    moment = history.moment_of(conn)
    stood = {} if moment is None else history.masters_at(conn, table, wanted, moment)
    return {row.id: _master(table, stood.get(row.id) or row._asdict()) for row in rows}


@dataclass(frozen=True, slots=True)
class Scope:
    """The owner of the data that an import writes, and its source."""

    unit: Unit
    owner_id: str
    source: str
    sportstype: str
    edited: Edited = field(default_factory=dict)


def _team(side: Side) -> dict[str, Any]:
    return _drop_unsaid({"name": side.name, "short_name": side.short_name, "image": side.image})


def _people(sides: Iterable[Side], team_ids: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    def fields(person: Person, side: Side) -> dict[str, Any]:
        facts = {name: getattr(person, name) for name in PERSON_FIELDS}
        return _drop_unsaid({"name": person.name, "team_id": team_ids[side.ext_id], **facts})

    return {person.ext_id: fields(person, side) for side in sides for person in (*side.lineup, *side.bench)}


def _drop_unsaid(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What the provider says; what it does not say is never a reason to clear a field."""
    return {key: value for key, value in fields.items() if value is not None and value != ""}


def _one(scope: Scope, table: Table, named: Named | None) -> str | None:
    if named is None:
        return None
    wanted = {"name": named.name}
    if table is locations:
        wanted = _drop_unsaid({**wanted, "city": named.town, "country": named.country})
    return _upsert(scope, table, {named.ext_id: wanted})[named.ext_id]


def _upsert(scope: Scope, table: Table, wanted: Mapping[str, dict[str, Any]]) -> dict[str, str]:
    """Insert or merge one row per `ext_id`; returns their `_id`s."""
    scoped = {"owner_id": scope.owner_id, "sportstype": scope.sportstype, "source": scope.source}
    rows = _WHOLE[table.name].mappings(scope.unit.conn, **scoped, ext_ids=list(wanted))
    known = {row["ext_id"]: row for row in rows}  # of two the provider's own one, because liveblogs refer to it already
    created = [_new(scope, table, ext_id, fields) for ext_id, fields in wanted.items() if ext_id not in known]
    if created:
        scope.unit.conn.execute(insert(table), created)
    for new in created:
        index_master(scope.unit.conn, table.name, new["id"], scope.owner_id, {**new["doc"], "name": new["name"]})
    file_uses.add(scope.unit.conn, [use for new in created for use in _images(scope, table, new["id"], new["doc"])])
    for row in sorted(known.values(), key=itemgetter("id")):  # one order, so that no two imports wait for each other
        _merge(scope, table, row, wanted[row["ext_id"]])
    return {row["ext_id"]: row["id"] for row in (*created, *known.values())}


def _new(scope: Scope, table: Table, ext_id: str, fields: dict[str, Any]) -> dict[str, Any]:
    player = {"team_id": fields.get("team_id"), "inactive": False} if table is players else {}
    return {
        "id": new_object_id(scope.unit.now),
        "owner_id": scope.owner_id,
        "source": scope.source,
        "ext_id": ext_id,
        "sportstype": scope.sportstype,
        "name": fields["name"],
        "doc": _document(fields),
        "written": fields,
        "created_at": scope.unit.now,
        "updated_at": scope.unit.now,
        **player,
    }


def _merge(scope: Scope, table: Table, row: Mapping[str, Any], wanted: dict[str, Any]) -> None:
    """Write what the provider says where no person has said otherwise. Raises UnreadableRow."""
    current, record_id = _fields(table, row), row["id"]
    merged, written = merge(current, row["written"], wanted)
    if edited := _edited_fields(table, merged, written):
        scope.edited[table.name, row["ext_id"]] = edited
    active = {"inactive": False} if row.get("inactive") else {}
    if (merged, written, active) == (current, row["written"], {}):
        return
    columns = {key: merged.get(key) for key in COLUMNS if key in table.c}
    values = {**columns, **active, "doc": _document(merged), "written": written, "updated_at": scope.unit.now}
    history.keep_masters(scope.unit, table, [record_id])
    scope.unit.conn.execute(update(table).where(table.c.id == record_id).values(values))
    if [merged.get(name) for name in NAMES] != [current.get(name) for name in NAMES]:
        index_master(scope.unit.conn, table.name, record_id, scope.owner_id, merged)
    if holder := HOLDERS.get(table.name):
        note_uses(scope.unit, holder, record_id, scope.owner_id, after=merged, before=current)


def _images(scope: Scope, table: Table, record_id: str, document: Mapping[str, Any]) -> list[dict[str, object]]:
    """That a new record names its image, where it has one."""
    url, kind = document.get("image"), HOLDERS.get(table.name)
    return [file_uses.use(kind, record_id, scope.owner_id, url)] if url and kind else []


def merge(
    current: Mapping[str, Any], written: Mapping[str, Any], wanted: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields after an import, and the provider's last word on each, apart from what a person made of it.

    A field belongs to the person while it differs from that word, as in liveblogs (`mapping.posts.merge`).
    """
    return merge_game(written, current, wanted), {**written, **wanted}


def _mark_inactive(scope: Scope, team_id: str, squad_ids: set[str]) -> None:
    """Players that an import once put into the team and that the squad no longer names."""
    if not squad_ids:
        return
    rows = _ACTIVE.all(scope.unit.conn, team_id=team_id, source=scope.source)
    gone = [record_id for record_id, ext_id, written in rows if written and ext_id not in squad_ids]
    if gone:
        values = {"inactive": True, "updated_at": scope.unit.now}
        history.keep_masters(scope.unit, players, gone)
        scope.unit.conn.execute(update(players).where(players.c.id.in_(gone)).values(values))


def _fields(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record, whether they stand in columns or in its document. Raises UnreadableRow."""
    if not isinstance(row["doc"], dict) or not isinstance(row["written"], dict):
        raise UnreadableRow(f"{table.name} of {row['id']}: no object")
    return {**row["doc"], **{key: row[key] for key in COLUMNS if row.get(key) is not None}}


def _document(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in COLUMNS}


def master_of(table: Table, row: Row[Any]) -> Master:
    return _master(table, row._asdict())


def _master(table: Table, columns: Mapping[str, Any]) -> Master:
    values = dict(columns)
    return Master(type=TYPES[table.name], document=values.pop("doc"), imported=bool(values.pop("written")), **values)
