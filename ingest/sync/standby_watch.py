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
from mapping.fusion.source_pair import PairRules, PairState, is_due, lasting, look
from mapping.import_options import ImportOptions
from store.engine.errors import UnreadableRow, reading
from store.following import standbys
from store.following.standbys import HealthRow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping

    from sqlalchemy import Connection

    from ingest.kit.quarantine import Quarantine
    from ingest.sync.followed_match import FollowedMatch
    from ingest.sync.follower import Followers
    from ingest.sync.standby_sources import StandbyRules
    from mapping.fusion.leading_source import SourceHealth
    from store.database import Store
    from store.following.standbys import SourcePair

    WatchedPair = tuple[SourcePair, PairState]

log = structlog.get_logger()

SAID_AGAIN = 10.0
"""Seconds after which other processes hear again when a source answered last, where nothing else has changed."""


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
        self.pairs: tuple[WatchedPair, ...] = ()
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
        own = [self._health(match) for match in matches.values()]
        await self._say(own)
        known, said = await self._store.read(partial(self._read, follow_ids=matches.keys()))
        health = {**said, **{row.follow_id: standbys.health_in(row) for row in own}}
        self._states = {pair.game_id: (pair.edition, state) for pair, state in known}
        self._pace(
            matches.values(), {pair.follow_id for pair, state in known if self._is_needed(pair, state, health, now)}
        )
        self.pairs = tuple([each for each in known if each[0].first_id in matches])
        for follow_id in dict.fromkeys(self._due(health, now)):
            await self._decide(matches[follow_id], health)

    def _read(self, conn: Connection, follow_ids: Collection[str]) -> tuple[list[WatchedPair], dict[str, SourceHealth]]:
        """The pairs of these sources, what is known of each, and how their sources answer that other processes follow."""
        pairs = standbys.pairs_of(conn, follow_ids)
        sources = {name for pair in pairs for name in (pair.first_id, pair.follow_id)}.difference(follow_ids)
        return [(pair, self._state(pair)) for pair in pairs], standbys.health_of(conn, sources)

    def _health(self, match: FollowedMatch) -> HealthRow:
        return HealthRow(
            follow_id=match.id,
            answered_at=match.good_at,
            attentive_since=self._since[match.id],
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

    def _is_needed(self, pair: SourcePair, state: PairState, health: Mapping[str, SourceHealth], now: float) -> bool:
        """Whether the standby leads, or may have to soon."""
        first = health.get(pair.first_id)
        in_danger = first is None or wrong_with(first, self._rules.lead.early(), now) is not None
        return in_danger or state.lead.source == "second"

    def _pace(self, matches: Iterable[FollowedMatch], needed: Container[str]) -> None:
        """Poll standbys that are needed as often as any other source, the others less often."""
        for match in matches:
            before, alone = match.stretch, match.supports and not match.paired
            match.stretch = self._rules.slower if alone and match.id not in needed else 1.0
            if match.stretch < before and not match.busy:
                self._followers.hurry(match)

    def _due(self, health: Mapping[str, SourceHealth], now: float) -> Iterator[str]:
        """The matches of this process for which time or health changes something."""
        return (pair.first_id for pair, state in self.pairs if self._is_due(pair, state, health, now))

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
        instants = Instants(self._clock)
        try:
            poller, times = self._followers.pollers[match.endpoint], self._times(match, instants.now())
            await poller.apply_again(match, match.id, times, Arrival(instants, monotonic()), health)
            after = await self._store.read(partial(standbys.pairs_of, follow_ids=[match.id]))
        except ServiceError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this match
            self._quarantined.failed("match", match.id, error, match=match.match_id)
            return
        now = {pair.game_id: (pair, pair.known()) for pair in after}
        for pair, state in self.pairs:
            if pair.game_id in now:
                self._note(pair, state, now[pair.game_id][1])
        self.pairs = tuple([now.get(pair.game_id, (pair, state)) for pair, state in self.pairs])

    def _times(self, match: FollowedMatch, now: int) -> AnswerTimes:
        """What is public from now on was here since the standby last brought something new (milliseconds)."""
        changed = [pair.changed_at or 0 for pair, _ in self.pairs if pair.first_id == match.id]
        return AnswerTimes(answered=min(now, 1000 * max(changed, default=0)), text_answered=now, believed=now)

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
        known = {each.what for each in lasting(before)}
        for each in lasting(after):
            if each.what not in known:
                log.warning(
                    "sources.disagree",
                    liveblog=pair.local_id,
                    match=pair.first_match_id,
                    about=each.what.about,
                    **{pair.first_provider: each.what.first, pair.provider: each.what.second},
                )


def _differs(before: HealthRow | None, now: HealthRow) -> bool:
    if before is None or before._replace(answered_at=now.answered_at) != now:
        return True
    return abs((now.answered_at or 0.0) - (before.answered_at or 0.0)) >= SAID_AGAIN
