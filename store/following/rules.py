"""Follow rules that people and clients have made, and the matches of which rules should have made liveblogs and have not.

A rule's fields are as the configuration writes them (`[[follow]]`), without organization and key.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Index, Table, delete, func, select, update

from mapping.errors import Conflict, NotFound
from store.engine.columns import integer, json, metadata, text
from store.engine.statements import delete_some, insert_new, upsert, write_batch
from store.engine.unit import Unit

follow_rules = Table(
    "follow_rules",
    metadata,
    text("organization_id", primary_key=True),
    text("key", primary_key=True),
    json("fields"),
    integer("changed_at"),
)

missed_matches = Table(
    "missed_matches",
    metadata,
    text("organization_id", primary_key=True),
    text("rule", primary_key=True),
    text("provider", primary_key=True),
    text("match_id", primary_key=True),
    text("title"),
    integer("kickoff", nullable=True),
    text("reason"),
    text("word"),
    integer("since"),
    Index(None, "since"),
    Index(None, "organization_id", "since"),
)
"""`reason`: why there is no liveblog (mapping.follow.missed), which `word` completes; `since`: when that was seen first."""

MOST_RULES = 200
"""Rules of an organization."""
MOST_MISSED = 1000
"""Matches that are read at once, the latest of all."""
KEPT = 7 * 86_400
"""Seconds for which a match stays listed that got no liveblog."""
PURGED = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRule:
    """A rule as it was written; `fields` is None where the database holds something else."""

    organization_id: str
    key: str
    fields: Mapping[str, Any] | None
    changed_at: int


@dataclass(frozen=True, slots=True)
class MissedMatch:
    """A match without the liveblog that a rule should have made, a row of `missed_matches`. Times are Unix seconds."""

    organization_id: str
    rule: str
    provider: str
    match_id: str
    title: str
    kickoff: int | None
    reason: str
    word: str
    since: int = 0

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Organization, rule, provider and match."""
        return self.organization_id, self.rule, self.provider, self.match_id


def stored_rules(conn: Connection, organization_id: str | None = None) -> list[StoredRule]:
    """The rules of an organization or of all, by their keys."""
    query = select(follow_rules).order_by(follow_rules.c.organization_id, follow_rules.c.key)
    if organization_id is not None:
        query = query.where(follow_rules.c.organization_id == organization_id)
    return [_rule(row) for row in conn.execute(query)]


def find_rule(conn: Connection, organization_id: str, key: str) -> StoredRule | None:
    """The rule of that key."""
    found = conn.execute(select(follow_rules).where(*_named(organization_id, key))).one_or_none()
    return None if found is None else _rule(found)


def add_rule(unit: Unit, organization_id: str, key: str, fields: Mapping[str, Any]) -> None:
    """Keep a new rule. Raises Conflict where the key is taken, and where the organization has as many as it may have."""
    mine = select(func.count()).select_from(follow_rules).where(follow_rules.c.organization_id == organization_id)
    if (unit.conn.scalar(mine) or 0) >= MOST_RULES:
        raise Conflict(f"an organization has at most {MOST_RULES} rules of its own")
    row = {"organization_id": organization_id, "key": key, "fields": dict(fields), "changed_at": unit.now}
    if not insert_new(unit.conn, follow_rules, **row):
        raise Conflict("there is a rule of this key already", field="key")


def change_rule(unit: Unit, organization_id: str, key: str, fields: Mapping[str, Any]) -> None:
    """Put these fields in place of a rule's. Raises NotFound."""
    changed = update(follow_rules).where(*_named(organization_id, key))
    if not unit.conn.execute(changed.values(fields=dict(fields), changed_at=unit.now)).rowcount:
        raise NotFound("there is no such rule")


def delete_rule(unit: Unit, organization_id: str, key: str) -> None:
    """Forget a rule; what it has made stays. Raises NotFound."""
    if not unit.conn.execute(delete(follow_rules).where(*_named(organization_id, key))).rowcount:
        raise NotFound("there is no such rule")
    table = missed_matches.c
    unit.conn.execute(delete(missed_matches).where(table.organization_id == organization_id, table.rule == key))


def list_missed(conn: Connection, organization_id: str | None = None) -> list[MissedMatch]:
    """The matches of an organization, or of all, that got no liveblog lately, the latest kick-off first."""
    table = missed_matches.c
    query = select(missed_matches).order_by(table.since.desc())
    if organization_id is not None:
        query = query.where(table.organization_id == organization_id)
    found = [MissedMatch(*row) for row in conn.execute(query.limit(MOST_MISSED))]
    return sorted(found, key=lambda each: (-(each.kickoff or each.since), each.match_id))


def note_missed(unit: Unit, found: Sequence[MissedMatch], gone: Collection[MissedMatch]) -> None:
    """Keep what is missed now, each since it was first seen, forget what has its liveblog meanwhile, and what is long ago."""
    for each in gone:
        key = zip(missed_matches.primary_key.columns, each.key, strict=True)
        unit.conn.execute(delete(missed_matches).where(*(column == value for column, value in key)))
    rows = [asdict(each) | {"since": each.since or unit.now} for each in found]
    write_batch(unit.conn, upsert(missed_matches, rows))
    delete_some(unit.conn, missed_matches, missed_matches.c.since < unit.now - KEPT, limit=PURGED)


def _named(organization_id: str, key: str) -> tuple[Any, ...]:
    return follow_rules.c.organization_id == organization_id, follow_rules.c.key == key


def _rule(row: Any) -> StoredRule:
    fields = row.fields if isinstance(row.fields, dict) else None
    return StoredRule(organization_id=row.organization_id, key=row.key, fields=fields, changed_at=row.changed_at)
