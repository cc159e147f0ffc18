"""Watches matches of two sources: says how each source answers, and has whoever is well lead.

Each process says so of the matches that it follows; who leads is decided by the process that follows the first source, so that
it is decided once.
"""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

import structlog

from ingest.sync.answer_times import AnswerTimes, Arrival, Instants
from ingest.sync.standby_sources import health_of_pair
from mapping.errors import ServiceError
from mapping.fusion.leading_source import wrong_with
from mapping.fusion.source_pair import PairRules, PairState, is_due, look
from mapping.import_options import ImportOptions
from store.engine.errors import UnreadableRow, reading
from store.following import standbys
from store.following.standbys import HealthRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ingest.kit.quarantine import Quarantine
    from ingest.sync.followed_match import FollowedMatch
    from ingest.sync.follower import Followers
    from ingest.sync.standby_sources import StandbyRules
    from mapping.fusion.leading_source import SourceHealth
    from store.database import Store
    from store.following.standbys import SourcePair

log = structlog.get_logger()

SAID_AGAIN = 5.0
"""Seconds after which it is said again when a source answered last, where nothing else has changed."""


class StandbyWatch:
    """The matches of two sources that this process follows. Times are Unix seconds of `clock`."""

    def __init__(
        self,
        store: Store,
        followers: Followers,
        rules: StandbyRules,
        quarantine: Quarantine,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._followers = followers
        self._rules = rules
        self._quarantined = quarantine
        self._clock = clock
        self._since: dict[str, float] = {}
        """Follow → since when this process could poll it and write; silence before that is no provider's fault."""
        self._said: dict[str, HealthRow] = {}
        self._states: dict[str, tuple[int, PairState]] = {}
        self.pairs: tuple[tuple[SourcePair, PairState], ...] = ()
        """Those whose first source this process follows, as they were at the last look."""
        self.changes: dict[str, int] = {}
        """Reason → how often a source has taken the lead for it."""

    async def look(self) -> None:
        """Say how the sources answer, decide who leads, and poll standbys as often as they are needed."""
        matches = {each.id: each for each in self._followers.matches if each.paired or each.supports}
        if not matches:
            self.pairs, self._since, self._said, self._states = (), {}, {}, {}
            return
        try:
            await self._look(matches)
        except ServiceError:
            self._since.clear()
            raise

    def clock_set(self, seconds: float) -> None:
        """The wall clock was set by so many seconds: nothing was silent for longer or shorter by that."""
        self._since = {name: at + seconds for name, at in self._since.items()}

    async def _look(self, matches: Mapping[str, FollowedMatch]) -> None:
        now = self._clock()
        self._since = {name: self._since.get(name, now) for name in matches}
        await self._say(self._health(match) for match in matches.values())
        pairs = await self._store.read(partial(standbys.pairs_of, follow_ids=matches.keys()))
        sources = {each.first_id for each in pairs} | {each.follow_id for each in pairs}
        health = await self._store.read(partial(standbys.health_of, follow_ids=sources))
        known = [(pair, self._state(pair)) for pair in pairs]
        self._states = {pair.game_id: (pair.edition, state) for pair, state in known}
        self._pace(matches, known, health, now)
        self.pairs = tuple((pair, state) for pair, state in known if pair.first_id in matches)
        for follow_id in dict.fromkeys(
            pair.first_id for pair, state in self.pairs if self._is_due(pair, state, health, now)
        ):
            await self._decide(matches[follow_id], health)

    def _health(self, match: FollowedMatch) -> HealthRow:
        since = self._since[match.id]
        return HealthRow(
            follow_id=match.id,
            answered_at=max(since, match.good_at or since),
            poll_interval=self._followers.interval(match) or 0.0,
            trouble="refused" if match.refused else "failing" if match.failures > 1 else "",
        )

    async def _say(self, rows: Iterable[HealthRow]) -> None:
        """Write what has changed; a good answer alone is written now and then."""
        new = [row for row in rows if _differs(self._said.get(row.follow_id), row)]
        if new:
            await self._store.write(partial(standbys.save_health, rows=new))
        self._said.update((row.follow_id, row) for row in new)

    def _state(self, pair: SourcePair) -> PairState:
        edition, state = self._states.get(pair.game_id, (-1, PairState()))
        return state if edition == pair.edition else pair.known()

    def _pace(
        self,
        matches: Mapping[str, FollowedMatch],
        known: Iterable[tuple[SourcePair, PairState]],
        health: Mapping[str, SourceHealth],
        now: float,
    ) -> None:
        """Poll a standby as often as any other source where it leads or may have to, else less often."""
        needed = {
            pair.follow_id
            for pair, state in known
            if state.lead.source == "second"
            or pair.first_id not in health
            or wrong_with(health[pair.first_id], self._rules.lead.early(), now) is not None
        }
        for match in matches.values():
            before, alone = match.slower, match.supports and not match.paired
            match.slower = self._rules.slower if alone and match.id not in needed else 1.0
            if match.slower < before and not match.busy:
                self._followers.hurry(match)

    def _is_due(self, pair: SourcePair, state: PairState, health: Mapping[str, SourceHealth], now: float) -> bool:
        try:
            rules = self._rules_of(pair)
        except UnreadableRow:
            return False  # it is left out when its match is applied
        both = health_of_pair(health, pair.first_id, pair)
        return look(state, both, rules, now) != state or is_due(state, rules, now)

    def _rules_of(self, pair: SourcePair) -> PairRules:
        with reading(f"attachments.terms of {pair.game_id}"):
            terms = ImportOptions.from_dict(pair.terms)
        return self._rules.watched(pair.pinned, terms)

    async def _decide(self, match: FollowedMatch, health: Mapping[str, SourceHealth]) -> None:
        """Decide who leads, and bring the liveblogs in line with it; whatever fails is this match's own."""
        before = {pair.game_id: (pair, state) for pair, state in self.pairs if pair.first_id == match.id}
        instants = Instants(self._clock)
        changed = [each.changed_at or 0 for each, _ in before.values()] or [0]
        times = AnswerTimes(
            answered=min(instants.now(), 1000 * max(changed)), text_answered=instants.now(), believed=instants.now()
        )
        try:
            poller = self._followers.pollers[match.endpoint]
            await poller.apply_again(match, match.id, times, Arrival(instants, monotonic()), health)
            after = await self._store.read(partial(standbys.pairs_of, follow_ids=[match.id]))
        except ServiceError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this match
            self._quarantined.failed("match", match.id, error, match=match.match_id)
            return
        for pair in after:
            if pair.game_id in before:
                self._note(pair, before[pair.game_id][1], pair.known())

    def _note(self, pair: SourcePair, before: PairState, after: PairState) -> None:
        """Log and count who leads now, and what both sources contradict each other in."""
        lead = after.lead
        if lead.source != before.lead.source:
            self.changes[lead.reason.value] = self.changes.get(lead.reason.value, 0) + 1
            provider = pair.provider if lead.source == "second" else pair.first_provider
            log.warning(
                "source.leads",
                liveblog=pair.local_id,
                match=pair.first_match_id,
                provider=provider,
                reason=lead.reason.value,
            )
        known = {each.what for each in before.differences if each.lasts}
        for each in after.differences:
            if each.lasts and each.what not in known:
                log.warning(
                    "sources.disagree",
                    liveblog=pair.local_id,
                    match=pair.first_match_id,
                    about=each.what.about,
                    **{pair.first_provider: each.what.first, pair.provider: each.what.second},
                )


def _differs(before: HealthRow | None, now: HealthRow) -> bool:
    if before is None or before.trouble != now.trouble or before.poll_interval != now.poll_interval:
        return True
    return abs((now.answered_at or 0.0) - (before.answered_at or 0.0)) >= SAID_AGAIN
