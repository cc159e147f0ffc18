"""Reads teams, players and line-ups of Global Sports Data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from mapping.match.match import Named, Person, Side, SideName
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.gn_gsd.names import keywords
from providers.gn_gsd.read import Node, node
from providers.results_and_squads import squad_rank

POSITIONS = {
    "function_keeper": "keeper",
    "function_defense": "defense",
    "function_midfield": "midfield",
    "function_offense": "offense",
}
"""Name of the keywords of a function → position key of the interface, in the order of a line-up."""

LINEUP, BENCH, STAFF = "lineup", "bench", "staff"


def person(row: Node | None, faults: FaultCollector) -> Person | None:
    """A player; None where nobody is named. ValueMismatch for one without an id."""
    if row is None:
        return None
    ext_id, name = row.ident("person_id"), faults.try_read(row.text, "person_name")
    if ext_id is None and name is None:
        return None
    if ext_id is None or name is None:
        raise ValueMismatch(f"{row.path}{'id' if ext_id is None else 'names.default'}", "missing")
    short = faults.try_read(row.text, "person_short")
    return Person(
        ext_id=ext_id,
        name=name,
        short_name=short if short != name else None,
        number=faults.try_read(row.text, "shirt"),
        position=_position(faults.try_read(row.keyword, "function") or "", row.names),
        country=faults.try_read(row.country),
        image=faults.try_read(row.text, "person_image"),
    )


def _position(function: str, names: Mapping[str, str]) -> str | None:
    """By any keyword of a function, which may be marked (`Defender (C)` is the captain)."""
    parts = {function, *function.split("_")}
    return next((position for key, position in POSITIONS.items() if parts & keywords(names, key)), None)


def side(row: Node | None, faults: FaultCollector) -> Side | None:
    """A team without its squad; one without an id is known by its name. None while the team is not determined."""
    if row is None:
        return None
    ext_id, name = faults.try_read(row.ident, "id"), faults.try_read(row.text, "name")
    short = faults.try_read(row.text, "short_name")
    called = name or short
    if called is None:
        raise ValueMismatch(f"{row.path}names.default", "missing")
    if ext_id is None:
        faults.add(f"{row.path}id", "missing")
    return Side(
        ext_id=ext_id or called,
        name=called,
        short_name=short if short != called else None,
        country=faults.try_read(row.country),
        image=faults.try_read(row.text, "team_image"),
    )


def read_named(row: Node | None, faults: FaultCollector) -> Named | None:
    """A venue; ValueMismatch where it has an id, but no name."""
    ext_id = row.ident("id") if row is not None else None
    if row is None or ext_id is None:
        return None
    name = row.text("name")
    if name is None:
        raise ValueMismatch(f"{row.path}names.default", "missing")
    return Named(ext_id=ext_id, name=name, town=faults.try_read(row.text, "town"), country=faults.try_read(row.country))


def add_squads(
    sides: Mapping[SideName, Side | None], lineups: Node | None, faults: FaultCollector
) -> Mapping[SideName, Side | None]:
    """The teams with the squads of the line-ups; teams alone where there are none."""
    rows = sections(lineups, faults) if lineups is not None else {}
    return {
        name: team if team is None else _complete_side(team, rows.get(name) or rows.get(team.ext_id), faults)
        for name, team in sides.items()
    }


def players(lineups: Node) -> int:
    """How many rows of players the line-ups hold, of both teams."""
    unread = FaultCollector("", "")
    return sum(len(_listed_people(section, unread)) for section in sections(lineups, unread).values())


def sections(lineups: Node, faults: FaultCollector) -> Mapping[str, Node]:
    """The objects of the sides: by `home` and `away`, or by the id of the team where the sides are a list."""
    _, value = faults.try_read(lineups.first, "lineups_envelope") or ("", None)
    if isinstance(value, list):
        return _listed_sections(lineups, faults)
    root = faults.try_read(lineups.part, "lineups_envelope") or lineups
    found = {name: faults.try_read(root.part, name) for name in ("home", "away")}
    return {name: row for name, row in found.items() if row is not None}


def _listed_sections(lineups: Node, faults: FaultCollector) -> Mapping[str, Node]:
    rows = (_object(path, member, lineups, faults) for path, member in lineups.items("lineups_envelope"))
    named = ((faults.try_read(row.ident, "side"), row) for row in rows if row is not None)
    return {team_id: row for team_id, row in named if team_id is not None}


def _object(path: str, member: Any, parent: Node, faults: FaultCollector) -> Node | None:
    return faults.try_read(node, path, member, parent.names)


def _listed_people(section: Node, faults: FaultCollector) -> list[tuple[str, Node]]:
    """(where it was listed, row) of everybody in a side's object."""
    return [
        (place, row)
        for place, key in ((LINEUP, "starters"), (BENCH, "bench"), ("", "players"))
        for path, member in faults.try_read(section.items, key) or ()
        if (row := _object(path, member, section, faults)) is not None
    ]


def _complete_side(team: Side, section: Node | None, faults: FaultCollector) -> Side:
    seen: dict[str, tuple[Person, str]] = {}
    for place, row in _listed_people(section, faults) if section is not None else ():
        who = faults.try_read(person, row, faults)
        if who is not None:
            seen.setdefault(who.ext_id, (who, place or _place(row, faults)))
    return replace(
        team,
        lineup=order_members(who for who, place in seen.values() if place == LINEUP),
        bench=order_members(who for who, place in seen.values() if place == BENCH),
    )


def _place(row: Node, faults: FaultCollector) -> str:
    """Whether a player of a common list starts, sits on the bench, or is none."""
    found = (faults.try_read(row.keywords, key) or () for key in ("lineup_status", "function"))
    given = {keyword for each in found for _, keyword in each}
    if given & keywords(row.names, "function_staff"):
        return STAFF
    return BENCH if given & keywords(row.names, "function_bench") else LINEUP


def order_members(members: Iterable[Person]) -> tuple[Person, ...]:
    """Goalkeepers first, then by line and shirt number; ids break ties."""
    return tuple(sorted(members, key=lambda member: (*squad_rank(member), member.ext_id)))
