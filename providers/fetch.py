"""Asking for one resource once: conditionally, compared by digest before it is decoded, and never raising."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from mapping.errors import BadBody, ProviderRefused, ServiceError
from providers import http_client
from providers.base import Answer, Known, Outcome
from providers.beside import beside

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence

T = TypeVar("T")

UNKNOWN = Known()
MAX_DEPTH = 64
REMEMBERED = 256 * 1024
"""Bytes of a body up to which its decoded value is kept for a moment."""


@dataclass(frozen=True, slots=True)
class ResourceRequest:
    """A resource, where it is, and how its body is read and counted.

    `read` raises BadBody or MatchUnknown for what is not the resource. A list that had more than `may_vanish` rows and
    has none is taken for a fault of the provider; not all feeds say so much that they can never have been mistaken.
    """

    resource: str
    path: str
    read: Callable[[bytes], Any]
    size: Callable[[Any], int]
    may_vanish: int = 0


async def ask(
    client: http_client.Client, question: ResourceRequest, known: Mapping[str, Known], *, conditional: bool = True
) -> tuple[Answer, Any]:
    """The answer, and its content where that was read: where it changed, or was asked for unconditionally.

    What was refused lately is not asked for again by a poll of a match that is known.
    """
    before = known.get(question.resource, UNKNOWN)
    if known and client.refusals.holds(question.path):
        return failed(question.resource, ProviderRefused(http_client.NOT_WELCOME), question.path), None
    try:
        reply = await http_client.get(client, question.path, before.etag if conditional else None)
    except ServiceError as error:
        if isinstance(error, ProviderRefused):
            client.refusals.add(question.path)
        return failed(question.resource, error, question.path), None
    client.refusals.forget(question.path)
    try:
        return await beside(len(reply.body), classify, question, reply, before, conditional=conditional)
    except ServiceError as error:
        error.__cause__ = http_client.Heard.of(reply.status, reply.body)
        return failed(question.resource, error, question.path), None


async def together(
    main: Callable[[], Awaitable[T]], others: Sequence[Coroutine[Any, Any, Answer]]
) -> tuple[T, list[Answer]]:
    """All at the same time, the main one in the caller's own task.

    Each poll comes through here: a task less, and no group of tasks, is a twentieth of what it costs.
    """
    tasks = [asyncio.create_task(other) for other in others]
    try:
        await asyncio.sleep(0)  # they ask first, so that they have mostly been answered when the main one has
        return await main(), [await task for task in tasks]
    finally:
        for task in tasks:
            task.cancel()  # where this one is


def classify(
    question: ResourceRequest, reply: http_client.Reply, known: Known, *, conditional: bool = True
) -> tuple[Answer, Any]:
    """The digest first: an unchanged body is not decoded again. BadBody for a list that lost all its rows."""
    digest = known.digest if reply.status == 304 else sha256(reply.body).hexdigest()
    unchanged = reply.status == 304 or digest == known.digest
    value = question.read(reply.body) if reply.status != 304 and not (unchanged and conditional) else None
    rows = known.rows if unchanged or value is None else question.size(value)
    if known.rows > question.may_vanish and not rows:
        raise BadBody(f"{question.resource}: all rows are gone at once")
    answer = Answer(
        resource=question.resource,
        outcome=Outcome.UNCHANGED if unchanged else Outcome.CHANGED,
        body=None if unchanged else reply.body,
        etag=reply.etag,
        digest=digest,
        rows=rows,
        fresh_for=reply.fresh_for,
        path=question.path,
    )
    return answer, value


def failed(resource: str, error: ServiceError, path: str = "") -> Answer:
    """A failure, with what was heard instead of a good answer where that stands behind the error."""
    heard = error.__cause__ if isinstance(error.__cause__, http_client.Heard) else None
    return Answer(resource=resource, outcome=Outcome.FAILED, error=error, path=path, heard=heard)


def decode(resource: str, body: bytes) -> Any:
    """The JSON value of a body; not to be altered, because who asks for the same body next is given the same value.

    BadBody for empty, cut-off, non-JSON and absurdly nested bodies.
    """
    try:
        return _remembered(body) if len(body) <= REMEMBERED else _decoded(body)
    except BadBody as error:
        raise BadBody(f"{resource}: {error.message}") from None


def _decoded(body: bytes) -> Any:
    if not body.strip():
        raise BadBody("empty answer")
    try:
        value = json.loads(body.decode("utf-8-sig"), parse_constant=_refuse, object_hook=_as_it_is)
    except (ValueError, RecursionError):
        raise BadBody("the answer is not JSON") from None
    if not _shallow(value):
        raise BadBody("the answer is nested too deeply")
    return value


# An answer is decoded when it is classify, and again when the match is translated, in the same poll.
_remembered = lru_cache(maxsize=8)(_decoded)


def _as_it_is(value: dict[str, Any]) -> dict[str, Any]:
    """Called for each object, so that other threads, the event loop's among them, get their turn in a long body."""
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _shallow(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for node in level
            for item in (node.values() if type(node) is dict else node if type(node) is list else ())
            if type(item) is dict
            or type(item) is list  # json makes no others, and isinstance takes three times as long
        ]
        if not level:
            return True
    return False
