"""One poll of one match: fetch, and where something changed translate it and bring the liveblogs in line, in one unit.

A poll that finds nothing new costs no write. Between polls little is kept in memory (validators, state, health); bodies and
ledger stay in the store until something changes.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

import structlog

from ingest.daemon.containment import AGAIN
from ingest.sync import apply_snapshot, batches
from ingest.sync.caps import check, people_of, rows_of, within
from ingest.sync.poll_counts import PollCounts
from ingest.sync.snapshot import Snapshot
from mapping.believed import believed
from mapping.errors import DownstreamRejected, InvalidRequest, ServiceError
from mapping.parts import Part
from providers.base import Answer, Fetched, Known, Outcome, ProviderAdapter
from providers.fetch import LARGE, UNKNOWN, beside
from store import leases, masterdata, sync
from store.errors import UnreadableRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlalchemy import Connection

    from config.sections import Limits
    from ingest.sync.apply_snapshot import NewId
    from ingest.sync.batches import Progress
    from ingest.sync.snapshot import CachedInputs
    from mapping.match import Match, Status
    from mapping.terms import Terms
    from providers.base import Endpoint
    from store.database import Store
    from store.unit import Unit

    Record = Callable[[Endpoint, str, Iterable[Answer]], None]
    """Takes the answers of every poll; does not block and does not raise."""

T = TypeVar("T")

PEOPLE = 100
"""People of a match that one unit imports; most squads have far fewer."""
FAULTS_LOGGED = 20
"""Rows left out of an answer that the log names, at most."""
RATIO = 8
"""By so much a stored body is larger than what is stored of it, more or less."""

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
    logged: bool = False
    """That it fails has been logged."""
    bad: set[str] = field(default_factory=set)
    """Resources whose last answer was bad."""
    good_at: float | None = None
    polls: int = 0
    silent: bool = False
    afresh: bool = False
    """Another liveblog joined: the next poll fetches everything, whatever is known."""
    cached: Mapping[str, CachedInputs] = field(default_factory=dict)
    """Its liveblogs as the last unit left them, by `ticker_id`."""
    unreadable: UnreadableRow | None = None
    """What of its resources could not be read when it was taken up."""
    squads: int | None = None
    """What the people are made of that were imported last, where there are very many (a hash)."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Liveblogs that the last poll could not bring in line, by `ticker_id`, and why."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Those of which that was logged."""
    lost_in: int | None = None
    """The outage of the store in which the match could not be written last."""
    relapses: int = 0
    """How many outages in a row have hit it."""
    again: float = math.inf
    """When those are tried again, whatever the provider answers (monotonic)."""
    busy: bool = False
    hurried: bool = False
    """It was just taken up and is polled soon; the poll after that finds its place in the interval."""
    due: float = 0.0
    fence: int = 0
    """The lease under which this process writes for the match."""
    joined: int = 0
    """How many liveblogs had joined when it was last looked at afresh."""

    def clock_set(self, seconds: float) -> None:
        """The wall clock was set by so many seconds: what is known gets neither older nor younger by that."""
        self.good_at = None if self.good_at is None else self.good_at + seconds
        self.changed_at = None if self.changed_at is None else self.changed_at + seconds


def take_up(row: sync.FollowRow, resources: Mapping[str, sync.ResourceRow], *, text: bool) -> Followed:
    """A match as the store left it, to be taken up. Raises UnreadableRow."""
    known: dict[str, Known] = {}
    unreadable: UnreadableRow | None = None
    for name, each in resources.items():
        try:
            sync.check_resource(each)
        except UnreadableRow as error:  # it is fetched as if nothing were known of it, and written anew
            unreadable = error
        else:
            known[name] = Known(etag=each.etag, digest=each.digest, rows=each.rows)
    return Followed(
        id=row.id,
        match_id=row.match_id,
        endpoint=row.endpoint,
        text=text,
        known=known,
        hints=row.hints,
        status=sync.status_of(row),
        kickoff=row.kickoff,
        changed_at=row.changed_at,
        pending=bool(row.pending),
        bad={name for name, each in resources.items() if each.failures},
        good_at=row.good_at,
        fence=row.fence,
        joined=row.joined,
        unreadable=unreadable,
    )


def load(conn: Connection, follow_id: str) -> tuple[sync.FollowRow, dict[str, sync.ResourceRow], bool]:
    """A match's row, its resources, and whether any of its liveblogs wants text. Raises LookupError for no such match."""
    row = sync.follow(conn, follow_id)
    if row is None:
        raise LookupError(follow_id)
    wants_text = any(terms.text for terms in _readable_terms(sync.attachments_of(conn, follow_id)))
    return row, sync.resources(conn, follow_id), wants_text


