"""What goes wrong between a provider and us: of every resource of every provider, nothing is withdrawn and health says it."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from providers.contract.server import Reply, serving
from store.following import sources
from tests.kit.provider_service import ProviderService, provider_service
from tests.kit.spoiling import spoilt
from tests.kit.sqlite import migrated_url
from tests.kit.wire_courses.courses import id_of
from tests.kit.wire_courses.server import ANOTHER, OURS, PROVIDERS, Everybody, bodies_of
from tests.kit.wire_courses.soccer import FIRST_HALF, KICK_OFF, PLANNED, SECOND_HALF

STRANGERS = {"501": "871", "502": "872", "GNHOME": "GNELSE", "GNAWAY": "GNBACK"}
"""Ids of teams, and of those that play the other match."""
PATIENT, HASTY = 30.0, 0.05
"""Seconds for an answer, and where one is never sent: then others may be late too, on a machine that is busy."""


def earlier(provider: str, resource: str) -> bytes:
    return bodies_of(provider, FIRST_HALF)[resource]


def current(provider: str, resource: str) -> bytes:
    return bodies_of(provider, SECOND_HALF)[resource]


def of_another_match(provider: str, resource: str) -> bytes:
    """The same resource of a match between other teams."""
    body = bodies_of(provider, SECOND_HALF, ANOTHER)[resource].decode()
    for ours, theirs in STRANGERS.items():
        body = body.replace(ours, theirs)
    return body.encode()


def of_another_resource(provider: str, resource: str) -> bytes:
    """Another resource of the match; where there is one alone, that of another provider."""
    bodies = bodies_of(provider, SECOND_HALF)
    return next(
        (body for name, body in bodies.items() if name != resource), bodies_of("heim", SECOND_HALF)["match-event"]
    )


class WireFault(NamedTuple):
    """What is answered instead of a resource of a provider, and what health is to say of it.

    None where it cannot know, "" where that depends on the provider.
    """

    answer: Callable[[str, str], Reply]
    cause: str | None


def always(**reply: Any) -> Callable[[str, str], Reply]:
    return lambda provider, resource: Reply(**reply)


FAULTS: Mapping[str, WireFault] = {
    "time-out": WireFault(always(how="hang"), "the provider did not answer in time"),
    "broken-off": WireFault(always(how="break"), "the connection to the provider failed"),
    "cut-off": WireFault(
        lambda *which: Reply(body=current(*which), how="cut"), "the connection to the provider failed"
    ),
    "500": WireFault(always(status=500), "the provider is unavailable (500)"),
    "503": WireFault(always(status=503), "the provider is unavailable (503)"),
    "401": WireFault(always(status=401), "the provider refuses the credentials"),
    "429": WireFault(always(status=429, headers={"Retry-After": "1"}), "the provider asks for fewer requests"),
    "html": WireFault(always(body=b"<!DOCTYPE html><html><body>Maintenance</body></html>"), "{resource}: the answer "),
    "empty": WireFault(always(body=b""), "{resource}: empty answer"),
    "half": WireFault(lambda *which: Reply(body=current(*which)[:200]), "{resource}: the answer is not "),
    "another-match": WireFault(
        lambda *which: Reply(body=of_another_match(*which)), "{resource}: the answer is about another match"
    ),
    "another-resource": WireFault(lambda *which: Reply(body=of_another_resource(*which)), "{resource}: "),
    "older": WireFault(lambda *which: Reply(body=earlier(*which)), None),
}
"""An older body is a good answer by all that can be seen of it: what it takes back waits for a second one."""


TOKEN = "token"
SIGN_IN: Mapping[str, WireFault] = {
    "time-out": FAULTS["time-out"],
    **{
        name: WireFault(FAULTS[name].answer, f"{FAULTS[name].cause} (its sign-in)")
        for name in ("broken-off", "500", "503", "401")
    },
    **{name: WireFault(FAULTS[name].answer, "the provider's sign-in gives no token") for name in ("html", "empty")},
}
"""What goes wrong where the tokens of Stats Perform are given: its feed cannot be requested then."""


def faults(provider: str, resource: str) -> Iterator[tuple[str, WireFault]]:
    """Those of the table, and where it is JSON the answer with one row, one list or its ids wrong."""
    yield from FAULTS.items()
    if not (body := current(provider, resource)).startswith(b"<"):
        yield from ((how, WireFault(always(body=wrong), "")) for how, wrong in spoilt(body, lambda found: found[-1:]))


@dataclass
class Day:
    """A match at each provider, followed over HTTP. `names`: provider → liveblog; `faulty`: answers that a fault took."""

    server: Everybody
    service: ProviderService = field(init=False)
    names: dict[str, str] = field(default_factory=dict)
    faulty: int = 0
    timeout: float = PATIENT

    def connect(self, provider: Any) -> Any:
        """The provider's own adapter, at our address."""
        return provider.connect(self.server.signed_in(provider.id, self.timeout))

    async def begin(self) -> None:
        """A liveblog at each provider, followed into the second half."""
        for moment in (PLANNED, FIRST_HALF, SECOND_HALF):
            self.server.become(moment)
            self.service.clock.now = self.service.server.now = KICK_OFF.timestamp() + 60 * moment.at
            for each in () if self.names else PROVIDERS:
                wishes = {"includeTextContent": bool(each.text_sports)}
                game = await self.service.create(each.id, {"matchId": id_of(each.id, OURS)}, **wishes)
                self.names[each.id] = game["local_id"]
            await self.service.poll(3)

    async def polled(self, provider: str) -> tuple[Any, set[str], dict[str, str]]:
        """What stands, the resources that fail by the API, and why each does, after a poll of a process that has just started."""
        await self.service.start()
        await self.service.take_up(provider)
        await self.service.poll()
        game = await self.service.get("/api/v5/write/ticker/show.json", local_id=self.names[provider])
        (match,) = self.service.matches
        rows = (await self.service.store.read(lambda conn: sources.resources_of(conn, {match.id})))[match.id]
        failing = {name for name, each in game["external"]["feedHealth"].items() if each["failures"]}
        causes = {name: each.last_error for name, each in rows.items() if each.last_error}
        posts = sorted((each["local_id"], each["local_status"], str(each["contents"])) for each in game["events"])
        state = game["state_info"]["gamestate"]
        return (game["version"], posts, game["scoreboard"], state, game["squads"]), failing, causes

    def spoil(self, provider: str, resource: str, fault: WireFault) -> None:
        """From now on the resource is answered like this."""

        def instead() -> Reply:
            self.faulty += 1
            return fault.answer(provider, resource)

        self.server.answer_with(provider, resource, instead)
        self.timeout = HASTY if fault is FAULTS["time-out"] else PATIENT

    def heal(self) -> None:
        self.server.heal()
        self.timeout = PATIENT


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[asyncio.Runner, Day]]:
    """One day for all rows, each of which leaves it as it was, and the loop in which it is."""
    url = migrated_url(tmp_path_factory.mktemp("faults") / "matchwire.db")

    async def opened(stack: AsyncExitStack) -> Day:
        found = Day(await stack.enter_async_context(serving(Everybody({}))))
        found.service = await stack.enter_async_context(provider_service(url, PROVIDERS, found.connect))
        await found.begin()
        return found

    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        yield runner, runner.run(opened(stack))
        runner.run(stack.aclose())


