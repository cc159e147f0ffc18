"""Teams, players and line-ups."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mapping.match import Named, Person, Side, SideName
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.gn_gsd.read import Node, node
from providers.gn_gsd.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

POSITIONS = {
    "function_keeper": "keeper",
    "function_defense": "defense",
    "function_midfield": "midfield",
    "function_offense": "offense",
}
"""Name of the words of a function → position key of the interface, in the order of a line-up."""

ORDER = {position: index for index, position in enumerate(POSITIONS.values())}
LINEUP, BENCH, STAFF = "lineup", "bench", "staff"


def person(row: Node | None, notes: FaultCollector) -> Person | None:
    """A player; None where nobody is named. ValueMismatch for one without an id."""
    if row is None:
        return None
    ext_id, name = row.ident("person_id"), notes.try_read(lambda: row.text("person_name"))
    if ext_id is None and name is None:
        return None
    if ext_id is None or name is None:
        raise ValueMismatch(f"{row.path}{'id' if ext_id is None else 'names.default'}", "missing")
    short = notes.try_read(lambda: row.text("person_short"))
    return Person(
        ext_id=ext_id,
        name=name,
        short_name=short if short != name else None,
        number=notes.try_read(lambda: row.text("shirt")),
        position=_position(notes.try_read(lambda: row.word("function")) or "", row.names),
        country=notes.try_read(row.country),
        image=notes.try_read(lambda: row.text("person_image")),
    )


def _position(function: str, names: Mapping[str, str]) -> str | None:
    """By any word of a function, which may be marked (`Defender (C)` is the captain)."""
    parts = {function, *function.split("_")}
    return next((position for key, position in POSITIONS.items() if parts & words(names, key)), None)


def side(row: Node | None, notes: FaultCollector) -> Side | None:
    """A team without its squad; one without an id is known by its name. None while the team is not determined."""
    if row is None:
        return None
    ext_id, name = notes.try_read(lambda: row.ident("id")), notes.try_read(lambda: row.text("name"))
    short = notes.try_read(lambda: row.text("short_name"))
    called = name or short
    if called is None:
        raise ValueMismatch(f"{row.path}names.default", "missing")
    if ext_id is None:
        notes.add(f"{row.path}id", "missing")
    return Side(
        ext_id=ext_id or called,
        name=called,
        short_name=short if short != called else None,
        country=notes.try_read(row.country),
        image=notes.try_read(lambda: row.text("team_image")),
    )


def named(row: Node | None, notes: FaultCollector) -> Named | None:
    """A venue; ValueMismatch where it has an id, but no name."""
    ext_id = row.ident("id") if row is not None else None
    if row is None or ext_id is None:
        return None
    name = row.text("name")
    if name is None:
        raise ValueMismatch(f"{row.path}names.default", "missing")
    return Named(
        ext_id=ext_id, name=name, town=notes.try_read(lambda: row.text("town")), country=notes.try_read(row.country)
    )


def with_squads(
    sides: Mapping[SideName, Side | None], lineups: Node | None, notes: FaultCollector
) -> Mapping[SideName, Side | None]:
    """The teams with the squads of the line-ups; teams alone where there are none."""
    rows = sections(lineups, notes) if lineups is not None else {}
    return {
        name: team if team is None else _completed(team, rows.get(name) or rows.get(team.ext_id), notes)
        for name, team in sides.items()
    }


def players(lineups: Node) -> int:
    """How many rows of players the line-ups hold, whosever they are."""
    unread = FaultCollector("", "")
    return sum(len(_listed(section, unread)) for section in sections(lineups, unread).values())


def sections(lineups: Node, notes: FaultCollector) -> Mapping[str, Node]:
    """The objects of the sides: by `home` and `away`, or by the id of the team where the sides are a list."""
    _, value = notes.try_read(partial(lineups.first, "lineups_envelope")) or ("", None)
    if isinstance(value, list):
        rows = (_object(path, member, lineups, notes) for path, member in lineups.items("lineups_envelope"))
        named = ((notes.try_read(partial(row.ident, "side")), row) for row in rows if row is not None)
        return {team_id: row for team_id, row in named if team_id is not None}
    root = notes.try_read(partial(lineups.part, "lineups_envelope")) or lineups
    found = {name: notes.try_read(partial(root.part, name)) for name in ("home", "away")}
    return {name: row for name, row in found.items() if row is not None}


def _object(path: str, member: Any, parent: Node, notes: FaultCollector) -> Node | None:
    return notes.try_read(partial(node, path, member, parent.names))


def _listed(section: Node, notes: FaultCollector) -> list[tuple[str, Node]]:
    """(where it was listed, row) of everybody in a side's object."""
    return [
        (place, row)
        for place, key in ((LINEUP, "starters"), (BENCH, "bench"), ("", "players"))
        for path, member in notes.try_read(partial(section.items, key)) or ()
        if (row := _object(path, member, section, notes)) is not None
    ]


def _completed(team: Side, section: Node | None, notes: FaultCollector) -> Side:
    seen: dict[str, tuple[Person, str]] = {}
    for place, row in _listed(section, notes) if section is not None else ():
        who = notes.try_read(partial(person, row, notes))
        if who is not None:
            seen.setdefault(who.ext_id, (who, place or _place(row, notes)))
    return replace(
        team,
        lineup=ordered(who for who, place in seen.values() if place == LINEUP),
        bench=ordered(who for who, place in seen.values() if place == BENCH),
    )


def _place(row: Node, notes: FaultCollector) -> str:
    """Whether a player of a common list starts, sits on the bench, or is none."""
    found = (notes.try_read(partial(row.words, key)) or () for key in ("lineup_status", "function"))
    told = {word for each in found for _, word in each}
    if told & words(row.names, "function_staff"):
        return STAFF
    return BENCH if told & words(row.names, "function_bench") else LINEUP


def ordered(members: Iterable[Person]) -> tuple[Person, ...]:
    """Goalkeepers first, then by line and shirt number."""
    return tuple(sorted(members, key=_rank))


def _rank(member: Person) -> tuple[int, int, str]:
    number = member.number or ""
    plain_number = number.isascii() and number.isdigit() and len(number) < 5
    return ORDER.get(member.position or "", len(ORDER)), int(number) if plain_number else 10_000, member.ext_id
