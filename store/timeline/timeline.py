"""The timeline of posts: written with them, finished after the commit, read by whoever wants to know why a goal was late."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Boolean, Column, Connection, ForeignKey, Index, Table, bindparam, delete, or_, select, update

from store.engine.columns import Counter, integer, json, metadata, text
from store.engine.statements import TableWrite, insert_rows, upsert
from store.engine.unit import Unit
from store.tables import webhook_rounds

post_times = Table(
    "post_times",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    integer("version", primary_key=True, autoincrement=False),
    text("local_id", primary_key=True),
    text("what"),
    integer("said_at", nullable=True),
    integer("unsaid_at", nullable=True),
    integer("answered_at"),
    integer("believed_at"),
    integer("committed_at", nullable=True),
    integer("delivered_at", nullable=True),
    json("answers"),
    json("of_person", nullable=True),
    Index(None, "believed_at"),
)
"""A row for each time that the sync wrote a post, `what`: posted, corrected, withdrawn, …; `answers`: resource → digest.

`of_person`: the post as it stood until then, where a person had changed it.
"""
decisions = Table(
    "decisions",
    metadata,
    Column("id", Counter, primary_key=True, autoincrement=True),
    text("follow_id", ForeignKey("follows.id", ondelete="CASCADE")),
    integer("answered_at"),
    integer("believed_at"),
    integer("written_at"),  # the instant of the unit, in seconds
    Column("pending", Boolean, nullable=False),
    json("answers"),
    json("versions"),
    text("created"),
    json("health", nullable=True),
    Index(None, "follow_id", "id"),
    Index(None, "believed_at"),
    sqlite_autoincrement=True,
)
"""A row for each poll whose answers were decided upon, and for each time that the sources of a match were put together again.

`answers`: resource → outcome and digest; `versions`: `ticker_id` → the versions that the liveblog had and has; `pending`:
something waits for another answer; `created`: the `ticker_id` of the liveblog that was made of them, or nothing; `health`: how
the sources answered upon which was decided who leads, by the ids of their follows; NULL for a poll.
"""


DIGEST = 16
"""Characters of a body's SHA-256 by which a timeline names the body."""
SHOWN = 2000
"""Rows of one liveblog that are read at once, the newest."""
CATCHING_UP = 60_000
"""Milliseconds after which a frame delivers nothing new: somebody comes back and catches up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostTime:
    """One time that the sync wrote a post. Times are Unix milliseconds, None where they are not known.

    `what`: posted, draft, corrected, restored, withdrawn, disallowed or deleted. `said_at`: the provider's own time, in whole
    seconds; `unsaid_at`: when the last answer came that did not say it yet; `answered_at`: when the answer that first said it
    was here; `believed_at`: when it counted; `committed_at`: when readers could have it; `delivered_at`: the first frame of a
    stream with it, whichever process sent that. `answers`: resource → digest of the body that stood then. `of_person`: the post as
    it stood until then, where a person had changed it.
    """

    game_id: str
    version: int
    local_id: str
    what: str
    said_at: int | None = None
    unsaid_at: int | None = None
    answered_at: int
    believed_at: int
    committed_at: int | None = None
    delivered_at: int | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    of_person: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Answers of one poll, and what became of them; or what became of a match whose sources were put together again.

    `answers`: resource → its outcome and the digest of the body that stands; `versions`: `ticker_id` of a liveblog that was
    looked at → the version that it had and the one that it has since; `written_at`: the instant of the unit (Unix seconds), the
    other times are milliseconds; `created`: the `ticker_id` of the liveblog that was made of the answers, empty for a poll.
    `health`: how the sources answered upon which was decided who leads, by their follows; None for a poll. `id`: 0 for a new one.
    """

    follow_id: str
    answered_at: int
    believed_at: int
    written_at: int
    pending: bool
    answers: Mapping[str, Sequence[str]]
    versions: Mapping[str, Sequence[int]]
    created: str = ""
    health: Mapping[str, Mapping[str, Any]] | None = None
    id: int = 0


class Commit(NamedTuple):
    """A version of a liveblog that is committed, and when (Unix milliseconds)."""

    game_id: str
    version: int
    committed_at: int


class FirstFrame(NamedTuple):
    """The first frame of a stream of one process with what came after the version `since` up to `version`.

    `sent_at`: when it was sent (Unix milliseconds).
    """

    game_id: str
    since: int
    version: int
    sent_at: int


