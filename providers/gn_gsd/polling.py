"""One poll of a match or a race: what is asked for, and what the feed may lack without anybody being the worse for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mapping.errors import BadBody, DownstreamRejected, MatchUnknown, ProviderRefused
from providers import transport
from providers.asking import UNKNOWN, Question, ask, judged, together
from providers.base import Answer, Outcome
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
from providers.gn_gsd.squads import players

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from providers.base import Known
    from providers.gn_gsd.read import Node

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

    client: transport.Client
    names: Mapping[str, str]
    query: str
    of: Target
    known: Mapping[str, Known]

    async def answers(self) -> tuple[Answer, ...]:
        """The main resource first; the others of a match at the same time, at its first poll only after it."""
        if self.of.kind != MATCH:
            return (await self._main(),)
        if MATCH not in self.known:
            main = await self._main()
            others = [] if main.error else list(await asyncio.gather(*self._others()))
        else:
            main, others = await together(self._main, self._others())
        counted = (self._counted(each, main) for each in others)
        return (main, *(each for each in counted if each is not None))

    def _others(self) -> tuple[Coroutine[Any, Any, Answer], ...]:
        return self._lineups(), self._actions()

    async def _main(self) -> Answer:
        question = Question(self.of.kind, self._path(self.of.kind), self._entity, lambda _: 1)
        answer = (await ask(self.client, question, self.known))[0]
        if isinstance(answer.error, DownstreamRejected) and self.of.kind not in self.known:
            return replace(answer, error=unknown(self.of))
        return answer

    async def _lineups(self) -> Answer:
        question = Question(LINEUPS, self._path(LINEUPS), lambda body: lineups(body, self.names), players)
        return (await ask(self.client, question, self.known))[0]

    async def _actions(self) -> Answer:
        question = Question(ACTIONS, self._path(ACTIONS), self._listed, len, FEW)
        return (await ask(self.client, question, self.known))[0]

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


def unknown(of: Target) -> MatchUnknown:
    """A request that the provider does not take is one for an id that it does not know."""
    return MatchUnknown(f"the provider does not know the {of.kind}")


def _missing(answer: Answer, known: Known) -> Answer:
    """Nothing, as a good answer; what was there before cannot have gone like this."""
    if known.rows:
        return replace(answer, error=BadBody(f"{answer.resource}: not there any more"))
    question = Question(answer.resource, "", _nothing, lambda _: 0)
    return judged(question, transport.Reply(status=200, body=MISSING), known)[0]


def _nothing(body: bytes) -> Any:
    return body


def path_of(resource: str, of: Target, names: Mapping[str, str], query: str) -> str:
    """The path below the endpoint's base URL, with its own query and the one that goes with each request."""
    path = names[f"{resource}_resource"].replace("{id}", of.segment)
    return f"{path}{'&' if '?' in path else '?'}{query}"
