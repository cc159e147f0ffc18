"""One poll of one match: fetch, and where something changed translate it and bring the liveblogs in line, in one unit.

A poll that finds nothing new costs no write. Between polls little is kept in memory (validators, state, health); bodies and
ledger stay in the store until something changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from time import monotonic
from typing import TypeVar

import structlog

from config.sections import Limits
from ingest.kit.quarantine import AGAIN
from ingest.sync import apply_match, batches
from ingest.sync.answers import save_health
from ingest.sync.apply_snapshot import NewId
from ingest.sync.batches import Progress
from ingest.sync.beliefs import Before, BeliefLost, check, check_same, people_of, posted_of, rows_of, within
from ingest.sync.followed_match import Arrival, FollowedMatch, PostDelays, everybody, readable_terms
from ingest.sync.snapshot import AnswerTimes, Snapshot
from ingest.sync.standby_sources import StandbyRules
from mapping.belief.confirm import confirm_answer
from mapping.belief.doubts import by_name
from mapping.belief.set_again import is_before_start
from mapping.errors import DownstreamRejected, InvalidRequest, ServiceError
from mapping.fusion.leading_source import SourceHealth
from mapping.match.match import Match
from mapping.match.parts import Part
from mapping.posts.disallowed import WithdrawalRules
from mapping.posts.from_posts import with_posts_alone
from providers.base import Answer, Endpoint, Fetched, Known, Outcome, ProviderAdapter
from providers.fetch import LARGE, UNKNOWN, beside
from store.database import Store
from store.engine.spans import Durations
from store.engine.unit import Unit
from store.following import closing as endings
from store.following import leases, standbys, sync
from store.masterdata import masterdata
from store.timeline.post_timeline import CommittedPosts, PostTimeline
from store.timeline.timeline import PostTime

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


def record_nothing(endpoint: Endpoint, match_id: str, answers: Iterable[Answer]) -> None:
    """What is polled is kept nowhere but in the store."""


@dataclass(slots=True)
class PollCounts:
    """Counts of polls by outcome; how late polls and posts were; seconds that changes took from their response to their commit."""

    changed: int = 0
    unchanged: int = 0
    failed: int = 0
    late: Durations = field(default_factory=Durations)
    commit: Durations = field(default_factory=Durations)
    delays: PostDelays = field(default_factory=PostDelays)

    def end(self, fetched: Fetched) -> None:
        """Count a poll that brought a response."""
        if fetched.changed:
            self.changed += 1
        elif fetched.good:
            self.unchanged += 1
        else:
            self.failed += 1


@dataclass(frozen=True, slots=True)
class Poller:
    """Polls matches of one endpoint. `clock` gives Unix seconds, `new_id` the `local_id` of a new post."""

    adapter: ProviderAdapter
    store: Store
    clock: Callable[[], float]
    new_id: NewId
    record: Record
    limits: Limits
    serves: Callable[[str, str], bool] = everybody
    withdrawals: WithdrawalRules | None = None
    standby: StandbyRules | None = None
    counts: PollCounts = field(default_factory=PollCounts)
    timeline: PostTimeline = field(kw_only=True)

    async def poll(self, match: FollowedMatch) -> Fetched:
        """Fetch once. Raises ServiceError when the answers or the store cannot be used; then nothing of them is kept."""
        if match.afresh:
            match.known, match.cached, match.afresh = {}, {}, False
        match.polls += 1
        first = not match.known
        received = await self._fetch(match)
        arrival = Arrival(self.clock, first=first)
        fetched = within(self.limits, received) if received.changed else received
        self.record(self.adapter.endpoint, match.match_id, received.everything)
        await self.take_in(match, fetched, arrival)
        if fetched.changed:
            self.counts.commit.observe(monotonic() - arrival.fetched_at)
        for answer in fetched.everything:
            _keep_validators(match, answer)
        if match.set_again:
            match.known = {name: replace(each, rows=0) for name, each in match.known.items()}
        if fetched.good:
            match.good_at = self.clock()
            match.waiting.answered_at = arrival.at(arrival.fetched_at)
        return fetched

    async def _fetch(self, match: FollowedMatch) -> Fetched:
        self.counts.late.observe(monotonic() - match.due if match.due else 0.0)
        try:
            fetched = await self.adapter.fetch(match.match_id, match.known, text=match.text, hints=match.hints)
        except ServiceError:
            self.counts.failed += 1
            raise
        self.counts.end(fetched)
        return fetched

    def _has_endpoint(self, organization_id: str) -> bool:
        return self.serves(self.adapter.endpoint.key, organization_id)

    async def take_in(self, match: FollowedMatch, fetched: Fetched, arrival: Arrival) -> None:
        """Apply what is new or was left open; else write the health of the resources, where it has changed."""
        if fetched.changed or ((match.pending or monotonic() >= match.again) and fetched.good):
            try:
                await self._apply(match, fetched, arrival)
            except (DownstreamRejected, InvalidRequest) as error:
                await self._refuse(match, fetched, error)
                raise
        elif {each.resource for each in fetched.everything if each.outcome is Outcome.FAILED} != match.bad:
            await self._save_health(match, fetched.everything)

    async def _refuse(self, match: FollowedMatch, fetched: Fetched, error: ServiceError) -> None:
        """Answers of which no match can be made are bad, though each by itself is good: health says why, posts stay."""
        refused = [replace(answer, outcome=Outcome.FAILED, error=error) for answer in fetched.changed]
        await self._save_health(match, refused)
        match.bad.update(answer.resource for answer in refused)

    async def _save_health(self, match: FollowedMatch, answers: Iterable[Answer]) -> None:
        await self._write(match, partial(save_health, follow_id=match.id, answers=answers))

    async def close(self, match: FollowedMatch) -> None:
        """The window after the end is over: settle what is still open, once; nothing where all bodies are forgotten."""
        if await self.store.read_for_write(partial(sync.packed_bodies, follow_id=match.id)):
            arrival = Arrival(self.clock, first=True)
            await self._apply(match, Fetched(answers=(), hints=match.hints), arrival, closing=True)
        else:
            await self._write(match, partial(endings.close_match, follow_id=match.id, serves=self._has_endpoint))

    async def _apply(self, match: FollowedMatch, fetched: Fetched, arrival: Arrival, *, closing: bool = False) -> None:
        snapshot = await self._translate(match, fetched, closing=closing)
        now = snapshot.match
        await self._prepare(match, snapshot)
        times = match.waiting.times(arrival, fetched, text=self.adapter.text_resource, known=match.known)
        snapshot = replace(snapshot, times=times)
        applied = await self._bring_in_line(match, snapshot, arrival, closing=closing)
        match.waiting.written(times, snapshot.doubted)
        match.cached, match.failed = applied.cached, applied.failed
        match.again = monotonic() + AGAIN if applied.failed else math.inf
        if now.sent_status is not match.status:
            log.info("match.status_changed", match=match.match_id, status=now.sent_status.value)
        if snapshot.changed or match.changed_at is None:
            match.changed_at = self.clock()
        if now.kickoff is not None:  # a time that the provider does not know any more is no other time
            match.kickoff = now.kickoff
        match.status, match.pending = now.sent_status, snapshot.pending
        match.hints, match.set_again = fetched.hints, snapshot.set_again
        if match.supports:
            await self._support(match, times, arrival)

    async def _translate(self, match: FollowedMatch, fetched: Fetched, *, closing: bool) -> Snapshot:
        """The match as it is believed after these answers.

        Raises DownstreamRejected where there is none in them, or too large a one, and UnreadableRow.
        """
        stored, belief = await self.store.read_for_write(partial(sync.packed_match, follow_id=match.id))
        confirm = partial(self._confirm, closing=closing)
        size = sum(len(answer.body or b"") for answer in fetched.changed) + RATIO * sum(map(len, stored.values()))
        try:
            snapshot = await beside(size, confirm, match, stored, fetched, Before(belief))
        except BeliefLost as lost:
            if belief is not None:
                log.warning("match.belief_lost", match=match.match_id, cause=str(lost.__cause__))
            posted = await self.store.read_for_write(partial(posted_of, follow_id=match.id))
            snapshot = await beside(size, confirm, match, stored, fetched, Before(None, posted))
        for fault in snapshot.match.faults[:FAULTS_LOGGED]:
            log.info("match.row_skipped", match=match.match_id, **asdict(fault))
        if len(snapshot.match.faults) > FAULTS_LOGGED:
            log.info("match.rows_skipped", match=match.match_id, rows=len(snapshot.match.faults))
        return snapshot

    def _confirm(
        self,
        match: FollowedMatch,
        stored: Mapping[str, bytes],
        fetched: Fetched,
        before: Before,
        *,
        closing: bool,
    ) -> Snapshot:
        """What is believed of the match, of stored and new bodies. Raises BeliefLost where it is not known what was before."""
        changed = {answer.resource: answer.body for answer in fetched.changed if answer.body is not None}
        translated = self.adapter.translate(match.match_id, _together(stored, changed))
        check(self.limits, translated)
        known = before.belief(translated)
        check_same(known, translated)
        good = confirmed_parts(fetched, self.adapter, translated)
        belief = confirm_answer(known, translated, good=good, closing=closing)
        belief = with_posts_alone(known, belief, translated)
        after = sync.packed_belief(belief)
        differs = after != before.packed
        return Snapshot(
            match=belief.match,
            doubted=frozenset(by_name(belief.doubted)),
            pending=bool(belief.doubted) or (belief.unconfirmed and self._failed(fetched)),
            changed=bool(changed) and differs and match.lately.adds(known, belief),
            belief=after if differs else None,
            set_again=belief.memory.earlier is not None and is_before_start(belief.match),
            packed={name: sync.pack_body(body) for name, body in changed.items()},
            answers=fetched.everything,
            hints=fetched.hints,
        )

    def _failed(self, fetched: Fetched) -> bool:
        """Whether a resource of the match itself brought no good answer; it may bring one at the next poll."""
        return any(answer.resource != self.adapter.text_resource for answer in fetched.failed)

    async def _prepare(self, match: FollowedMatch, snapshot: Snapshot) -> None:
        """What would take long in a unit, of a match that is large; very many people are imported at each change of them."""
        people, rows = people_of(snapshot.match), rows_of(snapshot.match)
        if people <= PEOPLE and rows <= batches.LOOK:
            return
        attached = await self.store.read_for_write(partial(sync.attachments_of, follow_id=match.id))
        liveblogs = [each for each in attached if self._has_endpoint(each.organization_id)]
        if rows > batches.LOOK:
            await beside(LARGE + 1, snapshot.prepare, readable_terms(liveblogs))
        made_of = hash((snapshot.match.home, snapshot.match.away, snapshot.match.race, match.joined))
        if people > PEOPLE and match.squads != made_of:
            await import_squads(self.store, snapshot.match, {each.organization_id for each in liveblogs})
            match.squads = made_of

    @property
    def _rules(self) -> apply_match.WritingRules:
        return apply_match.WritingRules(
            new_id=self.new_id, serves=self._has_endpoint, withdrawals=self.withdrawals, standby=self.standby
        )

    async def _bring_in_line(
        self, match: FollowedMatch, snapshot: Snapshot, arrival: Arrival, *, closing: bool
    ) -> Progress:
        """Apply the snapshot: in one unit, or in as many as it takes; a liveblog that cannot be is left out."""
        # Whether a unit that fails is written is not always known: then nothing is cached.
        cached, match.cached = match.cached, {}
        apply = partial(
            apply_match.apply,
            follow_id=match.id,
            snapshot=snapshot,
            rules=self._rules,
            closing=closing,
            cached=cached,
        )
        return await self._steps(match, lambda done: _under_lease(match, partial(apply, progress=done)), arrival)

    async def _steps(
        self, match: FollowedMatch, unit: Callable[[Progress], Callable[[Unit], Progress]], arrival: Arrival
    ) -> Progress:
        """Run the units that it takes, each from where the last one has come; `match` is pending until the last is written."""
        progress = apply_match.EVERYTHING
        while not progress.finished:
            progress = await self._step(match, unit(progress), progress, arrival)
            match.pending = match.pending or not progress.finished
        return progress

    async def _step(
        self, match: FollowedMatch, unit: Callable[[Unit], Progress], before: Progress, arrival: Arrival
    ) -> Progress:
        """How far the unit has come, without a liveblog that it cannot bring in line; its posts are noted."""
        try:
            progress = await self.store.write(unit)
        except apply_match.LiveblogFailed as failed:
            log.debug("liveblog.failed", match=match.match_id, game=failed.game_id, exc_info=failed.__cause__)
            return before.without(failed.game_id, failed.cause)
        self._committed(match, progress.times[len(before.times) :], arrival)
        return progress

    async def apply_again(
        self,
        match: FollowedMatch,
        follow_id: str,
        times: AnswerTimes,
        arrival: Arrival,
        health: Mapping[str, SourceHealth] | None = None,
    ) -> None:
        """Bring the liveblogs of a match with a standby in line with what is believed of both sources, whoever polls it.

        `match`: the source because of which it is done, `follow_id`: the match. `health`: where it is to be decided who leads.
        """
        apply = partial(
            apply_match.apply_again,
            follow_id=follow_id,
            rules=self._rules,
            times=times,
            health=health,
            cached=match.beside,
        )
        progress = await self._steps(match, lambda done: partial(apply, progress=done), arrival)
        match.beside = {**match.beside, **progress.cached}

    async def _support(self, match: FollowedMatch, times: AnswerTimes, arrival: Arrival) -> None:
        """What the match adds to those for which it stands by."""
        for follow_id in await self.store.read_for_write(partial(standbys.supported_by, follow_id=match.id)):
            await self.apply_again(match, follow_id, times, arrival)

    def _committed(self, match: FollowedMatch, times: tuple[PostTime, ...], arrival: Arrival) -> None:
        """Posts are committed: the timeline notes when, and how late those were that are new, but not of a match just taken up."""
        at = arrival.now()
        self.timeline.committed(CommittedPosts(times, at, match.match_id, match.endpoint))
        for each in times:
            if each.what == "posted" and not arrival.first:
                match.delays.add(each, at)
                self.counts.delays.add(each, at)

    async def _write(self, match: FollowedMatch, work: Callable[[Unit], T]) -> T:
        """Run the unit under the lease of the match. Raises Superseded when another process has taken it."""
        return await self.store.write(_under_lease(match, work))


def _under_lease(match: FollowedMatch, work: Callable[[Unit], T]) -> Callable[[Unit], T]:
    return partial(leases.run_fenced, work=work, follow_id=match.id, fence=match.fence)


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

    An answer that blocks withdrawals (mapping.match.match.Fault) confirms nothing: what was posted stays.
    """
    bad = match.withdrawal_blocked.union(answer.resource for answer in fetched.failed)
    answered = frozenset(answer.resource for answer in fetched.answers)
    text = frozenset(filter(None, [adapter.text_resource]))
    carried_by = {**dict.fromkeys(Part, answered - text), **adapter.carried_by, Part.TEXT: text}
    return frozenset(
        part for part, carriers in carried_by.items() if carriers & answered and not carriers & answered & bad
    )


def _together(stored: Mapping[str, bytes], changed: Mapping[str, bytes]) -> dict[str, bytes]:
    """The last good body of each resource, unpacked."""
    return sync.unpack_bodies({name: body for name, body in stored.items() if name not in changed}) | {**changed}


def _keep_validators(followed: FollowedMatch, answer: Answer) -> None:
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
