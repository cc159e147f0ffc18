"""One poll of a match or a race: what is asked for, and what the feed may lack without anybody being the worse for it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mapping.errors import BadBody, DownstreamRejected, MatchUnknown, ProviderRefused
from providers import http_client
from providers.base import Answer, Outcome
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.fetch import UNKNOWN, ResourceRequest, ask, classify, together
from providers.foreign import SIDES, check_teams, ids_in, joined
from providers.gn_gsd.payload import (
    ACTIONS,
    LINEUPS,
    MATCH,
    MISSING,
    Target,
    action_rows,
    entity,
    lineups,
    none_listed,
)
from providers.gn_gsd.read import Node
from providers.gn_gsd.squads import players, sections

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Mapping

    from providers.base import Known

FEW = 2
"""So many main actions may have been mistaken all at once; after more, an empty list is a fault."""

ABSENT: Mapping[str, tuple[type[Exception], ...]] = {
    LINEUPS: (MatchUnknown, DownstreamRejected, ProviderRefused),
    ACTIONS: (MatchUnknown,),
}
"""Resource → the errors that mean, while the match answers, that there is none: line-ups may not even be booked."""


@dataclass(frozen=True, slots=True)
class Poll:
    """What is asked for, where, and what is known of it already. `query` goes with each request."""

    client: http_client.Client
    names: Mapping[str, str]
    query: str
    of: Target
    known: Mapping[str, Known]

    async def answers(self, hints: Mapping[str, str]) -> tuple[tuple[Answer, ...], Mapping[str, str]]:
        """The main resource first; the others of a match at the same time, at its first poll only after it.

        With them the hints for the next poll.
        """
        if self.of.kind != MATCH:
            return ((await self._main())[0],), hints
        if MATCH not in self.known:
            main, learned = await self._learned(hints)
            others = [] if main.error else list(await asyncio.gather(*self._others(learned)))
        else:
            (main, learned), others = await together(partial(self._learned, hints), self._others(hints))
        counted = (self._counted(each, main) for each in others)
        return (main, *(each for each in counted if each is not None)), learned

    async def _learned(self, hints: Mapping[str, str]) -> tuple[Answer, Mapping[str, str]]:
        answer, found = await self._main()
        return answer, hints if found is None else {**hints, SIDES: joined(_sides(found))}

    def _others(self, hints: Mapping[str, str]) -> tuple[Coroutine[Any, Any, Answer], ...]:
        return self._lineups(hints), self._actions(hints)

    async def _main(self) -> tuple[Answer, Node | None]:
        question = ResourceRequest(self.of.kind, self._path(self.of.kind), self._entity, lambda _: 1)
        answer, found = await ask(self.client, question, self.known)
        if isinstance(answer.error, DownstreamRejected) and self.of.kind not in self.known:
            return replace(answer, error=unknown(self.of)), None
        return answer, found

    async def _lineups(self, hints: Mapping[str, str]) -> Answer:
        def read(body: bytes) -> Node:
            found = lineups(body, self.names)
            listed = sections(found, FaultCollector("", "")).values()
            check_teams(LINEUPS, (each for row in listed for each in ids_in(row.data)), hints)
            return found

        return (await ask(self.client, ResourceRequest(LINEUPS, self._path(LINEUPS), read, players), self.known))[0]

    async def _actions(self, hints: Mapping[str, str]) -> Answer:
        def read(body: bytes) -> tuple[tuple[str, Any], ...]:
            rows = self._listed(body)
            check_teams(ACTIONS, _acting(rows, self.names), hints)
            return rows

        return (await ask(self.client, ResourceRequest(ACTIONS, self._path(ACTIONS), read, len, FEW), self.known))[0]

    def _listed(self, body: bytes) -> tuple[tuple[str, Any], ...]:
        """The rows of the actions; once there were any, an answer without the list of them is a fault."""
        rows = action_rows(body, self.names)
        if not rows and self.known.get(ACTIONS, UNKNOWN).rows and not none_listed(body, self.names):
            raise BadBody(f"{ACTIONS}: not there any more")
        return rows

    def _path(self, resource: str) -> str:
        return path_of(resource, self.of, self.names, self.query)

    def _entity(self, body: bytes) -> Node:
        """What is followed; once it was there, an answer without it is a fault and not its end."""
        try:
            return entity(self.of, body, self.names)
        except MatchUnknown:
            if self.known.get(self.of.kind, UNKNOWN).digest is None:
                raise
            raise BadBody(f"{self.of.kind}: the answer holds no {self.of.kind}") from None

    def _counted(self, answer: Answer, main: Answer) -> Answer | None:
        """An answer as it counts: what the provider does not have is empty, and line-ups alone never hold a match up."""
        if answer.error is None or main.outcome is Outcome.FAILED:
            return answer
        if isinstance(answer.error, ABSENT[answer.resource]):
            answer = _missing(answer, self.known.get(answer.resource, UNKNOWN))
        held_up = answer.outcome is Outcome.FAILED and answer.resource == LINEUPS and MATCH in self.known
        return None if held_up else answer


def _sides(found: Node) -> Iterator[str]:
    """Every id that the match gives its teams: which of them line-ups and actions repeat is not settled."""
    for side in ("home", "away"):
        with suppress(ValueMismatch):
            team = found.part(side)
            yield from () if team is None else ids_in(team.data)


def _acting(rows: tuple[tuple[str, Any], ...], names: Mapping[str, str]) -> Iterator[str | None]:
    """The team of each action."""
    for _, row in rows:
        if isinstance(row, dict):
            with suppress(ValueMismatch):
                yield Node(row, names).ident("action_team")


def unknown(of: Target) -> MatchUnknown:
    """A request that the provider does not take is one for an id that it does not know."""
    return MatchUnknown(f"the provider does not know the {of.kind}")


def _missing(answer: Answer, known: Known) -> Answer:
    """Nothing, as a good answer; what was there before cannot have gone like this."""
    if known.rows:
        return replace(answer, error=BadBody(f"{answer.resource}: not there any more"))
    question = ResourceRequest(answer.resource, "", _nothing, lambda _: 0)
    return classify(question, http_client.Reply(status=200, body=MISSING), known)[0]


def _nothing(body: bytes) -> Any:
    return body


def path_of(resource: str, of: Target, names: Mapping[str, str], query: str) -> str:
    """The path below the endpoint's base URL, with its own query and the one that goes with each request."""
    path = names[f"{resource}_resource"].replace("{id}", of.segment)
    return f"{path}{'&' if '?' in path else '?'}{query}"
