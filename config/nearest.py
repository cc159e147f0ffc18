"""Finds keys that nobody knows, and the known key that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from config.errors import Path, dotted_path
from config.schema_walk import SHAPE, Node, Table, children, leaves

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
    name = _plain(str(path[-1]))
    if close := _closest(name, siblings, cutoff=0.6):
        return (*path[:-1], close)
    if close := _closest(name, tuple(dict.fromkeys(known[-1] for known in KNOWN)), cutoff=0.8):
        return _shown(next(known for known in KNOWN if known[-1] == close))
    whole = {dotted_path(_shown(known)): known for known in KNOWN}
    return _shown(whole[get_close_matches(dotted_path(path), whole, n=1, cutoff=0.0)[0]])


def _closest(name: str, candidates: tuple[str, ...], *, cutoff: float) -> str | None:
    return next(iter(get_close_matches(name, candidates, n=1, cutoff=cutoff)), None)


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _shown(path: tuple[str, ...]) -> Path:
    return tuple("<id>" if part == "*" else part for part in path)
