"""One name, one meaning: classes and files that would be distinguished by their folder alone."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("ingest", "mapping", "store", "api", "config")
PROVIDERS = ("providers",)
ROLES = {
    "__init__.py": "a package",
    "endpoint.py": "the handlers of a resource",
    "backend.py": "the store on one kind of database",
    "base.py": "what the modules of its folder share",
    "adapter.py": "fetches from a provider",
    "payload.py": "a provider's raw documents",
    "translate.py": "a provider's documents to the canonical match",
    "catalog.py": "what a provider offers",
    "names.py": "a provider's names that the configuration can correct",
    "clock.py": "a provider's times of play",
    "read.py": "a provider's scalar values",
    "resolve.py": "a phase or overall to its match",
    "score.py": "a provider's scores",
    "sport.py": "which sport a provider's match is of",
    "squads.py": "a provider's line-ups",
}
"""File names that repeat on purpose, one for each resource, database or provider."""
REPLACED = (
    "House", "Lane", "Lanes", "Hand", "Slots", "Makings", "Remembered", "MisfitError", "Voice", "Notices", "Silence",
    "Presence", "Branches", "Buckets", "Gate", "Homes", "Elsewhere", "Pace", "Watch",
)  # fmt: skip
"""Class names that better known words have replaced, see docs/glossary.md."""


def modules(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def classes(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def test_a_class_name_means_one_thing():
    """No two classes of the product have the same name; providers repeat theirs in folders of their own."""
    homes = defaultdict(list)
    for path in modules(*PRODUCT):
        for name in classes(path):
            if not name.startswith("_"):
                homes[name].append(str(path.relative_to(ROOT)))

    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_a_file_name_means_one_thing_in_its_top_level_folder():
    """Within a top-level folder a name stands for one file, but for the roles that repeat on purpose."""
    homes = defaultdict(list)
    for path in modules(*PRODUCT, *PROVIDERS):
        if "migrations" not in path.parts and "contract" not in path.parts and "replay" not in path.parts:
            homes[path.relative_to(ROOT).parts[0], path.name].append(str(path.relative_to(ROOT)))
    twice = {name: paths for (_, name), paths in homes.items() if len(paths) > 1 and name not in ROLES}

    sports = {"soccer.py", "tennis.py", "motorsports.py"}
    assert {name: paths for name, paths in twice.items() if name not in sports} == {}


def test_replaced_words_stay_away():
    """No class bears a name that a word of the field has replaced."""
    found = {str(path.relative_to(ROOT)): set(classes(path)) & set(REPLACED) for path in modules(*PRODUCT, *PROVIDERS)}

    assert {path: names for path, names in found.items() if names} == {}