def _readable_terms(liveblogs: Iterable[sync.Attachment]) -> set[Terms]:
    """On which terms these are; those that cannot be read are left out when the match is applied."""
    found: set[Terms] = set()
    for each in liveblogs:
        with suppress(UnreadableRow):
            found.add(sync.terms_of(each))
    return found


@dataclass(frozen=True, slots=True)
class Poller:
    """Polls matches of one endpoint. `clock` gives Unix seconds, `new_id` the `local_id` of a new post."""

    adapter: ProviderAdapter
    store: Store
    clock: Callable[[], float]
    new_id: NewId
    record: Record
    limits: Limits
    counts: PollCounts = field(default_factory=PollCounts)

    async def poll(self, match: Followed) -> Fetched:
        """Fetch once. Raises ServiceError when the answers or the store cannot be used; then nothing of them is kept."""
        if match.afresh:
            match.known, match.cached, match.afresh = {}, {}, False
        match.polls += 1
        everything = await self._fetch(match)
        answered = monotonic()
        fetched = within(self.limits, everything)
        self.record(self.adapter.endpoint, match.match_id, everything.answers)
        await self._take_in(match, fetched)
        if fetched.changed:
            self.counts.commit.observe(monotonic() - answered)
        for answer in fetched.answers:
            _keep_validators(match, answer)
        if fetched.good:
            match.good_at = self.clock()
        return fetched

    async def _fetch(self, match: Followed) -> Fetched:
        self.counts.late.observe(monotonic() - match.due if match.due else 0.0)
        try:
            fetched = await self.adapter.fetch(match.match_id, match.known, text=match.text, hints=match.hints)
        except ServiceError:
            self.counts.failed += 1
            raise
        self.counts.end(fetched)
        return fetched

    async def _take_in(self, match: Followed, fetched: Fetched) -> None:
        """Apply what is new or was left open; else write the health of the resources, where it has changed."""
        if fetched.changed or ((match.pending or monotonic() >= match.again) and fetched.good):
            try:
                await self._apply(match, fetched)
            except (DownstreamRejected, InvalidRequest) as error:
                await self._refuse(match, fetched, error)
                raise
        elif {answer.resource for answer in fetched.failed} != match.bad:
            await self._save_health(match, fetched.answers)

    async def _refuse(self, match: Followed, fetched: Fetched, error: ServiceError) -> None:
        """Answers of which no match can be made are bad, though each by itself is good: health says why, posts stay."""
        refused = [replace(answer, outcome=Outcome.FAILED, error=error) for answer in fetched.changed]
        await self._save_health(match, refused)
        match.bad.update(answer.resource for answer in refused)

    async def _save_health(self, match: Followed, answers: Iterable[Answer]) -> None:
        await self._write(match, partial(apply_snapshot.save_health, follow_id=match.id, answers=answers))

    async def close(self, match: Followed) -> None:
        """The window after the end is over: settle what is still open, once."""
        await self._apply(match, Fetched(answers=(), hints=match.hints), closing=True)

    async def _apply(self, match: Followed, fetched: Fetched, *, closing: bool = False) -> None:
        snapshot = await self._translate(match, fetched)
        now = snapshot.match
        await self._prepare(match, snapshot)
        applied = await self._bring_in_line(match, snapshot, closing=closing)
        match.cached, match.failed = applied.cached, applied.failed
        match.again = monotonic() + AGAIN if applied.failed else math.inf
        if now.status is not match.status:
            log.info("match.status_changed", match=match.match_id, status=now.status.value)
        if fetched.changed or match.changed_at is None:
            match.changed_at = self.clock()
        if now.kickoff is not None:  # a time that the provider does not know any more is no other time
            match.kickoff = now.kickoff
        match.status, match.pending = now.status, snapshot.pending
        match.hints = fetched.hints

    async def _translate(self, match: Followed, fetched: Fetched) -> Snapshot:
        """The match as it is believed after these answers.

        Raises DownstreamRejected where there is none in them, or too large a one, and UnreadableRow.
        """
        stored, belief = await self.store.glance(partial(sync.packed_match, follow_id=match.id))
        size = sum(len(answer.body or b"") for answer in fetched.changed) + RATIO * sum(map(len, stored.values()))
        snapshot = await beside(size, self._believed, match.match_id, stored, belief, fetched)
        for fault in snapshot.match.faults[:FAULTS_LOGGED]:
            log.info("match.row_skipped", match=match.match_id, **asdict(fault))
        if len(snapshot.match.faults) > FAULTS_LOGGED:
            log.info("match.rows_skipped", match=match.match_id, rows=len(snapshot.match.faults))
        return snapshot

    def _believed(self, match_id: str, stored: Mapping[str, bytes], packed: bytes | None, fetched: Fetched) -> Snapshot:
        """What is believed of the match, of stored and new bodies; `packed`: what was believed before, as it is stored."""
        changed = {answer.resource: answer.body for answer in fetched.changed if answer.body is not None}
        bodies = sync.unpacked({name: body for name, body in stored.items() if name not in changed}) | changed
        translated = self.adapter.translate(match_id, bodies)
        check(self.limits, translated)
        before = None if packed is None else sync.unpacked_belief(packed)
        belief = believed(before, translated, good=confirmed_parts(fetched, self.adapter, translated))
        after = sync.packed_belief(belief)
        return Snapshot(
            match=belief.match,
            pending=bool(belief.doubted) or (belief.unconfirmed and self._failed(fetched)),
            belief=None if after == packed else after,
            packed={name: sync.packed(body) for name, body in changed.items()},
            answers=fetched.answers,
            hints=fetched.hints,
        )

    def _failed(self, fetched: Fetched) -> bool:
        """Whether a resource of the match itself brought no good answer; it may bring one at the next poll."""
        return any(answer.resource != self.adapter.text_resource for answer in fetched.failed)

    async def _prepare(self, match: Followed, snapshot: Snapshot) -> None:
        """What would take long in a unit, of a match that is large; very many people are imported at each change of them."""
        people, rows = people_of(snapshot.match), rows_of(snapshot.match)
        if people <= PEOPLE and rows <= batches.LOOK:
            return
        liveblogs = await self.store.glance(partial(sync.attachments_of, follow_id=match.id))
        if rows > batches.LOOK:
            await beside(LARGE + 1, snapshot.prepare, _readable_terms(liveblogs))
        made_of = hash((snapshot.match.home, snapshot.match.away, snapshot.match.race, match.joined))
        if people > PEOPLE and match.squads != made_of:
            await import_squads(self.store, snapshot.match, {each.organization_id for each in liveblogs})
            match.squads = made_of

    async def _bring_in_line(self, match: Followed, snapshot: Snapshot, *, closing: bool) -> Progress:
        """Apply the snapshot: in one unit, or in as many as it takes; a liveblog that cannot be is left out."""
        # Whether a unit that fails is written is not always known: then nothing is cached.
        cached, match.cached = match.cached, {}
        progress = apply_snapshot.BEGINNING
        while not progress.finished:
            work = partial(
                apply_snapshot.apply,
                follow_id=match.id,
                snapshot=snapshot,
                new_id=self.new_id,
                closing=closing,
                cached=cached,
                progress=progress,
            )
            try:
                progress = await self._write(match, work)
            except apply_snapshot.LiveblogFailed as failed:
                log.debug("liveblog.failed", match=match.match_id, game=failed.game_id, exc_info=failed.__cause__)
                progress = progress.without(failed.game_id, failed.cause)
            match.pending = match.pending or not progress.finished
        return progress

    async def _write(self, match: Followed, work: Callable[[Unit], T]) -> T:
        """Run the unit under the lease of the match. Raises Superseded when another process has taken it."""
        return await self.store.write(partial(leases.fenced, work=work, follow_id=match.id, fence=match.fence))


