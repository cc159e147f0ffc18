"""What the operator declares for an organization: templates, pricings and tags, and locations beside the imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection, delete, insert, select, update

from mapping.errors import Conflict
from store.engine.unit import Unit
from store.liveblogs import history
from store.liveblogs.search import index_master
from store.tables import declarations, locations

DeclaredKind = Literal["template", "pricing", "tag", "location"]
SOURCE = "declared"
"""The `source` of locations that are declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One thing that documents may refer to by its `_id`; `fields` as in its JSON, without `_type` and `_id`."""

    owner_id: str
    kind: DeclaredKind
    id: str
    fields: Mapping[str, Any] = field(default_factory=dict)


def declare(unit: Unit, declared: Iterable[Declaration]) -> None:
    """Make the declarations exactly these. Locations that are no longer declared stay, because liveblogs show them.

    Raises Conflict for a location whose id is that of another organization's, or of one that an import brought.
    """
    unit.conn.execute(delete(declarations))
    for each in declared:
        if each.kind == "location":
            _place(unit, each)
        else:
            values = {"owner_id": each.owner_id, "kind": each.kind, "id": each.id, "doc": dict(each.fields)}
            unit.conn.execute(insert(declarations).values(values))


def find_declaration(
    conn: Connection, kind: DeclaredKind, declared_id: str, owners: Iterable[str]
) -> Declaration | None:
    """The declaration of one of the owners with this id."""
    query = select(declarations).where(
        declarations.c.kind == kind, declarations.c.id == declared_id, declarations.c.owner_id.in_(list(owners))
    )
    row = conn.execute(query.order_by(declarations.c.owner_id)).first()
    return None if row is None else Declaration(owner_id=row.owner_id, kind=kind, id=row.id, fields=row.doc)


def declared_ids(conn: Connection, kind: DeclaredKind, owner_id: str) -> frozenset[str]:
    """The ids of all that the owner declares of a kind."""
    query = select(declarations.c.id).where(declarations.c.kind == kind, declarations.c.owner_id == owner_id)
    return frozenset(conn.scalars(query))


def _place(unit: Unit, place: Declaration) -> None:
    fields = {name: value for name, value in place.fields.items() if name != "name"}
    name = str(place.fields.get("name") or place.id)
    values = {"owner_id": place.owner_id, "name": name, "doc": fields, "updated_at": unit.now}
    query = select(locations.c.owner_id, locations.c.source).where(locations.c.id == place.id)
    known = unit.conn.execute(query).first()
    if known is not None:
        if (known.owner_id, known.source) != (place.owner_id, SOURCE):
            raise Conflict(f"the location id {place.id} is taken")
        history.keep_masters(unit, locations, [place.id])
        unit.conn.execute(update(locations).where(locations.c.id == place.id).values(values))
    else:
        fixed = {"id": place.id, "source": SOURCE, "sportstype": "", "written": {}, "created_at": unit.now}
        unit.conn.execute(insert(locations).values({**fixed, **values}))
    index_master(unit.conn, locations.name, place.id, place.owner_id, {"name": name})
