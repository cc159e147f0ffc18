"""Plays what a provider sends, moment by moment, into liveblogs of each language, and reads what they show everywhere."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from api.page import card
from providers.base import Fetched, Known
from tests.kit.opening import endpoint_of
from tests.kit.provider_service import ProviderService, provider_service
from tests.kit.scripted import answer_with
from tests.kit.surfaces import card_words, read_words

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    import pytest

    from providers.base import Provider, Selector
    from tests.kit.surfaces import Words

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
    patch.setattr(card, "_drawn", card_words)
    bodies: dict[str, Bodies] = {}
    async with provider_service(url, providers, lambda each: Played(each, names.get(each.id, {}), bodies)) as service:
        yield CoursePlayer(service, bodies)
