"""Records on disk what is polled, to be replayed, without the endpoint's secrets; a fault of the recording affects nothing else."""

from __future__ import annotations

import base64
import gzip
import json
import os
import queue
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlencode, urlsplit

from providers import http_client, responses
from providers.base import Answer, Endpoint, FailedResponse, Outcome
from providers.replay.recorded_failure import Ending, Failure
from providers.replay.recording import LEFT_OUT, Line, Source
from store.engine import private_files
from store.engine.loops import LogOnce
from store.timeline.timeline import DIGEST

Key = tuple[str, str, str]
"""The endpoint's, the match's id, the resource."""

WAITING_BYTES = 64 * 1024 * 1024
"""Bodies that may wait for the disk; what would be more is left out."""
DAY = 86_400.0
KNOWN_RESOURCES = 100_000
"""Resources of which the last answer is known; with more all are dropped, and an equal answer may be recorded twice."""

RETRY_AFTER_KEPT = 100
"""Characters of that header: a number or a date."""

PATIENCE = 5.0
"""Seconds that the disk gets for what waits when the daemon stops."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_]")
_LINE_ENDS = re.compile(r"[\r\n]+")
_ADDRESSES: Mapping[str, Mapping[str, str]] = {
    "heim": {},
    "gn-gsd": {
        "match": "matches/{id}",
        "lineups": "matches/{id}/lineups",
        "actions": "matches/{id}/actions",
        "phase": "phases/{id}",
        "overall": "overalls/{id}",
    },
}
"""Provider with a replay module → resource → how a recording names it; anything else is `<resource>/ma<id>`."""

_ENDINGS: Mapping[str, Ending] = {
    http_client.LATE: "late",
    http_client.BROKEN: "broken",
    responses.TOO_LARGE: "large",
    responses.CUT_OFF: "cut",
    responses.GARBLED: "garbled",
    responses.STRANGE: "strange",
}
"""Message of the transport → how the answer ended."""


SHORTEST_SECRET = 4
"""A shorter one would be found everywhere, and guards nothing."""
ENCODINGS = ("utf-8", "latin-1", "utf-16-le", "utf-16-be")
"""In which bodies that are no JSON may repeat a secret."""
_SECRET_NAME = re.compile(r"key|token|secret|passw|credential|auth|signature", re.IGNORECASE)
"""Names of options and of parts of a query whose values are secrets."""


class Seen(NamedTuple):
    """What a resource turned into, and when that was seen (Unix seconds).

    A changed `body` with the `digest` by which timelines name it, a `failure`, or neither where the last good body stands `again`.
    """

    endpoint: Endpoint
    match_id: str
    resource: str
    at: float
    body: bytes = b""
    path: str = ""
    failure: Failure | None = None
    again: bool = False
    digest: str = ""

    @property
    def key(self) -> Key:
        return self.endpoint.key, self.match_id, self.resource

    @property
    def size(self) -> int:
        return len(self.body) + (len(self.failure.body) if self.failure else 0)


class Recorder:
    """Queues answers and writes them in a thread of its own. Call it from one thread, `close` it at the end."""

    def __init__(self, folder: Path, *, retention: float, max_bytes: int, clock: Callable[[], float]) -> None:
        self._folder = folder
        self._retention = retention
        self._max_bytes = max_bytes
        self._clock = clock
        self._known: dict[Key, bytes] = {}
        """Digests of the last good bodies; empty where the resource was seen and its body was not."""
        self._failing: dict[Key, str] = {}
        """The error of each resource that failed last."""
        self._lock = threading.Lock()
        self._waiting = 0
        self._log = LogOnce("recording.lost", "recording.recovered")
        self._cleaned = float("-inf")
        self._queue: queue.SimpleQueue[Seen | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="matchwire-recorder", daemon=True)
        self._thread.start()

    def __call__(self, endpoint: Endpoint, match_id: str, answers: Iterable[Answer]) -> None:
        """Record what is new: bodies that changed, how resources began to fail, and that they are well again.

        Neither blocks nor raises. A failure is recorded once, however its answers differ in detail.
        """
        owner = endpoint.key
        for answer in answers:
            key = (owner, match_id, answer.resource)
            news = self._news(key, answer, endpoint)
            if news:
                self._take(key, Seen(endpoint, match_id, answer.resource, self._clock(), path=answer.path, **news))

    def close(self, patience: float = PATIENCE) -> None:
        """Write what waits, for so many seconds at most, and end; may be called twice."""
        self._queue.put(None)
        self._thread.join(patience)

    def _news(self, key: Key, answer: Answer, endpoint: Endpoint) -> dict[str, Any]:
        """What is new of the resource, as fields of Seen; nothing where nothing is."""
        match answer.outcome:
            case Outcome.CHANGED if answer.body is not None and sha256(answer.body).digest() != self._known.get(key):
                return {"body": answer.body, "digest": (answer.digest or "")[:DIGEST]}
            case Outcome.CHANGED | Outcome.UNCHANGED if key in self._failing or key not in self._known:
                return {"again": True}
            case Outcome.FAILED if answer.heard is not None and self._failing.get(key) != str(answer.error):
                return {"failure": failure_of(answer, answer.heard, endpoint)}
        return {}

    def _take(self, key: Key, seen: Seen) -> None:
        """Queue it for the disk."""
        with self._lock:
            if max(len(self._known), len(self._failing)) >= KNOWN_RESOURCES:
                self._known.clear()
                self._failing.clear()
            if full := self._waiting + seen.size > WAITING_BYTES:
                self._forget(key)
            else:
                self._waiting += seen.size
                self._known[key] = sha256(seen.body).digest() if seen.body else self._known.get(key, b"")
                self._failing.pop(key, None)
                if seen.failure is not None:
                    self._failing[key] = seen.failure.error.partition(": ")[2]
        if full:
            self._log.failed(cause="the disk is too slow")
        else:
            self._queue.put(seen)

    def _forget(self, key: Key) -> None:
        """What is seen next is recorded, whatever it is."""
        self._known.pop(key, None)
        self._failing.pop(key, None)

    def _run(self) -> None:
        while (seen := self._queue.get()) is not None:
            try:
                self._write(seen)
            except (OSError, ValueError) as error:
                with self._lock:
                    self._forget(seen.key)
                self._log.failed(cause=str(getattr(error, "strerror", None) or error))
            finally:
                with self._lock:
                    self._waiting -= seen.size

    def _write(self, seen: Seen) -> None:
        if seen.at >= self._cleaned + DAY:
            self._tidy(seen.at)
            self._cleaned = seen.at
        path = self._folder / name_of(seen)
        _append(path, gzip.compress(line_of(seen).encode() + b"\n"))
        self._make_room(path)
        self._log.worked()

    def _tidy(self, now: float) -> None:
        """Remove what is old, and keep what is left private."""
        for path in self._folder.glob("*/*.jsonl.gz"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < now - self._retention:
                    _remove(path)
                else:
                    private_files.tighten(path)

    def _make_room(self, current: Path) -> None:
        """Remove the oldest files until all together fit; the one that is written to goes last."""
        files = [(path == current, stat.st_mtime_ns, stat.st_size, path) for path, stat in _files(self._folder)]
        total = sum(size for _, _, size, _ in files)
        for _, _, size, path in sorted(files):
            if total <= self._max_bytes:
                return
            _remove(path)
            total -= size


def name_of(seen: Seen) -> str:
    """The file of a match and day (UTC), relative to the folder; safe whatever the id is, and the endpoint's own."""
    day = datetime.fromtimestamp(seen.at, UTC).date().isoformat()
    return f"{day}/{file_of(seen.endpoint, seen.match_id)}"


