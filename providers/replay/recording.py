"""Recordings, the memory of a replay: what a provider answered and when, line by line, and at which addresses it is served.

Recordings of a provider without a replay module of its own are served under the recorded paths.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from providers.replay import gn_gsd, moved_dates
from providers.replay.recorded_failure import Failure

HEIM = (moved_dates.kickoff_of, ("match",))
RESOURCE = re.compile(r"(?P<kind>match-event|match|liveticker)(?:/co\w*)?/ma(?P<match>\w+)")


LEFT_OUT = "…"
"""Stands where a recording left a secret out: there any text is the right one."""


class Source(NamedTuple):
    """Where an answer came from: the provider, its id of the match, and the path with its query below the base URL."""

    provider: str
    match: str
    path: str

    @property
    def match_id(self) -> str:
        """The name of the match among those of all providers."""
        return f"{self.provider}/{self.match}"

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Source | None:
        """Out of a line of a recording; None where its provider has a module (ValueError for half of one)."""
        if "provider" not in document:
            return None
        found = [document.get(name) for name in cls._fields]
        texts = [each for each in found if isinstance(each, str)]
        if len(texts) < len(found):
            raise ValueError("`provider`, `match` and `path` are strings, and given together")
        return cls(*texts)


class RecordingError(ValueError):
    """A recording that cannot be replayed; the message names file and line."""


class Line(NamedTuple):
    """One recorded answer: the instant it was seen (aware), the resource, its text, and whether that text is JSON.

    The body stays text until it is served, because a match held as objects costs thirty times its text. A `failure` is an
    answer that could not be used; `again` says that the last good one stands again. Answers of a provider without a replay
    module of its own have a `source`, and their `resource` is its bare name. `digest`: the name of the body as it came, before
    secrets were taken out of it.
    """

    at: datetime
    resource: str
    text: str
    is_json: bool = True
    failure: Failure | None = None
    again: bool = False
    source: Source | None = None
    digest: str = ""

    @classmethod
    def of(cls, at: datetime | str, resource: str, body: Any) -> Line:
        """A line whose answer was the JSON document `body`; `at` is aware or ISO 8601 with an offset."""
        return cls(_instant(at), resource, json.dumps(body, ensure_ascii=False))

    @classmethod
    def of_raw(cls, at: datetime | str, resource: str, text: str) -> Line:
        """A line whose answer was not JSON, and is served as it came."""
        return cls(_instant(at), resource, text, is_json=False)

    @classmethod
    def of_failure(cls, at: datetime | str, resource: str, failure: Failure) -> Line:
        """A line whose answer could not be used."""
        return cls(_instant(at), resource, "", is_json=False, failure=failure)

    def row(self) -> str:
        """The line as a recording holds it, so that whoever sees answers can write them down (without a newline)."""
        fields: dict[str, Any] = {
            "at": self.at.isoformat(timespec="milliseconds" if self.at.microsecond else "seconds")
        }
        fields |= {} if self.source is None else self.source._asdict()
        fields |= {"resource": self.resource, **({"digest": self.digest} if self.digest else {})}
        if self.is_json:
            return f'{_compact(fields)[:-1]},"body":{self.text}}}'
        if self.failure is not None:
            return _compact(fields | self.failure.fields())
        return _compact(fields | ({"again": True} if self.again else {"raw": self.text}))

    @property
    def is_good(self) -> bool:
        """Whether it is a body that its provider's adapter took: JSON, or what came in another format from one with a `source`."""
        return self.is_json or (self.source is not None and self.failure is None and not self.again)

    @property
    def body(self) -> Any:
        """The JSON document of the answer (ValueError for a raw line)."""
        return json.loads(self.text)

    @property
    def kind(self) -> str:
        """`match`, `match-event` or `liveticker`; of gn-gsd `match`, `lineups`, `actions`, `phase` or `overall`."""
        return self.resource if self.source is not None else _parts(self.resource)[0]

    @property
    def match_id(self) -> str:
        """The id of the match without its `ma`; of gn-gsd the path of what it is about (`matches/123`, `phases/9`).

        With a `source` provider and id, as in `openligadb/70001`.
        """
        return self.source.match_id if self.source is not None else _parts(self.resource)[1]


@dataclass(frozen=True)
class Recording:
    """All answers of one match in the order of their instants."""

    match_id: str
    lines: tuple[Line, ...]

    @property
    def first_at(self) -> datetime:
        return self.lines[0].at

    @property
    def last_at(self) -> datetime:
        return self.lines[-1].at

    @property
    def kickoff(self) -> datetime:
        """The scheduled kick-off in the last good `match` response, else the first recorded instant.

        Only providers with a replay module have one.
        """
        if self.lines[0].source is not None:
            return self.first_at
        kickoff_of, main = (gn_gsd.kickoff_of, gn_gsd.KINDS.values()) if gn_gsd.speaks(self.match_id) else HEIM
        found = (kickoff_of(line.body) for line in reversed(self.lines) if line.is_json and line.kind in main)
        return next(filter(None, found), self.first_at)


def read(paths: Iterable[Path]) -> tuple[Recording, ...]:
    """The matches recorded in JSONL files (`.gz` or plain), in the order in which they first appear.

    Raises RecordingError where a line is not a recorded answer, OSError where a file cannot be read.
    """
    return gather(line for path in paths for line in read_lines(path))


