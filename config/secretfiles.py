"""Puts the content of secret files in the place of the `<secret>_file` keys that name them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from config.shape import FILE_SUFFIX, Free, Leaf, Node, Rows, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from config.errors import Path

LIMIT = 65536
"""Bytes; nothing that is longer is a secret."""
UNREADABLE = "unreadable"
"""Stands in for a secret that could not be read, so that one problem is not told twice."""


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
    match node, tree:
        case Table(keys), dict():
            return _table(tree, keys, folder, path)
        case Free(inner), dict():
            return _gather({key: resolve(value, inner, folder, (*path, key)) for key, value in tree.items()})
        case Rows(row), list():
            below = _gather({i: resolve(value, row, folder, (*path, i)) for i, value in enumerate(tree)})
            return Resolved(list(below.tree.values()), below.files, below.problems)
        case _:
            return Resolved(tree)


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


def _table(tree: dict[str, Any], keys: Mapping[str, Node], folder: FilePath, path: Path) -> Resolved:
    named = {key for key, node in keys.items() if isinstance(node, Leaf) and node.secret and key + FILE_SUFFIX in tree}
    done = {key: resolve(value, keys[key], folder, (*path, key)) for key, value in tree.items() if key in keys}
    for key in named:
        given = done.pop(key + FILE_SUFFIX).tree
        done[key] = _secret(given, key in tree, folder, (*path, key + FILE_SUFFIX))
    return _gather(done)


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


def _gather(parts: Mapping[Any, Resolved]) -> Resolved:
    return Resolved(
        {key: part.tree for key, part in parts.items()},
        tuple(file for part in parts.values() for file in part.files),
        tuple(problem for part in parts.values() for problem in part.problems),
    )
