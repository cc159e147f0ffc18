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
from ingest.sync import apply_match, liveblog_sync
from ingest.sync.apply_match import Progress, WritingRules
from ingest.sync.followed_match import Arrival, FollowedMatch, PostDelays, readable_terms
from ingest.sync.previous_belief import Before, BeliefLost, believe, people_of, posted_of, rows_of, within
from ingest.sync.snapshot import AnswerTimes, Snapshot, save_health
from mapping.errors import DownstreamRejected, InvalidRequest, ServiceError
from mapping.fusion.leading_source import SourceHealth
from mapping.match.match import Match
from providers.base import Answer, Endpoint, Fetched, Known, Outcome, ProviderAdapter
from providers.fetch import LARGE, UNKNOWN, beside
from store.database import Store
from store.engine.spans import Durations
from store.engine.unit import Unit
from store.following import closing as endings
from store.following import follow_rows, leases, standbys
from store.masterdata import masterdata
from store.timeline.timeline import CommittedPosts, PostTimeline

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
    """Polls matches of one endpoint, and writes them by the rules. `clock` gives Unix seconds."""

    adapter: ProviderAdapter
    store: Store
    clock: Callable[[], float]
    record: Record
    limits: Limits
    rules: WritingRules
    timeline: PostTimeline
    counts: PollCounts = field(default_factory=PollCounts)

    async def poll(self, match: FollowedMatch) -> Fetched:
        """Fetch once; apply what is new or was left open, else write the health of the resources, where it has changed.

        Raises ServiceError when the answers or the store cannot be used; then nothing of them is kept.
        """
        if match.afresh:
            match.known, match.cached, match.afresh = {}, {}, False
        match.polls += 1
        first = not match.known
        self.counts.late.observe(monotonic() - match.due if match.due else 0.0)
        try:
            received = await self.adapter.fetch(match.match_id, match.known, text=match.text, hints=match.hints)
        except ServiceError:
            self.counts.failed += 1
            raise
        self.counts.end(received)
        arrival = Arrival(self.clock, first=first)
        fetched = within(self.limits, received) if received.changed else received
        self.record(self.adapter.endpoint, match.match_id, received.everything)
        if fetched.changed or ((match.pending or monotonic() >= match.again) and fetched.good):
            try:
                await self._apply(match, fetched, arrival)
            except (DownstreamRejected, InvalidRequest) as error:
                # Answers of which no match can be made are bad, though each by itself is good: health says why, posts stay.
                refused = [replace(answer, outcome=Outcome.FAILED, error=error) for answer in fetched.changed]
                await self._save_health(match, refused)
                match.bad.update(answer.resource for answer in refused)
                raise
        elif {each.resource for each in fetched.everything if each.outcome is Outcome.FAILED} != match.bad:
            await self._save_health(match, fetched.everything)
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

    async def close(self, match: FollowedMatch) -> None:
        """The window after the end is over: settle what is still open, once; nothing where all bodies are forgotten."""
        if await self.store.read_for_write(partial(follow_rows.packed_bodies, follow_id=match.id)):
            arrival = Arrival(self.clock, first=True)
            await self._apply(match, Fetched(answers=(), hints=match.hints), arrival, closing=True)
        else:
            await self._write(match, partial(endings.close_match, follow_id=match.id, serves=self.rules.serves))

    async def _apply(self, match: FollowedMatch, fetched: Fetched, arrival: Arrival, *, closing: bool = False) -> None:
        """Bring the liveblogs in line with what is believed after these answers, and note what the match is like from now on."""
        snapshot = await self._translate(match, fetched, closing=closing)
        await self._prepare(match, snapshot)
        times = match.waiting.times(arrival, fetched, text=self.adapter.text_resource, known=match.known)
        # Whether a unit that fails is written is not always known: then nothing is cached.
        cached, match.cached = match.cached, {}
        apply = partial(
            apply_match.apply,
            follow_id=match.id,
            snapshot=replace(snapshot, times=times),
            rules=self.rules,
            closing=closing,
            cached=cached,
        )
        applied = await self._steps(match, lambda done: _under_lease(match, partial(apply, progress=done)), arrival)
        match.waiting.written(times, snapshot.doubted)
        match.cached, match.failed = applied.cached, applied.failed
        match.again = monotonic() + AGAIN if applied.failed else math.inf
        now = snapshot.match
        if now.sent_status is not match.status:
            log.info("match.status_changed", match=match.match_id, status=now.sent_status.value)
        if snapshot.changed or match.changed_at is None:
            match.changed_at = self.clock()
        if now.kickoff is not None:  # a time that the provider does not know any more is no other time
            match.kickoff = now.kickoff
        match.status, match.pending = now.sent_status, snapshot.pending
        match.hints, match.set_again = fetched.hints, snapshot.set_again
        if match.supports:
            for follow_id in await self.store.read_for_write(partial(standbys.supported_by, follow_id=match.id)):
                await self.apply_again(match, follow_id, times, arrival)

    async def _translate(self, match: FollowedMatch, fetched: Fetched, *, closing: bool) -> Snapshot:
        """The match as it is believed after these answers.

        Raises DownstreamRejected where there is none in them, or too large a one, and UnreadableRow.
        """
        stored, belief = await self.store.read_for_write(partial(follow_rows.packed_match, follow_id=match.id))
        work = partial(believe, self.adapter, self.limits, match, stored, fetched, closing=closing)
        size = sum(len(answer.body or b"") for answer in fetched.changed) + RATIO * sum(map(len, stored.values()))
        try:
            snapshot = await beside(size, work, Before(belief))
        except BeliefLost as lost:
            if belief is not None:
                log.warning("match.belief_lost", match=match.match_id, cause=str(lost.__cause__))
            posted = await self.store.read_for_write(partial(posted_of, follow_id=match.id))
            snapshot = await beside(size, work, Before(None, posted))
        for fault in snapshot.match.faults[:FAULTS_LOGGED]:
            log.info("match.row_skipped", match=match.match_id, **asdict(fault))
        if len(snapshot.match.faults) > FAULTS_LOGGED:
            log.info("match.rows_skipped", match=match.match_id, rows=len(snapshot.match.faults))
        return snapshot

    async def _prepare(self, match: FollowedMatch, snapshot: Snapshot) -> None:
        """What would take long in a unit, of a match that is large; very many people are imported at each change of them."""
        people, rows = people_of(snapshot.match), rows_of(snapshot.match)
        if people <= PEOPLE and rows <= liveblog_sync.LOOK:
            return
        attached = await self.store.read_for_write(partial(follow_rows.attachments_of, follow_id=match.id))
        liveblogs = [each for each in attached if self.rules.serves(each.organization_id)]
        if rows > liveblog_sync.LOOK:
            await beside(LARGE + 1, snapshot.prepare, readable_terms(liveblogs))
        made_of = hash((snapshot.match.home, snapshot.match.away, snapshot.match.race, match.joined))
        if people > PEOPLE and match.squads != made_of:
            await import_squads(self.store, snapshot.match, {each.organization_id for each in liveblogs})
            match.squads = made_of

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
            rules=self.rules,
            times=times,
            health=health,
            cached=match.beside,
        )
        progress = await self._steps(match, lambda done: partial(apply, progress=done), arrival)
        match.beside = {**match.beside, **progress.cached}

    async def _steps(
        self, match: FollowedMatch, unit: Callable[[Progress], Callable[[Unit], Progress]], arrival: Arrival
    ) -> Progress:
        """Run the units that it takes, each from where the last one has come; `match` is pending until the last is written.

        A liveblog that cannot be brought in line is left out. Of posts that are committed the timeline notes when, and how late
        those were that are new, but not of a match just taken up.
        """
        progress = Progress()
        while not progress.finished:
            before = progress
            try:
                progress = await self.store.write(unit(before))
            except apply_match.LiveblogFailed as failed:
                log.debug("liveblog.failed", match=match.match_id, game=failed.game_id, exc_info=failed.__cause__)
                progress = before.without(failed.game_id, failed.cause)
            at, times = arrival.now(), progress.times[len(before.times) :]
            self.timeline.committed(CommittedPosts(times, at, match.match_id, match.endpoint))
            for each in times if not arrival.first else ():
                if each.what == "posted":
                    match.delays.add(each, at)
                    self.counts.delays.add(each, at)
            match.pending = match.pending or not progress.finished
        return progress

    async def _save_health(self, match: FollowedMatch, answers: Iterable[Answer]) -> None:
        await self._write(match, partial(save_health, follow_id=match.id, answers=answers))

    async def _write(self, match: FollowedMatch, work: Callable[[Unit], None]) -> None:
        """Run the unit under the lease of the match. Raises Superseded when another process has taken it."""
        await self.store.write(_under_lease(match, work))


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
