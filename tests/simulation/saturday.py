"""A day of matches in virtual time: the daemon, its providers, receivers, an editor, a reader, and what goes wrong in it."""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx

from config import Settings
from tests.simulation.invariants import require
from tests.simulation.recorded_provider import FAULTS, RecordedProvider, RecordedSchedule, recorded_matches
from tests.simulation.simulated_daemon import SimulatedDaemon, in_virtual_time
from tests.simulation.simulated_process import OWNER, WallClock
from tests.simulation.simulated_receivers import SimulatedReceivers
from tests.simulation.simulated_store import SimulatedDatabase

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping
    from pathlib import Path

    from tests.simulation.virtual_loop import VirtualLoop

MORNING = 1_749_880_920.0
"""The wall clock when a simulation begins: a Saturday, two minutes past six (UTC)."""
HOUR = 3600.0
OTHER_OWNER = "5f0c1de2a1b2c3d4e5f60719"
LANGUAGES = {OWNER: "en", OTHER_OWNER: "de"}
"""The organizations, each with endpoints of its own, and the language of the feed there."""
FAULTY = 0.002
"""The part of responses in which something is wrong."""
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
DOUBLE = 12
"""Each such match has two liveblogs."""


@dataclass(frozen=True, kw_only=True)
class Programme:
    """How a day goes; times are in seconds since its beginning, and all days go alike."""

    length: float
    matches: Mapping[str, tuple[int, tuple[float, ...]]]
    """Name of a recording → how many of its matches there are, and their kick-offs in turn."""
    creations: tuple[float, float]
    """Between which times the liveblogs are created."""
    provider_away: tuple[float, float]
    """When, and for how long."""
    database_away: tuple[float, float]
    receivers_down: tuple[float, float]
    clock_set: tuple[float, float]
    """When it is set, and how long after that it is set right."""
    kills: tuple[float, ...]
    ended: float
    """By then all is over."""
    edits: float
    """Seconds between two things that the editor does."""
    reads: float
    speed: float = 1.0
    """How much faster than recorded everything is played."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    timetable: Mapping[str, str] | None = None
    """When the purges are due, where that is not the product's."""
    clock_ahead: float = HOUR
    """By how many seconds the clock is set."""


@dataclass
class DayLog:
    """What became of the day's liveblogs."""

    matches: list[RecordedSchedule]
    liveblogs: dict[str, RecordedSchedule] = field(default_factory=dict)
    """By `local_id`."""
    touched: set[str] = field(default_factory=set)
    """Posts that the editor has written over, deleted, or written."""


