"""The settings that the default file documents."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import config
from config.schema_walk import SHAPE, Free, Leaf, Rows, Table

TEXT = (files(config) / "default.toml").read_text(encoding="utf-8")


EXAMPLE = re.compile(r"^# (?=(# )?(\[|[a-z0-9_]+ = ))", re.MULTILINE)
"""A commented line that holds a key or a table is an example; other comments are prose."""


def documented() -> dict[str, Any]:
    """The file with its examples in effect."""
    return tomllib.loads(EXAMPLE.sub("", TEXT))


def known_as(tree: Any, node: Any = SHAPE, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Paths of all values in `tree`, as the shape names them, with what they are."""
    match node:
        case Leaf():
            yield path, tree
        case Table(keys):
            for key, value in tree.items():
                yield from known_as(value, keys[key], (*path, key))
        case Free(inner):
            for value in tree.values():
                yield from known_as(value, inner, (*path, "*"))
        case Rows(row):
            for value in tree:
                yield from known_as(value, row, (*path, "*"))
