"""One poll of one match: fetch, and where something changed translate it and bring the liveblogs in line, in one unit.

A poll that finds nothing new costs no write. Between polls little is kept in memory (validators, state, health); bodies and
ledger stay in the store until something changes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import structlog

from ingest import syncing
from mapping.errors import DownstreamRejected, InvalidRequest
from mapping.match import Status
from mapping.terms import Terms
from providers.asking import UNKNOWN
from providers.base import Answer, Fetched, Known, Outcome, ProviderAdapter
from store import leases, sync

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlalchemy import Connection

    from ingest.remembered import Remembered
    from ingest.syncing import NewId
    from mapping.errors import ServiceError
    from mapping.match import Match
    from providers.base import Endpoint
    from store.database import Store
    from store.unit import Unit

    Record = Callable[[Endpoint, str, Iterable[Answer]], None]
    """Is shown the answers of every poll; does not block and does not raise."""

T = TypeVar("T")

log = structlog.get_logger()


def unrecorded(endpoint: Endpoint, match_id: str, answers: Iterable[Answer]) -> None:
    """What is polled is kept nowhere but in the store."""


@dataclass(slots=True)
class Followed:
    """What a process keeps in memory of a match that it follows. Times are Unix seconds, `due` is monotonic."""

    id: str
    match_id: str
    endpoint: str
    text: bool
    known: dict[str, Known]
    hints: Mapping[str, str]
    status: Status
    kickoff: int | None
    changed_at: float | None = None
    """When an answer last brought something new."""
    pending: bool = False
    failures: int = 0
    told: bool = False
    """A log line told that it fails."""
    bad: set[str] = field(default_factory=set)
    """Resources whose last answer was bad."""
    good_at: float | None = None
    polls: int = 0
    silent: bool = False
    afresh: bool = False
    """Another liveblog joined: the next poll asks for everything, whatever is known."""
    remembered: Mapping[str, Remembered] = field(default_factory=dict)
    """Its liveblogs as the last unit left them, by `ticker_id`."""
    busy: bool = False
    due: float = 0.0
    fence: int = 0
    """The lease under which this process writes for the match."""
    joined: int = 0
    """How many liveblogs had joined when it was last looked at afresh."""


def take_up(row: sync.FollowRow, resources: Mapping[str, sync.ResourceRow], *, text: bool) -> Followed:
    """A match as the store left it, to be taken up."""
    return Followed(
        id=row.id,
        match_id=row.match_id,
        endpoint=row.endpoint,
        text=text,
        known={name: Known(etag=each.etag, digest=each.digest, rows=each.rows) for name, each in resources.items()},
        hints=row.hints,
        status=Status(row.status),
        kickoff=row.kickoff,
        changed_at=row.changed_at,
        pending=bool(row.pending),
        bad={name for name, each in resources.items() if each.failures},
        good_at=row.good_at,
        fence=row.fence,
        joined=row.joined,
    )


def load(conn: Connection, follow_id: str) -> tuple[sync.FollowRow, dict[str, sync.ResourceRow], bool]:
    """A match's row, its resources, and whether any of its liveblogs wants text. Raises LookupError for no such match."""
    row = sync.follow(conn, follow_id)
    if row is None:
        raise LookupError(follow_id)
    wants_text = any(Terms.from_dict(each.terms).text for each in sync.attachments_of(conn, follow_id))
    return row, sync.resources(conn, follow_id), wants_text