def gather(lines: Iterable[Line]) -> tuple[Recording, ...]:
    """Lines of any number of matches as one recording a match; lines of one instant keep their order."""
    matches: dict[str, list[Line]] = {}
    for line in lines:
        matches.setdefault(line.match_id, []).append(line)
    return tuple(
        Recording(match_id, tuple(sorted(found, key=lambda line: line.at))) for match_id, found in matches.items()
    )


def read_lines(path: Path) -> Iterator[Line]:
    """The recorded answers of one file."""
    content = path.read_bytes()
    try:
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise RecordingError(f"{path}: not readable as JSONL: {error}") from error
    rows = [(number, row) for number, row in enumerate(text.split("\n"), 1) if row.strip()]
    if not rows:
        raise RecordingError(f"{path}: no recorded answers")
    for number, row in rows:
        try:
            yield parse(row)
        except ValueError as error:
            raise RecordingError(f"{path}, line {number}: {error}") from error


def parse(row: str) -> Line:
    """One row `{"at", "resource", "body" | "raw"}` (ValueError says what is wrong with it).

    A row with a `status` is a Failure, one with `"again": true` says that the last good answer stands again; one with a
    `provider` has a Source. Another form is cut from a list resource: `{"recorded_at", "competition", "season", "round", "match"}`.
    """
    try:
        document = json.loads(row)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(document, dict):
        raise ValueError("not an object")  # noqa: TRY004 -- callers catch one kind of error
    if "recorded_at" in document:
        return _cut_from_list(document)
    for key in ("at", "resource"):
        if not isinstance(document.get(key), str):
            raise ValueError(f"`{key}` is missing or not a string")  # noqa: TRY004
    source = Source.of(document)
    if source is None:
        _parts(document["resource"])
    digest = document.get("digest")
    return _answer(document)._replace(source=source, digest=digest if isinstance(digest, str) else "")


def _answer(document: dict[str, Any]) -> Line:
    at, resource = document["at"], document["resource"]
    if "status" in document:
        return Line.of_failure(at, resource, Failure.of(document))
    if sum(name in document for name in ("body", "raw", "again")) != 1:
        raise ValueError("exactly one of `body` and `raw` is needed")
    if "body" in document:
        return Line.of(at, resource, document["body"])
    if document.get("again") is True:
        return Line.of_raw(at, resource, "")._replace(again=True)
    if not isinstance(document.get("raw"), str):
        raise ValueError("`raw` is not a string")  # noqa: TRY004
    return Line.of_raw(at, resource, document["raw"])


def _cut_from_list(document: dict[str, Any]) -> Line:
    """The match within the tree that it was cut from; such recordings know no events and no text."""
    for key in ("competition", "season", "round", "match"):
        if not isinstance(document.get(key), dict):
            raise ValueError(f"`{key}` is missing or not an object")  # noqa: TRY004
    match = document["match"]
    tree = [
        {
            **document["competition"],
            "season": [{**document["season"], "round": [{**document["round"], "match": [match]}]}],
        }
    ]
    if not isinstance(document["recorded_at"], str) or not isinstance(match.get("id"), str):
        raise ValueError("`recorded_at` or the match's `id` is missing or not a string")  # noqa: TRY004
    return Line.of(document["recorded_at"], f"match/ma{match['id']}", tree)


def _compact(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _parts(resource: str) -> tuple[str, str]:
    """(kind, id of the match)."""
    found = RESOURCE.fullmatch(resource)
    if found is not None:
        return found["kind"], found["match"]
    address = gn_gsd.address(f"/{resource}")
    if address is None:
        raise ValueError(f"unknown resource {resource!r}")
    return address


def _instant(at: datetime | str) -> datetime:
    if isinstance(at, str):
        try:
            at = datetime.fromisoformat(at)
        except ValueError as error:
            raise ValueError(f"`at` is not an ISO 8601 instant: {at!r}") from error
    if at.tzinfo is None:
        raise ValueError("`at` has no offset")
    return at


class Address(NamedTuple):
    """The resource that a path names."""

    kind: str
    match_id: str


class _Known(NamedTuple):
    segments: tuple[str, ...]
    query: frozenset[tuple[str, str]]
    address: Address

    def meets(self, segments: tuple[str, ...], query: frozenset[tuple[str, str]]) -> bool:
        own = segments[-len(self.segments) :]
        return (
            self.query <= query
            and len(own) == len(self.segments)
            and all(LEFT_OUT in wanted or wanted == given for wanted, given in zip(self.segments, own, strict=True))
        )


class Paths:
    """Finds what a request is about: a recorded path at the end of its own, and in its query all that was recorded."""

    def __init__(self, recorded: Iterable[tuple[Source, str]]) -> None:
        known = {_known(source, kind) for source, kind in recorded if source.path}
        self._known = sorted(known, key=lambda each: (len(each.segments), len(each.query)), reverse=True)

    def address(self, path: str, query: str) -> Address | None:
        """The match and the resource; of several the one that the recording names most exactly, None for neither."""
        if not self._known:
            return None
        segments, items = _segments(path), frozenset(parse_qsl(query, keep_blank_values=True))
        return next((known.address for known in self._known if known.meets(segments, items)), None)


def _known(source: Source, kind: str) -> _Known:
    parts = urlsplit(source.path)
    return _Known(
        _segments(parts.path),
        frozenset(parse_qsl(parts.query, keep_blank_values=True)),
        Address(kind, source.match_id),
    )


def _segments(path: str) -> tuple[str, ...]:
    return tuple(unquote(segment) for segment in path.split("/") if segment)