class Saturday:
    """The world of one simulation; its days follow each other."""

    def __init__(self, seed: int, loop: VirtualLoop, programme: Programme, folder: Path) -> None:
        self.loop = loop
        self.programme = programme
        self.seeded = random.Random(seed)
        self.clock = WallClock(loop, MORNING)
        self.database = SimulatedDatabase(lambda *_: None)
        self.receivers = SimulatedReceivers(self.seeded, lambda *_: None)
        self.provider = RecordedProvider(self.seeded, loop.time, MORNING, self._fault, speed=programme.speed)
        self.settings = settings_of(programme, folder)
        self.daemon = SimulatedDaemon(loop, self.settings, self.database, self.seeded, self.clock)
        self.happened: dict[str, int] = {}
        self._away: set[str] = set()
        """Hosts of providers that do not answer."""
        self._number = 100
        self._client: httpx.AsyncClient | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        timetable = self.programme.timetable
        with in_virtual_time(self.daemon, self.loop, self.clock, self.provider, self.receivers, timetable=timetable):
            await self.daemon.start()
            try:
                await self._subscribe()
                yield
            finally:
                await self.daemon.stop()

    async def day(self, programme: Programme) -> DayLog:
        """Play the day until all of it has ended; it goes on with `night`."""
        begin, self.programme = self.loop.time(), programme
        log = DayLog(list(self._schedule(begin)))
        self.provider.announce(log.matches)
        self.receivers.faulty = True
        try:
            async with asyncio.TaskGroup() as tasks:
                for work in self._works(log, begin):
                    tasks.create_task(work)
        finally:
            self.receivers.faulty = False
        await self._until(begin + programme.ended)
        self.daemon.check()
        return log

    async def night(self, begin: float) -> None:
        """Nothing happens until the next day."""
        self.receivers.sent.clear()
        self.receivers.accepted.clear()
        self.provider.announce(())
        await self._until(begin + self.programme.length)
        self.daemon.check()

    async def call(self, method: str, path: str, *, refusable: bool = False, **more: Any) -> Any:
        """The JSON of a response of the API; None where the daemon or its database is away.

        `refusable`: also where the response says that the request may be sent again, as when the provider is at fault.
        """
        if self.daemon.app is None:
            return None
        transport = httpx.ASGITransport(self.daemon.app)
        auth = ("cms", self.settings.clients["cms"].secret.get_secret_value())
        async with httpx.AsyncClient(transport=transport, base_url="http://matchwire.invalid", auth=auth) as client:
            response = await client.request(method, path, **more)
        if response.status_code == httpx.codes.SERVICE_UNAVAILABLE or (refusable and _retryable(response)):
            return None
        require(response.is_success, "the API refuses:", method, path, response.status_code, response.text)
        return response.json() if response.content else {}

    def note(self, what: str) -> None:
        self.happened[what] = self.happened.get(what, 0) + 1

    def _works(self, log: DayLog, begin: float) -> Iterator[Any]:
        """All that goes on beside each other in a day."""
        programme = self.programme
        first, last = programme.creations
        for number, match in enumerate(log.matches):
            at = begin + self.seeded.uniform(first, last)
            for _ in range(2 if number % DOUBLE == 0 else 1):
                yield self._create(log, match, at)
        yield self._edit(log, begin)
        yield self._read(log, begin)
        yield self._while_away(begin, programme.provider_away, partial(self._lose_provider, "heim-en.invalid"))
        yield self._while_away(begin, programme.database_away, self._lose_database)
        yield self._while_away(begin, programme.receivers_down, self._lose_receivers)
        yield self._while_away(begin, programme.clock_set, self._set_clock)
        for at in programme.kills:
            yield self._kill(begin + at)

    def _schedule(self, begin: float) -> Iterator[RecordedSchedule]:
        for name, (number, kickoffs) in self.programme.matches.items():
            for place in range(number):
                self._number += 1
                owner = list(LANGUAGES)[place % len(LANGUAGES)]
                recorded = recorded_matches(LANGUAGES[owner])[name]
                kickoff = begin + kickoffs[place % len(kickoffs)]
                yield RecordedSchedule(recorded.id_of(self._number), owner, recorded, kickoff)

    async def _create(self, log: DayLog, match: RecordedSchedule, at: float) -> None:
        await self._until(at)
        body = {
            "provider": match.recorded.provider,
            "matchId": match.match_id,
            "autoPostEnabled": True,
            "includeTextContent": match.recorded.provider == "heim",
        }
        path = f"/apigw/sports/v2/{match.organization_id}/liveblog/createFromExternal"
        while True:
            made = await self.call("POST", path, refusable=True, json=body)
            if made is not None:
                log.liveblogs[made["local_id"]] = match
                return
            await asyncio.sleep(5.0)

    async def _edit(self, log: DayLog, begin: float) -> None:
        """The editor writes a post, or writes over or deletes one of a match's."""
        while self.loop.time() < begin + self.programme.ended:
            await asyncio.sleep(self.programme.edits)
            if not log.liveblogs:
                continue
            name = self.seeded.choice(sorted(log.liveblogs))
            shown = await self.call("GET", "/api/v5/write/ticker/show.json", params={"local_id": name})
            posts = [each for each in (shown or {}).get("events", ()) if each.get("sport_event")]
            deed = self.seeded.choice((self._write_one, self._write_over, self._delete))
            if posts or deed == self._write_one:
                await deed(log, name, self.seeded.choice(posts)["local_id"] if posts else "")

    async def _write_one(self, log: DayLog, name: str, _: str) -> None:
        block = {"_type": "Svc::Model::Content::RichTextContentBlock", "text": f"<p>{self.loop.time():.0f}</p>"}
        body = {"headline": "From the stands", "contents": [block]}
        made = await self.call("POST", "/api/v5/write/event/create.json", params={"ticker_local_id": name}, json=body)
        log.touched.add(made["local_id"] if made else "")
        self.note("written")

    async def _write_over(self, log: DayLog, _: str, post: str) -> None:
        log.touched.add(post)
        body = {"headline": f"by hand {self.loop.time():.0f}"}
        await self.call("POST", "/api/v5/write/event/update.json", params={"event_local_id": post}, json=body)
        self.note("written over")

    async def _delete(self, log: DayLog, _: str, post: str) -> None:
        log.touched.add(post)
        await self.call("POST", "/api/v5/write/event/delete.json", params={"event_local_id": post})
        self.note("deleted")

    async def _read(self, log: DayLog, begin: float) -> None:
        """A reader looks at a feed, and the page reports it."""
        while self.loop.time() < begin + self.programme.ended:
            await asyncio.sleep(self.programme.reads)
            if log.liveblogs:
                name = self.seeded.choice(sorted(log.liveblogs))
                query = {"liveblogId": name, "limit": self.seeded.choice((20, 100))}
                await self.call("GET", "/api/embed/v4/feed/liveblog.json", params=query)
                beacon = {"kind": "load", "liveblog": name, "url": "https://www.example.org/match"}
                await self.call("POST", "/api/analytics/v6/collect", json=beacon, headers={"User-Agent": BROWSER})
                self.note("read")

    async def _subscribe(self) -> None:
        for number, owner in enumerate((*LANGUAGES, OWNER)):
            path = f"/apigw/webhooks/v2/organization/{owner}/subscribe"
            await self.call("POST", path, json={"url": f"http://127.0.0.1:{9001 + number}/hook"})

    async def _while_away(self, begin: float, when: tuple[float, float], switch: Callable[[bool], None]) -> None:
        at, lasts = when
        await self._until(begin + at)
        switch(True)
        await asyncio.sleep(lasts)
        switch(False)

    def _lose_provider(self, host: str, away: bool) -> None:
        (self._away.add if away else self._away.discard)(host)
        self.note("provider switched")

    def _lose_database(self, away: bool) -> None:
        self.database.away = away
        self.note("database switched")

    def _lose_receivers(self, away: bool) -> None:
        url = "http://127.0.0.1:9001/hook"
        (self.receivers.down.add if away else self.receivers.down.discard)(url)
        self.note("receiver switched")

    def _set_clock(self, ahead: bool) -> None:
        self.clock.offset = self.programme.clock_ahead if ahead else 0.0
        self.note("clock set")

    async def _kill(self, at: float) -> None:
        await self._until(at)
        clear_away = self.daemon.kill()
        await asyncio.sleep(self.seeded.uniform(3.0, 20.0))
        await self.daemon.start()
        await clear_away()
        self.note("killed")

    def _fault(self, host: str) -> str:
        if host in self._away:
            return "refused"
        return self.seeded.choice(FAULTS) if self.seeded.random() < FAULTY else ""

    async def _until(self, at: float) -> None:
        await asyncio.sleep(max(0.0, at - self.loop.time()))


