"""Fetches one resource for an adapter: conditionally, compared by digest before it is decoded, and never raising.

Also what every adapter needs for that: decoding, work on large bodies in a thread beside the event loop, and the check that a
response is about this match and not another one.
"""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import sha256
from re import Pattern
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

from pydantic_core import from_json

from mapping.errors import BadBody, MatchUnknown, ProviderRefused, ServiceError
from providers import http_client
from providers.base import Answer, FailedResponse, Known, Outcome

T = TypeVar("T")

UNKNOWN = Known()
MAX_DEPTH = 64
CACHED = 256 * 1024
"""Bytes of a body up to which its decoded value is kept for a moment."""

LARGE = 128 * 1024
"""Bytes of a body from which on the event loop does not work on it: about 10 ms of work."""

VERY_LARGE = 1024 * 1024
"""Bytes from which on the many values of a body would make the interpreter collect garbage again and again."""

THREADS = 2
"""Large bodies that are worked on at a time; they share the interpreter with the event loop, so more would be no faster."""

SIDES = "sides"
"""The hint that holds the ids of both teams, one a line."""

MAX_HINT_IDS = 40
"""Ids that are kept of one match; a hint is stored with each match."""

_lock = Lock()
_uncollected = 0
_collects = True
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="matchwire-large")


@dataclass(frozen=True, slots=True)
class ResourceRequest:
    """A resource, its path below the base URL, and how its body is read and counted.

    `read` raises BadBody or MatchUnknown for what is not the resource. A list that had more than `may_vanish` rows and
    has none is taken for a fault of the provider; not all feeds say so much that they can never have been mistaken.
    `unread`: what of a body nobody reads, such as a clock that runs; a body that differs in nothing else is unchanged.
    """

    resource: str
    path: str
    read: Callable[[bytes], Any]
    size: Callable[[Any], int]
    may_vanish: int = 0
    unread: Pattern[bytes] | None = None

    def digest(self, body: bytes) -> str:
        """The digest of the part of the body that is read."""
        return sha256(body if self.unread is None else self.unread.sub(b"", body)).hexdigest()


async def fetch_resource(
    client: http_client.Client, request: ResourceRequest, known: Mapping[str, Known], *, conditional: bool = True
) -> tuple[Answer, Any]:
    """The response, and its content where that was read: where it changed, or the request was unconditional.

    A poll of a known match does not request again what was refused lately.
    """
    before = known.get(request.resource, UNKNOWN)
    if known and client.refusals.covers(request.path):
        return failed_answer(request.resource, ProviderRefused(http_client.NOT_WELCOME), request.path), None
    try:
        reply = await http_client.get(client, request.path, before.etag if conditional else None)
    except ServiceError as error:
        if isinstance(error, ProviderRefused):
            client.refusals.add(request.path)
        return failed_answer(request.resource, error, request.path), None
    client.refusals.remove(request.path)
    received = monotonic()
    try:
        answer, value = await beside(len(reply.body), classify, request, reply, before, conditional=conditional)
    except ServiceError as error:
        error.__cause__ = FailedResponse.of(reply.status, reply.body)
        return failed_answer(request.resource, error, request.path), None
    return (replace(answer, received=received) if answer.body is not None else answer), value


async def fetch_rows(client: http_client.Client, request: ResourceRequest, known: Mapping[str, Known]) -> Answer:
    """The response alone. Its content ends where it was read: the event loop would take 40 ms to free 20,000 rows."""
    counted = replace(request, read=lambda body: request.size(request.read(body)), size=int)
    return (await fetch_resource(client, counted, known))[0]


async def together(
    main: Callable[[], Awaitable[T]], others: Sequence[Coroutine[Any, Any, Answer]]
) -> tuple[T, list[Answer]]:
    """Fetch all at the same time, the main one in the caller's own task.

    Each poll comes through here: a task less, and no group of tasks, is a twentieth of what it costs.
    """
    tasks = [asyncio.create_task(other) for other in others]
    try:
        await asyncio.sleep(0)  # they send first, so that they have mostly been answered when the main one has
        return await main(), [await task for task in tasks]
    finally:
        for task in tasks:
            task.cancel()  # where this one is


def classify(
    request: ResourceRequest, reply: http_client.Reply, known: Known, *, conditional: bool = True
) -> tuple[Answer, Any]:
    """Compare the digest first: an unchanged body is not decoded again. BadBody for a list that lost all its rows."""
    not_modified = reply.status == 304
    digest = known.digest if not_modified else request.digest(reply.body)
    unchanged = digest == known.digest
    value, rows = None, known.rows
    if not not_modified and not (unchanged and conditional):
        value, rows = _content(request, reply.body, known)
    if known.rows > request.may_vanish and not rows:
        raise BadBody(f"{request.resource}: all rows are gone at once")
    answer = Answer(
        resource=request.resource,
        outcome=Outcome.UNCHANGED if unchanged else Outcome.CHANGED,
        body=None if unchanged else reply.body,
        etag=reply.etag,
        digest=digest,
        rows=rows,
        fresh_for=reply.fresh_for,
        path=request.path,
    )
    return answer, value


