"""Recordings are the memory of a replay: what a provider answered, line by line, and when."""

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from providers.replay import dates, gn_gsd

JSONL_SUFFIXES = (".jsonl", ".jsonl.gz")
HEIM = (dates.kickoff_of, ("match",))
RESOURCE = re.compile(r"(?P<kind>match-event|match|liveticker)(?:/co\w*)?/ma(?P<match>\w+)")


class RecordingError(ValueError):
    """A recording that cannot be replayed; the message names file and line."""


class Line(NamedTuple):
    """One recorded answer: the instant it was seen (aware), the resource, its text, and whether that text is JSON.

    The body stays text until it is served, because a match held as objects costs thirty times its text.
    """

    at: datetime
    resource: str
    text: str
    is_json: bool = True

    @classmethod
    def of(cls, at: datetime | str, resource: str, body: Any) -> "Line":
        """A line whose answer was the JSON document `body`; `at` is aware or ISO 8601 with an offset."""
        return cls(_instant(at), resource, json.dumps(body, ensure_ascii=False))

    @classmethod
    def of_raw(cls, at: datetime | str, resource: str, text: str) -> "Line":
        """A line whose answer was not JSON, and is served as it came."""
        return cls(_instant(at), resource, text, is_json=False)

    def row(self) -> str:
        """The line as a recording holds it, so that whoever sees answers can write them down (without a newline)."""
        text = self.text if self.is_json else json.dumps(self.text, ensure_ascii=False)
        at, resource = self.at.isoformat(timespec="seconds"), json.dumps(self.resource)
        return f'{{"at":"{at}","resource":{resource},"{"body" if self.is_json else "raw"}":{text}}}'

    @property
    def body(self) -> Any:
        """The JSON document of the answer (ValueError for a raw line)."""
        return json.loads(self.text)

    @property
    def kind(self) -> str:
        """`match`, `match-event` or `liveticker`; of gn-gsd `match`, `lineups`, `actions`, `phase` or `overall`."""
        return _parts(self.resource)[0]

    @property
    def match_id(self) -> str:
        """The id of the match without its `ma`; of gn-gsd the path of what it is about (`matches/123`, `phases/9`)."""
        return _parts(self.resource)[1]


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
        """The scheduled kick-off that the last good `match` answer tells, else the first recorded instant."""
        tell, main = (gn_gsd.kickoff_of, gn_gsd.KINDS.values()) if gn_gsd.speaks(self.match_id) else HEIM
        told = (tell(line.body) for line in reversed(self.lines) if line.is_json and line.kind in main)
        return next(filter(None, told), self.first_at)


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

    Another form is cut from a list resource: `{"recorded_at", "competition", "season", "round", "match"}`.
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
    if ("body" in document) == ("raw" in document):
        raise ValueError("exactly one of `body` and `raw` is needed")
    _parts(document["resource"])
    if "body" in document:
        return Line.of(document["at"], document["resource"], document["body"])
    if not isinstance(document["raw"], str):
        raise ValueError("`raw` is not a string")  # noqa: TRY004
    return Line.of_raw(document["at"], document["resource"], document["raw"])


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
