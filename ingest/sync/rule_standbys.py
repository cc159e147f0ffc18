"""Standbys of rules: the same match is looked for in the other provider's list, and stands by once it is found for sure."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

import structlog

from ingest.sync.fixture_lists import FixtureLists
from ingest.sync.import_match import MatchImporter
from ingest.sync.provider_source import ProviderSource
from mapping.errors import ServiceError
from mapping.follow.pairing import SAME_TIME, KnownSame, ListedAt, Pairing, find_same, listed_match
from mapping.follow.plan import Planned
from mapping.follow.rule import FollowRule
from mapping.fusion.same_match import COMPARABLE, OtherMatch
from mapping.match.fixture import Fixture
from store.database import Store
from store.following import rule_standbys
from store.following.import_request import StandbyRequest
from store.following.rule_standbys import RuleLiveblog, SearchKey
from store.following.source_links import links_of_pair, list_links, same_of

log = structlog.get_logger()

BUDGET = 20.0
"""Seconds of one look in which searches begin; the rest is for the next look."""
AGAIN = 60.0
"""Seconds after which a standby that could not be had is tried again."""


@dataclass(frozen=True, slots=True)
class _Search:
    """What is to be found: the match of a rule's liveblog at another provider."""

    rule: FollowRule
    liveblog: RuleLiveblog
    fixture: Fixture
    source: ProviderSource

    @property
    def key(self) -> SearchKey:
        return SearchKey(self.rule.organization_id, self.liveblog.game_id, self.source.provider.id)


@dataclass(slots=True)
class RuleStandbys:
    """Looks for standbys in the process that leads. `sources`: by organization and provider; pauses are by `steady`."""

    store: Store
    importer: MatchImporter
    lists: FixtureLists
    sources: Mapping[tuple[str, str], ProviderSource]
    steady: Callable[[], float] = time.monotonic
    _not_before: dict[SearchKey, float] = field(default_factory=dict)
    _known: dict[str, KnownSame] = field(default_factory=dict)

    async def look(self, planned: Sequence[Planned], listed: Callable[[FollowRule], Sequence[Fixture]]) -> None:
        """Have found what can be found now for the liveblogs of these rules; `listed`: all that the rule's list holds."""
        begun = self.steady()
        self._known.clear()
        by_rule: dict[tuple[str, str], tuple[FollowRule, dict[str, Fixture]]] = {}
        for each in planned:
            if each.rule.standby:
                key = each.rule.organization_id, each.rule.key
                by_rule.setdefault(key, (each.rule, {}))[1][each.fixture.match_id] = each.fixture
        searches: list[tuple[_Search, Sequence[Fixture]]] = []
        for rule, fixtures in by_rule.values():
            look = partial(rule_standbys.liveblogs_of_rule, organization_id=rule.organization_id, rule=rule.key)
            for liveblog in await self.store.read(look):
                await self._settle(rule, liveblog)
                searches += [(each, listed(rule)) for each in self._wanted(rule, liveblog, fixtures)]
        self._not_before = {each.key: self._not_before.get(each.key, begun) for each, _ in searches}
        for search, own in searches:
            if self.steady() - begun > BUDGET:
                return
            if self.steady() >= self._not_before[search.key]:
                await self._try(search, own)

    def _wanted(self, rule: FollowRule, liveblog: RuleLiveblog, fixtures: Mapping[str, Fixture]) -> Iterator[_Search]:
        fixture = fixtures.get(liveblog.match_id)
        for provider in rule.standby:
            source = self.sources.get((rule.organization_id, provider))
            if source is not None and fixture is not None and fixture.sport in COMPARABLE and liveblog.wants(provider):
                yield _Search(rule, liveblog, fixture, source)

    async def _settle(self, rule: FollowRule, liveblog: RuleLiveblog) -> None:
        """What a person has had stand by is not looked for again, should it be taken off."""
        for provider in liveblog.standing_by.intersection(rule.standby):
            if liveblog.searched.get(provider, ("open", {}))[0] == "open":
                key = SearchKey(rule.organization_id, liveblog.game_id, provider)
                await self.store.write(
                    partial(rule_standbys.note, key=key, state="made", kickoff=liveblog.kickoff, question={})
                )

    async def _try(self, search: _Search, own: Sequence[Fixture]) -> None:
        """Search once; what cannot be had now is tried again later."""
        key = search.key
        try:
            pairing = await self._search(search, own)
            if pairing.found is not None:
                pairing = await self._attach(search, pairing.found)
            if pairing.found is None:
                await self._ask(search, pairing)
        except ServiceError as error:
            self._not_before[key] = self.steady() + AGAIN
            log.warning("rule.standby_failed", rule=search.rule.key, provider=key.provider, cause=error.message)
        except Exception:  # whatever it is belongs to this one
            self._not_before[key] = self.steady() + AGAIN
            log.exception("rule.standby_broke", rule=search.rule.key, provider=key.provider)

    async def _search(self, search: _Search, own: Sequence[Fixture]) -> Pairing:
        endpoint, kickoff = search.source.adapter.endpoint, search.fixture.kickoff
        if kickoff is None:
            return Pairing(None)
        zone = ZoneInfo(endpoint.timezone)
        first, last = (datetime.fromtimestamp(kickoff + apart, zone).date() for apart in (-SAME_TIME, SAME_TIME))
        there = await self.lists.get(endpoint.key, first, last)
        organization_id = search.rule.organization_id
        if organization_id not in self._known:
            links = await self.store.read(partial(list_links, organization_id=organization_id))
            self._known[organization_id] = same_of(links)
        ours, theirs = ListedAt(search.rule.provider, own), ListedAt(search.key.provider, there.fixtures)
        return await asyncio.to_thread(find_same, search.fixture, ours, theirs, self._known[organization_id])

    async def _attach(self, search: _Search, found: Fixture) -> Pairing:
        """Have it stand by, and link what is the same by that; where it turns out to be another match, a person is to choose."""
        key = search.key
        pair = (search.rule.provider, listed_match(search.fixture)), (key.provider, listed_match(found))
        request = StandbyRequest(key.organization_id, key.provider, found.match_id)
        try:
            standby = await self.importer.find_standby(request)
            attach = partial(rule_standbys.attach, key=key, found=standby, links=links_of_pair(*pair, "pair"))
            await self.importer.follow(await self.store.write(attach))
        except OtherMatch:
            return Pairing(None, (found,))
        self._known.pop(key.organization_id, None)
        log.info(
            "rule.standby_found", rule=search.rule.key, provider=key.provider, match=found.match_id, game=key.game_id
        )
        return Pairing(found)

    async def _ask(self, search: _Search, pairing: Pairing) -> None:
        question = {
            "match": listed_match(search.fixture),
            "candidates": [listed_match(each) for each in pairing.candidates],
        }
        if search.liveblog.searched.get(search.key.provider) != ("open", question):
            ask = partial(rule_standbys.ask, key=search.key, kickoff=search.fixture.kickoff, question=question)
            await self.store.write(ask)
