"""Which versions of liveblogs this process was the first of its readers to send in a stream's frame, for the timeline of posts."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from cachetools import LRUCache

from store.timeline.timeline import FirstFrame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LIVEBLOGS = 2000
FRAMES = 10_000
"""Frames that wait to be written down; of more the oldest are forgotten."""


class FirstSent:
    """First frames by liveblog, one for each version however many readers there are. `clock` gives Unix seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._newest: LRUCache[str, int] = LRUCache(LIVEBLOGS)
        self._frames: deque[FirstFrame] = deque(maxlen=FRAMES)

    def note(self, game_id: str, since: int, version: int) -> None:
        """A frame with what came after the version `since` up to `version` was sent; only the first one counts."""
        newest = self._newest.get(game_id, 0)
        if version > newest:
            self._newest[game_id] = version
            self._frames.append(FirstFrame(game_id, max(since, newest), version, round(self._clock() * 1000)))

    def take(self) -> Sequence[FirstFrame]:
        """The first frames since the last call, in the order in which they were sent."""
        frames = list(self._frames)
        self._frames.clear()
        return frames
