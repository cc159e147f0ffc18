"""What readers learn of every match of every provider, by how it ends: `endings.toml`, a table that can be read aloud."""

import asyncio
import tomllib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from api.page import card
from providers.base import Fetched, Known, Provider, Selector
from providers.registry import Registry
from tests.kit.opening import endpoint_of
from tests.kit.provider_service import ProviderService, provider_service
from tests.kit.scripted import answer_with
from tests.kit.sqlite import migrated_url
from tests.kit.surfaces import SURFACES, Words, card_words, read_words
from tests.kit.wire_courses.courses import CORRECTED, REQUIRED, course, endings

Bodies = dict[str, bytes]

LOCALES = ("en", "de")
ENOUGH = 3
"""Polls of an answer, after which nothing of it waits for being confirmed."""
_places = count(1)


class Played:
    """A provider's own adapter, which is given the bodies of its matches instead of fetching them."""

    def __init__(self, provider: Provider, names: Mapping[str, str], bodies: Mapping[str, Bodies]) -> None:
        place = f"http://played-{next(_places)}.invalid"
        self.endpoint = endpoint_of(provider=provider.id, base_url=place, api_key="k", options={"names": names})
        self._real, self._bodies = provider.connect(self.endpoint), bodies
        self.id, self.text_resource = self._real.id, self._real.text_resource
        self.carried_by, self.translate, self.aclose = self._real.carried_by, self._real.translate, self._real.aclose

    async def resolve(self, selector: Selector) -> str:
        """A phase is a race of its own here."""
        return selector.id if selector.kind == "match" else f"{selector.kind}:{selector.id}"

    async def fetch(self, match_id: str, known: dict[str, Known], *, text: bool, hints: Any) -> Fetched:
        del text, hints
        found = self._bodies[match_id].items()
        return Fetched(
            answers=tuple(answer_with(name, body, known.get(name, Known())) for name, body in found), hints={}
        )


@dataclass(frozen=True)
class CoursePlayer:
    """`bodies`: what the providers have of each match, by its id."""

    service: ProviderService
    bodies: dict[str, Bodies]

    async def play(
        self, provider: str, selector: Mapping[str, str], steps: Iterable[tuple[float, Bodies]]
    ) -> dict[str, Words]:
        """Language → surface → words, after the provider has said all this, each at its time (Unix seconds)."""
        (kind, ident) = next(iter(selector.items()))
        match_id = ident if kind == "matchId" else f"{kind.removesuffix('Id')}:{ident}"
        service, names = self.service, dict[str, str]()
        await service.start()
        for at, bodies in steps:
            self.bodies[match_id] = bodies
            service.clock.now = service.server.now = max(at, service.clock.now if names else 0.0)
            for locale in () if names else LOCALES:
                names[locale] = (await service.create(provider, selector, locale=locale))["local_id"]
            await service.poll(ENOUGH)
        service.server.ticks += 10
        return {locale: await read_words(service, name) for locale, name in names.items()}


@asynccontextmanager
async def course_player(
    url: str, providers: Iterable[Provider], names: Mapping[str, Mapping[str, str]], patch: pytest.MonkeyPatch
) -> AsyncIterator[CoursePlayer]:
    """The service over a migrated database. `names`: the corrections of each provider's endpoint."""
    patch.setattr(card, "_draw_bytes", card_words)
    bodies: dict[str, Bodies] = {}
    async with provider_service(url, providers, lambda each: Played(each, names.get(each.id, {}), bodies)) as service:
        yield CoursePlayer(service, bodies)


TABLE = tomllib.loads(Path(__file__).with_name("endings.toml").read_text(encoding="utf-8"))
PROVIDERS = tuple(Registry.load())
OFFERED = [(each.id, sport) for each in PROVIDERS for sport in sorted({*each.catalog, *each.text_sports})]
"""Every provider with each sport that it offers."""
FOLLOWED = {"newest post", "key moments"}
"""Places that show what has been posted one after the other."""
NOTHING_NAMED = dict.fromkeys(SURFACES, "")

Case = tuple[str, str, str]
"""Provider, sport, ending."""
THIRD = 3
"""`make test` plays every third case, `make proof` the others."""


def impossible(provider: str, sport: str) -> dict[str, str]:
    """Ending → why the provider cannot send it."""
    reasons = TABLE["impossible"].get(provider, {}).get(sport, {})
    return {ending: why for why, listed in reasons.items() for ending in listed}


CASES: list[Case] = [
    (provider, sport, ending)
    for provider, sport in OFFERED
    for ending in endings(provider, sport)
    if ending not in impossible(provider, sport)
]


