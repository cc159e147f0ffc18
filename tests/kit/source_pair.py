"""A match of two sources in one process: the first one by a recording, the second one by the same match in other words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar

from api.http.services import StandbyRequest
from ingest.daemon.build import standby_rules
from ingest.kit.quarantine import Quarantine
from ingest.sync.add_standby import AddStandby
from ingest.sync.followed_match import everybody
from ingest.sync.follower import Followers
from ingest.sync.import_match import Importer, ProviderSource
from ingest.sync.standby_sources import LOOK, StandbyRules
from ingest.sync.standby_watch import StandbyWatch
from mapping.errors import ProviderRefused, UpstreamUnavailable
from providers.base import Fetched, Known
from providers.heim.adapter import HEIM
from store.engine.ids import new_local_id
from store.following import standbys, sync
from tests.kit.opening import endpoint_of
from tests.kit.scripted import OWNER, Process, _endpoints, answer_with
from tests.kit.settings import LIMITS, configured, polling

if TYPE_CHECKING:
    from mapping.fusion.source_pair import PairState
    from mapping.match import Match


class Second:
    """A ProviderAdapter whose match is `match`; with `error` every fetch raises it."""

    id = "second"
    text_resource = None
    carried_by: ClassVar[dict[Any, Any]] = {}

    def __init__(self) -> None:
        self.endpoint = endpoint_of(provider="second", base_url=f"http://second-{next(_endpoints)}.invalid")
        self.match: Match | None = None
        self.error: Exception | None = None
        self._given: dict[bytes, Match] = {}

    async def resolve(self, selector: Any) -> str:
        return selector.id

    async def fetch(self, match_id: str, known: dict[str, Known], *, text: bool, hints: Any) -> Fetched:
        if self.error is not None:
            raise self.error
        body = sha256(repr(self.match).encode()).hexdigest().encode()
        self._given[body] = self.match
        return Fetched(answers=(answer_with("match", body, known.get("match", Known())),), hints={})

    def translate(self, match_id: str, bodies: dict[str, bytes]) -> Match:
        return self._given[bodies["match"]]

    async def aclose(self) -> None:
        return


class SecondProvider:
    """What the registry knows of the second provider."""

    id = "second"
    catalog: ClassVar[dict[str, tuple[str, ...]]] = {"soccer": (), "icehockey": ()}
    text_sports: frozenset[str] = frozenset()


@dataclass
class TwoSources(Process):
    """The sync of one liveblog with a standby. Each poll moves the clock on by `STEP` seconds."""

    second: Any = field(default_factory=Second)
    rules: StandbyRules = field(default_factory=lambda: standby_rules(configured(), everybody, ()))

    vendor: ClassVar[Any] = SecondProvider()
    """What the registry knows of the standby's provider."""
    pace: dict[str, Any] = field(default_factory=dict)
    """Settings of the polls that are not the default's."""

    def new_id(self) -> str:
        """The `local_id` of a new post."""
        return new_local_id("e")

    def start(self) -> None:
        """A fresh process on the same store: nothing in memory."""
        adapters = {each.endpoint.key: each for each in (self.adapter, self.second)}
        quarantine = Quarantine()
        self.followers = Followers(
            self.crashing,
            adapters,
            polling(**self.pace),
            LIMITS,
            clock=lambda: self.clock.now,
            new_id=self.new_id,
            quarantine=quarantine,
            withdrawals=self.withdrawals,
            standby=self.rules,
        )
        sources = {
            (OWNER, "heim"): ProviderSource(HEIM, self.adapter, text_content=True),
            (OWNER, self.vendor.id): ProviderSource(self.vendor, self.second, text_content=False),
        }
        self.importer = Importer(
            self.crashing,
            sources,
            self.followers,
            providers=frozenset({"heim", self.vendor.id}),
            limits=LIMITS,
            withdrawals=self.withdrawals,
            clock=lambda: self.clock.now,
        )
        self.adding = AddStandby(self.crashing, self.importer, self.followers)
        self.watch = StandbyWatch(self.crashing, self.followers, self.rules, quarantine, clock=lambda: self.clock.now)

    async def stand_by(self, ticker_id: str, match_id: str) -> None:
        """Have the second source stand by, as external.json does."""
        wanted = StandbyRequest(organization_id=OWNER, liveblog=ticker_id, provider=self.vendor.id, match_id=match_id)
        await self.adding(wanted)

    async def restart(self) -> None:
        self.crashing.fuse = None
        self.start()
        for row in await self.store.read(sync.follows):
            await self.followers.follow(row.id)

    async def poll_one(self, provider: str) -> None:
        """Poll one source."""
        for match in self.matches:
            if match.endpoint.startswith(f"{provider}:"):
                await self.followers.poll(match)

    async def pass_time(self, seconds: float) -> None:
        """So much time passes, in which nobody is polled and the watch looks as often as it does."""
        for _ in range(round(seconds / LOOK)):
            self.clock.now += LOOK
            await self.watch.look()

    async def state(self, ticker_id: str) -> PairState:
        """What is known of both sources."""
        standby = await self.store.read(lambda conn: standbys.of_liveblog(conn, ticker_id))
        return standby.known()


def turned_round(match: Match) -> Match:
    """The match with home and away in each other's place."""
    return replace(match, home=match.away, away=match.home)


def refused() -> Exception:
    return ProviderRefused("the provider refuses access")


def failing() -> Exception:
    return UpstreamUnavailable("the provider answers 503")
