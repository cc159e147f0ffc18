"""Reads of a liveblog, as it is now or was some seconds ago; from memory where nothing has changed since.

Endpoints ask `read_view` for the liveblog as of the delay that the request, its client or the organization wants, and
`ReadCache.body` for what they render of it; whoever renders knows nothing of delays but the time it is. The process hears of
every commit of its own and, by notifications, of those of other processes. A notification can be lost, so what is known of a
liveblog is read again once it is `FRESH` seconds old. Who may read is checked for each request anew.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from weakref import WeakValueDictionary

from cachetools import LRUCache
from sqlalchemy import Connection

from api.http.caching import (
    SMALLEST,
    FlightGroup,
    Rendering,
    SingleFlightCache,
    accepted_coding,
    compress,
    rendering_size,
)
from api.http.json_path import at
from api.http.param import Integer, Limit, Query
from api.http.request import ApiRequest, Caller
from api.view.liveblog_access import readable
from config import Settings
from mapping.rules.webhook_delivery import known_since
from store.database import Store
from store.engine.liveblog_records import StoredGame
from store.engine.unit import Stepped
from store.liveblogs import liveblogs

FindGame = Callable[[str, int | None], Awaitable[StoredGame | None]]
"""The liveblog of a name, as it stood at a moment or is now."""
DELAY_NAME = "delay"
LONGEST_DELAY = 86_400
"""Seconds of the longest delay that can be configured."""
DELAY_STEPS = ((10, 1), (120, 10), (900, 60), (LONGEST_DELAY, 900))
"""(up to, step) in seconds: a requested delay is rounded up to a multiple of the step, because each delay has bodies and streams
of its own."""
DELAY = Integer(
    DELAY_NAME,
    "See the liveblog as it stood so many seconds ago; at most what `limits.delay_max` in the configuration says. Above 10 it"
    " is rounded up to tens of seconds, above 120 to minutes, above 900 to quarters of an hour",
    high=Limit("delay_max"),
)


ANY_LIVEBLOG = ""
"""Stands for all liveblogs."""


class DelayedView(NamedTuple):
    """What a request sees of a liveblog: the game as of `delay` seconds ago, when it was `now` (Unix seconds).

    `at`: the moment for reads of the store, None for the present; `newest`: the version that the liveblog has now.
    """

    game: StoredGame | None
    delay: int
    now: float
    at: int | None
    newest: int = 0

    def known_since(self, since: int, version: int) -> int:
        """The version after which a reader who has `since` wants the changes; 0 for one who begins anew."""
        return 0 if self.has_lost else known_since(since, version)

    @property
    def has_lost(self) -> bool:
        """Whether posts that stood then have been taken down since: a reader who has them begins anew."""
        return self.at is not None and self.game is not None and self.game.updated_at >= self.at


async def read_view(
    request: ApiRequest, name: str, *, query: Query | None = None, field: str | None = None
) -> tuple[DelayedView, StoredGame]:
    """What the request sees of the published liveblog of that name, without most of its document; `query` as with `view_of`.

    Raises NotFound, which names the field, where the caller may not read it.
    """
    view = await view_of(request, name, request.services[ReadCache].game, query)
    public = request.services.settings.server.public_feeds
    return view, readable(view.game, request.context.caller, public=public, field=field)


async def view_of(request: ApiRequest, name: str, find: FindGame, query: Query | None = None) -> DelayedView:
    """The liveblog of that name as the request may see it; `query`: where the delay may stand, if not in that of the request.

    Raises InvalidRequest for a delay that is too long.
    """
    settings, now = request.services.settings, request.services.clock()
    caller, wanted = request.context.caller, requested_delay(request, query)
    current = await find(name, None)
    delay = max(wanted, 0 if current is None else public_delay(current.organization_id, settings, caller))
    at = moment_seen(now, delay)
    newest = 0 if current is None else current.version
    return DelayedView(current if at is None else await find(name, at), delay, now - delay, at, newest)


def requested_delay(request: ApiRequest, query: Query | None = None) -> int:
    """The delay that the request or its client wants. Raises InvalidRequest."""
    settings, caller = request.services.settings, request.context.caller
    given = delay_in(request.context.query if query is None else query, settings.limits.longest_delay)
    client = None if caller is None else settings.clients.get(caller.client_id)
    return max(given, 0 if client is None else client.delay)


def delay_in(query: Query, longest: int) -> int:
    """The delay that a query wants, as one of few: never less than it says. Raises InvalidRequest beyond the longest one."""
    if DELAY_NAME not in query:
        return 0
    seconds = DELAY.of(query, high=longest)
    step = next(each for most, each in DELAY_STEPS if seconds <= most)
    return min(-(-seconds // step) * step, longest)


def public_delay(organization_id: str, settings: Settings, caller: Caller | None) -> int:
    """The delay that the organization wants for all but its own writers, who see the present."""
    writes = caller is not None and caller.proven and "write" in caller.scopes
    if writes and caller is not None and organization_id in caller.organizations:
        return 0
    return settings.organization(organization_id).delay


def longer_delays(request: ApiRequest) -> dict[str, int]:
    """The delays of organizations that are longer than what the request wants, as they apply to its caller."""
    settings, wanted = request.services.settings, requested_delay(request)
    own = {name: public_delay(name, settings, request.context.caller) for name in settings.organizations}
    return {name: seconds for name, seconds in own.items() if seconds > wanted}


def moment_seen(now: float, delay: int) -> int | None:
    """The moment that is read at a time by those who see everything so many seconds later; None for the present."""
    return int(now) - delay if delay else None


FRESH = 0.9
"""Seconds for which a liveblog counts as unchanged: nothing is shown that was withdrawn more than a second ago."""
KEPT_SECONDS = 5.0
"""What the key of a body does not name, such as a team renamed in master data, shows after so long."""
GAMES = 10_000
"""Liveblogs that are known at a time, and versions that are kept; those used longest ago are forgotten first."""
DOCUMENT = ("locale", "options", "state_info")
"""What is kept of a liveblog's document: the language, and what a page's clock is made of."""


@dataclass(slots=True)
class ReadCounts:
    """How many bodies were found in the cache, and how many had to be made."""

    found: int = 0
    made: int = 0


@dataclass(frozen=True, slots=True)
class KnownGame:
    """A liveblog as it was at an instant not before `until` - FRESH, by the monotonic clock."""

    game: StoredGame
    until: float


class ReadCache:
    """The liveblogs that are being read, and their rendered bodies, up to `kept_bytes` of them."""

    def __init__(
        self, store: Store, monotonic: Callable[[], float], kept_bytes: int, counts: ReadCounts | None = None
    ) -> None:
        self._store = store
        self._tally = counts or ReadCounts()
        self._monotonic = monotonic
        self._bodies: SingleFlightCache[Rendering] = SingleFlightCache(
            kept_bytes, size=rendering_size, seconds=KEPT_SECONDS, monotonic=monotonic
        )
        self._once = FlightGroup()
        self._games: OrderedDict[str, KnownGame] = OrderedDict()
        self._versions: LRUCache[str, int] = LRUCache(GAMES)
        self._past: SingleFlightCache[StoredGame | None] = SingleFlightCache(GAMES, seconds=FRESH, monotonic=monotonic)
        self._posts: SingleFlightCache[bool] = SingleFlightCache(GAMES)
        self._steps = 0
        self._unsure_before = 0
        store.on_step(self._hear)

    @property
    def steps(self) -> int:
        """How often any liveblog has stepped, as far as this process has learned."""
        return self._steps

    async def game(self, name: str, at: int | None) -> StoredGame | None:
        """The liveblog with this `local_id` or `ticker_id`, whatever its status, None where there is none.

        Of its document there is no more than DOCUMENT. It is as it stood at the moment `at`; for None as after this
        process's last commit, and as it was in the database at some instant of the last second. Raises StoreUnavailable.
        """
        if at is not None:
            return await self._past.get((name, at), partial(self._read_game_at, name, at))
        known = self._games.get(name)
        if known is not None and self._monotonic() < known.until:
            return known.game
        # Who comes after a commit does not wait for a read that may have begun before it.
        return await self._once((name, self._steps), partial(self._read_game, name))

    async def has_post(self, game: StoredGame, view: DelayedView, local_id: str) -> bool:
        """Whether readers of the liveblog may read the post, as it stood at the moment that is `view`."""
        key = (game.id, game.version, view.newest, view.at, local_id)
        query = partial(liveblogs.has_post, game_id=game.id, local_id=local_id)
        return await self._posts.get(key, partial(self._store.read, query, at=view.at))

    async def body(
        self, key: Hashable, render: Callable[[Connection], bytes], view: DelayedView, accepted: str = ""
    ) -> Rendering:
        """The body that is kept by `key`, or what `render` makes of the database, once for all who ask meanwhile.

        `key` holds the liveblog's id and version, and all else that the body depends on beside the delay: `render` reads
        the moment that is `view`. `accepted`: the reader's `Accept-Encoding`, by which the body may be compressed. Raises
        what `render` raises.
        """
        key = (view.delay, view.newest if view.delay else 0, key)  # what is taken down is gone from what stood, too
        if key in self._bodies:
            self._tally.found += 1
        else:
            self._tally.made += 1
        plain = await self._bodies.get(key, partial(self._render, render, view.at))
        coding = accepted_coding(accepted) if accepted and len(plain.body) >= SMALLEST else ""
        if not coding:
            return plain
        return await self._bodies.get((plain.etag, coding), partial(_code, plain, coding))

    async def _render(self, render: Callable[[Connection], bytes], at: int | None) -> Rendering:
        return Rendering.of(await self._store.read(render, at=at), "")

    async def _read_game_at(self, name: str, at: int) -> StoredGame | None:
        return _outline(await self._store.read(partial(liveblogs.find_game, name=name), at=at))

    async def _read_game(self, name: str) -> StoredGame | None:
        steps, began = self._steps, self._monotonic()
        game = _outline(await self._store.read(partial(liveblogs.find_game, name=name)))
        if game is None:
            return None
        current = steps >= self._unsure_before and self._versions.get(game.id, 0) <= game.version
        if current and game.public:  # the name of a deleted one may be given to another
            self._forget(game.id)
            self._games[game.id] = self._games[game.local_id] = KnownGame(game, began + FRESH)
            if len(self._games) > 2 * GAMES:
                self._forget(next(iter(self._games.values())).game.id)
        return game

    def _hear(self, stepped: Stepped) -> None:
        self._steps += 1
        self._past.forget()
        if stepped is None:
            self._games.clear()
            self._unsure_before = self._steps
            return
        for game_id, version in stepped.items():
            self._forget(game_id)
            self._versions[game_id] = max(version, self._versions.get(game_id, 0))

    def _forget(self, game_id: str) -> None:
        known = self._games.pop(game_id, None)
        if known is not None:
            self._games.pop(known.game.local_id, None)


async def _code(plain: Rendering, coding: str) -> Rendering:
    return Rendering.of(await asyncio.to_thread(compress, plain.body, coding), coding)


def _outline(game: StoredGame | None) -> StoredGame | None:
    """The liveblog with as much of its document as is kept."""
    return game and game._replace(document={each: at(game.document, each) for each in DOCUMENT})


class StepSignal:
    """Wakes whoever waits, right after each commit of any process that steps a liveblog; a hint, as `Store.on_step` says."""

    def __init__(self, store: Store) -> None:
        self._next: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()
        """For as long as somebody holds it: most liveblogs that were looked at never step again."""
        self._closed = False
        store.on_step(self._hear)

    def __len__(self) -> int:
        """How many liveblogs somebody waits for."""
        return len(self._next)

    def next_step(self, liveblog: str = ANY_LIVEBLOG) -> asyncio.Event:
        """What the next step of a liveblog sets, or of this one by its `ticker_id`.

        Who takes it before looking at the store does not miss a step that is committed between the look and the wait.
        """
        following = self._next.get(liveblog)
        if following is None:
            following = self._next[liveblog] = asyncio.Event()
        return following

    async def wait(self, seconds: float, step: asyncio.Event) -> bool:
        """Whether this step has come already, or comes within so many seconds from now.

        False at once where the process stops.
        """
        if self._closed:
            return False
        try:
            async with asyncio.timeout(seconds):
                await step.wait()
        except TimeoutError:
            return False
        return not self._closed

    def wake(self, liveblogs: Iterable[str]) -> None:
        """Wake those who wait for one of these liveblogs, by their `ticker_id`."""
        for each in liveblogs:
            if (following := self._next.pop(each, None)) is not None:
                following.set()

    async def close(self) -> None:
        """Let everybody go; nobody waits any more."""
        self._closed = True
        self.wake(tuple(self._next))

    def _hear(self, stepped: Stepped) -> None:
        self.wake(tuple(self._next) if stepped is None else (ANY_LIVEBLOG, *stepped))
