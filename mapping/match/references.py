"""Finds what a match and documents refer to: records of people and teams, and the addresses of files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from mapping.match.match import Incident, Match, Named, Person, RankingEntry, Side

Known = TypeVar("Known", "Side", "Person", "Person | None", "Named | None")
KINDS = frozenset({"Team", "Player", "Tournament", "Location"})
RecordName = tuple[str, str]
"""What a reference names: kind and `_id`."""


FIELDS = frozenset({"source_url", "image", "banner_image", "cover_image"})
"""Fields that hold the address of a file wherever they stand."""
MEDIA_URL = re.compile(r"(?:^|\.)media\.\d+\.url$")
"""The path of an entry's address."""


class Reference(NamedTuple):
    """A record named by `_id`; `path` is where it stands, as errors write it."""

    path: str
    kind: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """`_id`s of an organization's master data, by the provider's `ext_id`.

    `edited`: what a person has changed of them, by table (teams, players, tournaments) and `ext_id`.
    """

    owner_id: str
    teams: Mapping[str, str] = field(default_factory=dict)
    players: Mapping[str, str] = field(default_factory=dict)
    tournament: str | None = None
    location: str | None = None
    edited: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    def correct(self, match: Match) -> Match:
        """The match as the organization names its teams and people; the match itself where nobody has changed any."""
        if not self.edited:
            return match
        race = match.race
        return replace(
            match,
            home=self._side(match.home),
            away=self._side(match.away),
            tournament=self._with_edits("tournaments", match.tournament),
            race=race and replace(race, ranking=tuple(map(self._placing, race.ranking))),
            incidents=tuple(map(self._incident, match.incidents)),
        )

    def _side(self, side: Side | None) -> Side | None:
        if side is None:
            return None
        lineup, bench = (tuple(map(self._person, squad)) for squad in (side.lineup, side.bench))
        return replace(self._with_edits("teams", side), lineup=lineup, bench=bench)

    def _person(self, person: Person) -> Person:
        return self._with_edits("players", person)

    def _placing(self, placing: RankingEntry) -> RankingEntry:
        return replace(placing, person=self._with_edits("players", placing.person), team=self._side(placing.team))

    def _incident(self, incident: Incident) -> Incident:
        people = [
            replace(each, person=self._person(each.person), team=self._side(each.team)) for each in incident.people
        ]
        return replace(incident, people=tuple(people), team=self._side(incident.team))

    def _with_edits(self, kind: str, each: Known) -> Known:
        return each if each is None else replace(each, **self.edited.get((kind, each.ext_id), {}))


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


def named_in(documents: Iterable[Any]) -> set[RecordName]:
    """What all references to master data, anywhere in the documents, name; what is no object is passed over."""
    found: set[RecordName] = set()
    waiting: list[Any] = [each for each in documents if isinstance(each, dict | list)]
    while waiting:
        each = waiting.pop()
        if type(each) is dict:
            if "_id" in each and (name := named_by(each)):
                found.add(name)
            each = each.values()
        for part in each:
            if (made := type(part)) is dict or made is list:
                waiting.append(part)  # noqa: PERF401 -- most have none or one
    return found


def named_by(value: Mapping[str, Any]) -> RecordName | None:
    """What the object names, if it is a reference to master data."""
    name, kind = value.get("_id"), value.get("_type")
    if not isinstance(name, str) or not isinstance(kind, str):
        return None
    last = kind.rpartition("::")[2]
    return (last, name) if last in KINDS else None


def part_ids(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(path, `local_id`) of a post's blocks and files, its incident included."""
    for name in ("contents", "media"):
        for index, part in enumerate(document.get(name) or ()):
            if isinstance(part, dict) and isinstance(local_id := part.get("local_id"), str):
                yield f"{name}.{index}.local_id", local_id
    incident = document.get("sport_event")
    if isinstance(incident, dict) and isinstance(local_id := incident.get("local_id"), str):
        yield "sport_event.local_id", local_id


def shown_ids(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(path, `local_id`) of the files that items of a post's blocks name."""
    for index, block in enumerate(document.get("contents") or ()):
        items = block.get("items") if isinstance(block, dict) else None
        for number, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict) and isinstance(local_id := item.get("media_local_id"), str):
                yield f"contents.{index}.items.{number}.media_local_id", local_id


def addresses_in(document: Any, *, named: bool = True) -> Iterator[tuple[str, str]]:
    """(path, address) of each file that the document, a JSON value, names, in its order.

    `named`: also of records that the document names by their `_id`, whose own files they are.
    """
    found = _find_addresses(document, "", named) if _has_files(document) else ()
    return ((path, address) for _, _, path, address in found)


def replace_addresses(document: Any, new: Mapping[str, str]) -> None:
    """Put into the document, which is changed, a new address for each of its addresses that is a key of `new`."""
    for holder, name, _, address in _find_addresses(document, "", named=True):
        holder[name] = new.get(address, address)


def _has_files(document: Any) -> bool:
    """Whether a file can be named anywhere: most posts name none, and a look without paths costs an eighth of the walk."""
    waiting: list[Any] = [document]
    while waiting:
        each = waiting.pop()
        if type(each) is dict:
            if each.get("media") or not FIELDS.isdisjoint(each):
                return True
            each = each.values()
        elif type(each) is not list:
            continue
        for part in each:
            if (made := type(part)) is dict or made is list:
                waiting.append(part)  # noqa: PERF401 -- most have none or one
    return False


def _find_addresses(document: Any, path: str, named: bool) -> Iterator[tuple[Any, Any, str, str]]:
    """What holds an address, under which name or place, its path and the address."""
    if path and not named and isinstance(document, dict) and named_by(document):
        return
    for name, value in _parts(document):
        there = f"{path}.{name}".lstrip(".")
        if not isinstance(value, str):
            yield from _find_addresses(value, there, named)
        elif value and (name in FIELDS or MEDIA_URL.search(there)):
            yield document, name, there, value


def _parts(value: Any) -> Iterable[tuple[Any, Any]]:
    """What stands in an object or array, by name or place."""
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()
