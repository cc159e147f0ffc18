"""Follow rules at work: the process that leads looks at the lists, creates what is due, and says what it could not create."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import structlog
from sqlalchemy import Connection

from config.sections import Polling
from ingest.sync.declared_matches import DeclaredMatches
from ingest.sync.fixture_lists import FixtureLists
from ingest.sync.import_match import MatchImporter
from ingest.sync.provider_source import ProviderSource, followable_sports
from ingest.sync.rule_standbys import RuleStandbys
from mapping.documents.scalars import LocalStatus
from mapping.errors import Conflict, ServiceError
from mapping.follow.links import Links
from mapping.follow.list_watch import SeenList
from mapping.follow.plan import TO_DO, KnownMatch, KnownMatches, ListView, Outlook, Planned, is_missed, plan
from mapping.follow.preview import FAILED
from mapping.follow.rule import FollowRule
from mapping.match.fixture import Fixture
from store.alarms.alarms import Observed
from store.database import Store
from store.following import follow_rows, rule_matches
from store.following.import_request import ImportRequest
from store.following.rules import MissedMatch, list_missed, note_missed
from store.following.source_links import list_links, same_of
from store.liveblogs import liveblogs

log = structlog.get_logger()

RULES = "rules"
"""The job that looks."""
AT_ONCE = 4
"""Liveblogs that are created at a time."""
BUDGET = 20.0
"""Seconds of one look in which creations begin; the rest is for the next look, which comes at once."""
SOON = 3600.0
"""Seconds before a creation in which the lists are looked at more often."""
WARNED = 900.0
"""Seconds before kick-off from which a creation that fails is an alarm."""
FIRST_PAUSE = 5.0
MOST_ALARMS = 50
MOST_MISSED = 200
"""Matches without their liveblogs that one look writes down."""

Read = Callable[[Connection], list[Any]]
Reader = Callable[[Read], Awaitable[list[Any]]]
MatchKey = tuple[str, str, str]
"""Organization, rule and match."""


@dataclass(slots=True)
class FailedCreation:
    """A liveblog that could not be created: how often, why, and when it is tried again (steady seconds)."""

    planned: Planned
    failures: int
    cause: str
    again: float


class RulePlans:
    """What rules make of their providers' lists, by what there is already. `clock` gives Unix seconds.

    `declared`: the matches that count as made whatever there is; `read` runs a query on the database.
    `more` finds the rules that stand in no file, anew for each plan.
    """

    def __init__(
        self,
        rules: Sequence[FollowRule],
        *,
        read: Reader,
        lists: FixtureLists,
        sources: Mapping[tuple[str, str], ProviderSource],
        declared: DeclaredMatches,
        clock: Callable[[], float],
        more: Read = lambda _: [],
    ) -> None:
        self.rules: tuple[FollowRule, ...] = tuple(rules)
        self._own, self._more, self._declared = self.rules, more, declared
        self._read, self._lists, self._sources, self._clock = read, lists, sources, clock
        self.seen: dict[str, SeenList] = {}
        """The lists by endpoint, as they are believed."""
        self._views: dict[str, ListView] = {}
        self._teams: dict[str, Links] = {}
        """Which teams are the same, by organization."""

    async def plan(self, *, days: int) -> list[Planned]:
        """What becomes of the matches of all rules, of so many days ahead at least. Lists that fail are as they were seen last."""
        now = self._clock()
        self.rules = (*self._own, *await self._read(self._more))
        for key, rules in self._by_endpoint().items():
            ahead = max(days * 86_400.0, *(rule.lead + SOON for rule in rules))
            self._views[key] = await self._list(self._source(rules[0]), ahead, now)
        if self.rules:
            await self._declared.look_up(self._sources)
        known: dict[str, KnownMatches] = {}
        for organization_id in {rule.organization_id for rule in self.rules}:
            look = partial(rule_matches.known_matches, organization_id=organization_id, now=now)
            there = [*await self._read(look), *self._declared_of(organization_id)]
            links = await self._read(partial(list_links, organization_id=organization_id))
            self._teams[organization_id] = same_of(links).teams
            known[organization_id] = KnownMatches(there, self._teams[organization_id])
        found: dict[int, list[Planned]] = {}
        for place, rule in sorted(enumerate(self.rules), key=lambda each: -each[1].lead):  # whose moment comes first
            there_are = known[rule.organization_id]
            found[place] = plan(rule, self._view(rule), there_are, now=now)
            for each in found[place]:
                if each.outlook in {Outlook.DUE, Outlook.WAITS}:
                    there_are.add(_will_be(each))
        return [each for _, of_rule in sorted(found.items()) for each in of_rule]

    def covering(self, planned: Planned, known: Iterable[KnownMatch]) -> KnownMatch | None:
        """Which of these matches of the organization the planned one is, by the list that was seen last."""
        teams = self._teams.get(planned.rule.organization_id, Links())
        return KnownMatches(known, teams).find(planned.rule, planned.fixture, self._view(planned.rule), self._clock())

    def _declared_of(self, organization_id: str) -> list[KnownMatch]:
        """What the configuration names, with the teams that a list says of it."""
        found = []
        for each in self._declared.known[organization_id]:
            source = self._sources.get((organization_id, each.provider))
            view = None if source is None else self._views.get(source.adapter.endpoint.key)
            fixture = None if view is None else view.by_id.get(each.match_id)
            found.append(each if fixture is None else replace(each, teams=_teams(fixture), kickoff=fixture.kickoff))
        return found

    def listed(self, rule: FollowRule) -> tuple[Fixture, ...]:
        """All matches of the rule's list, as it was seen last."""
        return self.seen[self._source(rule).adapter.endpoint.key].fixtures

    def _view(self, rule: FollowRule) -> ListView:
        return self._views[self._source(rule).adapter.endpoint.key]

    def _source(self, rule: FollowRule) -> ProviderSource:
        """Where the rule's lists come from: its organization has the provider, as the configuration was checked."""
        return self._sources[rule.organization_id, rule.provider]

    def _by_endpoint(self) -> dict[str, list[FollowRule]]:
        found: dict[str, list[FollowRule]] = defaultdict(list)
        for rule in self.rules:
            found[self._source(rule).adapter.endpoint.key].append(rule)
        return found

    async def _list(self, source: ProviderSource, ahead: float, now: float) -> ListView:
        """The matches from yesterday on; those of the last good look where this one is none."""
        endpoint = source.adapter.endpoint
        zone = ZoneInfo(endpoint.timezone)
        first, last = (_day(now - 86_400, zone), _day(now + ahead, zone))
        before = self.seen.get(endpoint.key, SeenList())
        try:
            listed = await self._lists.get(endpoint.key, first, last)
        except ServiceError as error:
            seen = before.failed(error.message)
        else:
            seen = before.seen(listed.fixtures, first, zone)
        if seen.is_trouble and not before.is_trouble:
            log.warning("list.not_believed", endpoint=endpoint.key, cause=seen.cause)
        self.seen[endpoint.key] = seen
        sports = followable_sports(source.provider)
        return ListView(fixtures=seen.fixtures, timezone=endpoint.timezone, sports=sports)


