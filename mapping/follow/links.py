"""Who is the same at several providers: teams and competitions that a table or a person has linked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class SourceId(NamedTuple):
    """A team or a competition as a provider names it: the provider, and its id there."""

    provider: str
    id: str


class Links:
    """Which ids are one team, or one competition. What is linked to the same third is linked.

    A pair that would give one of them two ids at a provider is left out.
    """

    def __init__(self, pairs: Iterable[tuple[SourceId, SourceId]] = ()) -> None:
        self._head: dict[SourceId, SourceId] = {}
        self._ids: dict[SourceId, dict[str, str]] = {}
        for one, other in pairs:
            first, second = sorted((self.head(one), self.head(other)))
            ours, theirs = self._all(first), self._all(second)
            if first != second and ours.keys().isdisjoint(theirs):
                self._head[second] = first
                self._ids[first] = {**ours, **theirs}

    def at(self, named: SourceId, provider: str) -> str | None:
        """The id that it has at a provider, as far as that is linked."""
        return self._all(self.head(named)).get(provider)

    def _all(self, head: SourceId) -> dict[str, str]:
        return self._ids.get(head, {head.provider: head.id})

    def head(self, named: SourceId) -> SourceId:
        """The one that stands for all that are linked with it.

        >>> links = Links([(SourceId("heim", "9"), SourceId("pa", "77"))])
        >>> links.head(SourceId("pa", "77")) == links.head(SourceId("heim", "9"))
        True
        """
        while (above := self._head.get(named, named)) != named:
            named = above
        return named

    def heads(self, provider: str, ids: Iterable[str]) -> frozenset[SourceId]:
        """Those that stand for these ids of a provider."""
        return frozenset(self.head(SourceId(provider, ident)) for ident in ids)
