"""The sync of a match of two sources by a clock that a test drives: each is polled when it is due, and fails as the test says."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ingest.sync.standby_sources import LOOK
from mapping.errors import BadBody, MatchUnknown, ProviderRefused, ServiceError, UpstreamUnavailable
from mapping.fusion.source_chain import leader_of
from mapping.match.match import Match
from providers.base import Answer, Fetched, Known, Outcome
from providers.heim.adapter import HEIM
from tests.kit.opening import endpoint_of
from tests.kit.scripted import Clock, Crash, Crashing, Scripted, _endpoints, answer_with
from tests.kit.source_pair import TwoSources
from tests.kit.wire_forms.forms import Bodies, WireForm

STEADY = (
    "ingest.sync.endpoint_limiter", "ingest.sync.follower", "ingest.sync.match_failures", "ingest.sync.poll",
    "ingest.sync.followed_match",
)  # fmt: skip
"""Modules that read the steady clock."""
FAILURES: Mapping[str, Callable[[], ServiceError]] = {
    "5xx": lambda: UpstreamUnavailable("the provider answers 503"),
    "refused": lambda: ProviderRefused("the provider refuses access"),
    "vanished": lambda: MatchUnknown("the provider does not know the match"),
    "swapped": lambda: BadBody("match: the answer is about another match"),
}
"""What a source answers when it fails in that way."""


def steady_by(patch: pytest.MonkeyPatch, clock: Clock) -> None:
    """Have all that waits in the sync go by this clock."""
    for module in STEADY:
        patch.setattr(f"{module}.monotonic", lambda: clock.now)


class Failing(Scripted):
    """The first source; with `error` all its resources fail with it."""

    error: ServiceError | None = None

    async def fetch(self, match_id: str, known: dict[str, Known], *, text: bool, hints: Any) -> Fetched:
        fetched = await super().fetch(match_id, known, text=text, hints=hints)
        return fetched if self.error is None else _failed(fetched, self.error, hints)


class WrittenSource:
    """A ProviderAdapter whose bodies are written in a provider's form, and read by that provider's own rules."""

    text_resource = None

    def __init__(self, form: WireForm) -> None:
        self.form, self.id, self.vendor = form, form.provider, form.vendor
        self.translate, self.carried_by = form.read, form.carried_by
        self.endpoint = endpoint_of(provider=form.provider, base_url=f"http://written-{next(_endpoints)}.invalid")
        self.bodies: Bodies = {}
        self.error: ServiceError | None = None

    async def resolve(self, selector: Any) -> str:
        return selector.id

    async def fetch(self, match_id: str, known: dict[str, Known], *, text: bool, hints: Any) -> Fetched:
        answers = tuple(answer_with(name, body, known.get(name, Known())) for name, body in self.bodies.items())
        fetched = Fetched(answers=answers, hints={})
        return fetched if self.error is None else _failed(fetched, self.error, hints)

    async def aclose(self) -> None:
        return


def _failed(fetched: Fetched, error: ServiceError, hints: Any) -> Fetched:
    answers = (Answer(resource=each.resource, outcome=Outcome.FAILED, error=error) for each in fetched.answers)
    return Fetched(answers=tuple(answers), hints=hints)


@dataclass(kw_only=True)
class HandDriven(TwoSources):
    """The sync of liveblogs of one match with a standby, or a `third` source too, second by second.

    `hung`: sources whose requests do not come back; `leads`: the place of the one that leads.
    """

    form: WireForm
    third: WireForm | None = None
    adapter: Failing = field(default_factory=Failing)
    clock: Clock = field(default_factory=Clock)
    hung: set[str] = field(default_factory=set)
    crashes: int = 0
    lead_changes: int = 0

    def __post_init__(self) -> None:
        self.crashing = Crashing(self.store)
        self.second = WrittenSource(self.form)
        self.more = [] if self.third is None else [WrittenSource(self.third)]
        vendors = (HEIM, self.form.vendor, *(each.vendor for each in self.more))
        kinds = {each.id: frozenset(each.catalog["soccer"]) for each in vendors}
        self.rules = replace(self.rules, kinds=kinds)
        self._due: dict[str, float] = {}
        self.leads, self._look_at = 0, 0.0
        self.start()

    def start(self) -> None:
        """A fresh process on the same store: nothing in memory."""
        self._due.clear()
        super().start()
        self.followers.schedule = self._schedule

    def new_id(self) -> str:
        """The `local_id` of a new post: the same in each run."""
        self._ids = getattr(self, "_ids", 0) + 1
        return f"e{self._ids:06}"

    def _schedule(self, match: Any, wait: float) -> None:
        match.due = self._due[match.id] = self.clock.now + wait

    def says(self, first: Bodies, second: Match, seed: int, third: Match | None = None) -> None:
        """What all sources answer from now on."""
        self.adapter.bodies = first
        self.second.bodies = self.form.write(second, seed)
        if self.third is not None and third is not None:
            self.more[0].bodies = self.third.write(third, seed)

    def fail(self, how: str | None, places: Container[int] = (0,)) -> None:
        """How the sources at these places fail from now on; None: all answer again. One that hangs sends nothing."""
        self.hung = set()
        for place, source in enumerate((self.adapter, self.second, *self.more)):
            failing = how is not None and place in places
            source.error = FAILURES[how]() if failing and how in FAILURES else None
            if failing and how == "silent":
                self.hung.add(source.endpoint.provider)

    async def stand_by(self, ticker_id: str, match_id: str | None = None) -> None:
        """Have the other sources stand by, as external.json does; `match_id`: of another match than the process's own."""
        forms = [self.form] if self.third is None else [self.form, self.third]
        await super().stand_by(ticker_id, *(each.ident(match_id or self.match_id) for each in forms))

    async def pass_seconds(self, seconds: float) -> None:
        """So much time passes: who is due is polled, and the watch looks as often as it does."""
        until = self.clock.now + seconds
        while self.clock.now < until:
            self.clock.now += 1
            try:
                await self._second()
            except Crash:
                self.crashes += 1
                await self.restart()

    async def _second(self) -> None:
        for match in self.followers.matches:
            hangs = match.endpoint.partition(":")[0] in self.hung
            if self._due.get(match.id, 0) <= self.clock.now and not hangs and not match.busy:
                self._due[match.id] = self.clock.now + 1
                await self.followers.poll(match)
        if self.clock.now >= self._look_at:
            self._look_at = self.clock.now + LOOK
            await self.watch.look()
            for _, states in self.watch.watched:
                self.lead_changes += leader_of(states) != self.leads
                self.leads = leader_of(states)
