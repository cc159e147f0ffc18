"""A weekend of a league in virtual time: rules over a provider whose list fails, loses matches and moves them."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from config.sections import Polling
from ingest.sync.declared_matches import DeclaredMatches
from ingest.sync.fixture_lists import FixtureLists
from ingest.sync.follow_rules import FollowRules, Read, RulePlans
from ingest.sync.import_match import MatchImporter
from ingest.sync.provider_source import ProviderSource
from ingest.sync.rule_standbys import RuleStandbys
from mapping.errors import DownstreamRejected, MatchUnknown, UpstreamUnavailable
from mapping.follow.rule import FollowRule
from mapping.match.fixture import Fixture, FixtureList, FixtureStatus, NamedId
from mapping.match.match import Match
from providers.base import Fetched
from providers.heim.adapter import HEIM
from store.following.rule_matches import rule_matches
from store.tables import attachments, follows, games
from tests.kit.hand_driven import steady_by
from tests.kit.opening import endpoint_of
from tests.kit.scripted import OWNER, Clock, Crash, Process, Scripted
from tests.kit.settings import LIMITS, polling
from tests.providers.heim import feed
from tests.simulation.inline_store import InlineStore

BERLIN = ZoneInfo("Europe/Berlin")
NEVER = float("inf")
HOUR = 3600


class League(Scripted):
    """Lists its matches and serves each of them. `lost`: ids that the list does not hold now; `down`: matches that it refuses."""

    def __init__(self) -> None:
        super().__init__()
        self.matches: dict[str, Fixture] = {}
        self.lost: set[str] = set()
        self.down: set[str] = set()
        self.list_fails = False
        self.requests = 0
        self.meanwhile: Callable[[str], Awaitable[Any]] | None = None
        """What happens while a match is fetched, once."""

    async def fixtures(self, first: date, last: date) -> FixtureList:
        self.requests += 1
        if self.list_fails:
            raise UpstreamUnavailable("the list is away")
        rows = [each for ident, each in self.matches.items() if ident not in self.lost]
        days = [each for each in rows if each.kickoff is None or first <= _day(each.kickoff) <= last]
        return FixtureList(fixtures=tuple(days))

    async def fetch(self, match_id: str, known: Any, *, text: bool, hints: Any) -> Fetched:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile(match_id)
        if match_id in self.down:
            raise DownstreamRejected("the match is away")  # nothing that is tried three times at once, with pauses
        found = self.matches.get(match_id)
        if found is None:
            raise MatchUnknown("no such match")
        begins = datetime.fromtimestamp(found.kickoff or 0, UTC).astimezone(BERLIN)
        sides = {
            name: {**feed.TEAMS[name], "id": side.id, "name": side.name}
            for name, side in (("home", found.home), ("away", found.away))
            if side is not None
        }
        body = feed.match(
            id=match_id, match_date=begins.strftime("%d.%m.%Y"), match_time=begins.strftime("%H:%M"), current_period="",
            live_status="none", current_period_start=None, current_minute=None, match_result=[], **sides,
        )  # fmt: skip
        self.bodies = {"match": json.dumps({"match": body}).encode(), "match-event": b"[]", "liveticker": b"[]"}
        return await super().fetch(match_id, known, text=text, hints=hints)


class OtherLeague(League):
    """The same of another provider."""

    id = "pa"

    def __init__(self) -> None:
        super().__init__()
        self.endpoint = endpoint_of(provider="pa", base_url=self.endpoint.base_url)

    def translate(self, match_id: str, bodies: Any) -> Match:
        return replace(super().translate(match_id, bodies), provider="pa")


def _day(kickoff: int) -> date:
    return datetime.fromtimestamp(kickoff, BERLIN).date()


class DeadStore:
    """What a process that has died reaches."""

    async def write(self, _: Any) -> Any:
        raise Crash

    read = read_for_write = write


@dataclass
class Worker:
    """A process on the weekend's database: nothing in memory when it begins."""

    days: Weekend
    store: Any

    def __post_init__(self) -> None:
        clock, league = self.days.clock, self.days.league
        self.process = Process(self.store, "0", adapter=league, clock=clock)
        pace, crashing = self.days.pace, self.process.crashing
        self.lists = FixtureLists(self.process.followers.limiters, pace)
        self.plans = RulePlans(
            self.days.rules,
            read=crashing.read,
            lists=self.lists,
            sources={(OWNER, "heim"): ProviderSource(HEIM, league, text_content=True)},
            declared=self.days.declared,
            clock=lambda: clock.now,
            more=self.days.more,
        )
        self.looks = FollowRules(
            self.plans,
            store=crashing,
            importer=self.process.importer,
            polling=pace,
            clock=lambda: clock.now,
            steady=lambda: clock.now,
            standbys=self._standbys(crashing, {(OWNER, "heim"): ProviderSource(HEIM, league, text_content=True)}),
        )

    def _standbys(self, store: Any, sources: dict[tuple[str, str], ProviderSource]) -> RuleStandbys:
        """Looks for standbys at the other provider, which the process that follows matches does not follow."""
        clock, other = self.days.clock, self.days.other
        sources |= {(OWNER, "pa"): ProviderSource(replace(HEIM, id="pa"), other, text_content=False)}
        self.importer = MatchImporter(
            store, sources, self.process.followers, providers=frozenset({"heim", "pa"}), limits=LIMITS
        )
        lists = FixtureLists(Process(self.store, "0", adapter=other, clock=clock).followers.limiters, polling())
        return RuleStandbys(store, self.importer, lists, sources, steady=lambda: clock.now)