@dataclass(frozen=True, slots=True)
class Poller:
    """Polls matches of one endpoint. `clock` gives Unix seconds, `new_id` the `local_id` of a new post."""

    adapter: ProviderAdapter
    store: Store
    clock: Callable[[], float]
    new_id: NewId
    record: Record = unrecorded

    async def poll(self, match: Followed) -> Fetched:
        """Ask once; raises ServiceError when the answer or the store cannot be used, and then nothing of it is kept."""
        if match.afresh:
            match.known, match.remembered, match.afresh = {}, {}, False
        match.polls += 1
        fetched = await self.adapter.fetch(match.match_id, match.known, text=match.text, hints=match.hints)
        self.record(self.adapter.endpoint, match.match_id, fetched.answers)
        if fetched.changed or (match.pending and fetched.good):
            try:
                await self._apply(match, fetched)
            except (DownstreamRejected, InvalidRequest) as error:
                await self._refuse(match, fetched, error)
                raise
        elif {answer.resource for answer in fetched.failed} != match.bad:
            await self._write(match, partial(syncing.note_health, follow_id=match.id, answers=fetched.answers))
        for answer in fetched.answers:
            _note(match, answer)
        if fetched.good:
            match.good_at = self.clock()
        return fetched

    async def _refuse(self, match: Followed, fetched: Fetched, error: ServiceError) -> None:
        """Answers of which no match can be made are bad, though each by itself is good: health says why, posts stay."""
        refused = [replace(answer, outcome=Outcome.FAILED, error=error) for answer in fetched.changed]
        await self._write(match, partial(syncing.note_health, follow_id=match.id, answers=refused))
        match.bad.update(answer.resource for answer in refused)

    async def close(self, match: Followed) -> None:
        """The window after the end is over: settle what is still open, once."""
        await self._apply(match, Fetched(answers=(), hints=match.hints), closing=True)

    async def _apply(self, match: Followed, fetched: Fetched, *, closing: bool = False) -> None:
        bodies = await self.store.glance(partial(sync.bodies, follow_id=match.id))
        bodies |= {answer.resource: answer.body for answer in fetched.changed if answer.body is not None}
        translated = self.adapter.translate(match.match_id, bodies)
        for fault in translated.faults:
            log.info("match.row_skipped", match=match.match_id, **asdict(fault))
        snapshot = syncing.Snapshot(
            match=translated,
            good=sources(fetched, self.adapter, translated),
            answers=fetched.answers,
            hints=fetched.hints,
        )
        # Whether a unit that fails is written is not always known: then nothing is remembered.
        remembered, match.remembered = match.remembered, {}
        applied = await self._write(
            match,
            partial(
                syncing.apply,
                follow_id=match.id,
                snapshot=snapshot,
                new_id=self.new_id,
                closing=closing,
                remembered=remembered,
            ),
        )
        match.remembered = applied.remembered
        if translated.status is not match.status:
            log.info("match.status_changed", match=match.match_id, status=translated.status.value)
        if fetched.changed or match.changed_at is None:
            match.changed_at = self.clock()
        if translated.kickoff is not None:  # a time that the provider does not know any more is no other time
            match.kickoff = translated.kickoff
        match.status, match.pending = translated.status, applied.pending
        match.hints = fetched.hints

    async def _write(self, match: Followed, work: Callable[[Unit], T]) -> T:
        """Every write for a match asks whether it is still ours. Raises Superseded when it is not."""
        return await self.store.write(partial(leases.fenced, work=work, follow_id=match.id, fence=match.fence))


def sources(fetched: Fetched, adapter: ProviderAdapter, match: Match) -> frozenset[str]:
    """The sources of posts that this poll confirms: `play` if every resource of the match itself answered well.

    An answer that hides posts (mapping.match.Fault) confirms nothing: what was posted stays.
    """
    doubtful = match.hiding.union(answer.resource for answer in fetched.failed)
    asked = {answer.resource for answer in fetched.answers}
    text = {adapter.text_resource}
    play = ("play", asked - text, doubtful - text)
    return frozenset(
        name for name, needed, bad in (play, ("text", asked & text, doubtful & text)) if needed and not bad
    )


def _note(followed: Followed, answer: Answer) -> None:
    """Remember validators of good answers, and who answered badly."""
    if answer.outcome is Outcome.FAILED:
        followed.bad.add(answer.resource)
        return
    followed.bad.discard(answer.resource)
    earlier = followed.known.get(answer.resource, UNKNOWN)
    if answer.outcome is Outcome.CHANGED:
        followed.known[answer.resource] = Known(etag=answer.etag, digest=answer.digest, rows=answer.rows)
    elif answer.etag and answer.etag != earlier.etag:
        followed.known[answer.resource] = replace(earlier, etag=answer.etag)
