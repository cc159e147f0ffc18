"""A phase or an overall of cycling: a race of its own, with a title and a start, neither score nor incidents."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mapping.errors import DownstreamRejected
from mapping.match import Match, Placing, Race, Side
from providers.fault_collector import FaultCollector
from providers.gn_gsd import clock
from providers.gn_gsd.read import Node, node
from providers.gn_gsd.related import above
from providers.gn_gsd.squads import person

if TYPE_CHECKING:
    from mapping.match import Named
    from providers.gn_gsd.payload import Target


def race(of: Target, found: Node) -> Match:
    """The race as a match without sides. DownstreamRejected where nothing tells what it is called."""
    notes = FaultCollector(of.kind, of.id)
    over = above(found, notes)
    title = _title(notes.try_read(partial(found.text, "name")), over)
    if title is None:
        raise DownstreamRejected(f"the provider's {of.kind} has no name")
    period = clock.stage(found, notes)
    return Match(
        provider="gn-gsd",
        match_id=of.match_id,
        sport="cycling",
        status=clock.status(found, period, notes, played=False),
        kickoff=notes.try_read(partial(found.moment, "kickoff")),
        title=title,
        tournament=over,
        race=_start_list(found, notes),
        text=False,
        faults=notes.faults,
    )


def _title(name: str | None, over: Named | None) -> str | None:
    """`Tour of Examples \u2013 Stage 5`; the race alone where the stage has no name, or says it itself."""
    if over is None or (name is not None and over.name.casefold() in name.casefold()):
        return name
    return over.name if name is None else f"{over.name} \u2013 {name}"


def _start_list(found: Node, notes: FaultCollector) -> Race | None:
    """Who starts, in the feed's order: a ranking without places; None as long as nobody is named."""
    rows = (
        notes.try_read(partial(node, path, member, found.names))
        for path, member in notes.try_read(partial(found.items, "entrants")) or ()
    )
    placings = {who.person.ext_id: who for row in rows if row is not None and (who := _starter(row, notes)).person}
    return Race(ranking=tuple(placings.values())) if placings else None


def _starter(row: Node, notes: FaultCollector) -> Placing:
    who = notes.try_read(partial(person, row, notes))
    number = notes.try_read(partial(row.text, "start_number"))
    team_id, team = (
        notes.try_read(partial(row.ident, "entrant_team_id")),
        notes.try_read(partial(row.text, "entrant_team")),
    )
    return Placing(
        position=None,
        person=who if who is None else replace(who, number=number or who.number),
        team=None if team is None else Side(ext_id=team_id or team, name=team),
    )