class FollowRules:
    """The rules at work in the process that leads. `clock` gives Unix seconds; pauses are by `steady`."""

    def __init__(
        self,
        plans: RulePlans,
        *,
        store: Store,
        importer: MatchImporter,
        polling: Polling,
        clock: Callable[[], float],
        steady: Callable[[], float] = time.monotonic,
        standbys: RuleStandbys | None = None,
    ) -> None:
        self.plans = plans
        self._standbys = standbys
        self._store, self._importer = store, importer
        self._polling, self._clock, self._steady = polling, clock, steady
        self._failed: dict[MatchKey, FailedCreation] = {}
        self._beyond: list[Planned] = []
        self._looked = float("-inf")
        self.next_look = float("-inf")
        """When it is time to look again (steady seconds)."""

    @property
    def is_due(self) -> bool:
        """Whether it is time to look."""
        return self._steady() >= self.next_look

    def clock_set(self, seconds: float) -> None:  # noqa: ARG002 -- whichever way: what waits was planned by another clock
        """The wall clock was set: look again."""
        self.next_look = float("-inf")

    def look_again(self, organization_id: str) -> None:
        """Look at once, and try again what has failed of the organization: its rules have changed, or somebody asks for it."""
        for (owner, _, _), failed in self._failed.items():
            if owner == organization_id:
                failed.again = float("-inf")
        self.next_look = float("-inf")

    async def look(self) -> None:
        """Look at the lists, create what is due, and decide when to look again."""
        begun = self._steady()
        if begun - self._looked > 2 * self._polling.lists:  # another process has led meanwhile
            self.plans.seen.clear()
        self._looked = begun
        self.next_look = begun + self._polling.lists_due
        planned = await self.plans.plan(days=0)
        due = [each for each in planned if each.outlook in TO_DO and self._may_try(each)]
        self._forget_failures(planned)
        self._beyond = [each for each in planned if each.outlook is Outlook.BEYOND]
        room = asyncio.Semaphore(AT_ONCE)
        left = await asyncio.gather(*(self._within(begun, room, each) for each in due))
        at_once = self.next_look == float("-inf")
        self.next_look = self._steady() if any(left) or at_once else begun + self._pause(planned)
        await self._note_missed(planned)
        if self._standbys is not None:
            await self._standbys.look(planned, self.plans.listed)

    def _may_try(self, planned: Planned) -> bool:
        failed = self._failed.get(_key(planned))
        return failed is None or self._steady() >= failed.again

    async def _within(self, begun: float, room: asyncio.Semaphore, planned: Planned) -> bool:
        """Create it while there is time; whether it is left for the next look."""
        async with room:
            if self._steady() - begun > BUDGET:
                return True
            try:
                await self._create(planned)
            except Conflict as error:
                log.info("rule.covered", rule=planned.rule.key, match=planned.fixture.match_id, cause=error.message)
            except ServiceError as error:
                self._failed_creation(planned, error.message)
            except Exception as error:  # whatever it is belongs to this one
                log.exception("rule.creation_broke", rule=planned.rule.key, match=planned.fixture.match_id)
                self._failed_creation(planned, repr(error))
            else:
                self._failed.pop(_key(planned), None)
            return False

    async def _create(self, planned: Planned) -> None:
        rule, match_id = planned.rule, planned.fixture.match_id
        if planned.known is not None:
            await self._follow_renamed(rule, planned.known, match_id)
            return
        claim = partial(rule_matches.claim, rule=rule.key, covering=partial(self.plans.covering, planned))
        request = replace(_request(rule, match_id), editorial=rule.editorial_publishing, tags=rule.tags, claim=claim)
        game_id = await self._importer.create(request)
        log.info("rule.created", rule=rule.key, match=match_id, game=game_id)

    async def _follow_renamed(self, rule: FollowRule, known: KnownMatch, match_id: str) -> None:
        """Put the liveblog that the rule has made on the match's new id, unless a person has put it on another match."""
        attached = await self._store.read(partial(_attachment, game_id=known.game_id or ""))
        if attached is not None and attached.match_id == known.match_id:
            again = _request(replace(rule, terms=follow_rows.terms_of(attached)), match_id)
            await self._importer.create(replace(again, attach_to=known.game_id))
        rename = partial(rule_matches.rename, organization_id=rule.organization_id, known=known, match_id=match_id)
        await self._store.write(rename)

    def _failed_creation(self, planned: Planned, cause: str) -> None:
        key = _key(planned)
        failures = 1 + (self._failed[key].failures if key in self._failed else 0)
        pause = min(FIRST_PAUSE * 2 ** min(failures - 1, 10), self._polling.create_retry_max)
        self._failed[key] = FailedCreation(planned, failures, cause, self._steady() + pause)
        log.warning("rule.creation_failed", rule=planned.rule.key, match=planned.fixture.match_id, cause=cause)

    async def _note_missed(self, planned: Sequence[Planned]) -> None:
        """Keep, for people to read, which matches have no liveblog that should have one; what has one is taken off."""
        kept = {each.key: each for each in await self._store.read(list_missed)}
        now, missed = self._clock(), {}
        for each in planned:
            failed = self._failed.get(_key(each))
            if failed is not None or is_missed(each, now):
                row = _missed(each, None if failed is None else failed.cause)
                missed[row.key] = replace(row, since=kept[row.key].since if row.key in kept else 0)
        settled = {_missed(each, None).key for each in planned if each.outlook is not Outlook.OVER} - missed.keys()
        changed = [row for key, row in missed.items() if kept.get(key) != row][:MOST_MISSED]
        gone = [row for key, row in kept.items() if key in settled]
        if changed or gone:
            await self._store.write(partial(note_missed, found=changed, gone=gone))

    def _forget_failures(self, planned: Sequence[Planned]) -> None:
        """What is not due any more has not failed: it is made, over or called off."""
        due = {_key(each) for each in planned if each.outlook in TO_DO}
        for key in self._failed.keys() - due:
            del self._failed[key]

    def _pause(self, planned: Sequence[Planned]) -> float:
        """Seconds until the next look: at the next creation, at a try again, more often while one is due within the hour."""
        now, steady = self._clock(), self._steady()
        waiting = [each.due_at - now for each in planned if each.outlook is Outlook.WAITS and each.due_at is not None]
        every = self._polling.lists_due if min(waiting, default=SOON) < SOON else self._polling.lists
        again = [each.again - steady for each in self._failed.values()]
        return max(1.0, min([every, *(each for each in waiting if each > 0), *again]))

    async def alarms(self, kind: str) -> list[Observed]:
        """What is wrong now, of this kind: creations that fail close to kick-off, matches beyond a bound, lists not believed."""
        now = self._clock()
        if kind == "rule_fails":
            late = (each for each in self._failed.values() if now >= (each.planned.fixture.kickoff or 0) - WARNED)
            return [_alarm(each.planned, each.cause) for each in late][:MOST_ALARMS]
        if kind == "list_lost":
            lost = ((key, seen.cause) for key, seen in self.plans.seen.items() if seen.is_trouble)
            return [
                Observed(kind, key, f"the list of matches cannot be believed: {cause}", {"cause": cause})
                for key, cause in lost
            ][:MOST_ALARMS]
        beyond: dict[tuple[str, str], list[str]] = defaultdict(list)
        for each in self._beyond:
            beyond[each.rule.organization_id, each.rule.key].append(each.fixture.match_id)
        return [
            Observed(
                kind,
                f"{organization}/{rule}",
                f"the rule {rule} has more matches a day than it may make liveblogs of: {len(matches)} are left out",
                {"organization": organization, "rule": rule, "matches": matches[:MOST_ALARMS]},
            )
            for (organization, rule), matches in beyond.items()
        ][:MOST_ALARMS]


