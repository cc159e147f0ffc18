"""References: the master data records of a match's people and teams, and what a document refers to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KINDS = frozenset({"Team", "Player", "Tournament", "Location"})


class Reference(NamedTuple):
    """A record named by `_id`; `path` is where it stands, as errors write it."""

    path: str
    kind: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """`_id`s of an organization's master data, by the provider's `ext_id`."""

    owner_id: str
    teams: Mapping[str, str] = field(default_factory=dict)
    players: Mapping[str, str] = field(default_factory=dict)
    tournament: str | None = None
    location: str | None = None


def references(document: Mapping[str, Any]) -> Iterator[Reference]:
    """Every reference to master data in the document; never recurses."""
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            kind = str(value.get("_type") or "").rpartition("::")[2]
            if kind in KINDS and isinstance(name := value.get("_id"), str):
                yield Reference(f"{path}._id".lstrip("."), kind, name)
            waiting += [
                (f"{path}.{key}".lstrip("."), each) for key, each in value.items() if isinstance(each, dict | list)
            ]
        else:
            waiting += [(f"{path}.{index}", each) for index, each in enumerate(value) if isinstance(each, dict | list)]


def part_ids(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(path, `local_id`) of a post's blocks and files, its incident included."""
    for name in ("contents", "media"):
        for index, part in enumerate(document.get(name) or ()):
            if isinstance(part, dict) and isinstance(local_id := part.get("local_id"), str):
                yield f"{name}.{index}.local_id", local_id
    incident = document.get("sport_event")
    if isinstance(incident, dict) and isinstance(local_id := incident.get("local_id"), str):
        yield "sport_event.local_id", local_id
