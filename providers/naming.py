"""Tables of names that a provider's public material does not settle, and how the configuration corrects them.

Grades: `documented` (seen in a body, or in the vendor's or an integrator's text), `inferred` (follows from those),
`assumed` (no source).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Grade = Literal["documented", "inferred", "assumed"]


@dataclass(frozen=True, slots=True)
class Name:
    """One correctable name: what it is called here, what the feed is believed to call it, and how sure that is."""

    key: str
    default: str
    grade: Grade
    meaning: str


def correct_names(table: Iterable[Name], options: Mapping[str, Any]) -> Mapping[str, str]:
    """The table with the corrections of an endpoint's `options["names"]`. ValueError for a name that does not exist."""
    defaults = {name.key: name.default for name in table}
    corrections = options.get("names") or {}
    for key in corrections:
        if key not in defaults:
            near = difflib.get_close_matches(str(key), defaults, n=1)
            raise ValueError(f"unknown name {key!r}" + (f", did you mean {near[0]!r}?" if near else ""))
    return {**defaults, **{key: str(value) for key, value in corrections.items()}}
