"""What the doctor finds in the rows: what cannot be read, and tables that do not agree.

Each table is read in pages, in the order of its key, so what it takes does not grow with what is stored. What may be so on
purpose is no fault: a link to a record that is no longer named, a post of the sync that a person has deleted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, Literal

from sqlalchemy import CompoundSelect, Connection, Row, Select, Table, and_, exists, func, literal, select, tuple_

from mapping.documents.scalars import LocalStatus
from mapping.match.references import RecordName, named_in, part_ids
from mapping.posts.reconcile import State
from store.engine.errors import UnreadableRow
from store.engine.records import StoredEvent, StoredGame, check_document
from store.following import ledger, sync
from store.liveblogs.event_rows import event_of, owners_of_parts
from store.liveblogs.liveblogs import game_of
from store.liveblogs.search import words_of_game, words_of_master
from store.tables import (
    attachments,
    beliefs,
    clients,
    events,
    follows,
    game_records,
    games,
    locations,
    outbox,
    outbox_sequence,
    players,
    resources,
    teams,
    tokens,
    tournaments,
)
from store.tables import ledger as ledger_table
from store.tables import webhooks as webhooks_table
from store.webhooks import webhooks

PAGE = 500
"""Rows that are read at once."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of one check: its name, how it ended, and what was found in a sentence without secrets."""

    check: str
    outcome: Literal["ok", "warning", "fault"]
    detail: str = ""


@dataclass(slots=True)
class Faults:
    """What is wrong: how often each kind of it, with one example."""

    found: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(self, what: str, example: str, number: int = 1) -> None:
        count, first = self.found.get(what, (0, example))
        self.found[what] = count + number, first

    def add_all(self, what: str, examples: Iterable[object]) -> None:
        for each in examples:
            self.add(what, str(each))

    def result(self, check: str) -> CheckResult:
        """As the outcome of a check."""
        said = [f"{count} {what}, one is {example}" for what, (count, example) in self.found.items()]
        return CheckResult(check, "fault" if said else "ok", "; ".join(said))


def examine_rows(conn: Connection) -> list[CheckResult]:
    """What each check of the rows finds."""
    results = []
    for name, check in CHECKS.items():
        faults = Faults()
        check(conn, faults)
        results.append(faults.result(name))
    return results


def _pages(conn: Connection, table: Table) -> Iterator[Sequence[Row[Any]]]:
    """All rows of the table, so many at once."""
    key, last = list(table.primary_key.columns), None
    while True:
        query = select(table).order_by(*key).limit(PAGE)
        if last is not None:
            query = query.where(tuple_(*key) > tuple_(*map(literal, last)))
        page = conn.execute(query).all()
        if page:
            yield page
        if len(page) < PAGE:
            return
        last = [getattr(page[-1], column.name) for column in key]


def _rows(conn: Connection, table: Table) -> Iterator[Row[Any]]:
    return chain.from_iterable(_pages(conn, table))


def _posts(conn: Connection, faults: Faults) -> None:
    for page in _pages(conn, events):
        posts = [each for each in map(event_of, page) if _is_readable(each, faults)]
        _check_parts(conn, {each.local_id: {name for _, name in part_ids(each.document)} for each in posts}, faults)
        _check_records(conn, {each.local_id: (each.game_id, each.document) for each in posts}, faults)


def _check_parts(conn: Connection, named: Mapping[str, set[str]], faults: Faults) -> None:
    """`named`: post → the ids of its blocks and files."""
    owned = owners_of_parts(conn, set().union(*named.values()))
    faults.add_all(
        "posts have blocks whose ids are not reserved",
        [post for post, names in named.items() if not owned.keys() >= names],
    )


def _is_readable(record: StoredEvent | StoredGame, faults: Faults) -> bool:
    if record.local_status not in set(LocalStatus):
        faults.add("have a status that is none", record.local_id)
    try:
        check_document(record)
    except UnreadableRow:
        faults.add("cannot be read", record.local_id)
        return False
    return True