def words_of(case: Case, locale: str) -> Words:
    """The words of the table, in one language."""
    provider, sport, ending = case
    block: dict[str, Any] = TABLE[sport][ending]
    own: dict[str, Any] = block.get(provider, {})
    words = {**NOTHING_NAMED, "state": own.get("state", block["state"]), **block[locale], **own.get(locale, {})}
    over = "ended" if words["state"] == "over" else "goes on"
    known = {"feed title": words["title"], "structured data": f"{words['title']}, EventScheduled, coverage {over}"}
    found = {name: words[name] or known.get(name, "") for name in SURFACES}
    return found | {"key moments": " | ".join(found["key moments"].split("\n")).strip(" |")}


def faults_of(case: Case) -> list[dict[str, Any]]:
    """What is wrong with the case today."""
    provider, sport, ending = case
    return [each for each in TABLE[sport][ending].get("faults", ()) if provider in each["providers"]]


def rows() -> Iterator[Any]:
    """A row for each place; one that says something else today is marked with what is wrong there."""
    for number, case in enumerate(CASES):
        later = [pytest.mark.proof] if number % THIRD else []
        faults = {surface: fault["why"] for fault in faults_of(case) for surface in fault["surfaces"]}
        for surface in SURFACES:
            marks = [pytest.mark.xfail(strict=True, reason=faults[surface])] if surface in faults else []
            name = "-".join((*case, surface)).replace(" ", "-")
            yield pytest.param(case, surface, id=name, marks=[*marks, *later])


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., dict[str, Words]]]:
    """Plays a case into one store, once, and gives what all places show, by the language. `late`: as `played` has it."""
    url = migrated_url(tmp_path_factory.mktemp("endings") / "matchwire.db")
    known: dict[tuple[Case, bool], dict[str, Words]] = {}
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        service = course_player(url, PROVIDERS, CORRECTED, patch)
        player = runner.run(service.__aenter__())

        def play(case: Case, *, late: bool = False) -> dict[str, Words]:
            if (case, late) not in known:
                known[case, late] = runner.run(played(player, case, late=late))
            return known[case, late]

        yield play
        runner.run(service.__aexit__(None, None, None))


NUMBERS = count(9_000_001)


async def played(player: CoursePlayer, case: Case, *, late: bool = False) -> dict[str, Words]:
    """What all places show after the course; `late`: of a liveblog that is created at the end of it."""
    selector, steps = course(*case, next(NUMBERS))
    return await player.play(case[0], selector, steps[-1:] if late else steps)


@pytest.mark.parametrize(("provider", "sport"), OFFERED)
def test_every_ending_has_words_or_cannot_be_sent(provider, sport):
    """A new provider, and a new sport of one, has a course to each ending, or a reason why there is none."""
    there, never = set(endings(provider, sport)), impossible(provider, sport)

    assert [each for each in REQUIRED if each not in there and each not in never] == []
    assert [each for each in there if each not in TABLE[sport]] == []


@pytest.mark.parametrize(("case", "surface"), list(rows()))
def test_readers_see_how_the_match_stands(shown, case, surface):
    """Every place shows the words of the table, in English and in German."""
    found = shown(case)

    assert {each: found[each][surface] for each in LOCALES} == {each: words_of(case, each)[surface] for each in LOCALES}


FORGOTTEN = {("heim", "american_football", "result-missing"), ("heim", "icehockey", "result-missing")}
"""Courses whose last answer says less of the score than those before it did."""


def late_rows() -> Iterator[Any]:
    """A row for each case; what is wrong with one that is followed is wrong with it here too, but for what order alone spoils.

    A proof plays those that `make test` has followed.
    """
    for number, case in enumerate(CASES):
        if case not in FORGOTTEN:
            faults = [fault for fault in faults_of(case) if not FOLLOWED >= set(fault["surfaces"])]
            marks = [pytest.mark.xfail(strict=True, reason=faults[0]["why"])] if faults else []
            tier = pytest.mark.soak if number % THIRD else pytest.mark.proof
            yield pytest.param(case, id="-".join(case), marks=[*marks, tier])


@pytest.mark.parametrize("case", list(late_rows()))
def test_a_liveblog_that_is_made_late_reads_as_one_that_was_followed(shown, case):
    """It is created when all has happened; only steps of a score that nobody has seen are not posted then."""
    seen = set(SURFACES) - (FOLLOWED if case[1] == "american_football" else set())
    found = shown(case, late=True)

    for each in LOCALES:
        assert {name: found[each][name] for name in seen} == {name: words_of(case, each)[name] for name in seen}


@pytest.mark.parametrize("provider", [each.id for each in PROVIDERS])
async def test_the_words_are_the_same_on_postgresql(shown, postgres_url, monkeypatch, provider):
    """The longest course of each provider that ends with a winner, beside the same one on SQLite."""
    case = (provider, "soccer", "shoot-out")
    async with course_player(postgres_url, PROVIDERS, CORRECTED, monkeypatch) as player:
        found = await played(player, case)

    assert found == await asyncio.to_thread(shown, case)
