"""A match of several sources in one process: the first one by a recording, the others by the same match in other words."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Any, ClassVar

from api.external.change_sources import change_sources
from ingest.daemon.build import standby_rules
from ingest.kit.quarantine import Quarantine
from ingest.sync.followed_match import everybody
from ingest.sync.follower import Followers
from ingest.sync.import_match import MatchImporter
from ingest.sync.provider_source import ProviderSource
from ingest.sync.standby_sources import LOOK, StandbyRules
from ingest.sync.standby_watch import StandbyWatch
from mapping.documents.external import ExternalChange
from mapping.errors import ProviderRefused, UpstreamUnavailable
from mapping.fusion.source_pair import PairState
from mapping.match.match import Match, Person, Side
from providers.base import Fetched, Known
from providers.heim.adapter import HEIM
from store.engine.liveblog_records import new_local_id
from store.engine.unit import Unit
from store.following import follow_rows, sources, standbys
from store.following.import_request import StandbyRequest
from tests.kit.opening import endpoint_of
from tests.kit.scripted import OWNER, Process, _endpoints, answer_with
from tests.kit.settings import LIMITS, configured, polling
from tests.kit.wire_forms.other_words import Rates, in_other_words, plain


class SecondProvider:
    """What the registry knows of the provider of a standby."""

    catalog: ClassVar[dict[str, tuple[str, ...]]] = {"soccer": (), "icehockey": ()}
    text_sports: frozenset[str] = frozenset()

    def __init__(self, name: str) -> None:
        self.id = name


class Second:
    """A ProviderAdapter whose match is `match`; with `error` every fetch raises it."""

    text_resource = None
    carried_by: ClassVar[dict[Any, Any]] = {}

    def __init__(self, name: str = "second") -> None:
        self.id, self.vendor = name, SecondProvider(name)
        self.endpoint = endpoint_of(provider=name, base_url=f"http://{name}-{next(_endpoints)}.invalid")
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


@dataclass
class TwoSources(Process):
    """The sync of one liveblog with standbys. Each poll moves the clock on by `STEP` seconds. `more`: beside the second source."""

    second: Any = field(default_factory=Second)
    more: list[Any] = field(default_factory=list)
    rules: StandbyRules = field(default_factory=lambda: standby_rules(configured(), everybody, ()))
    pace: dict[str, Any] = field(default_factory=lambda: {"breaker_after": 10_000})
    """Settings of the polls that are not the default's: no circuit opens, as it would count the seconds of the machine."""

    def new_id(self) -> str:
        """The `local_id` of a new post."""
        return new_local_id("e")

    def start(self) -> None:
        """A fresh process on the same store: nothing in memory."""
        beside = (self.second, *self.more)
        adapters = {each.endpoint.key: each for each in (self.adapter, *beside)}
        quarantine = Quarantine()
        self.followers = Followers(
            self.crashing,
            adapters,
            polling(**self.pace),
            LIMITS,
            clock=lambda: self.clock.now,
            new_id=self.new_id,
            quarantine=quarantine,
            serves=self.serves,
            withdrawals=self.withdrawals,
            standby=self.rules,
        )
        self.importer = MatchImporter(
            self.crashing,
            self.access(self.organizations),
            self.followers,
            providers=frozenset({"heim", *(each.id for each in beside)}),
            limits=LIMITS,
            withdrawals=self.withdrawals,
            clock=lambda: self.clock.now,
        )
        self.watch = StandbyWatch(self.crashing, self.followers, self.rules, clock=lambda: self.clock.now)

    def access(self, organizations: Iterable[str]) -> dict[tuple[str, str], ProviderSource]:
        """By what these organizations reach each provider."""
        first = ProviderSource(HEIM, self.adapter, text_content=True)
        others = [ProviderSource(each.vendor, each, text_content=False) for each in (self.second, *self.more)]
        return {(owner, each.provider.id): each for owner in organizations for each in (first, *others)}

    async def stand_by(self, ticker_id: str, *match_ids: str, owner: str = OWNER) -> None:
        """Have the matches of these ids stand by, that of the second source first, as external.json does, and no others."""
        names = [each.id for each in (self.second, *self.more)]
        wanted = [StandbyRequest(owner, name, match_id) for name, match_id in zip(names, match_ids, strict=False)]
        found = [await self.importer.find_standby(each) for each in wanted]
        follow_ids = await self.crashing.write(partial(_stand_by, ticker_id=ticker_id, found=found))
        await self.importer.follow(follow_ids)

    async def restart(self) -> None:
        self.crashing.fuse = None
        self.start()
        for row in await self.store.read(follow_rows.follows):
            await self.followers.follow(row.id)

    async def pass_time(self, seconds: float) -> None:
        """So much time passes, in which nobody is polled and the watch looks as often as it does."""
        for _ in range(round(seconds / LOOK)):
            self.clock.now += LOOK
            await self.watch.look()

    async def state(self, ticker_id: str) -> PairState:
        """What is known of the first two sources."""
        return (await self.states(ticker_id))[0]

    async def states(self, ticker_id: str) -> list[PairState]:
        """What is known of each pair."""
        rows = await self.store.read(lambda conn: standbys.of_liveblog(conn, ticker_id))
        return [each.known() for each in rows]


def _stand_by(unit: Unit, ticker_id: str, found: Any) -> list[str]:
    attachment = follow_rows.attachment(unit.conn, ticker_id)
    assert attachment is not None
    sources.lock(unit, attachment.follow_id)
    change_sources(unit, attachment, ExternalChange(standby=()), found)
    return [attachment.follow_id, *(each.follow_id for each in standbys.of_liveblog(unit.conn, ticker_id))]


def refused() -> Exception:
    return ProviderRefused("the provider refuses access")


def failing() -> Exception:
    return UpstreamUnavailable("the provider answers 503")


def as_second_source(match: Match, seed: int, *, missing: float = 0.1) -> Match:
    """The same match in another provider's words. The same seed has each incident in the same form at every version."""
    match = in_other_words(match, seed, Rates(missing=missing))
    incidents = [
        replace(
            each,
            key=f"incident:z{each.key.removeprefix('incident:')}" if each.key.startswith("incident:") else each.key,
            people=tuple(replace(who, person=_person(who.person)) for who in each.people),
            created_at=None if each.created_at is None else each.created_at + 17,
        )
        for each in match.incidents
    ]
    sides = {"home": _side(match.home), "away": _side(match.away)}
    return replace(
        match, provider="second", match_id=f"z{match.match_id}", incidents=tuple(incidents), text=False, **sides
    )


def _side(side: Side | None) -> Side | None:
    if side is None:
        return None
    lineup, bench = (tuple(map(_person, group)) for group in (side.lineup, side.bench))
    names = {"name": side.short_name or side.name, "short_name": side.name}
    return replace(side, ext_id=f"t{side.ext_id}", lineup=lineup, bench=bench, **names)


def _person(person: Person) -> Person:
    """The surname first, without marks."""
    *first, last = plain(person.name).split() or ["?"]
    return replace(person, ext_id=f"z{person.ext_id}", name=" ".join([last, *first]), short_name=None)
