"""Plays an incident's bundle: the same answers at the same instants, through the same code, into an empty database.

What cannot come out the same by itself is in the bundle: ids, which are random; the instants of the units; the records of master
data, which other matches change too; and what people wrote. Everything else (which posts there are, their words, order, versions,
scoreboard and state) is made anew.
"""

from __future__ import annotations

import gzip
import tempfile
from collections import defaultdict, deque
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from config.sections import Limits
from ingest.incident.bundle import liveblog_answer, reading_bundle
from ingest.sync import followed_match
from ingest.sync.answer_times import Arrival, Instants
from ingest.sync.apply_snapshot import rules_of
from ingest.sync.import_match import NewIds, bodies_of, create_liveblog, first_snapshot
from ingest.sync.poll import Poller, import_squads, record_nothing
from ingest.sync.post_timeline import PostTimeline
from mapping.documents.import_options import ImportOptions
from mapping.errors import Unprocessable, UpstreamUnavailable
from mapping.posts.disallowed import WithdrawalRules
from providers.base import Answer, Endpoint, Fetched, Outcome
from providers.replay.recording import parse
from providers.row_cache import RowCache
from store.database import PoolSettings, Store
from store.engine.ids import new_local_id
from store.following.import_request import ImportRequest
from store.liveblogs import liveblogs
from store.timeline import incident_rows
from store.timeline.timeline import Decision

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from ingest.sync.followed_match import FollowedMatch
    from providers.base import ProviderAdapter
    from providers.registry import Registry
    from store.engine.unit import Unit

POOL = PoolSettings(pool_size=2, timeout=60)


@dataclass(frozen=True, slots=True)
class Played:
    """The liveblog that came out, and whether it is the one of the bundle byte for byte.

    None where the bundle has none, or the match has standbys: the answers of the first source alone are played.
    """

    liveblog: bytes
    same: bool | None
    decisions: int