def rows() -> Iterator[Any]:
    """`make test` has every fault of the table at a provider's first resource, `make proof` all others."""
    for each in PROVIDERS:
        for number, resource in enumerate(bodies_of(each.id, SECOND_HALF)):
            for name, fault in faults(each.id, resource):
                later = [pytest.mark.proof] if number or name not in FAULTS else []
                yield pytest.param(each.id, resource, fault, id=f"{each.id}-{resource}-{name}", marks=later)
    for name, fault in SIGN_IN.items():
        yield pytest.param("statsperform", TOKEN, fault, id=f"statsperform-{TOKEN}-{name}")


@pytest.mark.parametrize(("provider", "resource", "fault"), [*rows()])
def test_nothing_is_withdrawn_and_health_says_it(day, provider, resource, fault):
    """Once, and again after a restart: version, posts and board stay; when the provider answers again, health is good again."""
    runner, found = day
    runner.run(one_fault(found, provider, resource, fault))


async def one_fault(day: Day, provider: str, resource: str, fault: WireFault) -> None:
    stands, *well = await day.polled(provider)
    assert well == [set(), {}]
    day.spoil(provider, resource, fault)
    try:
        before = day.faulty
        for _ in range(2 if fault.cause else 1):
            during, failing, causes = await day.polled(provider)
            assert day.faulty > before
            assert during == stands
            expected = set() if fault.cause is None else {"match" if resource == TOKEN else resource}
            assert failing == causes.keys()
            assert failing >= expected or fault.cause == ""
            assert failing <= expected or day.timeout == HASTY
            assert all(cause.startswith(fault.cause.format(resource=name)) for name, cause in causes.items())
    finally:
        day.heal()
    assert await day.polled(provider) == (stands, set(), {})
