"""How the product is built, measured by its imports: `make house`.

A room is a folder below `api`, `store` or `ingest`, or one of these three themselves for the files that lie loose in them.
Imports for types count like others: whoever reads a file has to know what it names. A hub is a file that composes: it knows
at least four capabilities.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

ROOT = Path(__file__).parents[1]
PACKAGES = ("api", "config", "ingest", "mapping", "providers", "store")
FLOORS = ("api", "store", "ingest")
CAPABILITIES = {
    "comments": r"comments?|moderation",
    "polls": r"polls?|votes?|reader_polls?",
    "readers": r"readers?|reader_sign_ins?",
    "statistics": r"statistics|beacons?|sketch(es)?",
}
"""Names of folders and files that belong to a capability, as expressions."""
HUB = 3
"""Capabilities that a file must know to count as a hub."""


@dataclass(frozen=True)
class Structure:
    """Files of the product by name (`api/app.py`), and which files each imports."""

    lines: dict[str, int]
    imports: dict[str, frozenset[str]]


@functools.cache
def structure(root: Path = ROOT) -> Structure:
    """The product as it stands below `root`."""
    files = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
    }
    return Structure(
        lines={name: len(text.splitlines()) for name, text in files.items()},
        imports={name: frozenset(_imports(text, files.keys())) - {name} for name, text in files.items()},
    )


def _imports(text: str, names: AbstractSet[str]) -> Iterator[str]:
    """Files among `names` that the file with this text imports; a package without code of its own is not imported."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files_of(alias.name) & names
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:  # a module of the package, or a name in it
                yield from (_files_of(f"{node.module}.{alias.name}") & names) or (_files_of(str(node.module)) & names)


def _files_of(module: str) -> set[str]:
    path = module.replace(".", "/")
    return {f"{path}.py", f"{path}/__init__.py"}


def room(name: str) -> str:
    """`api/feeds/rss.py` → `api/feeds`; a file that lies loose in a floor is a room by itself."""
    return "/".join(name.split("/")[:2])


def two_way_doors(built: Structure, floor: str) -> list[tuple[str, str]]:
    """Pairs of rooms of a floor that import each other."""
    doors = {
        (room(name), room(other))
        for name, others in built.imports.items()
        for other in others
        if name.startswith(f"{floor}/") and other.startswith(f"{floor}/") and room(name) != room(other)
    }
    return sorted((a, b) for a, b in doors if a < b and (b, a) in doors)


def circles(built: Structure) -> list[list[str]]:
    """Groups of files each of which imports, by others, all of its group; the largest first."""
    reach = {name: _reached(built.imports, name) for name in built.imports}
    groups = {
        frozenset(other for other in reach[name] if name in reach[other]) for name in reach if name in reach[name]
    }
    return sorted((sorted(group) for group in groups), key=len, reverse=True)


def _reached(imports: dict[str, frozenset[str]], name: str) -> set[str]:
    reached: set[str] = set()
    ahead = list(imports[name])
    while ahead:
        if (other := ahead.pop()) not in reached:
            reached.add(other)
            ahead.extend(imports[other])
    return reached