def file_of(endpoint: Endpoint, match_id: str) -> str:
    """The name of a match's file in the folder of each day."""
    distinct = sha256(f"{endpoint.key}\x1f{match_id}".encode()).hexdigest()[:8]
    return f"{endpoint.provider}-{_UNSAFE.sub('_', match_id)[:40]}-{distinct}.jsonl.gz"


def line_of(seen: Seen) -> str:
    """What was seen as a line of a recording, without credentials."""
    at, resource, source = datetime.fromtimestamp(round(seen.at, 3), UTC), seen.resource, None
    if seen.endpoint.provider in _ADDRESSES:
        name = _ADDRESSES[seen.endpoint.provider].get(resource, f"{resource}/ma{{id}}")
        resource = name.format(id=seen.match_id.rpartition(":")[2])
    else:
        source = Source(seen.endpoint.provider, seen.match_id, address(seen.path, seen.endpoint))
    return _line(seen, at, resource)._replace(source=source, digest=seen.digest).row()


def _line(seen: Seen, at: datetime, resource: str) -> Line:
    if seen.failure is not None:
        kept = stripped_bytes(seen.failure.body, seen.endpoint)
        again = None if seen.failure.retry_after is None else redact(seen.failure.retry_after, seen.endpoint)
        return Line.of_failure(at, resource, seen.failure._replace(body=kept, retry_after=again))
    if seen.again:
        return Line.of_raw(at, resource, "")._replace(again=True)
    text = redact(seen.body.decode("utf-8-sig", "replace"), seen.endpoint)
    try:
        json.loads(text)
    except ValueError:
        return Line.of_raw(at, resource, text)
    return Line(at, resource, _LINE_ENDS.sub(" ", text))


