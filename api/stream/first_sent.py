"""When versions of liveblogs first went out in a frame of a stream: a few of the latest, for the timeline of posts."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from cachetools import LRUCache

if TYPE_CHECKING:
    from collections.abc import Callable

LIVEBLOGS = 2000
VERSIONS = 16
"""Of each liveblog, the latest."""


class FirstSent:
    """First frames by liveblog and version. `clock` gives Unix seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._sent: LRUCache[str, deque[tuple[int, int]]] = LRUCache(LIVEBLOGS)

    def note(self, game_id: str, version: int) -> None:
        """A frame that leads to the version was sent; only the first one counts."""
        sent = self._sent.get(game_id)
        if sent is None:
            sent = self._sent[game_id] = deque(maxlen=VERSIONS)
        if not sent or sent[-1][0] < version:
            sent.append((version, round(self._clock() * 1000)))

    def find(self, game_id: str, version: int) -> int | None:
        """When the first frame with this version was sent (Unix milliseconds); None where none was, or it is long ago."""
        sent = self._sent.get(game_id) or ()
        before = [known for known, _ in sent if known < version]
        if len(sent) == VERSIONS and not before:
            return None
        return next((at for known, at in sent if known >= version), None)