def _content(request: ResourceRequest, body: bytes, known: Known) -> tuple[Any, int]:
    """What is read of the body, and its rows. A response without a match that was there before is a fault, not its end."""
    try:
        value = request.read(body)
    except MatchUnknown:
        if known.digest is None:
            raise
        raise BadBody(f"{request.resource}: the answer holds no {request.resource}") from None
    return value, request.size(value)


def failed_answer(resource: str, error: ServiceError, path: str = "") -> Answer:
    """A failure, with what was heard instead of a good response where that stands behind the error."""
    heard = error.__cause__ if isinstance(error.__cause__, FailedResponse) else None
    return Answer(resource=resource, outcome=Outcome.FAILED, error=error, path=path, heard=heard)


def decode(resource: str, body: bytes) -> Any:
    """The JSON value of a body; not to be altered, because the next caller with the same body is given the same value.

    BadBody for empty, cut-off, non-JSON and absurdly nested bodies.
    """
    try:
        return _cached(body) if len(body) <= CACHED else _decode_body(body)
    except BadBody as error:
        raise BadBody(f"{resource}: {error.message}") from None


def _decode_body(body: bytes) -> Any:
    if not body.strip():
        raise BadBody("empty answer")
    try:
        value = _parse(body)
    except (ValueError, RecursionError):
        raise BadBody("the answer is not JSON") from None
    if not _shallow(value):
        raise BadBody("the answer is nested too deeply")
    return value


def _parse(body: bytes) -> Any:
    """The JSON value; ValueError or RecursionError where there is none.

    The parser that takes half the time gives no other thread its turn, so it is not for large bodies; what it refuses (a
    lone surrogate, a byte order mark, and what is no JSON) the other one judges.
    """
    if len(body) <= LARGE:
        with suppress(ValueError):
            return from_json(body, allow_inf_nan=False)
    return json.loads(body.decode("utf-8-sig"), parse_constant=_refuse_constant, object_hook=_yield_turn)


# A body is decoded when its response is classified, and again when the match is translated, in the same poll.
_cached = lru_cache(maxsize=8)(_decode_body)


def _yield_turn(value: dict[str, Any]) -> dict[str, Any]:
    """Called for each object, so that other threads, the event loop's among them, get their turn in a long body."""
    return value


def _refuse_constant(constant: str) -> Any:
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


def sides_hint(ids: Iterable[str | None]) -> str:
    """The value of the hint for these ids; the same for the same ids in any order."""
    return "\n".join(sorted({each for each in ids if each})[:MAX_HINT_IDS])


def check_teams(resource: str, named: Iterable[str | None], hints: Mapping[str, str]) -> None:
    """BadBody where a response names teams and none of them plays in this match.

    A stray team beside our own is no sign of another match. Nothing is checked before both teams are known.
    """
    ours, found = set(filter(None, hints.get(SIDES, "").split("\n"))), {each for each in named if each}
    if len(ours) > 1 and found and not found & ours:
        raise BadBody(f"{resource}: the answer is about another match")


def ids_in(value: Any) -> Iterator[str]:
    """Every id in an object and in the objects directly inside it, whatever it is called: `id`, `teamId`, `xids`."""
    for at, inner in value.items() if isinstance(value, dict) else ():
        if at.lower().endswith(("id", "ids")):
            yield from _ids_of(inner)
        elif isinstance(inner, dict):
            for name, scalar in inner.items():
                if name.lower().endswith(("id", "ids")):
                    yield from _ids_of(scalar)


def _ids_of(value: Any) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str | int) and not isinstance(each, bool):
            yield str(each).strip()


async def beside(size: int, work: Callable[..., T], *args: Any, **named: Any) -> T:
    """The result of `work`, a pure function, on `size` bytes: in a thread where they are LARGE, else at once."""
    if size <= LARGE:
        return work(*args, **named)
    done = partial(work, *args, **named)
    return await asyncio.get_running_loop().run_in_executor(
        _pool, done if size <= VERY_LARGE else partial(_without_collection, done)
    )


def _without_collection(work: Callable[[], T]) -> T:
    """The result of `work` without garbage collection meanwhile, which stops every thread for 50 ms and finds nothing.

    What it has made goes to the oldest objects, which the next collection of the youngest does not look through.
    """
    global _uncollected, _collects  # noqa: PLW0603 -- the process has one garbage collector, too
    with _lock:
        _collects = gc.isenabled() if not _uncollected else _collects
        _uncollected += 1
        gc.disable()
    try:
        return work()
    finally:
        with _lock:
            _uncollected -= 1
            gc.freeze()
            gc.unfreeze()
            if not _uncollected and _collects:
                gc.enable()