@dataclass
class Weekend:
    """The league and the processes, one a store, the first of which leads; `crashes` is how often one has died."""

    rules: Sequence[FollowRule]
    clock: Clock
    stores: Sequence[Any] = ()
    league: League = field(default_factory=League)
    other: OtherLeague = field(default_factory=OtherLeague)
    declared: DeclaredMatches = field(default_factory=lambda: DeclaredMatches([]))
    crashes: int = 0
    more: Read = lambda _: []
    pace: Polling = field(default_factory=polling)
    together: Callable[[], bool] = lambda: False
    """Whether two processes think at this moment that they lead."""

    def __post_init__(self) -> None:
        self.stores = self.stores or [InlineStore(lambda: self.clock.now, lambda _: None)]
        self.workers = [Worker(self, store) for store in self.stores]

    @property
    def process(self) -> Process:
        return self.workers[0].process

    @property
    def plans(self) -> RulePlans:
        return self.workers[0].plans

    @property
    def looks(self) -> FollowRules:
        return self.workers[0].looks

    def start(self) -> None:
        """The process that leads dies and is started again; the next one leads."""
        dead = self.workers.pop(0)
        dead.process.crashing.store = DeadStore()
        self.workers.append(Worker(self, dead.store))

    async def pass_time(self, until: float, crashes: float = NEVER) -> None:
        """The one that leads looks whenever it is time, until then; after it has died nobody leads for ten seconds.

        It also ends after so many `crashes` in all.
        """
        while self.clock.now < until and self.crashes < crashes:
            self.clock.now = min(until, max(self.clock.now, self.looks.next_look))
            if not self.looks.is_due:
                continue
            leading = self.workers[: 1 + self.together()]
            ends = await asyncio.gather(*(each.looks.look() for each in leading), return_exceptions=True)
            if any(isinstance(each, Crash) for each in ends):
                self.crashes += 1
                self.clock.now += 10
                self.start()
            for each in ends:
                if each is not None and not isinstance(each, Crash):
                    raise each
            self.clock.now += 1

    async def liveblogs(self) -> list[tuple[str, str, int, str]]:
        """Match id, locale, instant of creation and whoever made it, of all that were ever made."""
        query = (
            select(
                follows.c.match_id, attachments.c.terms, attachments.c.created_at, rule_matches.c.rule, games.c.local_id
            )
            .join(attachments, attachments.c.follow_id == follows.c.id)
            .join(games, games.c.id == attachments.c.game_id)
            .outerjoin(rule_matches, rule_matches.c.game_id == games.c.id)
            .order_by(attachments.c.created_at)
        )
        rows = await self.stores[0].read(lambda conn: conn.execute(query).all())
        return [(row.match_id, row.terms["locale"], row.created_at, row.rule or "") for row in rows]


@contextmanager
def weekend(
    rules: Sequence[FollowRule], begin: float, *stores: Any, clock: Clock | None = None, **pace: float
) -> Iterator[Weekend]:
    """A weekend that begins at this instant, all that waits going by its clock; each store is one of another process."""
    clock = clock or Clock()
    clock.now = begin
    with pytest.MonkeyPatch.context() as patch:
        steady_by(patch, clock)
        patch.setattr("ingest.sync.fixture_lists.monotonic", lambda: clock.now)
        yield Weekend(rules, clock, stores, pace=polling(**pace))


def match(
    ident: str, kickoff: int | None, *, competition: str = "12", home: int = 0, away: int = 0, **more: Any
) -> Fixture:
    """A match of a league, between teams of its own unless they are given."""
    one, two = home or 1000 + int(ident) * 2, away or 1001 + int(ident) * 2
    row = {
        "sport": "soccer", "competition": NamedId(competition, f"League {competition}"), "home": NamedId(str(one), f"Team {one}"),
        "away": NamedId(str(two), f"Team {two}"), "kickoff": kickoff, "status": FixtureStatus.SCHEDULED,
    }  # fmt: skip
    return Fixture(match_id=ident, **{**row, **more})


def move(league: League, ident: str, **changes: Any) -> None:
    """Change a match of the list, and with it what is served of it."""
    league.matches[ident] = replace(league.matches[ident], **changes)


def draw(seed: int) -> random.Random:
    """What a seed draws."""
    return random.Random(seed)
