"""Makes the canonical match, with teams and squads, of PA's last good bodies; the same bodies give the same match."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mapping.errors import BadBody, DownstreamRejected, MatchUnknown, ProviderRefused
from mapping.match.match import Clock, Incident, Match, Named, PeriodScore, Person, Score, Side, SideName, Status
from providers.fault_collector import FaultCollector
from providers.pa.catalog import EVENTS, EXTRA, HALVES, LINEUPS, MATCH
from providers.pa.clock import Situation, kickoff, marks, situation
from providers.pa.match_events import Story, story
from providers.pa.payload import Row, find_events, find_match, find_squads, row_of
from providers.results_and_squads import divide_squad, how_decided, in_order_of_play, winner
from providers.xml_reader import TEXT

KICKS = re.compile(r"^(.{1,80}) wins? ([0-9]{1,2})-([0-9]{1,2}) on penalties\b", re.IGNORECASE)


SIDES: Mapping[SideName, str] = {"home": "homeTeam", "away": "awayTeam"}
POSITIONS = {"goal keeper": "keeper", "defender": "defense", "midfielder": "midfield", "striker": "offense"}


def translate(match_id: str, bodies: Mapping[str, bytes], *, names: Mapping[str, str]) -> Match:
    """The match that the bodies describe, and faults of what they hold beside; DownstreamRejected without a match."""
    try:
        row = find_match(bodies[MATCH], match_id, names)
        happened = find_events(bodies[EVENTS], names) if EVENTS in bodies else Row({})
        named = find_squads(bodies[LINEUPS], match_id, names) if LINEUPS in bodies else Row({})
    except (BadBody, MatchUnknown, ProviderRefused, KeyError) as error:
        raise DownstreamRejected("the provider's answers hold no such match") from error
    faults = FaultCollector(MATCH, match_id)
    sides = teams(row, named, faults, names)
    events = story(happened, sides, faults.for_row(EVENTS, match_id), names)
    of = situation(row, faults, names, reached=events.reached, extra=events.extra)
    start, is_open = kickoff(row, faults)
    match = Match(
        provider="pa", match_id=match_id, sport="soccer", status=of.status, kickoff=start, kickoff_open=is_open,
        clock=Clock(phase=of.part, in_break=of.status is Status.BREAK),
        home=sides.get("home"), away=sides.get("away"), location=_venue(row, faults), text=False,
    )  # fmt: skip
    if of.part:
        match = _add_play(match, of, row, events, faults)
    return replace(match, faults=faults.collected, unreadable_keys=faults.unreadable)


def _add_play(match: Match, of: Situation, row: Row, events: Story, faults: FaultCollector) -> Match:
    score = _score(row, "score", faults)
    if score is None:
        faults.add("score", "missing")
    kicks = events.shootout or _kicks(row, match.home)
    decisive = kicks if kicks is not None and kicks.home != kicks.away else score
    return replace(
        match, score=score or (None if match.status.over else Score(0, 0)), shootout=kicks,
        winner=winner(match.status, decisive),
        decided=how_decided(match.status, shootout=kicks is not None, extra=of.extra or of.part > EXTRA, result=score is not None),
        periods=tuple(_periods(of, score, _score(row, "htScore", faults), events)),
        incidents=in_order_of_play(marks(of), events.incidents),
    )  # fmt: skip


def _score(row: Row, field: str, faults: FaultCollector) -> Score | None:
    """A score of both teams; None where a half of it is missing."""
    home, away = (faults.try_read(row.inner(side).number, field) for side in SIDES.values())
    return None if home is None or away is None else Score(home, away)


def _kicks(row: Row, home: Side | None) -> Score | None:
    """The tally of a shoot-out in the words of a comment, where no events have it."""
    said = KICKS.match(row.plain("comments") or "")
    if said is None or home is None:
        return None
    won, lost = int(said[2]), int(said[3])
    return Score(won, lost) if said[1].casefold() == home.name.casefold() else Score(lost, won)


def _periods(of: Situation, score: Score | None, half: Score | None, events: Story) -> list[PeriodScore]:
    """The scores of parts that are over; that after normal time is counted where extra time was played."""
    ended = of.part if of.ended or of.status is Status.FINISHED else of.part - 1
    full = _count_score(events.incidents, score) if of.extra else score
    scores = ((1, "half-time", half), (HALVES, "full-time", full), (EXTRA, "extra-time", score if of.extra else None))
    return [PeriodScore(title=title, score=each) for part, title, each in scores if each is not None and part <= ended]


def _count_score(incidents: Sequence[Incident], score: Score | None) -> Score | None:
    """The score after normal time by the goals alone; None where they do not lead to the score that the feed gives."""
    goals = [(0, Score(0, 0)), *((each.phase or 0, each.score) for each in incidents if each.score is not None)]
    return [each for phase, each in goals if phase <= HALVES][-1] if goals[-1][1] == score else None


def _venue(row: Row, faults: FaultCollector) -> Named | None:
    venue = faults.try_read(row.part, "venue") or Row({})
    ext_id = faults.try_read(venue.text, "venueID")
    name = None if ext_id is None else faults.try_read(lambda: venue.needed(TEXT).text(TEXT))
    return None if ext_id is None or name is None else Named(ext_id=ext_id, name=name)


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
            lineup, bench = divide_squad(squads.get(ext_id, ()))
            found[side] = Side(ext_id=ext_id, name=name, lineup=lineup, bench=bench)
    return found


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