def failure_of(answer: Answer, heard: FailedResponse, endpoint: Endpoint) -> Failure:
    """What is known of an answer that could not be used."""
    error = answer.error
    message = "" if error is None else error.message
    manner = _ENDINGS.get(message, "whole" if heard.status else "broken")
    return Failure(
        heard.status,
        bytes(heard.body),
        manner,
        f"{type(error).__name__}: {message}",
        None if heard.retry_after is None else heard.retry_after[:RETRY_AFTER_KEPT],
        endpoint.provider_bytes + 1 if manner == "large" else 0,
    )


def _append(path: Path, data: bytes) -> None:
    """Add `data` at the end, wholly or not at all."""
    path.parent.parent.mkdir(mode=private_files.FOLDER, parents=True, exist_ok=True)
    path.parent.mkdir(mode=0o700, exist_ok=True)  # licensed content is nobody else's to read
    with open(path, "ab", buffering=0, opener=private_files.opener) as file:
        end = os.fstat(file.fileno()).st_size
        try:
            if file.write(data) != len(data):
                raise OSError("the disk is full")  # noqa: TRY301
        except OSError:
            file.truncate(end)
            raise


def _files(folder: Path) -> Iterable[tuple[Path, os.stat_result]]:
    for path in folder.glob("*/*.jsonl.gz"):
        with suppress(FileNotFoundError):
            yield path, path.stat()


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    with suppress(OSError):  # other files are left in it
        path.parent.rmdir()


def redact(text: str, endpoint: Endpoint) -> str:
    """The text without the endpoint's secrets, as they are and as headers, addresses, pages and JSON write them."""
    for form in forms(endpoint):
        text = text.replace(form, LEFT_OUT)
    return text


def stripped_bytes(body: bytes, endpoint: Endpoint) -> bytes:
    """The same for a body of any kind; of one that breaks off within a secret the beginning of the secret goes too."""
    for form in forms(endpoint):
        for encoding in ENCODINGS:
            try:
                written, left_out = form.encode(encoding), LEFT_OUT.encode(encoding, "replace")
            except UnicodeEncodeError:
                continue
            body = _endless(body.replace(written, left_out), written)
    return body


def address(path: str, endpoint: Endpoint) -> str:
    """A path with its query, without secrets: parts of the query that hold one, or are named as if, are left out."""
    parts = urlsplit(path)
    kept = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _SECRET_NAME.search(name) and redact(value, endpoint) == value
    ]
    query = f"?{urlencode(kept)}" if kept else ""
    return redact(parts.path.strip("/"), endpoint) + query


def forms(endpoint: Endpoint) -> tuple[str, ...]:
    """All that the endpoint's secrets may look like, the longest first."""
    found = {form for secret in _secrets(endpoint) for form in _forms(secret)}
    return tuple(sorted(found, key=len, reverse=True))


def _secrets(endpoint: Endpoint) -> set[str]:
    """Passwords and keys, with user and password as HTTP Basic sends them."""
    pairs = [(user, password) for user, password in _credentials(endpoint) if len(password) >= SHORTEST_SECRET]
    options = (str(value) for name, value in endpoint.options.items() if _SECRET_NAME.search(name))
    plain = {secret for secret in (endpoint.api_key or "", *options) if len(secret) >= SHORTEST_SECRET}
    return plain | {password for _, password in pairs} | {_basic(user, password) for user, password in pairs}


def _credentials(endpoint: Endpoint) -> Iterator[tuple[str, str]]:
    """User and password as they are configured, and as the address holds them."""
    parts = urlsplit(endpoint.base_url)
    yield endpoint.username or "", endpoint.password or ""
    yield unquote(parts.username or ""), unquote(parts.password or "")


def _basic(user: str, password: str) -> str:
    return base64.b64encode(f"{user}:{password}".encode()).decode()


def _forms(secret: str) -> Iterator[str]:
    quoted = {secret, quote(secret), quote(secret, safe=""), quote_plus(secret)}
    yield from quoted
    yield from (re.sub("%..", lambda found: found[0].lower(), form) for form in quoted)
    yield from (escape(secret), escape(secret, quote=False))
    for ascii_only in (True, False):
        written = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield from (written, written.replace("/", "\\/"))


def _endless(body: bytes, secret: bytes) -> bytes:
    """The body without the beginning of a secret at its very end."""
    longest = min(len(secret) - 1, len(body))
    found = (size for size in range(longest, SHORTEST_SECRET - 1, -1) if body.endswith(secret[:size]))
    return body[: len(body) - next(found, 0)]
