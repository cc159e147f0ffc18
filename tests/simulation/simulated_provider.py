"""A provider with two resources a match, whose courses, delays and faults are seeded. What it answers is heim's format."""

import asyncio
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from mapping.errors import BadBody, UpstreamUnavailable
from mapping.match.match import Match
from providers.base import Answer, Fetched, Known, Outcome
from providers.heim.translate import translate
from tests.kit.opening import endpoint_of
from tests.providers.heim.feed import BERLIN, NAMES, encoded, match, results, row

Bodies = dict[str, bytes]
KEYWORDS = ("goal/right-foot", "goal/head", "card/yellow", "goal/penalty")
STALE = 6.0
"""Seconds by which a stale answer lags behind, at most."""


@dataclass
class Course:
    """How a match goes: at each of `times` (virtual seconds) the provider's truth becomes the next of `snapshots`."""

    match_id: str
    times: list[float]
    snapshots: list[Bodies]

    def at(self, now: float) -> Bodies:
        passed = sum(each <= now for each in self.times)
        return self.snapshots[max(passed - 1, 0)]


@dataclass
class _Incidents:
    """The incidents of a match so far. No two of them are ever in the same minute, so that a post twice is seen as such."""

    seeded: random.Random
    rows: dict[int, tuple[str, int, str, int]] = field(default_factory=dict)
    minutes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.minutes = self.seeded.sample(range(2, 90), 60)

    def step(self) -> None:
        """One more, one corrected, or one withdrawn."""
        seeded, chance = self.seeded, self.seeded.random()
        if not self.rows or chance < 0.55:
            self.rows[1000 + len(self.minutes)] = self._new()
        elif chance < 0.8:
            self.rows[seeded.choice(list(self.rows))] = self._new()
        else:
            del self.rows[seeded.choice(list(self.rows))]

    def bodies(self, match_id: str) -> Bodies:
        goals = [side for keyword, _, side, _ in self.rows.values() if keyword.startswith("goal")]
        score = f"{goals.count('home')}:{goals.count('away')}"
        body = match(id=match_id, match_result=results(p0=score), current_period="game-start")
        rows = [row(number, *values) for number, values in sorted(self.rows.items())]
        return {"match": encoded({"match": body}), "match-event": encoded([row(1, "match/game-start", 1), *rows])}

    def _new(self) -> tuple[str, int, str, int]:
        seeded = self.seeded
        return seeded.choice(KEYWORDS), self.minutes.pop(), seeded.choice(("home", "away")), seeded.randrange(1, 12)


def course(match_id: str, seeded: random.Random, *, lasts: float, steps: int) -> Course:
    """A match of so many steps within so many seconds."""
    incidents = _Incidents(seeded)
    times = [0.0, *sorted(seeded.uniform(5.0, lasts) for _ in range(steps))]
    snapshots = [incidents.bodies(match_id)]
    for _ in range(steps):
        incidents.step()
        snapshots.append(incidents.bodies(match_id))
    return Course(match_id, times, snapshots)


class SimulatedProvider:
    """A ProviderAdapter, one for each process; the courses are the same for all.

    `answered` is called with the minutes of the incidents of each full answer.
    """

    id = "heim"
    text_resource = "liveticker"

    def __init__(
        self, courses: Mapping[str, Course], seeded: random.Random, answered: Callable[[str, frozenset[str]], None]
    ) -> None:
        self.endpoint = endpoint_of(provider="heim", base_url="http://provider.invalid")
        self.faulty = False
        self.interrupt: Callable[[], None] | None = None
        """Called when something new is about to be answered."""
        self._courses = courses
        self._seeded = seeded
        self._answered = answered

    async def resolve(self, selector: Any) -> str:
        return str(selector.id)

    async def fetch(self, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Any) -> Fetched:
        del text, hints
        loop, fault = asyncio.get_running_loop(), self._fault()
        await asyncio.sleep(self._seeded.uniform(0.02, 0.3))
        if fault == "down":
            raise UpstreamUnavailable("the provider did not answer in time")
        lag = self._seeded.uniform(0.0, STALE) if fault == "stale" else 0.0
        answers = []
        for name in ("match", "match-event"):  # each is fetched at its own instant
            body = self._courses[match_id].at(loop.time() - lag)[name]
            await asyncio.sleep(self._seeded.uniform(0.01, 4.0 if fault == "slow" else 0.2))
            if fault == name:
                error = BadBody(f"{name}: truncated")
                answers.append(Answer(resource=name, outcome=Outcome.FAILED, error=error))
                continue
            if name == "match-event":
                rows = json.loads(body)
                if fault == "shrunken" and len(rows) > 1:
                    rows.pop(self._seeded.randrange(1, len(rows)))
                    body = encoded(rows)
                self._answered(match_id, frozenset(f"{each['minute']}'" for each in rows if "person" in each))
            answers.append(_answer(name, body, known.get(name, Known())))
        fetched = Fetched(answers=tuple(answers), hints={})
        if fetched.changed and self.interrupt is not None:
            self.interrupt()
        return fetched

    def translate(self, match_id: str, bodies: Mapping[str, bytes]) -> Match:
        return translate(match_id, dict(bodies), names=NAMES, zone=BERLIN, rows=None)

    async def aclose(self) -> None:
        return

    def _fault(self) -> str | None:
        if not self.faulty or self._seeded.random() > 0.25:
            return None
        return self._seeded.choice(("down", "stale", "slow", "shrunken", "match", "match-event"))


def _answer(name: str, body: bytes, known: Known) -> Answer:
    digest = sha256(body).hexdigest()
    if digest == known.digest:
        return Answer(resource=name, outcome=Outcome.UNCHANGED)
    return Answer(resource=name, outcome=Outcome.CHANGED, body=body, digest=digest, rows=1)
