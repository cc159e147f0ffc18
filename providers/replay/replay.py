"""One replay: recordings, a clock, faults and a log, and the answer that each resource gives at this moment."""

import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from providers.http_server import bind_socket, listening
from providers.replay import gn_gsd, heim, moved_dates
from providers.replay.app import Log, SignIn, create_app
from providers.replay.faults import Faults
from providers.replay.recorded_failure import Failure
from providers.replay.recording import Line, Paths, Recording, gather
from providers.replay.settings import Envelope, ReplaySettings, checked_envelope
from providers.replay.timeline import Clock, Timeline, TimelineEntry

GIVEN = -1
"""The place of an answer that is given, whatever the clock says."""
FAILED = TimelineEntry(GIVEN, 0.0, Line.of_failure(datetime.min.replace(tzinfo=UTC), "match/ma0", Failure(status=503)))


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Replay:
    """Recordings that are played now. The clock runs from the moment this object is made.

    `monotonic` (seconds) drives the clock, `wall` (aware) says which instant is now.
    """

    def __init__(
        self,
        lines: Iterable[Line],
        settings: ReplaySettings | None = None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], datetime] = _utc_now,
    ) -> None:
        self.settings = settings or ReplaySettings()
        self.matches: dict[str, Recording] = {found.match_id: found for found in gather(lines)}
        self.timeline = Timeline(tuple(self.matches.values()), self.settings.start_at)
        lines = (line for found in self.matches.values() for line in found.lines)
        self.paths = Paths((line.source, line.kind) for line in lines if line.source is not None)
        self.clock = Clock(self.settings.speed, monotonic=monotonic)
        self.faults = Faults()
        self.log = Log()
        self.sign_in = SignIn(self.settings.secret)
        self.url = ""
        self._wall = wall
        self._envelopes: dict[str, Envelope] = {}
        self._given: dict[tuple[str, str], TimelineEntry] | None = None
        self.restart()

    @asynccontextmanager
    async def serve(self) -> AsyncIterator["Replay"]:
        """Answer over HTTP while the context is open; `url` is the base address."""
        async with listening(
            create_app(self),
            bind_socket(self.settings.host, self.settings.port),
            log_level="critical",  # answers cut short on purpose are no news
            timeout_graceful_shutdown=1,  # hanging answers are meant to hang
        ) as self.url:
            yield self

    # Time

    def restart(self) -> None:
        """Play from the start again, now: dates are moved anew and faults are off; the log stays."""
        self.clock.seek(0.0)
        self.faults.clear()
        self.began = self._wall()
        self._settled = False
        self._stepped = self.timeline.before_start()
        self._bodies: dict[tuple[str, str], tuple[int, Envelope, bytes]] = {}
        self._since: dict[int, datetime] = {}

    @property
    def cursor(self) -> int:
        """How many recorded answers have been shown."""
        return self._stepped if self.settings.step else self.timeline.visible(self.clock.now())

    @property
    def finished(self) -> bool:
        """Whether the last answer of all matches has been shown."""
        return self.cursor >= len(self.timeline.entries)

    def step(self) -> Line | None:
        """Show the next recorded answer and return it, None after the last (ValueError where a clock runs)."""
        if not self.settings.step:
            raise ValueError("only a replay with `step` is moved by hand")
        if self.finished:
            return None
        self._stepped += 1
        return self.timeline.entries[self._stepped - 1].line

    def seek(self, elapsed: float) -> None:
        """Stand at so many virtual seconds after the start; dates that were moved stay where they are."""
        self._settled = False
        self._stepped = self.timeline.visible(elapsed)
        self.clock.seek(elapsed)

    def seek_end(self) -> None:
        """Show the last answer of every resource."""
        self.seek(self.timeline.end)

    def settle(self) -> None:
        """Show the last good answer of every resource, as a provider does when its trouble is over.

        Recordings may end in answers that were not JSON, and a fast clock shows the good ones before them too briefly.
        """
        self.seek_end()
        self._settled = True

    def now(self) -> datetime:
        return self._wall()

    # Answers

    def envelope(self, match_id: str) -> Envelope:
        return self._envelopes.get(match_id, self.settings.envelope)

    def set_envelope(self, match_id: str, name: str) -> None:
        """Wrap the match from now on in `match` or `tree` (ValueError for another name, KeyError for no match)."""
        if match_id not in self.matches:
            raise KeyError(match_id)
        self._envelopes[match_id] = checked_envelope(name)

    def give(self, lines: Iterable[Line]) -> None:
        """Answer with these lines from now on, as they were recorded, dates and all; a resource of none of them fails."""
        known = {(entry.line.match_id, entry.line.kind): FAILED for entry in self.timeline.entries}
        self._given = known | {(line.match_id, line.kind): TimelineEntry(GIVEN, 0.0, line) for line in lines}

    def shown(self, match_id: str, kind: str) -> TimelineEntry | None:
        """The recorded answer that a resource shows now, None before its first."""
        if self._given is not None:
            return self._given.get((match_id, kind))
        if self._settled:
            return self.timeline.last_good(match_id).get(kind)
        return self.timeline.answer(match_id, kind, self.cursor)

    def body(self, entry: TimelineEntry) -> bytes:
        """The text of a recorded answer as it is sent, dates moved; what is raw, given or has a source as it came."""
        if entry.line.failure is not None:
            return entry.line.failure.body
        if entry.place == GIVEN or not entry.line.is_json or entry.line.source is not None:
            return entry.line.text.encode()
        key, envelope = (entry.line.match_id, entry.line.kind), self.envelope(entry.line.match_id)
        kept = self._bodies.get(key)
        if kept is None or kept[:2] != (entry.place, envelope):
            document = self.document(entry)
            if entry.line.kind == "match" and not gn_gsd.speaks(entry.line.match_id):
                document = heim.wrap_body(document, envelope)
            kept = self._bodies[key] = (entry.place, envelope, heim.encode_json(document))
        return kept[2]

    def document(self, entry: TimelineEntry) -> Any:
        """The recorded document with its dates moved, where it is known which of its texts are dates."""
        if entry.line.source is not None:
            return entry.line.body if entry.line.is_json else entry.line.text
        running = moved_dates.shift_move(entry.line.at, self._since.setdefault(entry.place, self._visible_since(entry)))
        moved = gn_gsd.move_dates if gn_gsd.speaks(entry.line.match_id) else moved_dates.move_dates
        return moved(entry.line.body, self._move(entry.line.match_id), running)

    def match_documents(self) -> list[tuple[Line, Any]]:
        """The match of each recording with its document, as lists of matches show it."""
        cursor = len(self.timeline.entries) if self._settled else self.cursor
        shown = [self.timeline.list_entry(match_id, "match", cursor) for match_id in self.matches]
        return [(entry.line, self.document(entry)) for entry in shown if entry is not None]

    def last_good(self, match_id: str) -> dict[str, Any]:
        """The last good body of each resource by its kind (`match`, `match-event`, `liveticker`), dates moved."""
        return {kind: self.document(entry) for kind, entry in self.timeline.last_good(match_id).items()}

    def _move(self, match_id: str) -> moved_dates.Move:
        """On a clock the start is played now and the rest at the clock's pace; by steps the match has just ended."""
        if self.settings.step:
            return moved_dates.shift_move(self.matches[match_id].last_at, self.began)
        return moved_dates.pace_move(self.timeline.starts[match_id], self.began, self.settings.speed)

    def _visible_since(self, entry: TimelineEntry) -> datetime:
        passed = 0.0 if self.settings.step else (self.clock.now() - entry.due) / self.clock.speed
        return self._wall() - timedelta(seconds=passed)
