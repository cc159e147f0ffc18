"""Decides which recorded answer each resource gives at a moment of the replay.

Ninety minutes may pass in five, stand still or be skipped.
"""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from providers.replay.recording import Line, Recording
from providers.replay.settings import checked_speed, parse_start

LONGEST = 1e9
"""Seconds; three decades are more than a match takes."""


class TimelineEntry(NamedTuple):
    """A recorded answer in its place: `due` is in virtual seconds after the start of the replay."""

    place: int
    due: float
    line: Line


class Timeline:
    """The answers of all matches in one order; every match begins at the same virtual moment."""

    def __init__(self, recordings: Sequence[Recording], start_at: str) -> None:
        mark, offset = parse_start(start_at)
        self.starts = {found.match_id: _instant_of(found, mark) + timedelta(seconds=offset) for found in recordings}
        lines = [line for found in recordings for line in found.lines]
        due = [((line.at - self.starts[line.match_id]).total_seconds(), line) for line in lines]
        due.sort(key=lambda pair: pair[0])
        self.entries = tuple(TimelineEntry(index, seconds, line) for index, (seconds, line) in enumerate(due))
        self._due = [entry.due for entry in self.entries]
        self._of: dict[tuple[str, str], list[int]] = {}
        for entry in self.entries:
            self._of.setdefault((entry.line.match_id, entry.line.kind), []).append(entry.place)

    @property
    def end(self) -> float:
        """Virtual seconds at which the last answer of all is shown (not below 0)."""
        return max([0.0, *self._due[-1:]])

    def visible(self, elapsed: float) -> int:
        """How many answers have been shown after so many virtual seconds."""
        return bisect_right(self._due, elapsed)

    def before_start(self) -> int:
        """How many answers lie before the start."""
        return bisect_left(self._due, 0.0)

    def knows(self, match_id: str) -> bool:
        return match_id in self.starts

    def answer(self, match_id: str, kind: str, cursor: int) -> TimelineEntry | None:
        """The answer of a resource when `cursor` answers have been shown, None before its first.

        Where the last good one stands again it is that one, with its own place.
        """
        indexes = self._of.get((match_id, kind), [])
        position = bisect_left(indexes, cursor)
        shown = self.entries[indexes[position - 1]] if position else None
        if shown is None or not shown.line.again:
            return shown
        earlier = (self.entries[index] for index in reversed(indexes[: position - 1]))
        return next((entry for entry in earlier if entry.line.is_good), None)

    def list_entry(self, match_id: str, kind: str, cursor: int) -> TimelineEntry | None:
        """What a list shows of a match: the last good answer so far, and the first one before there is any."""
        good = [place for place in self._of.get((match_id, kind), []) if self.entries[place].line.is_good]
        return self.entries[good[max(bisect_left(good, cursor) - 1, 0)]] if good else None

    def last_good(self, match_id: str) -> dict[str, TimelineEntry]:
        """The last good answer of each resource."""
        latest = (
            next((self.entries[place] for place in reversed(places) if self.entries[place].line.is_good), None)
            for (match, _), places in self._of.items()
            if match == match_id
        )
        return {entry.line.kind: entry for entry in latest if entry is not None}

    def instant(self, match_id: str, elapsed: float) -> datetime:
        """The recorded instant of a match at a virtual moment."""
        return self.starts[match_id] + timedelta(seconds=elapsed)


def _instant_of(recording: Recording, mark: str) -> datetime:
    return {"first": recording.first_at, "kickoff": recording.kickoff, "end": recording.last_at}[mark]


class Clock:
    """Virtual seconds since the start of the replay, driven by a monotonic clock (seconds)."""

    def __init__(self, speed: float = 1.0, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._speed = checked_speed(speed)
        self._paused = False
        self._rebase(0.0)

    @property
    def speed(self) -> float:
        return self._speed

    @property
    def paused(self) -> bool:
        return self._paused

    def now(self) -> float:
        """Virtual seconds since the start."""
        return self._elapsed if self._paused else self._elapsed + (self._monotonic() - self._since) * self._speed

    def set_speed(self, speed: float) -> None:
        """Run so many virtual seconds a second from now on (1 to 1000, else ValueError)."""
        speed = checked_speed(speed)
        self._rebase(self.now())
        self._speed = speed

    def pause(self) -> None:
        self._rebase(self.now())
        self._paused = True

    def resume(self) -> None:
        self._rebase(self.now())
        self._paused = False

    def seek(self, elapsed: float) -> None:
        """Stand at so many virtual seconds after the start, running or paused as before (ValueError below 0)."""
        if not 0 <= elapsed <= LONGEST:
            raise ValueError(f"{elapsed:g} is no number of seconds after the start")
        self._rebase(float(elapsed))

    def _rebase(self, elapsed: float) -> None:
        self._elapsed = elapsed
        self._since = self._monotonic()