@dataclass(slots=True)
class ReplayClock:
    """The clock of a replay: the instant of the unit that is played (Unix seconds)."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def adapter_of(manifest: Mapping[str, Any], registry: Registry) -> ProviderAdapter:
    """The adapter that translates the answers; it requests nothing. Raises Unprocessable for a provider that is not installed."""
    provider = registry.find(manifest["provider"])
    if provider is None:
        raise Unprocessable(f"the provider {manifest['provider']} is not installed")
    return provider.connect(
        Endpoint(
            provider=manifest["provider"],
            base_url="http://replay.invalid",
            timeout=1,
            provider_bytes=2**30,
            connections=1,
            user_agent="replay",
            row_cache=RowCache(row_cache_bytes=2**24),
            **manifest["endpoint"],
        )
    )


async def play(bundle: Mapping[str, Any], registry: Registry) -> Played:
    """Play all decisions of the bundle. Raises Unprocessable where answers are missing."""
    with reading_bundle():
        manifest = bundle["manifest.json"]
        if manifest["missing"] and manifest["commentary"]:
            raise Unprocessable("; ".join(manifest["missing"]))
        adapter = adapter_of(manifest, registry)
    clock = ReplayClock()
    with tempfile.TemporaryDirectory(prefix="matchwire-incident-") as folder:
        store = await Store.open(f"sqlite+aiosqlite:///{Path(folder) / 'replay.db'}", pool=POOL, clock=clock)
        try:
            with reading_bundle():
                replay = Replaying(bundle, store, adapter, clock)
            await replay.run()
            answer = await store.read(partial(liveblog_answer, game_id=manifest["liveblog"]["id"]))
        finally:
            await adapter.aclose()
            await store.close()
    expected = None if manifest.get("standbys") else bundle.get("liveblog.json")
    return Played(answer, None if expected is None else answer == expected, len(replay.decisions))


@dataclass
class Replaying:
    """One bundle on its way into a store."""

    bundle: Mapping[str, Any]
    store: Store
    adapter: ProviderAdapter
    clock: ReplayClock
    decisions: list[Decision] = field(default_factory=list)
    match: FollowedMatch | None = None
    paused: bool = False

    def __post_init__(self) -> None:
        self.manifest = self.bundle["manifest.json"]
        self.decisions = [Decision(**each) for each in self.bundle["decisions.json"]]
        self.game_id = str(self.manifest["liveblog"]["id"])
        self.owner = str(self.manifest["liveblog"]["organization_id"])
        writes = self.bundle["writes.json"]
        self.posts = deque(writes["posts"])
        self.steps = {int(name): at for name, at in writes["steps"].items()}
        self.people: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for post in writes["people"]:
            self.people[post["version"]].append(post)
        rows = gzip.decompress(self.bundle["answers.jsonl.gz"]).decode().split("\n")
        lines = [parse(row) for row in rows if row.strip()]
        self.bodies = {(line.kind, line.digest): line.text.encode() for line in lines if line.digest}
        silent = frozenset({self.owner}) if self.manifest["silent"] else frozenset[str]()
        self.withdrawals = WithdrawalRules(silent=silent, note_after=self.manifest["note_after"])
        self.put_masters = partial(incident_rows.put_masters, masters=self.bundle["masters.json"])
        self.request = self._request()
        self.poller = Poller(
            self.adapter,
            self.store,
            self.clock,
            self._next_post,
            record_nothing,
            Limits.model_validate(self.manifest["limits"]),
            withdrawals=self.withdrawals,
            timeline=PostTimeline(self.store),
        )

    async def run(self) -> None:
        """Play everything in its order."""
        await self.store.write(self.put_masters)
        for decision in self.decisions:
            fetched, arrival = self._fetched(decision), Arrival(Instants(self.clock), monotonic())
            if decision.created:
                self.clock.now = decision.written_at
                await self._create(decision, fetched, arrival)
            elif self.match is not None:
                steps = decision.versions.get(self.game_id)
                if steps:
                    await self._steps_of_people(before=steps[0])
                await self._pause(paused=steps is None)
                self.clock.now = decision.written_at
                await self._poll(fetched, arrival)
        await self._steps_of_people(before=self.manifest["liveblog"]["version"] + 1)
        await self.store.write(self.put_masters)

    async def _pause(self, *, paused: bool) -> None:
        """A liveblog at which nobody looked then, because it was paused or nothing of it had changed, is left as it is."""
        if paused is not self.paused:
            self.paused = paused
            await self.store.write(partial(incident_rows.set_paused, game_id=self.game_id, paused=paused))

    async def _poll(self, fetched: Fetched, arrival: Arrival) -> None:
        assert self.match is not None  # noqa: S101 -- the caller has looked
        if fetched.answers:
            await self.poller.take_in(self.match, fetched, arrival)
        else:
            await self.poller.close(self.match)

    async def _create(self, decision: Decision, fetched: Fetched, arrival: Arrival) -> None:
        """Create the liveblog as it was created, or only take the match up, where it was another liveblog of the match."""
        if decision.created != self.game_id:
            return
        bodies = bodies_of(fetched.answers)
        match = self.adapter.translate(self.manifest["match_id"], bodies)
        snapshot = first_snapshot(match, fetched, arrival, text=self.adapter.text_resource)
        await import_squads(self.store, match, {self.owner})
        ids = NewIds(lambda _now: self.game_id, lambda: str(self.manifest["liveblog"]["local_id"]), self._next_post)
        found = await self.store.write(
            partial(
                create_liveblog,
                request=self.request,
                endpoint="replay",
                snapshot=snapshot,
                withdrawals=rules_of(self.withdrawals, self.owner),
                ids=ids,
            )
        )
        self.match = followed_match.take_up(
            await self.store.read(partial(followed_match.load, follow_id=found.follow_id))
        )

    def _request(self) -> ImportRequest:
        terms = ImportOptions.from_dict(self.manifest["terms"])
        return ImportRequest.of_terms(
            terms,
            organization_id=self.owner,
            client_id="replay",
            provider=self.manifest["provider"],
            selector_kind=self.manifest["selector"]["kind"],
            selector_id=self.manifest["selector"]["id"],
        )

    def _fetched(self, decision: Decision) -> Fetched:
        """The answers upon which was decided."""
        return Fetched(answers=tuple(self._answer(name, *each) for name, each in decision.answers.items()))

    def _answer(self, resource: str, outcome: str, digest: str) -> Answer:
        if outcome == Outcome.FAILED:
            error = UpstreamUnavailable("it failed when it was recorded")
            return Answer(resource=resource, outcome=Outcome.FAILED, error=error)
        body = self.bodies.get((resource, digest))
        if outcome == Outcome.UNCHANGED or body is None:
            return Answer(resource=resource, outcome=Outcome.UNCHANGED, digest=digest)
        return Answer(resource=resource, outcome=Outcome.CHANGED, body=body, digest=digest, rows=1)

    def _next_post(self) -> str:
        return self.posts.popleft() if self.posts else new_local_id("e")

    async def _steps_of_people(self, *, before: int) -> None:
        """Make the steps that were not the sync's, up to the one before this version."""
        current = await self.store.read(self._version)
        for version in range(current + 1, before):
            self.clock.now = self.steps.get(version, self.clock.now)
            await self.store.write(partial(self._step, version=version))

    def _version(self, conn: Connection) -> int:
        return liveblogs.require_game(conn, self.game_id).version

    def _step(self, unit: Unit, version: int) -> None:
        incident_rows.step_as_people(unit, liveblogs.lock_game(unit, self.game_id), self.people.get(version, ()))
