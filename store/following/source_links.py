"""Which teams and competitions of two providers an organization knows to be the same: found with a match, or said by a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Index, Table, and_, delete, or_, select

from mapping.follow.links import Links, SourceId
from mapping.follow.pairing import KnownSame
from store.engine.columns import integer, metadata, text
from store.engine.statements import insert_new
from store.engine.unit import Unit

source_links = Table(
    "source_links",
    metadata,
    text("organization_id", primary_key=True),
    text("kind", primary_key=True),
    text("first_provider", primary_key=True),
    text("first_id", primary_key=True),
    text("second_provider", primary_key=True),
    text("second_id"),
    text("first_name"),
    text("second_name"),
    text("made_by"),
    integer("made_at"),
    Index(
        "ix_source_links_second",
        "organization_id",
        "kind",
        "second_provider",
        "second_id",
        "first_provider",
        unique=True,
    ),
)
"""The first provider is that whose name sorts first. `made_by`: `pair`, `person` or `file`."""

LinkKind = Literal["team", "competition"]
MadeBy = Literal["pair", "person", "file"]
KINDS: tuple[LinkKind, ...] = ("team", "competition")
MOST = 100_000
"""Links of an organization that are read at once."""


class NamedSource(NamedTuple):
    """A team or a competition at a provider: its id there, and its name."""

    provider: str
    id: str
    name: str


class SourceLink(NamedTuple):
    """Two that are the same, and who said so when (Unix seconds)."""

    kind: LinkKind
    first: NamedSource
    second: NamedSource
    made_by: MadeBy
    made_at: int = 0


def links_of_pair(
    one: tuple[str, Mapping[str, Any]], other: tuple[str, Mapping[str, Any]], made_by: MadeBy
) -> list[SourceLink]:
    """What is the same once two matches are: home, away and the competition. Each match with its provider, as it was listed."""
    kinds: dict[str, LinkKind] = {"home": "team", "away": "team", "competition": "competition"}
    found = []
    for part, kind in kinds.items():
        first, second = one[1].get(part), other[1].get(part)
        if first and second:
            named = (NamedSource(one[0], **first), NamedSource(other[0], **second))
            found.append(SourceLink(kind, *named, made_by))
    return found


def link(unit: Unit, organization_id: str, links: Iterable[SourceLink]) -> int:
    """Keep what is the same from now on; how many are new. What a person says outranks what was known, what is found does not."""
    return sum(_link(unit, organization_id, each) for each in links)


def _link(unit: Unit, organization_id: str, made: SourceLink) -> bool:
    first, second = sorted((made.first, made.second))
    table = source_links.c
    if made.made_by != "pair":
        others = and_(
            table.organization_id == organization_id,
            table.kind == made.kind,
            table.first_provider == first.provider,
            table.second_provider == second.provider,
            or_(table.first_id == first.id, table.second_id == second.id),
            or_(table.first_id != first.id, table.second_id != second.id),
        )
        unit.conn.execute(delete(source_links).where(others))
    return insert_new(
        unit.conn,
        source_links,
        organization_id=organization_id,
        kind=made.kind,
        first_provider=first.provider,
        first_id=first.id,
        second_provider=second.provider,
        second_id=second.id,
        first_name=first.name,
        second_name=second.name,
        made_by=made.made_by,
        made_at=unit.now,
    )


def unlink(unit: Unit, organization_id: str, kind: LinkKind, named: SourceId) -> int:
    """Forget what the id of a provider is linked with; how many links there were."""
    table = source_links.c
    either = or_(
        and_(table.first_provider == named.provider, table.first_id == named.id),
        and_(table.second_provider == named.provider, table.second_id == named.id),
    )
    mine = table.organization_id == organization_id, table.kind == kind
    return int(unit.conn.execute(delete(source_links).where(*mine, either)).rowcount)


def list_links(conn: Connection, organization_id: str) -> list[SourceLink]:
    """All that the organization knows to be the same, what a person said first, then the oldest."""
    table = source_links.c
    query = select(source_links).where(table.organization_id == organization_id)
    query = query.order_by(table.made_by == "pair", table.made_at, *source_links.primary_key)
    return [
        SourceLink(
            row.kind,
            NamedSource(row.first_provider, row.first_id, row.first_name),
            NamedSource(row.second_provider, row.second_id, row.second_name),
            row.made_by,
            row.made_at,
        )
        for row in conn.execute(query.limit(MOST))
    ]


def same_of(links: Sequence[SourceLink]) -> KnownSame:
    """The same, to compare matches by."""
    teams, competitions = (Links(_ids(links, kind)) for kind in KINDS)
    return KnownSame(teams=teams, competitions=competitions)


def _ids(links: Iterable[SourceLink], kind: LinkKind) -> Iterator[tuple[SourceId, SourceId]]:
    for each in links:
        if each.kind == kind:
            yield SourceId(each.first.provider, each.first.id), SourceId(each.second.provider, each.second.id)
