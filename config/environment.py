"""Lays `MATCHWIRE_<TABLE>__<KEY>` variables over what the file says.

Parts are separated by `__` and compared without regard to case, `-` and `_` being the same. A name without `__` is no
setting (orchestrators inject MATCHWIRE_SERVICE_HOST and the like), unless it spells one with single underscores.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from config.errors import Path, Problem, dotted_path
from config.schema_walk import FILE_SUFFIX, KNOWN, SHAPE, Free, Leaf, Node, Rows, Table, plain, unknown

PREFIX = "MATCHWIRE_"
SEPARATOR = "__"

_SINGLE = {"_".join(path).upper().replace("__", "_"): PREFIX + SEPARATOR.join(path).upper() for path in KNOWN}


@dataclass(frozen=True, slots=True)
class Overlaid:
    """The tree with the environment in it; `origins` says which variable set a path."""

    tree: dict[str, Any]
    origins: Mapping[Path, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def overlay(tree: Mapping[str, Any], environ: Mapping[str, str]) -> Overlaid:
    """`tree` with every setting of `environ` laid over it; what leads nowhere is a problem under its variable."""
    overlaid: dict[str, Any] = deepcopy(dict(tree))
    origins: dict[Path, str] = {}
    problems: list[Problem] = []
    for name in sorted(name for name in environ if name.upper().startswith(PREFIX)):
        rest = name[len(PREFIX) :]
        if SEPARATOR not in rest:
            problems += _misspelt(name, rest, environ[name])
            continue
        attempt = deepcopy(overlaid)  # a variable that leads nowhere leaves no half-made tables
        try:
            origins[_lay(attempt, rest.split(SEPARATOR), environ[name], origins)] = name
            overlaid = attempt
        except _NowhereError as nowhere:
            problems.append(Problem(name, dotted_path(nowhere.path), nowhere.text))
    return Overlaid(overlaid, origins, tuple(problems))


class _NowhereError(Exception):
    def __init__(self, path: Path, text: str) -> None:
        super().__init__(text)
        self.path = path
        self.text = text


def _misspelt(name: str, rest: str, value: str) -> Iterable[Problem]:
    meant = _SINGLE.get(rest.upper())
    if meant and not value.startswith("tcp://"):  # what an orchestrator injects for a service called matchwire-server
        yield Problem(name, "", f"is not read: parts are separated by two underscores, {meant}")


def _lay(tree: dict[str, Any], segments: list[str], text: str, origins: Mapping[Path, str]) -> Path:
    """Put `text` where `segments` lead, making tables on the way; returns the path. Raises _NowhereError."""
    here: Any = tree
    node: Node = SHAPE
    path: Path = ()
    for segment in segments[:-1]:
        key, node = _step(here, node, segment, path)
        path = (*path, key)
        here = _enter(here, key, node, path)
    key, node = _step(here, node, segments[-1], path)
    if not isinstance(node, Leaf):
        raise _NowhereError((*path, key), "is a table; name a key in it")
    here[key] = _value(text, node)
    for other in (f"{key}{FILE_SUFFIX}", str(key).removesuffix(FILE_SUFFIX)):  # the file's secret gives way to ours
        if other != key and (*path, other) not in origins:
            here.pop(other, None)
    return (*path, key)


def _step(here: Any, node: Node, segment: str, path: Path) -> tuple[Any, Node]:
    match node:
        case Table(keys):
            key = _same(segment, keys, path)
            if key is None:
                wrong = (*path, segment.lower())
                raise _NowhereError(wrong, unknown(wrong, keys))
            return key, keys[key]
        case Free(inner):
            return _same(segment, here, path) or _fresh(segment, inner), inner
        case Rows(row):
            return _row(here, segment, path), row
        case Leaf():
            raise _NowhereError((*path, segment.lower()), f"unknown key; {dotted_path(path)} is a value, not a table")


def _enter(here: Any, key: Any, node: Node, path: Path) -> Any:
    kind: type = list if isinstance(node, Rows) else dict
    if isinstance(here, dict):
        here.setdefault(key, kind())
    inner = here[key]
    if not isinstance(inner, kind) and not isinstance(node, Leaf):
        raise _NowhereError(path, "the file has a value here where a table is expected")
    return inner


def _same(segment: str, keys: Iterable[str], path: Path) -> str | None:
    found = [key for key in keys if plain(key) == plain(segment)]
    if len(found) > 1:
        raise _NowhereError((*path, found[0]), f"could also mean {dotted_path((*path, found[1]))}; set it in the file")
    return found[0] if found else None


def _fresh(segment: str, inner: Node) -> str:
    """The spelling of a key that the file does not have: ids are written with dashes, single words with underscores."""
    return segment.lower() if isinstance(inner, Leaf) else segment.lower().replace("_", "-")


def _row(rows: list[Any], segment: str, path: Path) -> int:
    """The index of the row with that `key`, else the index that the segment is; one past the end makes a new row."""
    for index, row in enumerate(rows):
        if isinstance(row, dict) and plain(str(row.get("key", ""))) == plain(segment):
            return index
    if not re.fullmatch(r"[0-9]{1,4}", segment) or int(segment) > len(rows):
        raise _NowhereError((*path, segment.lower()), f"is neither the key of a row nor an index up to {len(rows)}")
    if int(segment) == len(rows):
        rows.append({})
    return int(segment)


def _value(text: str, leaf: Leaf) -> Any:
    """A list as JSON or separated by commas; the validation turns other texts into numbers and truths."""
    if leaf.kind is not tuple:
        return text
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return [part.strip() for part in text.split(",") if part.strip()]