def _retryable(response: httpx.Response) -> bool:
    return response.is_error and bool(response.json()["retryable"])


def settings_of(programme: Programme, folder: Path) -> Settings:
    """The defaults but for what the programme says; receivers may be on this machine, and limits are for one client each."""
    endpoints = {
        owner: {
            "name": f"Newsroom {language}",
            "providers": {
                "heim": {"base_url": f"http://heim-{language}.invalid", "language": language, "text_content": True},
                "gn-gsd": {"base_url": f"http://gn-gsd-{language}.invalid/gsd/lookup/v1", "api_key": "saturday"},
            },
        }
        for owner, language in LANGUAGES.items()
    }
    client = {
        "secret": "of-a-client-of-the-simulated-saturday",
        "organizations": list(LANGUAGES),
        "scopes": ["read", "write", "external", "stats", "webhooks"],
    }
    tables: dict[str, Any] = {
        "server": {"port": 0, "public_feeds": True},
        "media": {"folder": str(folder / "media")},
        "statistics": {"folder": str(folder / "statistics")},
        "webhooks": {"allow_hosts": ["127.0.0.1"]},
        "organizations": endpoints,
        "clients": {"cms": client},
    }
    for section, values in programme.settings.items():
        tables[section] = {**tables.get(section, {}), **values}
    return Settings.model_validate(tables)
