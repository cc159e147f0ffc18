"""The timeline of posts: written with each post, completed after the commit, read to see why a goal was late.

For each time that the sync wrote a post: when it was said, seen, believed, committed and delivered, and whose time it was.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import structlog
from sqlalchemy import Boolean, Column, Connection, ForeignKey, Index, Table, bindparam, or_, select, update

from mapping.errors import ServiceError
from mapping.fusion.source_chain import lead_changes
from mapping.rules.lateness import iso_instant, lateness, verdict, whose
from store.database import Store
from store.engine.columns import Counter, integer, json, metadata, text
from store.engine.liveblog_records import StoredGame
from store.engine.loops import LoggedLoop, repeat
from store.engine.statements import TableWrite, delete_some, insert_rows, upsert
from store.engine.unit import Unit
from store.following import follow_rows, standbys
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


T = TypeVar("T")
log = structlog.get_logger()
TURN = 0.5
"""Seconds between two looks at what is to be noted."""
WAITING = 10_000
"""Commits and frames that may wait to be noted; of more the oldest are left without."""
TOGETHER = 200
"""Of each, so many are noted by one unit."""
LINES = 100
"""Posts of one commit that the log names, at most."""
INSTANTS = ("said", "unsaid", "answered", "believed", "committed", "delivered")
POSTS = 200
"""Posts of a liveblog that are shown at once, those that were written last."""


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
    tables = (post_times, decisions)
    return sum(delete_some(unit.conn, table, table.c.believed_at < before, limit=limit) for table in tables)


class CommittedPosts(NamedTuple):
    """Posts of one commit, and what the log calls their match and endpoint."""

    times: Sequence[PostTime]
    committed_at: int
    match: str
    endpoint: str


class PostTimeline:
    """Notes commits and first frames a moment later, many in one unit, in every process: a crash loses no more than them.

    `clock` gives Unix seconds.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._commits: deque[CommittedPosts] = deque(maxlen=WAITING)
        self._frames: deque[FirstFrame] = deque(maxlen=WAITING)

    def committed(self, posts: CommittedPosts) -> None:
        """Posts are committed; what is not there to be noted is nothing."""
        if posts.times:
            self._commits.append(posts)

    def sent(self, game_id: str, since: int, version: int) -> None:
        """A stream's first frame with what came after the version `since` up to `version` was sent; the earliest one counts."""
        self._frames.append(FirstFrame(game_id, since, version, round(self._clock() * 1000)))

    async def write(self) -> None:
        """Note and log what waits. Unwritten entries are retried."""
        while self._commits or self._frames:
            frames, commits = _first(self._frames), _first(self._commits)
            try:
                await self._store.write(partial(_note, frames=frames, commits=commits))
            except ServiceError:
                self._frames.extendleft(reversed(frames))
                self._commits.extendleft(reversed(commits))
                return
            for posts in commits:
                await _log(posts)

    async def run(self) -> None:
        """Note what there is, again and again until the task is cancelled."""

        async def turn() -> None:
            await asyncio.sleep(TURN)
            await self.write()

        await repeat(turn, LoggedLoop("timelines"))

    async def close(self) -> None:
        """Note what waits, for a second at most."""
        try:
            async with asyncio.timeout(1):
                await self.write()
        except (TimeoutError, ServiceError):
            return


def _first(waiting: deque[T]) -> list[T]:
    return [waiting.popleft() for _ in range(min(TOGETHER, len(waiting)))]


def _note(unit: Unit, frames: Sequence[FirstFrame], commits: Sequence[CommittedPosts]) -> None:
    versions = {(each.game_id, each.version): posts.committed_at for posts in commits for each in posts.times}
    finish(unit, [Commit(*version, at) for version, at in versions.items()])
    deliver(unit, frames)


async def _log(posts: CommittedPosts) -> None:
    about = {"match": posts.match, "endpoint": posts.endpoint}
    for each in posts.times[:LINES]:
        step = step_of(replace(each, committed_at=posts.committed_at))
        instants = {name: step["at"][name] for name in ("said", "answered", "believed", "committed")}
        said = {"liveblog": each.game_id, "post": each.local_id, "version": each.version, "what": each.what, **instants}
        log.info("post.written", **about, **said, total=step["seconds"]["total"], late=step["late"])
        await asyncio.sleep(0)  # so that many lines keep nobody waiting
    if len(posts.times) > LINES:
        log.info("posts.written", **about, posts=len(posts.times))


def timeline_of(conn: Connection, game: StoredGame, post: str | None = None) -> dict[str, Any]:
    """The posts that the sync wrote, or one of them by its `local_id`; those written last come first."""
    steps: dict[str, list[PostTime]] = {}
    for time in reversed(times_of(conn, game.id, post)):
        steps.setdefault(time.local_id, []).insert(0, time)
    some = dict(list(steps.items())[:POSTS])
    since = min((time.answered_at for times in some.values() for time in times), default=0)
    taken = deliveries_of(conn, game.id, since) if some else []
    attachment = follow_rows.attachment(conn, game.id)
    return {
        "provider": None if attachment is None else attachment.provider,
        "matchId": None if attachment is None else attachment.match_id,
        "leads": [] if attachment is None else _leads(conn, attachment),
        "posts": [_post(name, times, taken) for name, times in some.items()],
    }


def _leads(conn: Connection, attachment: follow_rows.Attachment) -> list[dict[str, Any]]:
    """Who has led the match since when and why, as far as somebody else than its first source ever did."""
    beside = standbys.of_liveblog(conn, attachment.game_id)
    providers = [attachment.provider, *(each.provider for each in beside)]
    return [
        {
            "at": iso_instant(round(each.lead.since * 1000)),
            "provider": providers[each.place],
            "reason": each.lead.reason.value,
        }
        for each in lead_changes([row.known() for row in beside])
    ]


def _post(name: str, times: Sequence[PostTime], taken: Sequence[tuple[int, int]]) -> dict[str, Any]:
    steps = [step_of(time, taken) for time in times]
    return {"eventId": name, "whose": steps[0]["whose"], "late": steps[0]["late"], "steps": steps}


def step_of(time: PostTime, taken: Iterable[tuple[int, int]] = ()) -> dict[str, Any]:
    """One time that the sync wrote a post; `taken`: versions that a webhook receiver has taken, and when (milliseconds)."""
    instants = {name: getattr(time, f"{name}_at") for name in INSTANTS}
    found = lateness(**{name: instants[name] for name in INSTANTS if name != "delivered"})
    instants["webhook"] = next((at for version, at in taken if version >= time.version), None)
    return {
        "what": time.what,
        "version": time.version,
        "at": {name: iso_instant(at) for name, at in instants.items()},
        "seconds": {
            "provider": found.provider,
            "betweenPolls": found.between,
            "confirmation": found.waited,
            "written": found.written,
            "total": found.total,
        },
        "whose": whose(found),
        "late": verdict(found),
        "answers": dict(time.answers),
    }
