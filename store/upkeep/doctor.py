"""Checks whether the database is in order; only reads, beside a daemon that goes on.

First the database itself, then its schema, then the rows: what cannot be read, and tables that do not agree. What may be so on
purpose is no fault: a link to a record that is no longer named, a post of the sync that a person has deleted.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import CompoundSelect, Connection, Row, Select, Table, and_, exists, func, select, text
from sqlalchemy.exc import DatabaseError

from mapping.documents.scalars import LocalStatus
from mapping.match.references import RecordName, named_in, part_ids
from mapping.posts.reconcile import State
from store import tables
from store.engine import migrate
from store.engine.errors import UnreadableRow, store_errors
from store.engine.liveblog_records import StoredEvent, StoredGame
from store.engine.settings import parse_url
from store.following import follow_rows, ledger, rule_standbys, rules
from store.liveblogs.event_rows import event_of, owners_of_parts
from store.liveblogs.liveblogs import game_of
from store.liveblogs.search import words_of_game, words_of_master
from store.tables import attachments, events, games, outbox, outbox_sequence
from store.tables import ledger as lines
from store.upkeep.command import read_once, require_file
from store.webhooks import webhooks

PAGE = 500
"""Rows that are read at once, so what a check takes does not grow with what is stored."""
COLLATION_KNOWN = 150_000
"""The first version of PostgreSQL that notes how texts were sorted."""
COLLATIONS = "SELECT datcollversion, pg_database_collation_actual_version(oid) FROM pg_database WHERE datname = current_database()"
INVALID = "SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid ORDER BY 1"
CLOCK_TOLERANCE = 2.0
"""Seconds by which the clocks of this machine and of the database's may differ."""

Outcome = Literal["ok", "warning", "fault"]
Fault = tuple[str, object, int]
"""What is wrong, an example of it, and how often it was found."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of one check: its name, how it ended, and what was found in a sentence without secrets."""

    check: str
    outcome: Outcome
    detail: str = ""


def examine(url: str) -> list[CheckResult]:
    """What each check of the database at `url` finds; where its schema or its files are at fault, no further ones run.

    Not to be called from a running event loop. Raises StoreError where there is no database, SchemaMissing for an empty
    one; StoreUnavailable.
    """
    parsed = parse_url(url)
    require_file(parsed)
    with store_errors():
        return asyncio.run(read_once(parsed, migrate.PATIENT, _findings))


def _findings(conn: Connection) -> list[CheckResult]:
    found = _server(conn) if conn.dialect.name == "postgresql" else _file(conn)
    if any(finding.outcome == "fault" for finding in found):
        return found
    current, needed = migrate.current_of(conn), migrate.head()
    if current != needed:
        said = f"revision {current}, this version of matchwire needs {needed}"
        return [*found, CheckResult("schema", "fault", said)]
    return [*found, CheckResult("schema", "ok", f"revision {current}"), *_rows_in_order(conn)]


def _file(conn: Connection) -> list[CheckResult]:
    try:
        said = conn.execute(text("PRAGMA integrity_check(1)")).scalar_one()
        orphans = conn.execute(text("PRAGMA foreign_key_check")).all() if said == "ok" else []
    except DatabaseError as error:
        return [CheckResult("integrity", "fault", str(error.orig))]
    if said != "ok":
        return [CheckResult("integrity", "fault", said)]
    named = ", ".join(sorted({row[0] for row in orphans}))
    found = (
        CheckResult("orphans", "fault", f"{len(orphans)} rows in {named}") if orphans else CheckResult("orphans", "ok")
    )
    return [CheckResult("integrity", "ok"), found]


def _collation(conn: Connection) -> CheckResult:
    """Whether texts are sorted as when the indexes were made, which another version of the system's library may do otherwise."""
    if int(conn.execute(text("SHOW server_version_num")).scalar_one()) < COLLATION_KNOWN:
        return CheckResult("collation", "ok", "not known before PostgreSQL 15")
    made, now = conn.execute(text(COLLATIONS)).one()
    if made == now:
        return CheckResult("collation", "ok", now or "of no version")
    how = "REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION"
    return CheckResult("collation", "fault", f"indexes are sorted as in {made}, the system sorts as in {now}: {how}")