def _check_records(conn: Connection, named: Mapping[str, tuple[str, Any]], faults: Faults) -> None:
    """`named`: id → its liveblog and the document that names master data."""
    linked: defaultdict[str, set[RecordName]] = defaultdict(set)
    query = select(game_records).where(game_records.c.game_id.in_({game_id for game_id, _ in named.values()}))
    for row in conn.execute(query):
        linked[row.game_id].add((row.kind, row.record_id))
    lacking = [each for each, (game_id, document) in named.items() if not linked[game_id] >= named_in([document])]
    faults.add_all("name master data to which their liveblog has no link", lacking)


def _liveblogs(conn: Connection, faults: Faults) -> None:
    for page in _pages(conn, games):
        known = [each for each in map(game_of, page) if _is_readable(each, faults)]
        _check_records(conn, {each.id: (each.id, each.document) for each in known}, faults)
        wanted = {each.id: words_of_game(each.title, each.document) for each in known}
        faults.add_all("are not found by all of their words", _not_found(conn, wanted))
    newer = (
        select(games.c.id)
        .join(events, events.c.game_id == games.c.id)
        .group_by(games.c.id, games.c.version)
        .having(func.max(events.c.version) > games.c.version)
    )
    _add_some(conn, faults, "have posts of a later version than their own", newer)


def _not_found(conn: Connection, wanted: Mapping[str, frozenset[str]]) -> list[str]:
    """Those of the records that full text search does not find by each of these words."""
    stored: defaultdict[str, set[str]] = defaultdict(set)
    for row in conn.execute(select(tokens.c.record_id, tokens.c.token).where(tokens.c.record_id.in_(list(wanted)))):
        stored[row.record_id].add(row.token)
    return [record for record, found_by in wanted.items() if not stored[record] >= found_by]


def _master_data(conn: Connection, faults: Faults) -> None:
    for table in (teams, players, tournaments, locations):
        for page in _pages(conn, table):
            readable = [row for row in page if isinstance(row.doc, dict)]
            faults.add_all("cannot be read", [row.id for row in page if not isinstance(row.doc, dict)])
            wanted = {row.id: words_of_master({**row.doc, "name": row.name}) for row in readable}
            faults.add_all("are not found by all of their words", _not_found(conn, wanted))


def _outbox(conn: Connection, faults: Faults) -> None:
    """Rows of an organization are purged oldest first: where an earlier one is left, there is one of each liveblog's last step."""
    last = conn.scalar(select(func.max(outbox_sequence.c.last))) or 0
    newest = conn.scalar(select(func.max(outbox.c.number))) or 0
    if newest > last:
        faults.add("numbers have been given that are to be given again", str(newest), newest - last)
    before = outbox.alias()
    of_liveblog = and_(before.c.game_id == games.c.id, before.c.version < games.c.version)
    of_others = and_(before.c.organization_id == games.c.organization_id, before.c.at < games.c.updated_at)
    earlier = exists().where(of_liveblog) | exists().where(of_others)
    said = exists().where(outbox.c.game_id == games.c.id, outbox.c.version == games.c.version)
    _add_some(
        conn, faults, "liveblogs have taken a step that no webhook hears of", select(games.c.id).where(earlier, ~said)
    )


def _webhooks(conn: Connection, faults: Faults) -> None:
    last = conn.scalar(select(func.max(outbox_sequence.c.last))) or 0
    beyond = select(webhooks_table.c.id).where(webhooks_table.c.cursor > last)
    _add_some(conn, faults, "have a cursor beyond the numbers that were given", beyond)
    faults.add_all("have a status that is none", webhooks.in_no_known_state(conn))


STANDING = (State.POSTED, State.DISALLOWED)
"""States of posts that are there."""


def _ledger(conn: Connection, faults: Faults) -> None:
    _add_some(conn, faults, "posts of the sync have no event in their liveblog", _LOST_EVENTS)
    _add_some(conn, faults, "events of the sync are unknown to it", _UNKNOWN_EVENTS)