def _attachment(conn: Connection, game_id: str) -> follow_rows.Attachment | None:
    """What the liveblog is attached to; None also where a person has deleted it."""
    game = liveblogs.find_game(conn, game_id)
    is_gone = game is None or game.local_status == LocalStatus.DELETED
    return None if is_gone else follow_rows.attachment(conn, game_id)


def _alarm(planned: Planned, cause: str) -> Observed:
    rule, match_id = planned.rule, planned.fixture.match_id
    return Observed(
        "rule_fails",
        "/".join(_key(planned)),
        f"the rule {rule.key} cannot create the liveblog of {planned.title} (match {match_id}): {cause}",
        {"rule": rule.key, "match": match_id, "teams": planned.title, "cause": cause},
    )


def _missed(planned: Planned, cause: str | None) -> MissedMatch:
    """The row of a match without its liveblog; `cause`: why the creation fails, None where nothing was tried."""
    rule, fixture = planned.rule, planned.fixture
    reason, word = (planned.reason.name, planned.word) if cause is None and planned.reason else (FAILED, cause or "")
    found = rule.organization_id, rule.key, rule.provider, fixture.match_id
    return MissedMatch(*found, planned.title, fixture.kickoff, reason, word)


def _will_be(planned: Planned) -> KnownMatch:
    """What the rules that come later in the order see of a match that this one makes."""
    rule, fixture = planned.rule, planned.fixture
    return KnownMatch(
        provider=rule.provider,
        match_id=fixture.match_id,
        locale=rule.terms.locale,
        teams=_teams(fixture),
        kickoff=fixture.kickoff,
        by=f"the rule {rule.key}",
        rule=rule.key,
    )


def _teams(fixture: Fixture) -> frozenset[str]:
    return frozenset(each.id for each in (fixture.home, fixture.away) if each is not None)


def _request(rule: FollowRule, match_id: str) -> ImportRequest:
    return ImportRequest(
        organization_id=rule.organization_id,
        client_id="rules",
        provider=rule.provider,
        selector_kind="match",
        selector_id=match_id,
        terms=rule.terms,
    )


def _key(planned: Planned) -> MatchKey:
    return planned.rule.organization_id, planned.rule.key, planned.fixture.match_id


def _day(seconds: float, zone: ZoneInfo) -> date:
    return datetime.fromtimestamp(seconds, zone).date()
