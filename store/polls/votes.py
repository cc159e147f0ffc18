"""Votes of readers on polls: one a reader and poll, and a tally that is exact because a vote locks it.

A vote steps no version: a liveblog's caches and receivers hear nothing of it. Tallies are read as they stood at the moment
that the connection reads, so delayed readers see the results of their moment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, ForeignKey, FromClause, Table, bindparam, delete, literal, select, tuple_, union_all

from mapping.polls.reader_polls import Tally
from store.engine.columns import integer, json, metadata, text
from store.engine.liveblog_records import StoredEvent
from store.engine.portable_table import StoredCapability, of_games
from store.engine.statements import CompiledQuery, insert_ignore, update_rows, upsert, write_batch
from store.engine.unit import Unit
from store.liveblogs import history, liveblogs
from store.liveblogs.event_rows import in_chunks
from store.liveblogs.history_tables import poll_history
from store.public import DELETED_GAMES
from store.tables import block_ids

poll_votes = Table(
    "poll_votes",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("poll_id", primary_key=True),
    text("reader_id", primary_key=True),
    json("options"),
    integer("voted_at"),
)
"""What a reader chose last; a poll's id is that of its block, and counts within its liveblog."""
poll_tallies = Table(
    "poll_tallies",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("poll_id", primary_key=True),
    json("counts"),
    integer("changes"),
    integer("written_at"),
)
"""Votes by option, of removed options too; `changes` counts the votes cast, changed and taken back."""
POLLS = StoredCapability(portable=(of_games(poll_votes), of_games(poll_tallies), of_games(poll_history)))


PURGED = 500
"""Votes that one unit forgets."""
EXPORTED = 1000
"""Votes of one page of an export."""
_EVENT_OF = CompiledQuery(select(block_ids.c.event_id).where(block_ids.c.local_id == bindparam("poll_id")))
_LOCKED = CompiledQuery(
    select(poll_tallies.c.counts, poll_tallies.c.changes, poll_tallies.c.written_at)
    .where(poll_tallies.c.game_id == bindparam("game_id"), poll_tallies.c.poll_id == bindparam("poll_id"))
    .with_for_update()
)
_VOTE = CompiledQuery(
    select(poll_votes.c.options).where(
        poll_votes.c.game_id == bindparam("game_id"),
        poll_votes.c.poll_id == bindparam("poll_id"),
        poll_votes.c.reader_id == bindparam("reader_id"),
    )
)


class Voted(NamedTuple):
    """A poll's tally, and the options that the reader has chosen."""

    tally: Tally
    options: tuple[str, ...]


class StoredVote(NamedTuple):
    """A vote as it is exported."""

    poll_id: str
    reader_id: str
    options: list[str]
    voted_at: int


def poll_event(conn: Connection, poll_id: str) -> StoredEvent | None:
    """The event in which the block with this id is, as it stood at the connection's moment."""
    row = _EVENT_OF.first(conn, poll_id=poll_id)
    return None if row is None else liveblogs.event(conn, row[0])


def vote(
    unit: Unit,
    game_id: str,
    poll_id: str,
    reader_id: str,
    choose: Callable[[tuple[str, ...]], tuple[str, ...]],
) -> Voted:
    """Replace the reader's options by what `choose` makes of them; raises what `choose` raises.

    An empty vote is none. Nothing is written where `choose` changes nothing.
    """
    key = {"game_id": game_id, "poll_id": poll_id}
    row = _LOCKED.first(unit.conn, **key)
    if row is None:  # nobody has voted yet
        if not choose(()):
            return Voted(Tally(), ())
        row = _create_tally(unit, key)
    counts, changes, written_at = row
    tally = Tally(counts, changes)
    before = own_vote(unit.conn, game_id, poll_id, reader_id)
    after = choose(before)
    if after == before:
        return Voted(tally, before)
    new = tally.moved(before, after)
    now = max(unit.now, written_at)
    stood = {"counts": tally.counts, "changes": tally.changes, "written_at": written_at}
    cast = {"reader_id": reader_id, "options": list(after), "voted_at": unit.now}
    write_batch(
        unit.conn,
        insert_ignore(poll_history, [{**key, "until": now, **stood}] if written_at < now else []),
        update_rows(poll_tallies, [{**key, "counts": new.counts, "changes": new.changes, "written_at": now}]),
        upsert(poll_votes, [{**key, **cast}] if after else []),
    )
    if not after:
        _forget(unit, game_id, poll_id, reader_id)
    return Voted(new, after)