_LOST_EVENTS = (
    select(ledger_table.c.local_id)
    .outerjoin(events, and_(events.c.local_id == ledger_table.c.local_id, events.c.game_id == ledger_table.c.game_id))
    .where(ledger_table.c.state.in_(STANDING), ledger_table.c.local_id.is_not(None), events.c.local_id.is_(None))
)
"""Posts that the ledger says to be there and that are not."""
_UNKNOWN_EVENTS = (
    select(events.c.local_id)
    .join(attachments, attachments.c.game_id == events.c.game_id)
    .join(games, games.c.id == events.c.game_id)
    .where(
        events.c.user_id == attachments.c.provider,
        events.c.local_status != LocalStatus.DELETED,
        attachments.c.created_at == games.c.created_at,  # a liveblog that was on another match keeps its posts
        ~exists().where(clients.c.id == events.c.user_id),
    )
    .except_(select(ledger_table.c.local_id).where(ledger_table.c.local_id.is_not(None)))
)
"""Events that the sync has written into a liveblog which was made on its match, and that the ledger does not know."""


def _ledger_rows(conn: Connection, faults: Faults) -> None:
    for row in _rows(conn, ledger_table):
        values = {name: getattr(row, name) for name in ledger.LedgerRow.__slots__}
        if _is_broken(ledger.LedgerRow(**values)):
            faults.add("rows cannot be read", f"{row.key} of {row.game_id}")
    begun = exists().where(ledger_table.c.game_id == attachments.c.game_id, ledger_table.c.key == ledger.GAME_KEY)
    _add_some(
        conn, faults, "liveblogs on a match have no row of their own", select(attachments.c.game_id).where(~begun)
    )
    deleted = (
        select(events.c.local_id)
        .join(ledger_table, ledger_table.c.local_id == events.c.local_id)
        .join(attachments, attachments.c.game_id == events.c.game_id)
        .where(
            events.c.local_status == LocalStatus.DELETED,
            events.c.user_id == attachments.c.provider,
            ledger_table.c.follow_id == attachments.c.follow_id,
            ledger_table.c.state.in_(STANDING),
        )
    )
    _add_some(conn, faults, "posts are deleted by the sync, and posted in the ledger", deleted)


def _is_broken(row: ledger.LedgerRow) -> bool:
    try:
        if row.key == ledger.GAME_KEY:
            ledger.game_of(row)
        else:
            ledger.entry_of(row)
            ledger.placed_of(row)
    except UnreadableRow:
        return True
    return False


def _matches(conn: Connection, faults: Faults) -> None:
    for row in _rows(conn, follows):
        _check(faults, "cannot be read", row.id, partial(sync.status_of, sync.follow_of(row)))
    for row in (each for each in _rows(conn, resources) if each.body is not None):
        unpack = partial(sync.unpack_bodies, {row.name: bytes(row.body)})
        _check(faults, "have an answer that cannot be read", row.follow_id, unpack)
    for row in _rows(conn, beliefs):
        read_belief = partial(sync.unpacked_belief, bytes(row.belief))
        _check(faults, "have a belief that cannot be read", row.follow_id, read_belief)
    for row in _rows(conn, attachments):
        read = partial(sync.terms_of, sync.Attachment(**row._asdict()))
        _check(faults, "liveblogs have terms that cannot be read", row.game_id, read)


def _check(faults: Faults, what: str, example: str, read: Callable[[], object]) -> None:
    try:
        read()
    except UnreadableRow:
        faults.add(what, example)


def _add_some(conn: Connection, faults: Faults, what: str, query: Select[Any] | CompoundSelect[Any]) -> None:
    """How many there are, and the least of them."""
    found = query.subquery()
    number, example = conn.execute(select(func.count(), func.min(found.c[0]))).one()
    if number:
        faults.add(what, example, number)


CHECKS: dict[str, Callable[[Connection, Faults], None]] = {
    "ledger": _ledger,
    "liveblogs": _liveblogs,
    "posts": _posts,
    "master-data": _master_data,
    "matches": _matches,
    "ledger-rows": _ledger_rows,
    "outbox": _outbox,
    "webhooks": _webhooks,
}
"""Each check of the rows by its name."""
