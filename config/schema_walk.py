"""The tree of all known keys, taken from the models; for an unknown key it finds the one that was probably meant.

The file, the environment and the documentation share this one truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, SecretStr

from config.errors import Path, dotted_path
from config.settings import Settings

FILE_SUFFIX = "_file"
"""`<secret>_file` names a file that holds the secret."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value: `kind` is its Python type, `secret` whether it may also stand in a file."""

    kind: type
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table with fixed keys."""

    keys: Mapping[str, Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Free:
    """A table whose keys the operator chooses."""

    value: Node


@dataclass(frozen=True, slots=True)
class Rows:
    """An array of tables."""

    row: Table


Node = Leaf | Table | Free | Rows


def shape_of(annotation: Any) -> Node:
    """The node that a field's annotation describes."""
    bare = _bare(annotation)
    if isinstance(bare, type) and issubclass(bare, BaseModel):
        return table_of(bare)
    if get_origin(bare) is dict:
        return Free(shape_of(get_args(bare)[1]))
    if get_origin(bare) is tuple:
        row = shape_of(get_args(bare)[0])
        return Rows(row) if isinstance(row, Table) else Leaf(tuple)
    kind = bare if isinstance(bare, type) else str
    return Leaf(kind, secret=issubclass(kind, SecretStr))


def table_of(model: type[BaseModel]) -> Table:
    """The fixed keys of a model, `<secret>_file` included."""
    keys: dict[str, Node] = {}
    for name, info in model.model_fields.items():
        node = shape_of(info.annotation)
        keys[name] = node
        if isinstance(node, Leaf) and node.secret:
            keys[name + FILE_SUFFIX] = Leaf(str)
    return Table(keys)


def _bare(annotation: Any) -> Any:
    """Without `Annotated` and without `| None`; of several types the first, as text carries all of them."""
    if get_origin(annotation) is Annotated:
        return _bare(get_args(annotation)[0])
    inner = [arg for arg in get_args(annotation) if arg is not type(None)]
    if inner and get_origin(annotation) not in {dict, tuple}:
        return _bare(inner[0])
    return annotation


def leaves(node: Node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Leaf]]:
    """All known keys below `node` with their paths; a key that the operator chooses is `*`, so is a row."""
    match node:
        case Leaf():
            yield path, node
        case Table(keys):
            for key, child in keys.items():
                yield from leaves(child, (*path, key))
        case Free(inner) | Rows(inner):
            yield from leaves(inner, (*path, "*"))


def children(tree: Any, node: Node) -> dict[Any, tuple[Any, Node]] | None:
    """The values of `tree` that `node` knows by their keys, each with its own node; None where the two have another shape."""
    match node, tree:
        case Table(keys), dict():
            return {key: (value, keys[key]) for key, value in tree.items() if key in keys}
        case Free(inner), dict():
            return {key: (value, inner) for key, value in tree.items()}
        case Rows(row), list():
            return {index: (value, row) for index, value in enumerate(tree)}
        case _:
            return None


SHAPE = table_of(Settings)
KNOWN = tuple(path for path, _ in leaves(SHAPE))


def prune(tree: Any, node: Node, path: Path = ()) -> tuple[Any, tuple[tuple[Path, str], ...]]:
    """`tree` without its unknown keys, and these: each with its path and the message that names the nearest known key.

    What has another shape than `node` stays as it is: its type is the validation's business.
    """
    below = children(tree, node)
    if below is None:
        return tree, ()
    found: list[tuple[Path, str]] = []
    if isinstance(node, Table):
        found = [((*path, key), unknown((*path, key), node.keys)) for key in tree if key not in node.keys]
    clean: dict[Any, Any] = {}
    for key, (value, child) in below.items():
        clean[key], more = prune(value, child, (*path, key))
        found += more
    return (list(clean.values()) if isinstance(tree, list) else clean), tuple(found)


def unknown(path: Path, siblings: Iterable[str]) -> str:
    """The message for an unknown key at `path`, beside which `siblings` would be known."""
    return f"unknown key; the nearest known one is {dotted_path(nearest(path, tuple(siblings)))}"


def nearest(path: Path, siblings: tuple[str, ...]) -> Path:
    """A sibling that reads alike, else a key of that name elsewhere, else whatever known path reads most alike."""
    name = plain(str(path[-1]))
    if close := _closest(name, siblings, cutoff=0.6):
        return (*path[:-1], close)
    if close := _closest(name, tuple(dict.fromkeys(known[-1] for known in KNOWN)), cutoff=0.8):
        return _for_people(next(known for known in KNOWN if known[-1] == close))
    whole = {dotted_path(_for_people(known)): known for known in KNOWN}
    return _for_people(whole[get_close_matches(dotted_path(path), whole, n=1, cutoff=0.0)[0]])


def _closest(name: str, candidates: tuple[str, ...], *, cutoff: float) -> str | None:
    return next(iter(get_close_matches(name, candidates, n=1, cutoff=cutoff)), None)


def plain(name: str) -> str:
    """The name as it is compared with others."""
    return name.lower().replace("-", "_")


def _for_people(path: tuple[str, ...]) -> Path:
    return tuple("<id>" if part == "*" else part for part in path)
