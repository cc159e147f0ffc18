"""Teams, players and squads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mapping.match.match import Person, Side, SideName
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.statsperform.read import Row
from providers.teams import squad_rank

SIDES: Mapping[str, SideName] = {"home": "home", "away": "away"}
POSITIONS = {
    **dict.fromkeys(("defender", "wing back"), "defense"),
    **dict.fromkeys(("defensive midfielder", "midfielder", "attacking midfielder"), "midfield"),
    **dict.fromkeys(("attacker", "striker"), "offense"),
    "goalkeeper": "keeper",
}
BENCH = "substitute"


def teams(info: Row, faults: FaultCollector) -> dict[SideName, Side]:
    """The sides that are known by now, without their squads."""
    found: dict[SideName, Side] = {}
    for at, item in enumerate(faults.try_read(lambda: info.needed("contestant").items("contestant")) or ()):
        read = faults.try_read(_team, item, f"contestant.{at}.", faults)
        if read is not None:
            found[read[0]] = read[1]
    return found


def _team(item: object, path: str, faults: FaultCollector) -> tuple[SideName, Side] | None:
    """None for a pair that is not known yet."""
    row = Row.of(item, path)
    side, ext_id, name = SIDES.get(row.needed("position").text("position") or ""), row.text("id"), row.text("name")
    if side is None:
        raise ValueMismatch(row.at("position"), "home or away expected")
    if ext_id is None or name is None:
        faults.add(row.at("id" if ext_id is None else "name"), "missing")
        return None
    short = faults.try_read(row.text, "shortName")
    return side, Side(ext_id=ext_id, name=name, short_name=short if short != name else None)


def with_squads(sides: Mapping[SideName, Side], live: Row, faults: FaultCollector) -> dict[SideName, Side]:
    """The sides with the people who are named for them."""
    squads = dict(_squads(live, faults))
    return {name: _with_squad(side, squads.get(side.ext_id, ())) for name, side in sides.items()}


def _with_squad(side: Side, members: tuple[tuple[Person, bool], ...]) -> Side:
    def listed(*, starts: bool) -> tuple[Person, ...]:
        return tuple(sorted((each for each, begins in members if begins is starts), key=squad_rank))

    return replace(side, lineup=listed(starts=True), bench=listed(starts=False))


def _squads(live: Row, faults: FaultCollector) -> Iterator[tuple[str, tuple[tuple[Person, bool], ...]]]:
    for at, item in enumerate(faults.try_read(live.items, "lineUp") or ()):
        row = faults.try_read(Row.of, item, f"lineUp.{at}.")
        if row is not None and (team := faults.try_read(row.text, "contestantId")) is not None:
            listed = faults.try_read(row.items, "player") or ()
            members = [
                faults.try_read(_member, each, f"{row.at('player')}.{n}.", faults) for n, each in enumerate(listed)
            ]
            yield team, tuple({each[0].ext_id: each for each in members if each is not None}.values())


def _member(item: object, path: str, faults: FaultCollector) -> tuple[Person, bool] | None:
    """(the person, whether he starts)."""
    row = Row.of(item, path)
    ext_id, name = row.needed("playerId").text("playerId"), _name(row, faults)
    if ext_id is None or name is None:
        faults.add(row.at("playerId" if ext_id is None else "matchName"), "missing")
        return None
    position = (faults.try_read(row.text, "position") or "").casefold()
    inner = (faults.try_read(row.text, "subPosition") or "").casefold() if position == BENCH else position
    number = faults.try_read(row.number, "shirtNumber")
    short = faults.try_read(row.text, "shortLastName") or faults.try_read(row.text, "lastName")
    person = Person(
        ext_id=ext_id,
        name=name,
        short_name=short if short != name else None,
        number=None if number is None else str(number),
        position=POSITIONS.get(inner),
    )
    return person, position != BENCH


def _name(row: Row, faults: FaultCollector) -> str | None:
    """The name that a person goes by: a known one, else first and last name in their short forms."""
    known = faults.try_read(row.text, "knownName")
    first, last = (
        faults.try_read(row.text, f"short{name}") or faults.try_read(row.text, name[0].lower() + name[1:])
        for name in ("FirstName", "LastName")
    )
    return known or " ".join(filter(None, [first, last])) or faults.try_read(row.text, "matchName")
