"""From a TOML file, the environment and secret files to settings, or to all the reasons why not."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from config.cross_checks import ValidTables, conflicts
from config.environment import overlay
from config.errors import ConfigError, Path, Problem, dotted_path
from config.nearest import prune
from config.schema_walk import FILE_SUFFIX, SHAPE
from config.secretfiles import resolve
from config.settings import Settings
from config.vocabulary import Vocabulary

ENTRIES = ("organizations", "clients", "providers", "themes")
"""Tables whose entries stand for themselves: an invalid one goes, the others stay."""


@dataclass(frozen=True, slots=True)
class ConfigReading:
    """What reading gave: settings unless there are problems, and the secret files that were opened."""

    settings: Settings | None
    problems: tuple[Problem, ...] = ()
    secret_files: tuple[FilePath, ...] = ()
    inline: Mapping[str, Any] | None = None
    """The file's own tables, before environment and secret files."""


def load(path: FilePath | None, environ: Mapping[str, str], vocabulary: Vocabulary | None = None) -> Settings:
    """The settings of the file at `path` (None: defaults), overridden by `environ`. Raises ConfigError.

    With a `vocabulary` the names of providers and event types are checked too.
    """
    reading = read(path, environ, vocabulary)
    if reading.settings is None:
        raise ConfigError(reading.problems)
    return reading.settings


def read(path: FilePath | None, environ: Mapping[str, str], vocabulary: Vocabulary | None = None) -> ConfigReading:
    """Like `load`, with problems as values."""
    name = "environment" if path is None else str(path)
    try:
        written = {} if path is None else _parse(path)
    except ConfigError as error:
        return ConfigReading(None, error.problems)
    known, unknown = prune(written, SHAPE)
    overlaid = overlay(known, environ)
    secrets = resolve(overlaid.tree, SHAPE, FilePath() if path is None else path.parent)
    settings, invalid = _validate(secrets.tree, vocabulary)
    unreadable = {_without_suffix(at) for at, _ in secrets.problems}

    def located(found: Iterable[tuple[Path, str]]) -> list[Problem]:
        return [Problem(_origin(at, overlaid.origins) or name, dotted_path(at), text) for at, text in found]

    problems = [*located(unknown), *overlaid.problems, *located(secrets.problems)]
    problems += located((at, text) for at, text in invalid if at not in unreadable)
    if settings is None or problems:
        return ConfigReading(None, tuple(problems), secrets.files, written)
    return ConfigReading(settings, (), secrets.files, written)


def _parse(path: FilePath) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        text = f"cannot be read: {error.strerror or 'unknown reason'}"
    except tomllib.TOMLDecodeError as error:
        text = f"is not TOML: {error}"
    except UnicodeDecodeError:
        text = "is not UTF-8"
    except RecursionError:
        text = "is nested too deeply"
    raise ConfigError([Problem(str(path), "", text)])


def _validate(tree: dict[str, Any], vocabulary: Vocabulary | None) -> tuple[Settings | None, list[tuple[Path, str]]]:
    """The settings unless something is wrong, and everything that is: also between tables beside an invalid one."""
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        remaining = _salvaged(tree, [detail["loc"] for detail in details])
        return None, [*map(_described, details), *(() if remaining is None else conflicts(remaining, vocabulary))]
    found = list(conflicts(ValidTables.whole(settings), vocabulary))
    return (None if found else settings), found


def _salvaged(tree: Mapping[str, Any], errors: Iterable[Path]) -> ValidTables | None:
    """`tree` without the entries, rows and keys that `errors` lie in, so that one reading reports all kinds of mistakes.

    None where nothing valid remains.
    """
    remaining = {key: dict(value) if isinstance(value, dict) else value for key, value in tree.items()}
    invalid_rows = {_remove(remaining, path) for path in errors}
    rows = remaining.get("liveblogs", [])
    valid = [index for index in range(len(rows)) if index not in invalid_rows]
    try:
        settings = Settings.model_validate({**remaining, "liveblogs": [rows[index] for index in valid]})
    except ValidationError:
        return None
    organizations = tree.get("organizations")
    named = frozenset(organizations) if isinstance(organizations, dict) else frozenset()
    return ValidTables(settings, dict(zip(valid, settings.liveblogs, strict=True)), named)


def _remove(tree: dict[str, Any], path: Path) -> int | None:
    """Take the entry or key that `path` lies in out of `tree`; of a liveblog only the index is returned."""
    top, inner = str(path[0]), len(path) > 1
    table = tree.get(top)
    if top == "liveblogs" and inner and isinstance(table, list):
        return int(path[1])
    if isinstance(table, dict) and inner and (top in ENTRIES or len(path) == 2):
        table.pop(path[1], None)
    else:
        tree.pop(top, None)
    return None


_MESSAGES = {
    "missing": "is required",
    "model_type": "expects a table",
    "dict_type": "expects a table",
    "tuple_type": "expects a list",
    "string_type": "expects a text in quotes",
    "bool_parsing": "expects true or false",
    "bool_type": "expects true or false",
}


def _described(detail: ErrorDetails) -> tuple[Path, str]:
    """The path and what is wrong there; the value at fault is left out."""
    path = tuple(part for part in detail["loc"] if part != "[key]")
    text = _MESSAGES.get(detail["type"]) or detail["msg"].removeprefix("Value error, ")
    return path, text.replace("Input should be", "expects", 1)


def _origin(path: Path, origins: Mapping[Path, str]) -> str | None:
    """The variable that set `path`, or the value that `path` is a part of."""
    ends = range(len(path), 0, -1)
    return next((origins[path[:end]] for end in ends if path[:end] in origins), None)


def _without_suffix(path: Path) -> Path:
    return (*path[:-1], str(path[-1]).removesuffix(FILE_SUFFIX))
