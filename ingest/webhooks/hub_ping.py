"""Lets the public hub know which feeds have changed, so that whoever subscribes there is sent them (WebSub, publisher).

After a commit, of whichever process, one process pings: the one that writes the version of the liveblog into its row first.
Where readers see a liveblog later, the hub is pinged as much later. What a process that dies has not pinged is pinged with the
next change.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlencode

from config import Settings
from ingest.webhooks.attempt import operators_client
from mapping.errors import ServiceError
from mapping.rules.webhook_delivery import Verdict, verdict
from store.database import Store
from store.engine.loops import LoggedLoop, LogOnce, repeat
from store.engine.unit import Stepped
from store.webhooks import hub_pings
from store.webhooks.hub_pings import PingableGame

MOST_WAITING = 10_000
"""Liveblogs that wait for a ping; others are pinged with their next change."""
AT_ONCE = 50
"""Liveblogs in one call of the hub, each with a topic for every format."""
TRIES = 5
"""Calls of the hub for one change."""
RETRY = 10.0
"""Seconds before the second try, and twice as long before each further one."""
TIMEOUT = 10.0
TICK = 0.25
HEADERS = {"Content-Type": "application/x-www-form-urlencoded"}


class DuePing(NamedTuple):
    """When a liveblog is due (the monotonic clock's seconds), whether its readers see it by then, and how often the hub failed."""

    at: float
    late: bool = False
    failures: int = 0


class HubPings:
    """The pings of one process. `topics`: the addresses that the feeds of a liveblog call themselves, by its `local_id`."""

    def __init__(self, store: Store, settings: Settings, topics: Callable[[str], Sequence[str]]) -> None:
        self._store = store
        self._topics = topics
        self._pause = settings.feeds.hub_pause
        self._settings = settings
        self._client = operators_client(settings.webhooks, settings.feeds.hub or "")
        self._waiting: dict[str, DuePing] = {}
        self._called = asyncio.Event()
        self._failing = LogOnce("hub.unreachable", "hub.reached")

    def hear(self, stepped: Stepped) -> None:
        """These liveblogs have changed; costs next to nothing."""
        for game_id in stepped or ():
            if game_id not in self._waiting and len(self._waiting) < MOST_WAITING:
                self._waiting[game_id] = DuePing(time.monotonic() + self._pause)
        self._called.set()

    async def run(self) -> None:
        """Ping until cancelled."""
        await repeat(self._turn, LoggedLoop("hub pings"))

    async def close(self) -> None:
        await self._client.close()

    async def _turn(self) -> None:
        if not self._waiting:
            self._called.clear()
            await self._called.wait()
        await asyncio.sleep(TICK)
        due = self._due()
        try:
            await self._ping(due)
        except ServiceError:  # the database is away, which is logged elsewhere
            for name, each in due.items():
                self._waiting.setdefault(name, each._replace(at=time.monotonic() + self._pause))

    def _due(self) -> dict[str, DuePing]:
        """The liveblogs that are due, some at a time; they wait no more."""
        now = time.monotonic()
        due = islice(((name, each) for name, each in self._waiting.items() if each.at <= now), AT_ONCE)
        return {name: self._waiting.pop(name) for name, _ in list(due)}

    async def _ping(self, due: Mapping[str, DuePing]) -> None:
        """Ping for those of these liveblogs that readers can see by now and no other process has pinged for."""
        games = await self._store.read(partial(hub_pings.pingable, game_ids=list(due))) if due else []
        ready = [game for game in games if due[game.id].late or not self._put_off(game)]
        mine = await self._claim(ready, due)
        if mine and not await self._reaches(mine):
            self._try_later(mine, due)

    async def _claim(self, ready: Sequence[PingableGame], due: Mapping[str, DuePing]) -> list[PingableGame]:
        """Those that no other process pings for; what has failed before is this one's already."""
        fresh = [game for game in ready if not due[game.id].failures]
        new = await self._store.write(partial(hub_pings.claim, changed=fresh)) if fresh else set()
        return [game for game in ready if game.id in new or due[game.id].failures]

    def _put_off(self, game: PingableGame) -> bool:
        """Whether readers see the change only later; then it waits until they do."""
        delay = self._settings.organization(game.organization_id).delay
        if delay:
            self._waiting.setdefault(game.id, DuePing(time.monotonic() + delay + 1, late=True))
        return bool(delay)

    async def _reaches(self, games: Iterable[PingableGame]) -> bool:
        """Whether the hub takes the topics of these liveblogs."""
        body = urlencode(
            [("hub.mode", "publish"), *(("hub.url", each) for game in games for each in self._topics(game.local_id))]
        )
        try:
            async with asyncio.timeout(TIMEOUT):
                response = await self._client.post(HEADERS, body.encode())
        except OSError as error:
            self._failing.failed(cause=type(error).__name__)
            return False
        if verdict(response.status) is not Verdict.TAKEN:
            self._failing.failed(cause=f"status {response.status}")
            return False
        self._failing.worked()
        return True

    def _try_later(self, games: Iterable[PingableGame], due: Mapping[str, DuePing]) -> None:
        for game in games:
            failures = due[game.id].failures + 1
            if failures < TRIES and game.id not in self._waiting:
                at = time.monotonic() + RETRY * 2 ** (failures - 1)
                self._waiting[game.id] = DuePing(at, late=True, failures=failures)
