"""Teams, players and squads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mapping.match.match import Person, Side, SideName
from providers.fault_collector import FaultCollector
from providers.pa.catalog import LINEUPS
from providers.pa.read import Row, row_of
from providers.teams import squad_rank

SIDES: Mapping[SideName, str] = {"home": "homeTeam", "away": "awayTeam"}
POSITIONS = {"goal keeper": "keeper", "defender": "defense", "midfielder": "midfield", "striker": "offense"}


def teams(match: Row, lineups: Row, faults: FaultCollector, names: Mapping[str, str]) -> dict[SideName, Side]:
    """Both teams of a match with the people who are named for them, as far as they are there."""
    listed = faults.try_read(lineups.part, "teams") or Row({}, "teams.")
    squads = dict(_squad(listed, field, faults.for_row(LINEUPS, faults.row), names) for field in SIDES.values())
    found: dict[SideName, Side] = {}
    for side, field in SIDES.items():
        row = faults.try_read(lambda field=field: match.needed(field).part(field)) or Row({}, f"{field}.")  # type: ignore[misc]
        ext_id = faults.try_read(row.text, "teamID")
        name = faults.try_read(row.text, "teamName" if "teamName" in row.data else "name")  # lists of running matches
        if ext_id is None or name is None:
            faults.add(row.at("teamID" if ext_id is None else "teamName"), "missing")
        else:
            members = tuple(squads.get(ext_id, ()))
            found[side] = Side(ext_id=ext_id, name=name, lineup=_listed(members, True), bench=_listed(members, False))
    return found


def _listed(members: tuple[tuple[Person, bool], ...], starts: bool) -> tuple[Person, ...]:
    return tuple(sorted((who for who, begins in members if begins is starts), key=squad_rank))


def _squad(
    listed: Row, field: str, faults: FaultCollector, names: Mapping[str, str]
) -> tuple[str | None, Iterable[tuple[Person, bool]]]:
    """(id of the team, its people and whether each of them starts)."""
    row = faults.try_read(listed.part, field) or Row({})
    members: dict[str, tuple[Person, bool]] = {}
    for at, item in enumerate(faults.try_read(row.items, "players", "player") or ()):
        found = faults.try_read(_member, item, f"{field}.player.{at}.", faults, names)
        members |= {} if found is None else {found[0].ext_id: found}
    return faults.try_read(row.text, "teamID"), members.values()


def _member(item: object, path: str, faults: FaultCollector, names: Mapping[str, str]) -> tuple[Person, bool]:
    row = row_of(item, path)
    ext_id, name = (row.needed(field).text(field) or "" for field in ("playerID", "fullName"))
    number, last = faults.try_read(row.number, "shirtNumber"), faults.try_read(row.text, "lastName")
    person = Person(
        ext_id=ext_id, name=name, short_name=last if last != name else None, number=None if number is None else str(number),
        position=POSITIONS.get((faults.try_read(row.text, "position") or "").casefold()),
    )  # fmt: skip
    return person, faults.try_read(lambda: row.needed("substitute").text("substitute")) == names["no"]