def _server(conn: Connection) -> list[CheckResult]:
    encoding = conn.execute(text("SHOW server_encoding")).scalar_one()
    names = ", ".join(conn.scalars(text(INVALID)))
    ahead = float(conn.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one()) - time.time()
    clock: Outcome = "ok" if abs(ahead) <= CLOCK_TOLERANCE else "warning"
    return [
        CheckResult("encoding", "ok" if encoding == "UTF8" else "fault", encoding),
        _collation(conn),
        CheckResult("indexes", "fault", f"not valid: {names}") if names else CheckResult("indexes", "ok"),
        CheckResult("clock", clock, f"the database's is {ahead:+.1f} s ahead"),
    ]


def _rows_in_order(conn: Connection) -> list[CheckResult]:
    """What each check of the rows finds: how often each kind of fault, with its first example."""
    results = []
    for name, check in CHECKS.items():
        found: dict[str, tuple[int, object]] = {}
        for what, example, number in check(conn):
            count, first = found.get(what, (0, example))
            found[what] = count + number, first
        said = [f"{count} {what}, one is {example}" for what, (count, example) in found.items()]
        results.append(CheckResult(name, "fault" if said else "ok", "; ".join(said)))
    return results


def _pages(conn: Connection, table: Table) -> Iterator[Sequence[Row[Any]]]:
    """All rows of the table in the order of its key, so many at once."""
    query = select(table).order_by(*table.primary_key.columns)
    yield from conn.execute(query, execution_options={"yield_per": PAGE}).partitions()


def _each(what: str, examples: Iterable[object]) -> Iterator[Fault]:
    return ((what, example, 1) for example in examples)


def _count_faults(conn: Connection, what: str, query: Select[Any] | CompoundSelect[Any]) -> Iterator[Fault]:
    """How many rows the query finds, and the least of them."""
    found = query.subquery()
    number, example = conn.execute(select(func.count(), func.min(found.c[0]))).one()
    if number:
        yield what, example, number


def _posts(conn: Connection) -> Iterator[Fault]:
    for page in _pages(conn, events):
        posts = [event_of(row) for row in page]
        yield from _documents(posts)
        readable = [each for each in posts if isinstance(each.document, dict)]
        parts = {each.local_id: {name for _, name in part_ids(each.document)} for each in readable}
        owned = owners_of_parts(conn, set().union(*parts.values())).keys()
        lacking = [post for post, names in parts.items() if not owned >= names]
        yield from _each("posts have blocks whose ids are not reserved", lacking)
        yield from _links(conn, {each.local_id: (each.game_id, each.document) for each in readable})


def _documents(records: Iterable[StoredEvent | StoredGame]) -> Iterator[Fault]:
    for each in records:
        document: Any = each.document
        if each.local_status not in set(LocalStatus):
            yield "have a status that is none", each.local_id, 1
        if not isinstance(document, dict):
            yield "cannot be read", each.local_id, 1


def _links(conn: Connection, named: Mapping[str, tuple[str, Any]]) -> Iterator[Fault]:
    """`named`: id → its liveblog and the document that names master data."""
    linked: defaultdict[str, set[RecordName]] = defaultdict(set)
    links, liveblogs = tables.game_records, {game_id for game_id, _ in named.values()}
    for row in conn.execute(select(links).where(links.c.game_id.in_(liveblogs))):
        linked[row.game_id].add((row.kind, row.record_id))
    lacking = [each for each, (game_id, document) in named.items() if not linked[game_id] >= named_in([document])]
    yield from _each("name master data to which their liveblog has no link", lacking)


