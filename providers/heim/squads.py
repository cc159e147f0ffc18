"""Reads teams, players and squads of HEIM:SPIEL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mapping.match.match import Named, Person, Side, SideName
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.heim.read import Row
from providers.results_and_squads import squad_rank

POSITIONS = {"1": "keeper", "2": "defense", "3": "midfield", "4": "offense"}
"""`team_person.role.id` → position key of the interface."""

GENDERS = {"male": "m", "female": "f"}
GRAMS = 1000
TALLEST, HEAVIEST = 300, 400
"""Centimetres and kilograms above which a number is a slip of the pen."""


def person(row: Row | None, member: Row | None, faults: FaultCollector, names: Mapping[str, str]) -> Person | None:
    """A player from `person` and, where there is one, `team_person`; None where nobody is named."""
    ext_id = row.ident("id") if row is not None else None
    if row is None or ext_id is None:
        return None
    name = row.text("name") or row.text("fullname") or row.text("surname")
    if name is None:
        raise ValueMismatch(row.at("name"), "missing")
    surname = faults.try_read(row.text, "surname")
    number, position = _place_in_squad(member, faults)
    gender, weight = faults.try_read(row.text, "gender"), _measure(row, "weight", HEAVIEST, faults)
    return Person(
        ext_id=ext_id,
        name=name,
        short_name=surname if surname != name else None,
        number=number,
        position=position,
        country=faults.try_read(row.country, "country"),
        gender=GENDERS.get(gender or ""),
        birthdate=faults.try_read(row.day, "birthday"),
        height=_measure(row, "height", TALLEST, faults),
        weight=weight and weight * GRAMS,
        image=_image(names["person_image"], ext_id),
    )


def _place_in_squad(member: Row | None, faults: FaultCollector) -> tuple[str | None, str | None]:
    """(shirt number, position key) of `team_person`."""
    if member is None:
        return None, None
    role = faults.try_read(member.part, "role")
    role_id = faults.try_read(role.ident, "id") if role is not None else None
    return faults.try_read(member.text, "shirtnumber"), POSITIONS.get(role_id or "")


def _measure(row: Row, name: str, limit: int, faults: FaultCollector) -> int | None:
    value = faults.try_read(row.number, name)
    return value if value is not None and 0 < value <= limit else None


def _image(template: str, ext_id: str) -> str | None:
    return template.replace("{id}", ext_id) or None


def try_person(
    row: Row, name: str, member: Row | None, faults: FaultCollector, names: Mapping[str, str]
) -> Person | None:
    """The player in this field; None and a fault where it cannot be read."""
    return faults.try_read(lambda: person(row.part(name), member, faults, names))


def try_side(row: Row, name: str, faults: FaultCollector, names: Mapping[str, str]) -> Side | None:
    """The team in this field; None and a fault where it cannot be read."""
    return faults.try_read(lambda: side(row.part(name), faults, names))


def side(row: Row | None, faults: FaultCollector, names: Mapping[str, str]) -> Side | None:
    """A team without its squad; a placeholder ("Winner Group B") is a team with that name."""
    if row is None:
        return None
    ext_id, name = row.ident("id"), row.text("name")
    if ext_id is None or name is None:
        raise ValueMismatch(row.at("id" if ext_id is None else "name"), "missing")
    return Side(
        ext_id=ext_id,
        name=name,
        short_name=faults.try_read(row.text, "shortname"),
        country=faults.try_read(row.country, "country"),
        image=_image(names["team_image"], ext_id),
    )


def complete_team(team: Side, seen: Iterable[Side]) -> Side:
    """The team with what only its event rows have (older match bodies have neither short name nor country)."""
    twins = [other for other in seen if other.ext_id == team.ext_id]
    return replace(
        team,
        short_name=team.short_name or next((other.short_name for other in twins if other.short_name), None),
        country=team.country or next((other.country for other in twins if other.country), None),
    )


def squad(members: Iterable[Person]) -> tuple[Person, ...]:
    """Each player once, goalkeepers first, then by line and shirt number."""
    unique = {member.ext_id: member for member in members}
    return tuple(sorted(unique.values(), key=squad_rank))


def read_named(row: Row | None, faults: FaultCollector) -> Named | None:
    """A venue or a competition; ValueMismatch where it has an id, but no name."""
    ext_id = row.ident("id") if row is not None else None
    if row is None or ext_id is None:
        return None
    name = row.text("name")
    if name is None:
        raise ValueMismatch(row.at("name"), "missing")
    town = faults.try_read(row.part, "town")
    return Named(
        ext_id=ext_id,
        name=name,
        town=faults.try_read(town.text, "name") if town is not None else None,
        country=faults.try_read(row.country, "country"),
    )


def sides_by_id(home: Side | None, away: Side | None) -> Mapping[str, SideName]:
    """Team id → side."""
    found: dict[str, SideName] = {}
    if away is not None:
        found[away.ext_id] = "away"
    if home is not None:
        found[home.ext_id] = "home"
    return found
