"""Loads settings from a TOML file, the environment and secret files, or gives all reasons why they cannot be used."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from config.cross_checks import ValidTables, Vocabulary, conflicts
from config.environment import overlay
from config.errors import ConfigError, Path, Problem, dotted_path
from config.schema_walk import FILE_SUFFIX, SHAPE, Leaf, Node, Table, children, prune
from config.settings import Settings

ENTRIES = ("organizations", "clients", "providers", "themes")
"""Tables whose entries stand for themselves: an invalid one goes, the others stay."""


LIMIT = 65536
"""Bytes; nothing that is longer is a secret."""
UNREADABLE = "unreadable"
"""Stands in for a secret that could not be read, so that one problem is not reported twice."""


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
        remaining = _drop_faulty(tree, [detail["loc"] for detail in details])
        return None, [*map(_path_and_fault, details), *(() if remaining is None else conflicts(remaining, vocabulary))]
    found = list(conflicts(ValidTables.whole(settings), vocabulary))
    return (None if found else settings), found


def _drop_faulty(tree: Mapping[str, Any], errors: Iterable[Path]) -> ValidTables | None:
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


def _path_and_fault(detail: ErrorDetails) -> tuple[Path, str]:
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


@dataclass(frozen=True, slots=True)
class Resolved:
    """The tree with all secrets in place; `files` lists what was read, `problems` each key with what is wrong."""

    tree: Any
    files: tuple[FilePath, ...] = ()
    problems: tuple[tuple[Path, str], ...] = ()


class UnusableError(Exception):
    """A secret file cannot be used; the message never holds its content."""


def resolve(tree: Any, node: Node, folder: FilePath, path: Path = ()) -> Resolved:
    """`tree` with every `<secret>_file` replaced by `<secret>`; relative file names count from `folder`."""
    below = children(tree, node)
    if below is None:
        return Resolved(tree)
    resolved = {key: resolve(value, inner, folder, (*path, key)) for key, (value, inner) in below.items()}
    for key in _secret_keys(node):
        if (name := key + FILE_SUFFIX) in resolved:
            del resolved[name]
            resolved[key] = _secret(tree[name], key in tree, folder, (*path, name))
    trees = {key: part.tree for key, part in resolved.items()}
    return _join(list(trees.values()) if isinstance(tree, list) else trees, resolved.values())


def _join(tree: Any, parts: Collection[Resolved]) -> Resolved:
    """The tree with the files and problems of all its parts."""
    files = tuple(file for part in parts for file in part.files)
    return Resolved(tree, files, tuple(problem for part in parts for problem in part.problems))


def _secret_keys(node: Node) -> list[str]:
    keys = node.keys if isinstance(node, Table) else {}
    return [key for key, leaf in keys.items() if isinstance(leaf, Leaf) and leaf.secret]


def read_secret(file: FilePath) -> str:
    """The file's text without its last line end. Raises UnusableError."""
    try:
        with file.open("rb") as stream:
            content = stream.read(LIMIT + 1)
        text = content.decode()
    except OSError as error:
        raise UnusableError(f"cannot read {file}: {error.strerror or 'unknown reason'}") from None
    except ValueError:  # not UTF-8, or a NUL in the name
        raise UnusableError("cannot be read as UTF-8 text") from None
    secret = text.removesuffix("\n").removesuffix("\r")
    if not secret or len(content) > LIMIT:
        raise UnusableError(f"{file} is empty or longer than {LIMIT} bytes")
    return secret


def _secret(given: Any, also_inline: bool, folder: FilePath, path: Path) -> Resolved:
    if also_inline:
        return Resolved(UNREADABLE, problems=((path, "is given beside the secret itself; keep one of the two"),))
    if not isinstance(given, str) or not given:
        return Resolved(UNREADABLE, problems=((path, "expects the name of a file"),))
    file = folder / FilePath(given)
    try:
        return Resolved(read_secret(file), files=(file,))
    except UnusableError as unusable:
        return Resolved(UNREADABLE, problems=((path, str(unusable)),))
