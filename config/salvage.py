"""What is still valid of a tree with errors in it, so that one reading reports all mistakes, not only the first kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from config.crossing import ValidTables
from config.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from config.errors import Path

ENTRIES = ("organizations", "clients", "providers")
"""Tables whose entries stand for themselves: one that is invalid is left out, the others stay."""


def salvaged(tree: Mapping[str, Any], errors: Iterable[Path]) -> ValidTables | None:
    """`tree` without the entries, rows and keys that `errors` lie in; None where nothing valid remains."""
    kept = {key: dict(value) if isinstance(value, dict) else value for key, value in tree.items()}
    broken: set[int] = set()
    for path in errors:
        table = kept.get(str(path[0]))
        if path[0] == "liveblogs" and len(path) > 1 and isinstance(table, list):
            broken.add(int(path[1]))
        elif isinstance(table, dict) and len(path) > 1 and (path[0] in ENTRIES or len(path) == 2):
            table.pop(path[1], None)
        else:
            kept.pop(str(path[0]), None)
    rows = kept.get("liveblogs", [])
    whole = [index for index in range(len(rows)) if index not in broken]
    try:
        settings = Settings.model_validate({**kept, "liveblogs": [rows[index] for index in whole]})
    except ValidationError:
        return None
    organizations = tree.get("organizations")
    named = frozenset(organizations) if isinstance(organizations, dict) else frozenset()
    return ValidTables(settings, dict(zip(whole, settings.liveblogs, strict=True)), named)
