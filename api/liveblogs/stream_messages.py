"""Messages of a liveblog's stream: each is read and written once for all readers who want the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from sqlalchemy import Connection
from starlette.types import Message as ASGIMessage

from api.http.errors import json_bytes
from api.liveblogs.delta import response
from store.engine.liveblog_records import StoredEvent, StoredGame
from store.liveblogs import event_reads, liveblogs

END: ASGIMessage = {"type": "http.response.body", "body": b"", "more_body": False}
"""Ends a response that was sent piece by piece."""
EVENTS = 200
"""Events in one message, about: a version is never cut in two."""


class Form(Protocol):
    """Writes what a message says; equal ones write the same, so those who want the same share it."""

    def __hash__(self) -> int: ...

    def __call__(
        self, conn: Connection, game: StoredGame, events: Sequence[StoredEvent], *, since: int, version: int, more: bool
    ) -> bytes:
        """The changes after `since` up to `version`, where `more` follow; without events where nobody may read it."""


def as_json(
    conn: Connection, game: StoredGame, events: Sequence[StoredEvent], *, since: int, version: int, more: bool
) -> bytes:
    """The delta document; whoever begins forgets what they have, as it may be of before a restore."""
    document = response(conn, game, events, version=version, more=more)
    return json_bytes(document if since else {**document, "reset": True})


@dataclass(frozen=True)
class Message:
    """What happened after the version `since` up to `version`; the `last` one ends the stream."""

    since: int
    version: int
    body: bytes
    last: bool = False

    def follows(self, version: int) -> bool:
        """Whether it is what a reader of this version lacks, and not the last that there is."""
        return self.since == version and not self.last

    @cached_property
    def part(self) -> ASGIMessage:
        """As a server-sent event; the same bytes for all readers."""
        return body_part(b"id: %d\nevent: update\ndata: %b\n\n" % (self.version, self.body))


def read(conn: Connection, game_id: str, since: int, forms: Iterable[Form]) -> Mapping[Form, Message]:
    """The next message after the version `since` in each of the forms; none where nothing is new."""
    game = liveblogs.find_game(conn, game_id)
    if game is None or game.version <= since:
        return {}
    events: Sequence[StoredEvent] = ()
    version, more, last = game.version, False, not game.public
    if not last:
        events, more = event_reads.chunk(conn, game_id, since=since, limit=EVENTS)
        version = max(event.version for event in events) if more else game.version
    messages = {}
    for form in forms:
        body = form(conn, game, events, since=since, version=version, more=more)
        messages[form] = Message(since, version, body, last)
    return messages


def body_part(body: bytes) -> ASGIMessage:
    """A part of a response that goes on."""
    return {"type": "http.response.body", "body": body, "more_body": True}
