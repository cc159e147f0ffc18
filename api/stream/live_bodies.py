"""What capabilities send of a watched liveblog, as stream messages: the newest of each thing, sent once to each reader.

A message is an event without an id, such as `poll`: the reader's version stays what it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from api.http.body_parts import body_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Message as ASGIMessage


@dataclass(slots=True)
class SentBodies:
    """The newest message of each thing with its number, and how often it had changed when it was read."""

    _changes: dict[str, int] = field(default_factory=dict)
    _messages: dict[str, tuple[int, ASGIMessage]] = field(default_factory=dict)
    _last: int = 0

    def outdated(self, changes: Mapping[str, int]) -> list[str]:
        """What has changed since it was read; `changes` by its id."""
        return [name for name, count in changes.items() if self._changes.get(name) != count]

    def put(self, event: str, changes: Mapping[str, int], bodies: Mapping[str, bytes]) -> None:
        """Keep what was read of what is outdated: bodies by id, none of what readers may not see."""
        self._changes |= changes
        for name in changes:
            message = body_part(b"event: %b\ndata: %b\n\n" % (event.encode(), bodies[name])) if name in bodies else None
            known = self._messages.pop(name, None)
            if message is not None and known is not None and message == known[1]:
                self._messages[name] = known  # the last read was ahead of its count
            elif message is not None:
                self._last += 1
                self._messages[name] = (self._last, message)

    def after(self, number: int) -> list[tuple[int, ASGIMessage]]:
        """The messages that a reader has not got yet, each with the number that the reader has then."""
        if number >= self._last:
            return []
        return sorted((each for each in self._messages.values() if each[0] > number), key=lambda each: each[0])
