"""Reads of what has not changed, without the database: the liveblogs that are read at the moment, and their bodies.

The process hears of every commit of its own and, by notifications, of those of other processes. A notification can be
lost, so what is known of a liveblog is read again once it is `FRESH` seconds old. Who may read is checked by the handler,
for each request anew.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial

from cachetools import LRUCache
from sqlalchemy import Connection

from api.http.content_coding import SMALLEST, accepted_coding, compress
from api.http.flight_group import FlightGroup, SingleFlightCache
from api.http.json_path import at
from api.http.rendered import Rendering, rendering_size
from api.view.delay import DelayedView
from store.database import Store
from store.engine.unit import Stepped
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import StoredGame

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
        return _outlined(await self._store.read(partial(liveblogs.find_game, name=name), at=at))

    async def _read_game(self, name: str) -> StoredGame | None:
        steps, began = self._steps, self._monotonic()
        game = _outlined(await self._store.read(partial(liveblogs.find_game, name=name)))
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


def _outlined(game: StoredGame | None) -> StoredGame | None:
    """The liveblog with as much of its document as is kept."""
    return game and game._replace(document={each: at(game.document, each) for each in DOCUMENT})
