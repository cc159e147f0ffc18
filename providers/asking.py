"""Asking for one resource once: conditionally, compared by digest before it is decoded, and never raising."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from mapping.errors import BadBody, ServiceError
from providers import transport
from providers.base import Answer, Known, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

T = TypeVar("T")

UNKNOWN = Known()
MAX_DEPTH = 64


@dataclass(frozen=True, slots=True)
class Question:
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
    client: transport.Client, question: Question, known: Mapping[str, Known], *, conditional: bool = True
) -> tuple[Answer, Any]:
    """The answer, and its content where that was read: where it changed, or was asked for unconditionally."""
    before = known.get(question.resource, UNKNOWN)
    try:
        reply = await transport.get(client, question.path, before.etag if conditional else None)
        return judged(question, reply, before, conditional=conditional)
    except ServiceError as error:
        return failed(question.resource, error), None


def judged(question: Question, reply: transport.Reply, known: Known, *, conditional: bool = True) -> tuple[Answer, Any]:
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
    )
    return answer, value


def failed(resource: str, error: ServiceError) -> Answer:
    return Answer(resource=resource, outcome=Outcome.FAILED, error=error)


def decode(resource: str, body: bytes) -> Any:
    """The JSON value of a body. BadBody for empty, cut-off, non-JSON and absurdly nested bodies."""
    if not body.strip():
        raise BadBody(f"{resource}: empty answer")
    try:
        value = json.loads(body.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise BadBody(f"{resource}: the answer is not JSON") from None
    if not _shallow(value):
        raise BadBody(f"{resource}: the answer is nested too deeply")
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _shallow(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for node in level for item in _children(node)]
        if not level:
            return True
    return False


def _children(node: Any) -> Iterator[Any]:
    items = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return (item for item in items if isinstance(item, dict | list))
