"""Providers in a simulation: recorded matches, each under other ids at any kick-off, for the product's own HTTP client.

What a resource answers at a moment, with its dates moved, is what `providers.replay` answers; so are 304 and most faults.
"""

import asyncio
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

import httpx

from providers.replay import Recording, Replay, ReplaySettings, gn_gsd, heim, read
from providers.replay.demo import demo_files
from providers.replay.faults import HTML, JSON, Fault, spoil
from tests.kit.sport_fixtures import FOLDER

KNOWN_BEFORE = timedelta(days=1)
"""So long before its first recorded answer a match is known, with what that answer says."""
FAULTS = ("500", "503", "429", "timeout", "truncated", "empty", "html")
"""What single responses suffer from."""
HANGS = 60.0
"""Seconds for which a provider is silent that does not answer."""
BEFORE_FIRST = {**heim.BEFORE_FIRST, **gn_gsd.BEFORE_FIRST}


@dataclass(frozen=True, eq=False)
class RecordedMatch:
    """A recording whose match can have any id."""

    provider: str
    recording: Recording

    @property
    def own_id(self) -> str:
        """As clients name it, and the bodies."""
        return self.recording.match_id.removeprefix("matches/")

    def id_of(self, number: int) -> str:
        """Another id, as long as its own."""
        return self.own_id[: -len(str(number))] + str(number)


class RecordedSchedule(NamedTuple):
    """A match of the simulation: which one it is really, and when it begins (seconds of the loop)."""

    match_id: str
    recorded: RecordedMatch
    kickoff: float


@cache
def recorded_matches(language: str) -> dict[str, RecordedMatch]:
    """By name: the demo's matches in that language of the feed, and those that are there in gn-gsd's format."""
    files = {
        **{_name(file): ("heim", file) for file in demo_files(language)},
        **{f"gn-gsd {_name(file)}": ("gn-gsd", file) for file in sorted(FOLDER.parent.glob("gn_gsd/soccer/*.gz"))},
    }
    return {name: _recorded(*found) for name, found in files.items()}


def _name(file: Path) -> str:
    return file.name.partition(".")[0]


def _recorded(provider: str, file: Path) -> RecordedMatch:
    (found,) = read([file])
    first = found.first_at
    lines = [line._replace(at=first - KNOWN_BEFORE) if line.at == first else line for line in found.lines]
    return RecordedMatch(provider, Recording(found.match_id, tuple(lines)))


class _Stage:
    """A recording that is played at a kick-off, for all matches that are this one then."""

    def __init__(self, recorded: RecordedMatch, replay: Replay) -> None:
        self.recorded = recorded
        self.replay = replay
        self._tags: dict[str, tuple[int, str]] = {}

    def response(self, kind: str) -> tuple[bytes | None, str]:
        """The body under the recording's own id, None where the resource does not exist yet; and its tag."""
        shown = self.replay.shown(self.recorded.recording.match_id, kind)
        if shown is None:
            return BEFORE_FIRST[kind], kind
        place, tag = self._tags.get(kind, (-1, ""))
        if place != shown.place:
            tag = heim.etag(self.replay.body(shown))
            self._tags[kind] = shown.place, tag
        return self.replay.body(shown), tag


class RecordedProvider(httpx.AsyncBaseTransport):
    """What the HTTP clients of all endpoints reach. `fault` says what goes wrong with a request to a host, empty for nothing."""

    def __init__(
        self,
        seeded: random.Random,
        monotonic: Callable[[], float],
        epoch: float,
        fault: Callable[[str], str],
        *,
        speed: float,
    ) -> None:
        self._seeded = seeded
        self._monotonic = monotonic
        self._epoch = epoch
        self._fault = fault
        self._speed = speed
        self._stages: dict[tuple[RecordedMatch, float], _Stage] = {}
        self._matches: dict[str, _Stage] = {}

    def announce(self, matches: Iterable[RecordedSchedule]) -> None:
        """Let these matches be known, and no others any more."""
        self._stages.clear()
        self._matches.clear()
        for match in matches:
            key = match.recorded, match.kickoff
            if key not in self._stages:
                self._stages[key] = _Stage(match.recorded, self._replay(*key))
            self._matches[match.match_id] = self._stages[key]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(self._seeded.uniform(0.02, 0.3))
        fault = self._fault(request.url.host)
        if fault == "timeout":
            await asyncio.sleep(HANGS)
        if fault == "refused":
            raise httpx.ConnectError("nobody listens", request=request)
        return self._response(request, fault)

    def _response(self, request: httpx.Request, fault: str) -> httpx.Response:
        address = heim.address(request.url.path) or gn_gsd.address(request.url.path)
        match_id = "" if address is None else address.match_id.removeprefix("matches/")
        stage = self._matches.get(match_id)
        if address is None or stage is None:
            return httpx.Response(404, content=heim.NOT_FOUND, headers={"content-type": JSON})
        body, shown_tag = stage.response(address.kind)
        if fault and (spoilt := spoil(Fault(mode=fault, retry_after="20"), body or b"")) is not None:
            headers = {"content-type": HTML, **({"retry-after": spoilt.retry_after} if spoilt.retry_after else {})}
            return httpx.Response(spoilt.status, content=spoilt.body, headers=headers)
        if body is None:
            return httpx.Response(404, content=heim.NOT_FOUND, headers={"content-type": JSON})
        tag = f'"{shown_tag.strip(chr(34))}-{match_id}"'
        headers = heim.headers(tag, speed=self._speed, now=self._epoch + self._monotonic())
        if heim.matches(request.headers.get("if-none-match"), tag):
            return httpx.Response(304, headers=headers)
        return httpx.Response(200, content=body.replace(*self._ids(stage, match_id)), headers=headers)

    @staticmethod
    def _ids(stage: _Stage, match_id: str) -> tuple[bytes, bytes]:
        return stage.recorded.own_id.encode(), match_id.encode()

    def _replay(self, recorded: RecordedMatch, kickoff: float) -> Replay:
        """It begins now, so that its kick-off is when the match's is."""
        before = (kickoff - self._monotonic()) * self._speed
        settings = ReplaySettings(speed=self._speed, start_at=f"kickoff-{before:.1f}")
        return Replay(recorded.recording.lines, settings, monotonic=self._monotonic, wall=self._wall)

    def _wall(self) -> datetime:
        return datetime.fromtimestamp(self._epoch + self._monotonic(), UTC)