_OF_GAME = post_times.c.game_id == bindparam("of_game")
_COMMITTED = (
    update(post_times)
    .where(_OF_GAME, post_times.c.version == bindparam("of_version"))
    .values(committed_at=bindparam("committed"))
)
_DELIVERED = (
    update(post_times)
    .where(
        _OF_GAME,
        post_times.c.version > bindparam("since"),
        post_times.c.version <= bindparam("until"),
        post_times.c.what != "draft",
        post_times.c.believed_at >= bindparam("sent") - CATCHING_UP,
        or_(post_times.c.delivered_at.is_(None), post_times.c.delivered_at > bindparam("sent")),
    )
    .values(delivered_at=bindparam("sent"))
)
"""Several processes may send one version: the earliest frame stays, whichever of them writes first."""


def post_rows(times: Iterable[PostTime]) -> list[TableWrite]:
    """What is to be written of these times, in the transaction of the posts."""
    return upsert(post_times, [asdict(each) for each in times])


def decision_row(decision: Decision) -> list[TableWrite]:
    """What is to be written of a decision, in the transaction of its answers."""
    return insert_rows(decisions, [{name: value for name, value in asdict(decision).items() if name != "id"}])


def finish(unit: Unit, commits: Iterable[Commit]) -> None:
    """Note when versions were committed: no transaction knows that of itself."""
    rows = [
        {"of_game": game_id, "of_version": version, "committed": committed_at}
        for game_id, version, committed_at in sorted(commits)  # all processes lock rows in one order
    ]
    if rows:
        unit.conn.execute(_COMMITTED, rows)


def deliver(unit: Unit, frames: Iterable[FirstFrame]) -> None:
    """Note when versions were first delivered, where no earlier frame of another process is noted."""
    rows = [
        {"of_game": game_id, "since": since, "until": version, "sent": sent_at}
        for game_id, since, version, sent_at in sorted(frames)
    ]
    if rows:
        unit.conn.execute(_DELIVERED, rows)


def times_of(conn: Connection, game_id: str, local_id: str | None = None) -> list[PostTime]:
    """The timeline of a liveblog's posts, or of one of them, the oldest first; of very many the newest `SHOWN`."""
    query = select(post_times).where(post_times.c.game_id == game_id)
    if local_id is not None:
        query = query.where(post_times.c.local_id == local_id)
    query = query.order_by(post_times.c.version.desc(), post_times.c.local_id).limit(SHOWN)
    return [PostTime(**row._asdict()) for row in reversed(conn.execute(query).all())]


def decisions_of(conn: Connection, follow_id: str) -> list[Decision]:
    """What was decided upon the answers of a match, the oldest first, as far back as it is kept."""
    query = select(decisions).where(decisions.c.follow_id == follow_id).order_by(decisions.c.id)
    return [Decision(**row._asdict()) for row in conn.execute(query)]


def deliveries_of(conn: Connection, game_id: str, since: int) -> list[tuple[int, int]]:
    """Versions of the liveblog that a webhook receiver has taken since then, and when (milliseconds), the first ones first."""
    table = webhook_rounds.c
    query = (
        select(table.version, table.at, table.took_ms)
        .where(table.game_id == game_id, table.at >= since / 1000, table.success)
        .order_by(table.at)
        .limit(SHOWN)
    )
    found = ((row.version, round(row.at * 1000) + row.took_ms) for row in conn.execute(query))
    return sorted(found, key=lambda pair: pair[1])


def purge(unit: Unit, *, before: int, limit: int = 500) -> int:
    """Forget what was believed before that time (milliseconds), `limit` rows of each kind; how many there were."""
    keys = (post_times.c.game_id, post_times.c.version, post_times.c.local_id)
    old = unit.conn.execute(select(*keys).where(post_times.c.believed_at < before).limit(limit)).all()
    gone = len(old)
    if old:
        query = delete(post_times).where(*(column == bindparam(f"old_{column.name}") for column in keys))
        unit.conn.execute(query, [{f"old_{name}": value for name, value in row._asdict().items()} for row in old])
    ids = select(decisions.c.id).where(decisions.c.believed_at < before).limit(limit)
    return gone + int(unit.conn.execute(delete(decisions).where(decisions.c.id.in_(ids))).rowcount)