def _forget(unit: Unit, *key: str) -> None:
    """Delete the vote with this key."""
    same = (column == value for column, value in zip(poll_votes.primary_key, key, strict=True))
    unit.conn.execute(delete(poll_votes).where(*same))


def own_vote(conn: Connection, game_id: str, poll_id: str, reader_id: str) -> tuple[str, ...]:
    """The options that the reader has chosen, none without a vote."""
    row = _VOTE.first(conn, game_id=game_id, poll_id=poll_id, reader_id=reader_id)
    return () if row is None else tuple(row[0])


def tallies(conn: Connection, game_id: str, poll_ids: Sequence[str]) -> dict[str, Tally]:
    """The tallies of polls of a liveblog, as they stood at the connection's moment; an empty one for a poll without votes."""
    found = {name: Tally() for name in poll_ids}
    for some in in_chunks(list(poll_ids)):
        table = _tallies(conn, [game_id])
        query = select(table.c.poll_id, table.c.counts, table.c.changes)
        rows = conn.execute(query.where(table.c.game_id == game_id, table.c.poll_id.in_(some)))
        found |= {row.poll_id: Tally(row.counts, row.changes) for row in rows}
    return found


def changes(conn: Connection, game_ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """How often the votes of each poll of these liveblogs have changed, by liveblog and poll; polls without votes are left out."""
    found: dict[str, dict[str, int]] = {}
    for some in in_chunks(list(game_ids)):
        table = _tallies(conn, some)
        query = select(table.c.game_id, table.c.poll_id, table.c.changes).where(table.c.game_id.in_(some))
        for row in conn.execute(query):
            found.setdefault(row.game_id, {})[row.poll_id] = row.changes
    return found


def page(conn: Connection, game_id: str, after: StoredVote | None = None, limit: int = EXPORTED) -> list[StoredVote]:
    """The votes on all polls of a liveblog, in the order of polls and readers, from the one after `after` on."""
    key = (poll_votes.c.poll_id, poll_votes.c.reader_id)
    query = select(*key, poll_votes.c.options, poll_votes.c.voted_at).where(poll_votes.c.game_id == game_id)
    if after is not None:
        query = query.where(tuple_(*key) > tuple_(*map(literal, after[:2])))
    return [StoredVote(*row) for row in conn.execute(query.order_by(*key).limit(limit))]


def purge(unit: Unit, *, limit: int = PURGED) -> bool:
    """Forget votes on polls of a deleted liveblog, `limit` at most; whether there may be more."""
    game_id = unit.conn.scalar(select(poll_tallies.c.game_id).where(poll_tallies.c.game_id.in_(DELETED_GAMES)).limit(1))
    if game_id is None:
        return False
    mine = select(poll_votes.c.poll_id, poll_votes.c.reader_id).where(poll_votes.c.game_id == game_id).limit(limit)
    rows = unit.conn.execute(mine).all()
    for row in rows:
        _forget(unit, game_id, *row)
    if len(rows) < limit:
        for table in (poll_history, poll_tallies):
            unit.conn.execute(delete(table).where(table.c.game_id == game_id))
    return True


def _create_tally(unit: Unit, key: dict[str, str]) -> tuple[Any, ...]:
    """The row of the poll's tally, made unless somebody else has just made it; it stays locked."""
    write_batch(unit.conn, insert_ignore(poll_tallies, [{**key, "counts": {}, "changes": 0, "written_at": unit.now}]))
    return _LOCKED.first(unit.conn, **key) or _create_tally(unit, key)


def _tallies(conn: Connection, game_ids: Sequence[str]) -> FromClause:
    """What to select tallies of the liveblogs from: the table, or the rows that stood at the connection's moment."""
    moment = history.moment_of(conn)
    if moment is None:
        return poll_tallies
    columns = [column.name for column in poll_tallies.c]
    standing = select(poll_tallies).where(poll_tallies.c.game_id.in_(game_ids), poll_tallies.c.written_at < moment)
    stood = select(*(poll_history.c[name] for name in columns)).where(
        poll_history.c.game_id.in_(game_ids), poll_history.c.written_at < moment, poll_history.c.until >= moment
    )
    return union_all(standing, stood).subquery("poll_tallies")
