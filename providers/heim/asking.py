"""One poll of one match: each resource asked for once, its answer judged before anybody decodes it further."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from mapping.errors import BadBody, MatchUnknown, ServiceError
from providers import transport
from providers.base import Answer, Known, Outcome
from providers.heim.payload import EVENTS, MATCH, TEXT, Found, embedded_rows, find_match, list_rows
from providers.heim.read import MisfitError
from providers.heim.sport import competition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")

COMPETITION, EMBEDS = "competition", "embeds"
"""The hints: the competition's id (may be empty), and whether the match carries its events itself (`1` or empty)."""

UNKNOWN = Known()


@dataclass(frozen=True, slots=True)
class Poll:
    """What is asked for, where, and what is known of it already."""

    client: transport.Client
    names: Mapping[str, str]
    match_id: str
    known: Mapping[str, Known]

    async def match(self, *, conditional: bool) -> tuple[Answer, Found | None]:
        """The match; with its content where it changed, or where it was asked for unconditionally."""
        return await self._ask(MATCH, self._match, lambda _: 1, conditional=conditional)

    async def events(self) -> Answer:
        answer, _ = await self._ask(EVENTS, lambda body: list_rows(EVENTS, body, self.match_id), len)
        return answer

    async def text(self, hints: Mapping[str, str]) -> Answer:
        answer, _ = await self._ask(TEXT, lambda body: list_rows(TEXT, body, self.match_id), len, hints)
        return answer

    def embedded(self, match: Answer, found: Found | None) -> Answer:
        """The events that came inside the match, as if they had been asked for by themselves."""
        if found is None:
            known = self.known.get(EVENTS, UNKNOWN)
            return Answer(
                resource=EVENTS, outcome=match.outcome, error=match.error, digest=known.digest, rows=known.rows
            )
        try:
            rows = embedded_rows(found.match) or ()
            body = json.dumps(rows, separators=(",", ":")).encode()
            return self._judged(EVENTS, transport.Reply(status=200, body=body), lambda _: rows, len)[0]
        except ServiceError as error:
            return _failed(EVENTS, error)

    async def _ask(
        self,
        resource: str,
        read: Callable[[bytes], T],
        size: Callable[[T], int],
        hints: Mapping[str, str] | None = None,
        *,
        conditional: bool = True,
    ) -> tuple[Answer, T | None]:
        path = path_of(resource, self.names, self.match_id, hints or {})
        etag = self.known.get(resource, UNKNOWN).etag if conditional else None
        try:
            reply = await transport.get(self.client, path, etag)
            return self._judged(resource, reply, read, size, conditional=conditional)
        except ServiceError as error:
            return _failed(resource, error), None

    def _judged(
        self,
        resource: str,
        reply: transport.Reply,
        read: Callable[[bytes], T],
        size: Callable[[T], int],
        *,
        conditional: bool = True,
    ) -> tuple[Answer, T | None]:
        """The digest first: an unchanged body is not decoded again. BadBody for a list that lost all its rows."""
        known = self.known.get(resource, UNKNOWN)
        digest = known.digest if reply.status == 304 else sha256(reply.body).hexdigest()
        unchanged = reply.status == 304 or digest == known.digest
        value = read(reply.body) if reply.status != 304 and not (unchanged and conditional) else None
        rows = known.rows if unchanged or value is None else size(value)
        if known.rows and not rows:
            raise BadBody(f"{resource}: all rows are gone at once")
        answer = Answer(
            resource=resource,
            outcome=Outcome.UNCHANGED if unchanged else Outcome.CHANGED,
            body=None if unchanged else reply.body,
            etag=reply.etag,
            digest=digest,
            rows=rows,
            fresh_for=reply.fresh_for,
        )
        return answer, value

    def _match(self, body: bytes) -> Found:
        """The match; one that was there before cannot have become unknown by an answer without it."""
        try:
            return find_match(body, self.match_id)
        except MatchUnknown:
            if self.known.get(MATCH, UNKNOWN).digest is None:
                raise
            raise BadBody(f"{MATCH}: the answer holds no match") from None


def _failed(resource: str, error: ServiceError) -> Answer:
    return Answer(resource=resource, outcome=Outcome.FAILED, error=error)


RESOURCES = {MATCH: "match_resource", EVENTS: "event_resource", TEXT: "text_resource"}
"""Resource → the name of its path in the table of names."""


def path_of(resource: str, names: Mapping[str, str], match_id: str, hints: Mapping[str, str]) -> str:
    """The path below the endpoint's base URL."""
    template = names[RESOURCES[resource]]
    return template.replace("{id}", match_id).replace("{competition}", hints.get(COMPETITION, ""))


def hints_of(found: Found) -> dict[str, str]:
    """What the next poll needs to know of this match."""
    return {COMPETITION: _competition_id(found), EMBEDS: "1" if _embeds(found) else ""}


def _competition_id(found: Found) -> str:
    try:
        row: Any = competition(found)
        return (row.ident("id") if row is not None else None) or ""
    except MisfitError:
        return ""


def _embeds(found: Found) -> bool:
    return found.match.data.get("match_event") is not None
