"""Watches matches of several sources: says how each source answers, and has whoever is well lead.

Each process says so of the matches that it follows; who leads is decided by the process that follows the first source, so that
it is decided once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from functools import partial

import structlog
from sqlalchemy import Connection

from ingest.sync.followed_match import Arrival, FollowedMatch
from ingest.sync.follower import Followers
from ingest.sync.snapshot import AnswerTimes
from ingest.sync.standby_sources import StandbyRules, health_of
from mapping.documents.import_options import ImportOptions
from mapping.errors import ServiceError
from mapping.fusion.leading_source import SourceHealth, wrong_with
from mapping.fusion.source_chain import (
    any_due,
    lasting_differences,
    leader_of,
    look_at_sources,
    who_leads,
)
from mapping.fusion.source_pair import PairRules, PairState
from store.database import Store
from store.engine.errors import UnreadableRow
from store.engine.liveblog_records import reading
from store.following import standbys
from store.following.standbys import HealthRow, MatchSources

States = tuple[PairState, ...]
Watched = tuple[MatchSources, States]


log = structlog.get_logger()

SAID_AGAIN = 10.0
"""Seconds after which other processes hear again when a source answered last, where nothing else has changed."""


class StandbyWatch:
    """The matches of several sources that this process follows. Times are Unix seconds of `clock`."""

    def __init__(
        self,
        store: Store,
        followers: Followers,
        rules: StandbyRules,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._followers = followers
        self._rules = rules
        self._clock = clock
        self._since: dict[str, float] = {}
        """Follow → since when this process could poll it and write; silence before that is no provider's fault."""
        self._said: dict[str, HealthRow] = {}
        self._states: dict[tuple[str, str], tuple[int, PairState]] = {}
        """Liveblog and standby → edition and state of the pair."""
        self.watched: tuple[Watched, ...] = ()
        """Those whose first source this process follows, as they were at the last look."""
        self.changes: dict[str, int] = {}
        """Reason → how often a source has taken the lead for it."""

    async def look(self) -> None:
        """Say how the sources answer, decide who leads, and poll standbys as often as they are needed."""
        matches = {each.id: each for each in self._followers.matches if each.paired or each.supports}
        if not matches:
            self.watched, self._since, self._said, self._states = (), {}, {}, {}
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
        self._states = {
            (row.game_id, row.follow_id): (row.edition, state)
            for sources, states in known
            for row, state in zip(sources.standbys, states, strict=True)
        }
        self._pace(
            matches.values(), {each for watched in known for each in self._needed_standbys(*watched, health, now)}
        )
        self.watched = tuple([each for each in known if each[0].first_id in matches])
        due = (sources.first_id for sources, states in self.watched if self._is_due(sources, states, health, now))
        for follow_id in dict.fromkeys(due):
            await self._decide(matches[follow_id], health)

    def _read(self, conn: Connection, follow_ids: Collection[str]) -> tuple[list[Watched], dict[str, SourceHealth]]:
        """The matches of these sources, what is known of each pair, and how their sources answer that other processes follow."""
        found = standbys.sources_with(conn, follow_ids)
        others = {name for each in found for name in each.follow_ids}.difference(follow_ids)
        return [(each, self._read_states(each)) for each in found], standbys.health_of(conn, others)

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

    def _read_states(self, sources: MatchSources) -> States:
        """What is known of each pair, read anew where it has changed."""
        found = []
        for row in sources.standbys:
            edition, state = self._states.get((row.game_id, row.follow_id), (-1, PairState()))
            found.append(state if edition == row.edition else row.known())
        return tuple(found)

    def _needed_standbys(
        self, sources: MatchSources, states: States, health: Mapping[str, SourceHealth], now: float
    ) -> Iterator[str]:
        """The standbys that lead those before them, or may have to soon."""
        early = self._rules.lead.early()
        for place, (row, state) in enumerate(zip(sources.standbys, states, strict=True)):
            leader = health.get(sources.follow_ids[leader_of(states[:place])])
            in_danger = leader is None or wrong_with(leader, early, now) is not None
            if in_danger or state.lead.source == "second":
                yield row.follow_id

    def _pace(self, matches: Iterable[FollowedMatch], needed: Container[str]) -> None:
        """Poll standbys that are needed as often as any other source, the others less often."""
        for match in matches:
            before, alone = match.stretch, match.supports and not match.paired
            match.stretch = self._rules.slower if alone and match.id not in needed else 1.0
            if match.stretch < before and not match.busy:
                self._followers.hurry(match)

    def _is_due(self, sources: MatchSources, states: States, health: Mapping[str, SourceHealth], now: float) -> bool:
        """Whether time or health changes something of the match."""
        try:
            rules = self._rules_of(sources)
        except UnreadableRow:
            return False  # it is left out when its match is applied
        after = look_at_sources(states, health_of(sources.follow_ids, health), rules, now)
        return after != states or any_due(states, rules, now)

    def _rules_of(self, sources: MatchSources) -> list[PairRules]:
        with reading(f"attachments.terms of {sources.game_id}"):
            terms = ImportOptions.from_dict(sources.terms)
        return [self._rules.watched(each.pinned, terms) for each in sources.standbys]

    async def _decide(self, match: FollowedMatch, health: Mapping[str, SourceHealth]) -> None:
        """Decide who leads, and bring the liveblogs in line with it; whatever fails is this match's own."""
        arrival = Arrival(self._clock)
        try:
            poller, times = self._followers.pollers[match.endpoint], self._times(match, arrival.now())
            await poller.apply_again(match, match.id, times, arrival, health)
            after = await self._store.read(partial(standbys.sources_with, follow_ids=[match.id]))
        except ServiceError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this match
            self._followers.left_out.failed(match, error)
            return
        now = {each.game_id: (each, self._read_states(each)) for each in after}
        for sources, states in self.watched:
            if sources.game_id in now:
                self._note(states, *now[sources.game_id])
        self.watched = tuple([now.get(each[0].game_id, each) for each in self.watched])

    def _times(self, match: FollowedMatch, now: int) -> AnswerTimes:
        """What is public from now on was here since a standby last brought something new (milliseconds)."""
        changed = [
            row.changed_at or 0 for each, _ in self.watched if each.first_id == match.id for row in each.standbys
        ]
        return AnswerTimes(answered=min(now, 1000 * max(changed, default=0)), text_answered=now, believed=now)

    def _note(self, before: States, sources: MatchSources, after: States) -> None:
        """Log and count who leads now, and what sources contradict each other in."""
        providers, (place, lead) = sources.providers, who_leads(after)
        if place != leader_of(before):
            self.changes[lead.reason.value] = self.changes.get(lead.reason.value, 0) + 1
            log.warning(
                "source.leads",
                liveblog=sources.local_id,
                match=sources.match_id,
                provider=providers[place],
                reason=lead.reason.value,
            )
        known = {(each.standby, each.what) for each in lasting_differences(before)}
        for each in lasting_differences(after):
            if (each.standby, each.what) not in known:
                log.warning(
                    "sources.disagree",
                    liveblog=sources.local_id,
                    match=sources.match_id,
                    about=each.what.about,
                    **{providers[each.before]: each.what.first, providers[each.standby]: each.what.second},
                )


def _differs(before: HealthRow | None, now: HealthRow) -> bool:
    if before is None or before._replace(answered_at=now.answered_at) != now:
        return True
    return abs((now.answered_at or 0.0) - (before.answered_at or 0.0)) >= SAID_AGAIN