def _liveblogs(conn: Connection) -> Iterator[Fault]:
    for page in _pages(conn, games):
        found = [game_of(row) for row in page]
        yield from _documents(found)
        readable = [each for each in found if isinstance(each.document, dict)]
        yield from _links(conn, {each.id: (each.id, each.document) for each in readable})
        yield from _words(conn, {each.id: words_of_game(each.title, each.document) for each in readable})
    newer = (
        select(games.c.id)
        .join(events, events.c.game_id == games.c.id)
        .group_by(games.c.id, games.c.version)
        .having(func.max(events.c.version) > games.c.version)
    )
    yield from _count_faults(conn, "have posts of a later version than their own", newer)


def _words(conn: Connection, wanted: Mapping[str, frozenset[str]]) -> Iterator[Fault]:
    """Records that full text search does not find by each of their words."""
    stored: defaultdict[str, set[str]] = defaultdict(set)
    tokens = tables.tokens.c
    for row in conn.execute(select(tokens.record_id, tokens.token).where(tokens.record_id.in_(list(wanted)))):
        stored[row.record_id].add(row.token)
    lacking = [record for record, words in wanted.items() if not stored[record] >= words]
    yield from _each("are not found by all of their words", lacking)


def _master_data(conn: Connection) -> Iterator[Fault]:
    for table in (tables.teams, tables.players, tables.tournaments, tables.locations):
        for page in _pages(conn, table):
            yield from _each("cannot be read", [row.id for row in page if not isinstance(row.doc, dict)])
            readable = [row for row in page if isinstance(row.doc, dict)]
            yield from _words(conn, {row.id: words_of_master({**row.doc, "name": row.name}) for row in readable})


def _outbox(conn: Connection) -> Iterator[Fault]:
    """Rows of an organization are purged oldest first: where an earlier one is left, there is one of each liveblog's last step."""
    last = conn.scalar(select(func.max(outbox_sequence.c.last))) or 0
    newest = conn.scalar(select(func.max(outbox.c.number))) or 0
    if newest > last:
        yield "numbers have been given that are to be given again", newest, newest - last
    before = outbox.alias()
    of_liveblog = and_(before.c.game_id == games.c.id, before.c.version < games.c.version)
    of_others = and_(before.c.organization_id == games.c.organization_id, before.c.at < games.c.updated_at)
    earlier = exists().where(of_liveblog) | exists().where(of_others)
    said = exists().where(outbox.c.game_id == games.c.id, outbox.c.version == games.c.version)
    unheard = select(games.c.id).where(earlier, ~said)
    yield from _count_faults(conn, "liveblogs have taken a step that no webhook hears of", unheard)


def _webhooks(conn: Connection) -> Iterator[Fault]:
    last = conn.scalar(select(func.max(outbox_sequence.c.last))) or 0
    beyond = select(tables.webhooks.c.id).where(tables.webhooks.c.cursor > last)
    yield from _count_faults(conn, "have a cursor beyond the numbers that were given", beyond)
    yield from _each("have a status that is none", webhooks.in_no_known_state(conn))


def _rules(conn: Connection) -> Iterator[Fault]:
    yield from _each("cannot be read", (each.key for each in rules.stored_rules(conn) if each.fields is None))
    yield from _each("ask for a standby and cannot be read", rule_standbys.unreadable(conn))


