"""Which liveblog a write is about, as far as that is known beforehand."""

from __future__ import annotations

from collections import OrderedDict

MOST = 10_000
"""Names that are remembered; the one that was not used for the longest time is forgotten first."""


class LiveblogIndex:
    """The liveblogs of what was written here lately. A hint, by which their writes take turns: nothing relies on it."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, str] = OrderedDict()

    def __call__(self, name: str) -> str | None:
        """The `local_id` of the liveblog that has this name, or of that in which the event with this name is."""
        return self._known.get(name)

    def note(self, name: str, liveblog: str) -> None:
        """`name`, of an event or a liveblog, belongs to `liveblog`."""
        self._known[name] = liveblog
        self._known.move_to_end(name)
        if len(self._known) > MOST:
            self._known.popitem(last=False)
