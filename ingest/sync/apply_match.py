"""Applies what is believed of a match to every liveblog that is attached to it, in one unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial

from ingest.sync import liveblog_sync
from ingest.sync.liveblog_sync import Applied, NewId, RemainingWork, sync_liveblog
from ingest.sync.snapshot import AnswerTimes, CachedInputs, Snapshot, decision_rows, save_answers
from ingest.sync.standby_sources import StandbyRules, with_standbys
from mapping.errors import DownstreamRejected, InvalidRequest, StoreUnavailable
from mapping.fusion.leading_source import SourceHealth
from mapping.match.match import Match
from mapping.match.references import References
from mapping.posts.withdrawal_notes import WithdrawalRules
from store.engine.errors import brief_reason, transient
from store.engine.statements import write_batch
from store.engine.unit import Unit
from store.following import closing as endings
from store.following import follow_rows, sources
from store.masterdata import masterdata
from store.timeline.timeline import PostTime

LEAST = 5
"""Posts for which a liveblog counts at least: it is locked, whatever there is to be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a poll has come with the liveblogs of its match: what a unit begins with and what it leaves to the next one.

    `failed`: liveblogs that cannot be brought in line, and why; they are left out. `times`: of the posts that were written;
    `versions`: those that liveblogs had and have, of those that were looked at.
    """

    finished: bool = False
    done: frozenset[str] = frozenset()
    begun: Mapping[str, RemainingWork] = field(default_factory=dict)
    cached: Mapping[str, CachedInputs] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    times: tuple[PostTime, ...] = ()
    versions: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def after(self, game_id: str, applied: Applied) -> Progress:
        """With this batch of the liveblog; of several batches count what stood before the first, and what stands after this."""
        now = applied.versions
        since = {} if now is None else {game_id: (self.versions.get(game_id, now)[0], now[1])}
        kept = {} if applied.cached is None else {game_id: applied.cached}
        return replace(
            self,
            done=self.done if applied.rest else self.done | {game_id},
            begun={game_id: applied.rest} if applied.rest else {},
            cached={**self.cached, **kept},
            times=(*self.times, *applied.times),
            versions={**self.versions, **since},
        )

    def without(self, game_id: str, cause: str) -> Progress:
        """Going on without a liveblog that cannot be brought in line."""
        return replace(self, done=self.done | {game_id}, begun={}, failed={**self.failed, game_id: cause})


EVERYTHING = Progress()


class LiveblogFailed(Exception):
    """One liveblog of a match cannot be brought in line, for a reason that will not pass; `cause` says it."""

    def __init__(self, game_id: str, cause: str) -> None:
        super().__init__(game_id, cause)
        self.game_id = game_id
        self.cause = cause


@dataclass(frozen=True, slots=True)
class WritingRules:
    """How the matches of an endpoint are written. `new_id`: the `local_id` of a new post.

    `serves`: whether an organization gets anything from the endpoint now; `withdrawals`: what goals that are taken back leave,
    None for nothing; `standby`: how matches of several sources are treated, None where each has one.
    """

    new_id: NewId
    serves: Callable[[str], bool] = lambda _: True
    withdrawals: WithdrawalRules | None = None
    standby: StandbyRules | None = None


def apply(
    unit: Unit,
    follow_id: str,
    snapshot: Snapshot,
    rules: WritingRules,
    *,
    closing: bool = False,
    cached: Mapping[str, CachedInputs] | None = None,
    progress: Progress = EVERYTHING,
) -> Progress:
    """Bring the liveblogs on the match in line with the snapshot and save the answers, as far as one unit goes.

    Ordinarily that is everything, in one transaction. Where there is more than a unit should do, the answers are only
    saved by the last one; until then the match is marked as pending, so that nothing is lost with the process. `cached`:
    the liveblogs as the last poll of this process left them. Raises LiveblogFailed.
    """
    liveblogs_on = follow_rows.attachments_of(unit.conn, follow_id)
    progress = _MatchWriter(unit, snapshot, rules, cached or {}, closing=closing).write(liveblogs_on, progress)
    if not progress.finished:
        follow_rows.save_follow(
            unit, follow_id, pending=True
        )  # whoever takes the match up from here looks at everything again
        return progress
    save_answers(unit, follow_id, snapshot, closing=closing, versions=progress.versions)
    _note_missed(unit, follow_id, liveblogs_on, progress)
    if closing:
        endings.close_match(unit, follow_id, rules.serves)
    return progress


def apply_again(
    unit: Unit,
    follow_id: str,
    rules: WritingRules,
    *,
    times: AnswerTimes | None,
    health: Mapping[str, SourceHealth] | None = None,
    cached: Mapping[str, CachedInputs] | None = None,
    progress: Progress = EVERYTHING,
) -> Progress:
    """Bring the liveblogs on the match that have standbys in line with what is believed of all sources now.

    Whichever process does so: the match is locked, and all of it is read in this unit. `times`: when the answers came because of
    which it is done; `health`: how sources answer, by the ids of their follows, where it is to be decided who leads. Raises
    LiveblogFailed and UnreadableRow.
    """
    sources.lock(unit, follow_id)
    _, belief = follow_rows.packed_match(unit.conn, follow_id)
    if belief is None:
        return replace(progress, finished=True)
    snapshot = Snapshot(match=follow_rows.unpacked_belief(belief).match, times=times)
    beside = [each for each in follow_rows.attachments_of(unit.conn, follow_id) if each.supported]
    progress = _MatchWriter(unit, snapshot, rules, cached or {}, health=health).write(beside, progress)
    if progress.finished:
        write_batch(unit.conn, decision_rows(unit, follow_id, snapshot, progress.versions, health=health or {}))
        _note_missed(unit, follow_id, beside, progress)
    return progress


@dataclass(frozen=True, slots=True)
class _MatchWriter:
    """Writes a match into its liveblogs, in one unit."""

    unit: Unit
    snapshot: Snapshot
    rules: WritingRules
    cached: Mapping[str, CachedInputs]
    closing: bool = False
    health: Mapping[str, SourceHealth] | None = None

    def write(self, liveblogs_on: Iterable[follow_rows.WrittenLiveblog], progress: Progress) -> Progress:
        """As many of them as one unit should; finished where that is all."""
        masters = Masters(self.unit, self.snapshot.match)
        budget = liveblog_sync.LOOK
        for liveblog in liveblogs_on:
            if liveblog.game_id in progress.done or not self.rules.serves(liveblog.organization_id):
                continue
            if budget <= 0:
                return progress
            try:
                applied = self._write(liveblog, masters, progress)
            except (
                DownstreamRejected,
                InvalidRequest,
                StoreUnavailable,
            ):  # no match can be made, which is the provider's
                raise
            except Exception as error:  # what fails for good is this liveblog's own; no other one shall suffer for it
                if transient(error):
                    raise
                raise LiveblogFailed(liveblog.game_id, brief_reason(error)) from error
            progress = progress.after(liveblog.game_id, applied)
            if applied.rest is not None:
                return progress
            budget -= max(applied.looked, LEAST)
        return replace(progress, finished=True)

    def _write(self, liveblog: follow_rows.WrittenLiveblog, masters: Masters, progress: Progress) -> Applied:
        terms, snapshot, owner = follow_rows.terms_of(liveblog), self.snapshot, liveblog.organization_id
        if liveblog.supported and self.rules.standby is not None:
            snapshot, terms = with_standbys(self.unit, liveblog, snapshot, terms, self.rules.standby, self.health)
            masters = Masters(self.unit, snapshot.match)
        return sync_liveblog(
            self.unit,
            liveblog.game_id,
            snapshot,
            terms,
            partial(masters.references, owner),
            new_id=self.rules.new_id,
            closing=self.closing,
            cached=self.cached.get(liveblog.game_id),
            rest=progress.begun.get(liveblog.game_id),
            withdrawals=self.rules.withdrawals,
        )


def _note_missed(
    unit: Unit, follow_id: str, liveblogs_on: Iterable[follow_rows.Attachment], progress: Progress
) -> None:
    """What a liveblog has missed it gets when it is served again, or can be written: by whoever takes the match up then."""
    written = progress.done - progress.failed.keys()
    if any(each.game_id not in written for each in liveblogs_on):
        follow_rows.forget_validators(unit, follow_id)


class Masters:
    """The master data of a match, imported once for each organization, and only where somebody needs all of it."""

    def __init__(self, unit: Unit, match: Match) -> None:
        self._unit = unit
        self._match = match
        self._imported: dict[str, References] = {}

    def references(self, owner_id: str, only: AbstractSet[str] | None) -> References:
        """What stands for the people and teams of the match, or of the incidents `only`, whose squads are in already."""
        match = self._match
        if only is not None:
            involved = [incident for incident in match.incidents if incident.key in only]
            return masterdata.references(self._unit.conn, owner_id, match, involved)
        if owner_id not in self._imported:
            self._imported[owner_id] = masterdata.import_match(
                self._unit, owner_id=owner_id, source=match.provider, match=match
            )
        return self._imported[owner_id]
