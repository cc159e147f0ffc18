"""Who is the same at several providers: teams and competitions that a table or a person has linked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class SourceId(NamedTuple):
    """A team or a competition as a provider names it: the provider, and its id there."""

    provider: str
    id: str


class Links:
    """Which ids are one team, or one competition. What is linked to the same third is linked."""

    def __init__(self, pairs: Iterable[tuple[SourceId, SourceId]] = ()) -> None:
        self._head: dict[SourceId, SourceId] = {}
        for one, other in pairs:
            first, second = sorted((self.head(one), self.head(other)))
            self._head[second] = first

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
