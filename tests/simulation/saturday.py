"""Days of matches in virtual time: the daemon, its providers, receivers, an editor, a reader, and what goes wrong."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from config import Settings
from tests.simulation.invariants import require
from tests.simulation.recorded_provider import FAULTS, RecordedProvider, RecordedSchedule, recorded_matches
from tests.simulation.simulated_daemon import SimulatedDaemon, in_virtual_time
from tests.simulation.simulated_process import OWNER, WallClock
from tests.simulation.simulated_receivers import SimulatedReceivers
from tests.simulation.simulated_store import SimulatedDatabase
from tests.simulation.virtual_loop import VirtualLoop

MORNING = 1_749_880_920.0
"""The wall clock when a simulation begins: a Saturday, two minutes past six (UTC)."""
MINUTE = 60.0
DAY = 44 * MINUTE
ENDED = 18 * MINUTE
"""By then all of a day is over; its night follows."""
SPEED = 40.0
KICKOFFS = {"gn-gsd uruguay-russia": 6, "sao-paulo-grand-prix": 5, "wimbledon-final": 4, "super-bowl": 5}
"""Recording → minute of the day in which its matches begin."""
TIMETABLE = {
    "*/5 * * * *": "purge deliveries", "1-59/5 * * * *": "purge bodies", "2-59/5 * * * *": "purge uploads",
    "3-59/5 * * * *": "purge votes", "*/3 * * * *": "purge history", "4-59/5 * * * *": "purge comments",
    "*/10 * * * *": "roll up statistics", "*/7 * * * *": "purge alarms",
}  # fmt: skip
FAULTY = 0.002
"""The part of responses in which something is wrong."""
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
HOOK = "http://127.0.0.1:9001/hook"
WRITE = "/api/v5/write"


class Saturday:
    """The world of one simulation, whose days go alike. `each`: matches of every one of these recordings in a day."""

    def __init__(self, loop: VirtualLoop, folder: Path, *, each: int, recorded: Collection[str]) -> None:
        self.seeded = random.Random(1)
        self.clock = WallClock(loop, MORNING)
        self.database = SimulatedDatabase(lambda *_: None)
        self.liveblogs: list[str] = []
        """Those of the day."""
        self._loop = loop
        self._each, self._recorded = each, recorded
        self._settings = settings_in(folder)
        self._receivers = SimulatedReceivers(self.seeded, lambda *_: None)
        self._provider = RecordedProvider(self.seeded, loop.time, MORNING, self._fault, speed=SPEED)
        self._provider_away = False
        self._daemon = SimulatedDaemon(loop, self._settings, self.database, self.seeded, self.clock)
        self._number = 100

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        world = self._daemon, self._loop, self.clock, self._provider, self._receivers
        with in_virtual_time(*world, timetable=TIMETABLE):
            await self._daemon.start()
            try:
                await self._call("POST", f"/apigw/webhooks/v2/organization/{OWNER}/subscribe", json={"url": HOOK})
                yield
            finally:
                await self._daemon.stop()

    async def day(self) -> None:
        """Matches, people and faults, and then the night, in which nothing happens."""
        begin = self._loop.time()
        self.liveblogs.clear()
        matches = [
            self._match(name, begin + KICKOFFS[name] * MINUTE) for name in self._recorded for _ in range(self._each)
        ]
        self._provider.announce(matches)
        self._receivers.faulty = True
        async with asyncio.TaskGroup() as tasks:
            for match in matches:
                tasks.create_task(self._create(match))
            tasks.create_task(self._take_part(begin + ENDED))
            tasks.create_task(self._while_away(6 * MINUTE, MINUTE / 2, self._lose_provider))
            tasks.create_task(self._while_away(8 * MINUTE, MINUTE / 2, self._lose_database))
            tasks.create_task(self._while_away(7 * MINUTE, 3 * MINUTE, self._lose_receiver))
            tasks.create_task(self._while_away(10 * MINUTE, MINUTE, self._set_clock))
            tasks.create_task(self._kill(12 * MINUTE))
        self._receivers.faulty = False
        await asyncio.sleep(max(0.0, begin + ENDED - self._loop.time()))
        self._provider.announce(())
        self._receivers.sent.clear()
        self._receivers.accepted.clear()
        await asyncio.sleep(begin + DAY - self._loop.time())
        self._daemon.check()

    async def _call(self, method: str, path: str, **more: Any) -> Any:
        """The JSON of a response of the API; None where the request may be sent again."""
        if self._daemon.app is None:
            return None
        auth = ("cms", self._settings.clients["cms"].secret.get_secret_value())
        transport = httpx.ASGITransport(self._daemon.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://matchwire.invalid", auth=auth) as client:
            response = await client.request(method, path, **more)
        if response.is_error and response.json()["retryable"]:
            return None
        require(response.is_success, "the API refuses:", method, path, response.status_code, response.text)
        return response.json() if response.content else {}

    def _match(self, name: str, kickoff: float) -> RecordedSchedule:
        self._number += 1
        recorded = recorded_matches("en")[name]
        return RecordedSchedule(recorded.id_of(self._number), recorded, kickoff)

    async def _create(self, match: RecordedSchedule) -> None:
        await asyncio.sleep(self.seeded.uniform(0.0, MINUTE))
        body = {"provider": match.recorded.provider, "matchId": match.match_id, "autoPostEnabled": True}
        path = f"/apigw/sports/v2/{OWNER}/liveblog/createFromExternal"
        while (made := await self._call("POST", path, json=body)) is None:
            await asyncio.sleep(5.0)
        self.liveblogs.append(made["local_id"])

    async def _take_part(self, until: float) -> None:
        """Each minute an editor writes a post, or writes over or deletes one, and a reader looks at the feed."""
        while self._loop.time() < until:
            await asyncio.sleep(MINUTE)
            name = self.seeded.choice(sorted(self.liveblogs))
            shown = await self._call("GET", "/api/v5/write/ticker/show.json", params={"local_id": name})
            posts = [each["local_id"] for each in (shown or {}).get("events", ()) if each.get("sport_event")]
            if posts:
                params, body = {"event_local_id": self.seeded.choice(posts)}, {"headline": "by hand"}
                deed = self.seeded.choice(("update", "delete"))
                await self._call("POST", f"{WRITE}/event/{deed}.json", params=params, json=body)
            made = {"headline": "From the stands", "contents": []}
            await self._call("POST", f"{WRITE}/event/create.json", params={"ticker_local_id": name}, json=made)
            await self._call("GET", "/api/embed/v4/feed/liveblog.json", params={"liveblogId": name, "limit": 20})
            beacon = {"kind": "load", "liveblog": name, "url": "https://www.example.org/match"}
            await self._call("POST", "/api/analytics/v6/collect", json=beacon, headers={"User-Agent": BROWSER})

    async def _while_away(self, after: float, lasts: float, switch: Callable[[bool], None]) -> None:
        await asyncio.sleep(after)
        switch(True)
        await asyncio.sleep(lasts)
        switch(False)

    def _lose_provider(self, away: bool) -> None:
        self._provider_away = away

    def _lose_database(self, away: bool) -> None:
        self.database.away = away

    def _lose_receiver(self, away: bool) -> None:
        (self._receivers.down.add if away else self._receivers.down.discard)(HOOK)

    def _set_clock(self, ahead: bool) -> None:
        self.clock.offset = 2 * MINUTE if ahead else 0.0

    async def _kill(self, after: float) -> None:
        await asyncio.sleep(after)
        clear_away = self._daemon.kill()
        await asyncio.sleep(self.seeded.uniform(3.0, 20.0))
        await self._daemon.start()
        await clear_away()

    def _fault(self, _: str) -> str:
        if self._provider_away:
            return "refused"
        return self.seeded.choice(FAULTS) if self.seeded.random() < FAULTY else ""


def settings_in(folder: Path) -> Settings:
    """Intervals and retentions of a short day; receivers may be on this machine."""
    providers = {
        "heim": {"base_url": "http://heim.invalid", "language": "en"},
        "gn-gsd": {"base_url": "http://gn-gsd.invalid/gsd/lookup/v1", "api_key": "saturday"},
    }
    client = {
        "secret": "of-a-client-of-the-simulated-saturday",
        "organizations": [OWNER],
        "scopes": ["read", "write", "external", "stats", "webhooks"],
    }
    return Settings.model_validate(
        {
            "server": {"port": 0, "public_feeds": True},
            "media": {"folder": str(folder / "media")},
            "statistics": {"folder": str(folder / "statistics")},
            "webhooks": {"allow_hosts": ["127.0.0.1"], "log_kept": 300},
            "polling": {"live": 10, "after_window": 240, "after_max": 120},
            "limits": {"row_cache_bytes": 200_000, "delay_max": 120},
            "organizations": {OWNER: {"name": "Newsroom", "providers": providers}},
            "clients": {"cms": client},
        }
    )
