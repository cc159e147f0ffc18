"""Plays an incident's bundle: the replay server gives its answers, one poll after the other, to the parts of an ordinary daemon.

What cannot come out the same by itself is in the bundle: ids, which are random; the instants of the units; how sources answered
where it was decided who leads; the records of master data, which other matches change too; and what people wrote. Everything
else (which posts there are, their words, order, versions, scoreboard and state) is made anew, in an empty database.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json
from sqlalchemy import Connection

from api.liveblogs.delta import DeltaRequest, delta
from config import Settings
from ingest.daemon.build import build_components
from ingest.incident.bundle import CROSSWALK, folder_of, reading_bundle
from ingest.kit.tasks import BackgroundTasks
from ingest.sync.followed_match import Arrival
from ingest.sync.import_match import NewIds
from ingest.sync.snapshot import AnswerTimes
from mapping.documents.import_options import ImportOptions
from mapping.errors import Unprocessable
from mapping.fusion.leading_source import SourceHealth
from providers.base import Outcome
from providers.registry import Registry
from providers.replay import Replay, ReplaySettings
from providers.replay.recording import Line, parse
from store.engine.liveblog_records import new_local_id
from store.engine.unit import Unit
from store.following import follow_rows, standbys
from store.following.import_request import ImportRequest, StandbyRequest
from store.liveblogs import liveblogs
from store.timeline import bundle_rows
from store.timeline.timeline import Decision

if TYPE_CHECKING:
    from ingest.daemon.build import Components

WHOLE = 10**6
"""Posts of a liveblog; more than there are."""


@dataclass(frozen=True, slots=True)
class Played:
    """The liveblog that came out, and whether it is the one of the bundle byte for byte; None where the bundle has none."""

    liveblog: bytes
    same: bool | None
    decisions: int


@dataclass(slots=True)
class ReplayClock:
    """The clock of a replay: the instant of the unit that is played (Unix seconds)."""

    now: float

    def __call__(self) -> float:
        return self.now


@dataclass(slots=True)
class PlayedSource:
    """A source of the match: what was decided upon its answers, and which those are; `follow_id` once it is followed here."""

    provider: str
    match_id: str
    recorded_as: str
    decisions: list[Decision]
    lines: dict[tuple[str, str], Line]
    follow_id: str = ""

    def answers(self, decision: Decision) -> list[Line]:
        """The answers upon which was decided; what failed is none of them."""
        good = (
            (name, digest) for name, (outcome, digest) in decision.answers.items() if outcome != Outcome.FAILED.value
        )
        return [self.lines[each] for each in good if each in self.lines]


def liveblog_answer(conn: Connection, game_id: str) -> bytes:
    """The whole liveblog as the delta read gives it to readers: what a replay is compared with."""
    game = liveblogs.require_game(conn, game_id)
    return to_json(delta(conn, game, DeltaRequest(liveblog=game.local_id, limit=WHOLE), None))


async def play(bundle: Mapping[str, Any]) -> Played:
    """Play all decisions of the bundle. Raises Unprocessable where answers are missing."""
    with reading_bundle():
        manifest = bundle["manifest.json"]
        if manifest["missing"] and manifest["commentary"]:
            raise Unprocessable("; ".join(manifest["missing"]))
        sources = [_source(bundle, each, first=place == 0) for place, each in enumerate(manifest["sources"])]
        clock = ReplayClock(min(each.written_at for source in sources for each in source.decisions))
        by_sync = (local_id for local_id, created in bundle["writes.json"]["posts"] if created)
    ids = NewIds(
        lambda _now: str(manifest["liveblog"]["id"]),
        lambda: str(manifest["liveblog"]["local_id"]),
        lambda: next(by_sync, None) or new_local_id("e"),
    )
    async with AsyncExitStack() as cleanup:
        folder = Path(cleanup.enter_context(TemporaryDirectory(prefix="matchwire-incident-")))
        lines = [line for source in sources for line in source.lines.values()]
        replay = await cleanup.enter_async_context(Replay(lines, ReplaySettings(step=True)).serve())
        with reading_bundle():
            settings = _settings(bundle, replay.url, folder)
        components = await cleanup.enter_async_context(build_components(settings, clock, ids=ids))
        cleanup.push_async_callback(components.leasing.stop)
        await components.leasing.start()
        BackgroundTasks(cleanup).start(components.leasing.run(), name="leases")
        with reading_bundle():
            player = BundlePlayer(bundle, sources, replay, components, clock)
        await player.run()
        answer = await components.store.read(partial(liveblog_answer, game_id=player.game_id))
    expected = bundle.get("liveblog.json")
    return Played(
        answer, None if expected is None else answer == expected, sum(len(each.decisions) for each in sources)
    )


def _source(bundle: Mapping[str, Any], described: Mapping[str, Any], *, first: bool) -> PlayedSource:
    folder = folder_of(described["provider"], first=first)
    rows = gzip.decompress(bundle[f"{folder}answers.jsonl.gz"]).decode().split("\n")
    lines = [parse(row) for row in rows if row.strip()]
    return PlayedSource(
        provider=described["provider"],
        match_id=described["match_id"],
        recorded_as=described["follow_id"],
        decisions=[Decision(**each) for each in bundle[f"{folder}decisions.json"]],
        lines={(line.kind, line.digest): line for line in lines if line.digest},
    )


def _settings(bundle: Mapping[str, Any], base_url: str, folder: Path) -> Settings:
    """A configuration with the replay server as every provider. Raises Unprocessable for a provider that is not installed."""
    manifest, installed = bundle["manifest.json"], Registry.load().ids
    endpoints, names = {}, {}
    for each in manifest["sources"]:
        if each["provider"] not in installed or each["endpoint"] is None:
            raise Unprocessable(f"the provider {each['provider']} is not installed or was not configured")
        options = dict(each["endpoint"]["options"])
        names[each["provider"]] = {"names": options.pop("names", {})}
        access = {"base_url": base_url, "api_key": "replay", "text_content": True}
        endpoints[each["provider"]] = {**each["endpoint"], "options": options, **access}
    organization = {"name": "replay", "withdrawn": manifest["withdrawn"], "providers": endpoints}
    if CROSSWALK in bundle:
        (folder / CROSSWALK).write_bytes(bundle[CROSSWALK])
        organization["crosswalk"] = str(folder / CROSSWALK)
    return Settings.model_validate(
        {
            "database": {"url": f"sqlite+aiosqlite:///{folder / 'replay.db'}", "timeout": 60},
            "organizations": {manifest["liveblog"]["organization_id"]: organization},
            "providers": names,
            "limits": manifest["limits"],
            "standby": manifest["standby"],
            "polling": {"note_after": manifest["note_after"], "rate": 0, "timeout": 60},
        }
    )


@dataclass
class BundlePlayer:
    """One bundle on its way into a store."""

    bundle: Mapping[str, Any]
    sources: list[PlayedSource]
    replay: Replay
    components: Components
    clock: ReplayClock
    paused: bool = False
    people: dict[int, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.manifest = self.bundle["manifest.json"]
        self.game_id = str(self.manifest["liveblog"]["id"])
        self.owner = str(self.manifest["liveblog"]["organization_id"])
        self.store = self.components.store
        writes = self.bundle["writes.json"]
        self.steps = {int(name): at for name, at in writes["steps"].items()}
        for post in writes["people"]:
            self.people[post["version"]].append(post)
        self.make_room = partial(
            bundle_rows.make_room, game_id=self.game_id, posts=writes["posts"], states=writes["people"]
        )
        self.put_masters = partial(bundle_rows.put_masters, masters=self.bundle["masters.json"])

    async def run(self) -> None:
        """Play everything in its order."""
        await self.store.write(self.put_masters)
        decided = [(each.id, source, each) for source in self.sources for each in source.decisions]
        for _, source, decision in sorted(decided, key=lambda each: each[0]):
            self.clock.now = decision.written_at
            if decision.created == self.game_id:
                await self._create(source, decision)
            elif self.sources[0].follow_id and not decision.created:
                await self._play(source, decision)
        await self._steps_of_people(through=self.manifest["liveblog"]["version"])
        await self.store.write(self.put_masters)

    async def _create(self, source: PlayedSource, decision: Decision) -> None:
        """Create the liveblog as it was created."""
        self.replay.give(source.answers(decision))
        request = ImportRequest(
            terms=replace(ImportOptions.from_dict(self.manifest["terms"]), paused=False),
            organization_id=self.owner,
            client_id="replay",
            provider=source.provider,
            selector_kind="match",
            selector_id=source.match_id,
        )
        await self.components.importer.create(request)
        source.follow_id = self.components.followers.matches[0].id

    async def _play(self, source: PlayedSource, decision: Decision) -> None:
        """Decide once more: upon a standby that is new, upon all sources together, upon the answers of a poll, or at the end."""
        first = self.sources[0]
        if not source.follow_id:
            await self._stand_by(source, decision)
            return
        followers = self.components.followers
        match = next((each for each in followers.matches if each.id == source.follow_id), None)
        if match is None:  # it was closed, and other liveblogs have opened it again
            return
        if source is first:
            await self._meanwhile(decision)
        match.afresh = match.supports = False  # who else is concerned by a standby's answers has a decision of its own
        poller = followers.pollers[match.endpoint]
        if decision.health is not None:
            here = {each.recorded_as: each.follow_id for each in self.sources}
            known = {here[name]: SourceHealth(**each) for name, each in decision.health.items() if name in here}
            times = AnswerTimes(
                answered=decision.answered_at, text_answered=decision.answered_at, believed=decision.believed_at
            )
            await poller.apply_again(match, match.id, times, Arrival(self.clock), known or None)
        elif decision.answers:
            unchanged = {name for name, (outcome, _) in decision.answers.items() if outcome != Outcome.CHANGED.value}
            match.known = {name: each for name, each in match.known.items() if name in unchanged}
            self.replay.give(source.answers(decision))
            await poller.poll(match)
        else:
            await poller.close(match)

    async def _stand_by(self, source: PlayedSource, decision: Decision) -> None:
        """Have the source stand by, after those that do already."""
        self.replay.give(source.answers(decision))
        found = await self.components.importer.find_standby(
            StandbyRequest(self.owner, source.provider, source.match_id)
        )

        def stand_by(unit: Unit) -> None:
            attachment = follow_rows.attachment(unit.conn, self.game_id)
            assert attachment is not None  # noqa: S101 -- it was created on its match, and nobody takes it off
            source.follow_id = found.follow(unit, attachment)
            standbys.save_sources(unit, self.game_id, [each.follow_id for each in self.sources[1:] if each.follow_id])

        await self.store.write(stand_by)
        await self.components.importer.follow([each.follow_id for each in self.sources if each.follow_id])

    async def _meanwhile(self, decision: Decision) -> None:
        """What people did before this decision. A liveblog at which nobody looked then is left as it is, as if it were paused."""
        versions = decision.versions.get(self.game_id)
        if versions is not None:
            await self._steps_of_people(through=versions[0])
        await self.store.write(self.make_room)
        if self.paused is not (versions is None):
            self.paused = versions is None
            await self.store.write(partial(bundle_rows.set_paused, game_id=self.game_id, paused=self.paused))
        self.clock.now = decision.written_at

    async def _steps_of_people(self, *, through: int) -> None:
        """Make the steps that were not the sync's, up to this version."""
        game = await self.store.read(partial(liveblogs.require_game, name=self.game_id))
        for version in range(game.version + 1, through + 1):
            self.clock.now = self.steps.get(version, self.clock.now)
            await self.store.write(self.make_room)
            step = partial(bundle_rows.step_as_people, game_id=self.game_id, posts=self.people.get(version, ()))
            await self.store.write(step)
