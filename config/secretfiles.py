"""Puts the content of secret files in the place of the `<secret>_file` keys that name them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from config.errors import Path
from config.schema_walk import FILE_SUFFIX, Leaf, Node, Table, children

LIMIT = 65536
"""Bytes; nothing that is longer is a secret."""
UNREADABLE = "unreadable"
"""Stands in for a secret that could not be read, so that one problem is not reported twice."""


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
    return _joined(list(trees.values()) if isinstance(tree, list) else trees, resolved.values())


def _joined(tree: Any, parts: Collection[Resolved]) -> Resolved:
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