_STANDING = lines.c.state.in_((State.POSTED, State.DISALLOWED))
"""The ledger says that the post is there."""
_LOST_EVENTS = (
    select(lines.c.local_id)
    .outerjoin(events, and_(events.c.local_id == lines.c.local_id, events.c.game_id == lines.c.game_id))
    .where(_STANDING, lines.c.local_id.is_not(None), events.c.local_id.is_(None))
)
_UNKNOWN_EVENTS = (
    select(events.c.local_id)
    .join(attachments, attachments.c.game_id == events.c.game_id)
    .join(games, games.c.id == events.c.game_id)
    .where(
        events.c.user_id == attachments.c.provider,
        events.c.local_status != LocalStatus.DELETED,
        attachments.c.created_at == games.c.created_at,  # a liveblog that was on another match keeps its posts
        ~exists().where(tables.clients.c.id == events.c.user_id),
    )
    .except_(select(lines.c.local_id).where(lines.c.local_id.is_not(None)))
)
"""Events that the sync has written into a liveblog which was made on its match, and that the ledger does not know."""
_DELETED_EVENTS = (
    select(events.c.local_id)
    .join(lines, lines.c.local_id == events.c.local_id)
    .join(attachments, attachments.c.game_id == events.c.game_id)
    .where(
        events.c.local_status == LocalStatus.DELETED,
        events.c.user_id == attachments.c.provider,
        lines.c.follow_id == attachments.c.follow_id,
        _STANDING,
    )
)


def _ledger(conn: Connection) -> Iterator[Fault]:
    yield from _count_faults(conn, "posts of the sync have no event in their liveblog", _LOST_EVENTS)
    yield from _count_faults(conn, "events of the sync are unknown to it", _UNKNOWN_EVENTS)


def _ledger_rows(conn: Connection) -> Iterator[Fault]:
    yield from _unreadable(conn, lines, "rows cannot be read", _read_line, lambda row: f"{row.key} of {row.game_id}")
    begun = exists().where(lines.c.game_id == attachments.c.game_id, lines.c.key == ledger.GAME_KEY)
    unbegun = select(attachments.c.game_id).where(~begun)
    yield from _count_faults(conn, "liveblogs on a match have no row of their own", unbegun)
    yield from _count_faults(conn, "posts are deleted by the sync, and posted in the ledger", _DELETED_EVENTS)


def _read_line(row: Row[Any]) -> None:
    line = ledger.LedgerRow(**{name: getattr(row, name) for name in ledger.LedgerRow.__slots__})
    if line.key == ledger.GAME_KEY:
        ledger.game_of(line)
    else:
        ledger.entry_of(line)
        ledger.placed_of(line)


def _matches(conn: Connection) -> Iterator[Fault]:
    def unpack(row: Row[Any]) -> None:
        if row.body is not None:
            follow_rows.unpack_bodies({row.name: bytes(row.body)})

    def of_match(row: Row[Any]) -> str:
        return str(row.follow_id)

    def of_liveblog(row: Row[Any]) -> str:
        return str(row.game_id)

    def status(row: Row[Any]) -> object:
        return follow_rows.status_of(follow_rows.follow_of(row))

    def belief(row: Row[Any]) -> object:
        return follow_rows.unpacked_belief(bytes(row.belief))

    def terms(row: Row[Any]) -> object:
        return follow_rows.terms_of(follow_rows.Attachment(**row._asdict()))

    yield from _unreadable(conn, tables.follows, "cannot be read", status, lambda row: row.id)
    yield from _unreadable(conn, tables.resources, "have an answer that cannot be read", unpack, of_match)
    yield from _unreadable(conn, tables.beliefs, "have a belief that cannot be read", belief, of_match)
    yield from _unreadable(conn, attachments, "liveblogs have terms that cannot be read", terms, of_liveblog)


def _unreadable(
    conn: Connection, table: Table, what: str, read: Callable[[Row[Any]], object], name: Callable[[Row[Any]], str]
) -> Iterator[Fault]:
    """The rows of the table that `read` cannot read, by their names."""
    for page in _pages(conn, table):
        for row in page:
            try:
                read(row)
            except UnreadableRow:
                yield what, name(row), 1


CHECKS: Mapping[str, Callable[[Connection], Iterable[Fault]]] = {
    "ledger": _ledger,
    "liveblogs": _liveblogs,
    "posts": _posts,
    "master-data": _master_data,
    "matches": _matches,
    "ledger-rows": _ledger_rows,
    "outbox": _outbox,
    "webhooks": _webhooks,
    "rules": _rules,
}
"""Each check of the rows by its name."""
