"""The tree of known keys, read off the models: the file, the environment and the documentation share one truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, SecretStr

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
