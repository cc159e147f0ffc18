"""Keeps what is polled on disk, to be played again; whatever happens to the recording happens to nothing else."""

from __future__ import annotations

import base64
import gzip
import json
import os
import queue
import re
import threading
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import structlog

from providers.base import Outcome
from providers.replay.recording import Line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from providers.base import Answer, Endpoint

log = structlog.get_logger()

WAITING_BYTES = 64 * 1024 * 1024
"""Bodies that may wait for the disk; what would be more is left out."""
SHORTEST_SECRET = 4
"""A shorter one would be found everywhere, and guards nothing."""
DAY = 86_400.0
REMEMBERED = 20_000
"""Resources whose last answer is known; with more all are forgotten, and an equal answer may be kept twice."""

PATIENCE = 5.0
"""Seconds that the disk gets for what waits when the daemon stops."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_]")
_LINE_ENDS = re.compile(r"[\r\n]+")
_ADDRESSES = {
    "gn-gsd": {
        "match": "matches/{id}",
        "lineups": "matches/{id}/lineups",
        "actions": "matches/{id}/actions",
        "phase": "phases/{id}",
        "overall": "overalls/{id}",
    }
}
"""Provider → resource → how a recording names it; anything else is `<resource>/ma<id>`."""


class Seen(NamedTuple):
    """A changed answer, and when it was seen (Unix seconds)."""

    endpoint: Endpoint
    match_id: str
    resource: str
    at: float
    body: bytes

    @property
    def key(self) -> tuple[str, str, str]:
        return self.endpoint.key, self.match_id, self.resource


class Recorder:
    """Takes answers at once and writes them in a thread of its own. Call it from one thread, `close` it at the end."""

    def __init__(self, folder: Path, *, retention: float, max_bytes: int, clock: Callable[[], float]) -> None:
        self._folder = folder
        self._retention = retention
        self._max_bytes = max_bytes
        self._clock = clock
        self._known: dict[tuple[str, str, str], bytes] = {}
        self._lock = threading.Lock()
        self._waiting = 0
        self._lost = False
        self._cleaned = float("-inf")
        self._queue: queue.SimpleQueue[Seen | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="matchwire-recorder", daemon=True)
        self._thread.start()

    def __call__(self, endpoint: Endpoint, match_id: str, answers: Iterable[Answer]) -> None:
        """Keep those of the answers that changed, each once; neither blocks nor raises."""
        for answer in answers:
            if answer.outcome is Outcome.CHANGED and answer.body is not None:
                self._take(Seen(endpoint, match_id, answer.resource, self._clock(), answer.body))

    def close(self, patience: float = PATIENCE) -> None:
        """Write what waits, for so many seconds at most, and end; may be called twice."""
        self._queue.put(None)
        self._thread.join(patience)

    def _take(self, seen: Seen) -> None:
        digest = sha256(seen.body).digest()
        with self._lock:
            if self._known.get(seen.key) == digest:
                return
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            if full := self._waiting + len(seen.body) > WAITING_BYTES:
                self._known.pop(seen.key, None)
            else:
                self._known[seen.key] = digest
                self._waiting += len(seen.body)
        if full:
            self._lose("the disk is too slow")
        else:
            self._queue.put(seen)

    def _run(self) -> None:
        while (seen := self._queue.get()) is not None:
            try:
                self._write(seen)
            except (OSError, ValueError) as error:
                with self._lock:
                    self._known.pop(seen.key, None)  # recorded when it is seen again
                self._lose(str(getattr(error, "strerror", None) or error))
            finally:
                with self._lock:
                    self._waiting -= len(seen.body)

    def _write(self, seen: Seen) -> None:
        if seen.at >= self._cleaned + DAY:
            self._remove_old(seen.at)
            self._cleaned = seen.at
        path = self._folder / name_of(seen)
        _append(path, gzip.compress(line_of(seen).encode() + b"\n"))
        self._make_room(path)
        if self._lost:
            self._lost = False
            log.info("recording.recovered")

    def _lose(self, cause: str) -> None:
        if not self._lost:
            self._lost = True
            log.warning("recording.lost", cause=cause)

    def _remove_old(self, now: float) -> None:
        for path in self._folder.glob("*/*.jsonl.gz"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < now - self._retention:
                    _remove(path)

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
    told_apart = sha256(f"{seen.endpoint.key}\x1f{seen.match_id}".encode()).hexdigest()[:8]
    return f"{day}/{seen.endpoint.provider}-{_UNSAFE.sub('_', seen.match_id)[:40]}-{told_apart}.jsonl.gz"


def line_of(seen: Seen) -> str:
    """The answer as a line of a recording, without credentials."""
    text = stripped(seen.body.decode("utf-8-sig", "replace"), seen.endpoint)
    address = _ADDRESSES.get(seen.endpoint.provider, {}).get(seen.resource, f"{seen.resource}/ma{{id}}")
    at, resource = datetime.fromtimestamp(seen.at, UTC), address.format(id=seen.match_id.rpartition(":")[2])
    try:
        json.loads(text)
    except ValueError:
        return Line.of_raw(at, resource, text).row()
    return Line(at, resource, _LINE_ENDS.sub(" ", text)).row()


def stripped(text: str, endpoint: Endpoint) -> str:
    """The text without the endpoint's secrets, as they are and as headers, addresses and JSON write them."""
    secrets = [each for each in (endpoint.password, endpoint.api_key) if each and len(each) >= SHORTEST_SECRET]
    forms = {form for secret in secrets for form in (secret, quote(secret), quote(secret, safe=""), _quoted(secret))}
    if endpoint.password and len(endpoint.password) >= SHORTEST_SECRET:
        forms.add(base64.b64encode(f"{endpoint.username or ''}:{endpoint.password}".encode()).decode())
    for form in sorted(forms, key=len, reverse=True):
        text = text.replace(form, "…")
    return text


def _quoted(secret: str) -> str:
    return json.dumps(secret)[1:-1]


def _append(path: Path, data: bytes) -> None:
    """Add `data` at the end, wholly or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # licensed content is nobody else's to read
    with path.open("ab", buffering=0) as file:
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
