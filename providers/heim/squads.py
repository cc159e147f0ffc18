"""Teams, players and squads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mapping.match import Named, Person, Side, SideName
from providers.fault_collector import FaultCollector, ValueMismatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from providers.heim.read import Row

POSITIONS = {"1": "keeper", "2": "defense", "3": "midfield", "4": "offense"}
"""`team_person.role.id` → position key of the interface."""

ORDER = {position: index for index, position in enumerate(POSITIONS.values())}
GENDERS = {"male": "m", "female": "f"}
GRAMS = 1000
TALLEST, HEAVIEST = 300, 400
"""Centimetres and kilograms above which a number is a slip of the pen."""


def person(row: Row | None, member: Row | None, notes: FaultCollector, names: Mapping[str, str]) -> Person | None:
    """A player from `person` and, where there is one, `team_person`; None where nobody is named."""
    if row is None:
        return None
    ext_id = row.ident("id")
    if ext_id is None:
        return None
    name = row.text("name") or row.text("fullname") or row.text("surname")
    if name is None:
        raise ValueMismatch(row.at("name"), "missing")
    surname = notes.try_read(lambda: row.text("surname"))
    role = notes.try_read(lambda: member.part("role")) if member is not None else None
    position = notes.try_read(lambda: role.ident("id")) if role is not None else None
    gender = notes.try_read(lambda: row.text("gender"))
    image = names["person_image"]
    return Person(
        ext_id=ext_id,
        name=name,
        short_name=surname if surname != name else None,
        number=notes.try_read(lambda: member.text("shirtnumber")) if member is not None else None,
        position=POSITIONS.get(position or ""),
        country=notes.try_read(lambda: row.country("country")),
        gender=GENDERS.get(gender or ""),
        birthdate=notes.try_read(lambda: row.day("birthday")),
        height=_measure(row, "height", TALLEST, notes),
        weight=_grams(_measure(row, "weight", HEAVIEST, notes)),
        image=image.replace("{id}", ext_id) if image else None,
    )


def _measure(row: Row, name: str, limit: int, notes: FaultCollector) -> int | None:
    value = notes.try_read(lambda: row.number(name))
    return value if value is not None and 0 < value <= limit else None


def _grams(kilograms: int | None) -> int | None:
    return None if kilograms is None else kilograms * GRAMS


def side(row: Row | None, notes: FaultCollector, names: Mapping[str, str]) -> Side | None:
    """A team without its squad; a placeholder ("Winner Group B") is a team with that name."""
    if row is None:
        return None
    ext_id, name = row.ident("id"), row.text("name")
    if ext_id is None or name is None:
        raise ValueMismatch(row.at("id" if ext_id is None else "name"), "missing")
    image = names["team_image"]
    return Side(
        ext_id=ext_id,
        name=name,
        short_name=notes.try_read(lambda: row.text("shortname")),
        country=notes.try_read(lambda: row.country("country")),
        image=image.replace("{id}", ext_id) if image else None,
    )


def completed(team: Side, seen: Iterable[Side]) -> Side:
    """The team with what only its event rows tell (older match bodies have neither short name nor country)."""
    twins = [other for other in seen if other.ext_id == team.ext_id]
    return replace(
        team,
        short_name=team.short_name or next((other.short_name for other in twins if other.short_name), None),
        country=team.country or next((other.country for other in twins if other.country), None),
    )


def squad(members: Iterable[Person]) -> tuple[Person, ...]:
    """Each player once, goalkeepers first, then by line and shirt number."""
    unique = {member.ext_id: member for member in members}
    return tuple(sorted(unique.values(), key=_rank))


def _rank(member: Person) -> tuple[int, int]:
    number = member.number or ""
    return (
        ORDER.get(member.position or "", len(ORDER)),
        int(number) if number.isascii() and number.isdigit() and len(number) < 5 else 10_000,
    )


def named(row: Row | None, notes: FaultCollector) -> Named | None:
    """A venue or a competition; ValueMismatch where it has an id, but no name."""
    ext_id = row.ident("id") if row is not None else None
    if row is None or ext_id is None:
        return None
    name = row.text("name")
    if name is None:
        raise ValueMismatch(row.at("name"), "missing")
    town = notes.try_read(lambda: row.part("town"))
    return Named(
        ext_id=ext_id,
        name=name,
        town=notes.try_read(lambda: town.text("name")) if town is not None else None,
        country=notes.try_read(lambda: row.country("country")),
    )


def sides_by_id(home: Side | None, away: Side | None) -> Mapping[str, SideName]:
    """Team id → side."""
    found: dict[str, SideName] = {}
    if away is not None:
        found[away.ext_id] = "away"
    if home is not None:
        found[home.ext_id] = "home"
    return found
