"""One poll of one match: each resource asked for once, its answer classify before anybody decodes it further."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mapping.errors import BadBody, MatchUnknown, ServiceError
from providers import http_client
from providers.base import Answer, Known
from providers.beside import beside
from providers.fault_collector import ValueMismatch
from providers.fetch import UNKNOWN, ResourceRequest, ask, classify, failed
from providers.foreign import SIDES, check_teams, joined
from providers.heim.payload import EVENTS, MATCH, TEXT, Found, embedded_rows, find_match, list_rows, team_ids
from providers.heim.sport import competition, sport_of

if TYPE_CHECKING:
    from collections.abc import Mapping

COMPETITION, EMBEDS = "competition", "embeds"
"""The hints beside SIDES: the competition's id (may be empty), and whether the match carries its events (`1` or empty)."""


@dataclass(frozen=True, slots=True)
class Poll:
    """What is asked for, where, and what is known of it already."""

    client: http_client.Client
    names: Mapping[str, str]
    match_id: str
    known: Mapping[str, Known]

    async def match(self, *, conditional: bool) -> tuple[Answer, Found | None]:
        """The match; with its content where it changed, or where it was asked for unconditionally."""
        question = ResourceRequest(MATCH, self._path(MATCH), self._match, lambda _: 1)
        return await ask(self.client, question, self.known, conditional=conditional)

    async def events(self, hints: Mapping[str, str]) -> Answer:
        return (await ask(self.client, self._list(EVENTS, hints), self.known))[0]

    async def text(self, hints: Mapping[str, str]) -> Answer:
        return (await ask(self.client, self._list(TEXT, hints), self.known))[0]

    def _list(self, resource: str, hints: Mapping[str, str]) -> ResourceRequest:
        return ResourceRequest(
            resource, self._path(resource, hints), lambda body: self._own(resource, body, hints), len
        )

    def _own(self, resource: str, body: bytes, hints: Mapping[str, str]) -> tuple[Any, ...]:
        """The rows of a list; BadBody where they are those of another match."""
        rows = list_rows(resource, body, self.match_id)
        check_teams(resource, team_ids(resource, rows), hints)
        return rows

    def _path(self, resource: str, hints: Mapping[str, str] | None = None) -> str:
        return path_of(resource, self.names, self.match_id, hints or {})

    async def embedded(self, match: Answer, found: Found | None, size: int) -> Answer:
        """The events that came inside the match, of `size` bytes, as if they had been asked for by themselves."""
        if found is None:
            known = self.known.get(EVENTS, UNKNOWN)
            return Answer(
                resource=EVENTS, outcome=match.outcome, error=match.error, digest=known.digest, rows=known.rows
            )
        try:
            return await beside(size, self._taken_out, found)
        except ServiceError as error:
            return failed(EVENTS, error)

    def _taken_out(self, found: Found) -> Answer:
        rows = embedded_rows(found.match) or ()
        body = f"[{','.join(json.dumps(row, separators=(',', ':')) for row in rows)}]".encode()
        question = ResourceRequest(EVENTS, "", lambda _: rows, len)
        return classify(question, http_client.Reply(status=200, body=body), self.known.get(EVENTS, UNKNOWN))[0]

    def _match(self, body: bytes) -> Found:
        """The match; one that was there before cannot have become unknown by an answer without it."""
        try:
            return find_match(body, self.match_id)
        except MatchUnknown:
            if self.known.get(MATCH, UNKNOWN).digest is None:
                raise
            raise BadBody(f"{MATCH}: the answer holds no match") from None


RESOURCES = {MATCH: "match_resource", EVENTS: "event_resource", TEXT: "text_resource"}
"""Resource → the name of its path in the table of names."""


def path_of(resource: str, names: Mapping[str, str], match_id: str, hints: Mapping[str, str]) -> str:
    """The path below the endpoint's base URL."""
    template = names[RESOURCES[resource]]
    return template.replace("{id}", match_id).replace("{competition}", hints.get(COMPETITION, ""))


def hints_of(found: Found, names: Mapping[str, str]) -> dict[str, str]:
    """What the next poll needs to know of this match."""
    sides = [_team_id(found, side) for side in ("home", "away")] if sport_of(found, names) == "soccer" else []
    return {COMPETITION: _competition_id(found), EMBEDS: "1" if _embeds(found) else "", SIDES: joined(sides)}


def _team_id(found: Found, side: str) -> str | None:
    try:
        team = found.match.part(side)
        return None if team is None else team.ident("id")
    except ValueMismatch:
        return None


def _competition_id(found: Found) -> str:
    try:
        row: Any = competition(found)
        return (row.ident("id") if row is not None else None) or ""
    except ValueMismatch:
        return ""


def _embeds(found: Found) -> bool:
    return found.match.data.get("match_event") is not None
