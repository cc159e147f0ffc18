"""The repository's files, read and parsed once."""

from __future__ import annotations

import ast
import functools
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


MAY_IMPORT = {
    "config": set(),
    "mapping": set(),
    "providers": {"mapping"},
    "store": {"mapping"},
    "api": {"config", "mapping", "store"},
    "ingest": {"api", "config", "mapping", "providers", "store"},
}


TEXT = {
    ".py",
    ".toml",
    ".md",
    ".txt",
    ".lock",
    ".json",
    ".html",
    ".css",
    ".js",
    ".po",
    ".yml",
    ".yaml",
    ".ini",
    ".mako",
    "",
}


def modules(package):
    found = sorted((ROOT / package).rglob("*.py"))
    assert found, f"no modules in {package}: the test looks in the wrong place"
    return found


def everywhere():
    return [path for package in MAY_IMPORT for path in modules(package)]


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@dataclass(frozen=True)
class Reading:
    """What the tests want to know of a file, so that it is parsed once and nobody keeps its tree."""

    described: bool
    """Whether it opens with a docstring, or has no code."""
    imports: tuple[ast.Import | ast.ImportFrom, ...]
    for_types: frozenset[ast.Import | ast.ImportFrom]
    """Those imports that only a type checker runs."""
    used: frozenset[str]
    """Dotted names, as they stand there."""
    called: frozenset[str]


@functools.cache
def reading(path):
    tree = tree_of(path)
    nodes = [*ast.walk(tree)]
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    checked = [node for node in nodes if isinstance(node, ast.If) and dotted(node.test) == "TYPE_CHECKING"]
    inside = {each for node in checked for part in node.body for each in ast.walk(part)}
    return Reading(
        described=not tree.body or bool(ast.get_docstring(tree)),
        imports=tuple(imports),
        for_types=frozenset(inside.intersection(imports)),
        used=frozenset(filter(None, map(dotted, nodes))),
        called=frozenset(filter(None, (dotted(node.func) for node in nodes if isinstance(node, ast.Call)))),
    )


def dotted(node):
    """`a.b.c` of names alone, empty for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    before = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{before}.{node.attr}" if before else ""


def aliases(path):
    """What local names stand for, by the file's imports: `AsyncClient` → `httpx.AsyncClient`, `dt` → `datetime`."""
    known = {}
    for node in reading(path).imports:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                known[alias.asname or top] = alias.name if alias.asname else top
        elif not node.level:
            known |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return known


def used(path):
    """Dotted names that a file uses, with imports followed: `datetime.datetime.now` is also seen as `datetime.now`."""
    return {name.replace("datetime.datetime", "datetime", 1) for name in _followed(path, reading(path).used)}


def _followed(path, names):
    known = aliases(path)
    for name in names:
        first, *rest = name.split(".")
        yield ".".join([known.get(first, first), *rest])


def tracked():
    """Files that are in the repository or about to be; without git, all that is not hidden."""
    listing = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(listing, capture_output=True, check=False)
    except FileNotFoundError:
        done = None
    if done is not None and done.returncode == 0:
        names = [ROOT / name for name in done.stdout.decode().split("\0") if name]
        return [path for path in names if path.is_file()]
    return [p for p in ROOT.rglob("*") if p.is_file() and not any(part[0] == "." for part in p.relative_to(ROOT).parts)]
