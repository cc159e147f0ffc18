"""The registry of providers: those in this repository, and those that installed packages add by an entry point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from mapping.sports import SPORTS
from providers.base import Provider
from providers.gn_gsd.adapter import GN_GSD
from providers.heim.adapter import HEIM

GROUP = "matchwire.providers"
BUILT_IN: tuple[Provider, ...] = (HEIM, GN_GSD)


@dataclass(frozen=True, slots=True)
class Registry:
    """Providers by id."""

    providers: Mapping[str, Provider]

    @classmethod
    def of(cls, providers: Iterable[Provider]) -> Registry:
        """A registry of these. ValueError where two have one id."""
        found: dict[str, Provider] = {}
        for provider in providers:
            if provider.id in found:
                raise ValueError(f"two providers are called {provider.id!r}")
            found[provider.id] = provider
        return cls(found)

    @classmethod
    def load(cls) -> Registry:
        """The built-in providers and the objects (`base.Provider`) that entry points of GROUP name.

        ValueError for one that cannot be loaded, and where two have one id.
        """
        added = (_load(entry) for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name))
        return cls.of((*BUILT_IN, *added))

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(self.providers)

    @property
    def event_types(self) -> frozenset[str]:
        """Every event type that any provider has for any sport (interface: the provider table), and those of notes."""
        notes = frozenset(kind.id for sport in SPORTS.values() for kind in sport.kinds if kind.note)
        return notes.union(kind for each in self for kinds in each.catalog.values() for kind in kinds)

    def find(self, provider_id: str) -> Provider | None:
        """The provider with this id, None where there is none."""
        return self.providers.get(provider_id)

    def __iter__(self) -> Iterator[Provider]:
        return iter(self.providers.values())


def _load(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        raise ValueError(f"the provider plug-in {entry.name} ({entry.value}) cannot be loaded: {error}") from error