async def import_squads(store: Store, match: Match, owners: Iterable[str]) -> None:
    """Bring very many people into the master data of the organizations, some in each unit; few come with the liveblog."""
    if people_of(match) <= PEOPLE:
        return
    for owner in sorted(owners):
        work = partial(masterdata.import_people, owner_id=owner, source=match.provider, match=match, number=PEOPLE)
        begin = 0
        while await store.write(partial(work, begin=begin)):
            begin += PEOPLE


def confirmed_parts(fetched: Fetched, adapter: ProviderAdapter, match: Match) -> frozenset[Part]:
    """The parts of the match that this poll confirms: those of which all resources that carry them answered well.

    An answer that blocks withdrawals (mapping.match.Fault) confirms nothing: what was posted stays.
    """
    bad = match.withdrawal_blocked.union(answer.resource for answer in fetched.failed)
    answered = frozenset(answer.resource for answer in fetched.answers)
    text = frozenset(filter(None, [adapter.text_resource]))
    carried_by = {**dict.fromkeys(Part, answered - text), **adapter.carried_by, Part.TEXT: text}
    return frozenset(
        part for part, carriers in carried_by.items() if carriers & answered and not carriers & answered & bad
    )


def _keep_validators(followed: Followed, answer: Answer) -> None:
    """Keep the validators of a good answer, and which resources answered badly."""
    if answer.outcome is Outcome.FAILED:
        followed.bad.add(answer.resource)
        return
    followed.bad.discard(answer.resource)
    earlier = followed.known.get(answer.resource, UNKNOWN)
    if answer.outcome is Outcome.CHANGED:
        followed.known[answer.resource] = Known(etag=answer.etag, digest=answer.digest, rows=answer.rows)
    elif answer.etag and answer.etag != earlier.etag:
        followed.known[answer.resource] = replace(earlier, etag=answer.etag)
