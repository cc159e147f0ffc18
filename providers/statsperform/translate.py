"""Makes the canonical match, with teams and squads, of Stats Perform's last good body; the same body gives the same match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mapping.errors import BadBody, DownstreamRejected, MatchUnknown
from mapping.match.match import Incident, Match, Named, PeriodScore, Person, Score, Side, SideName, Status
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.results_and_squads import divide_squad, how_decided, in_order_of_play
from providers.statsperform.clock import Course, clock, course, kickoff, marks
from providers.statsperform.incidents import KICK, People, incidents
from providers.statsperform.payload import MATCH, Row, find_match

HALF, FULL, EXTRA = 1, 2, 4
"""Parts with whose end a score is final."""


SIDES: Mapping[str, SideName] = {"home": "home", "away": "away"}
POSITIONS = {
    **dict.fromkeys(("defender", "wing back"), "defense"),
    **dict.fromkeys(("defensive midfielder", "midfielder", "attacking midfielder"), "midfield"),
    **dict.fromkeys(("attacker", "striker"), "offense"),
    "goalkeeper": "keeper",
}
BENCH = "substitute"


def translate(match_id: str, bodies: Mapping[str, bytes], *, names: Mapping[str, str]) -> Match:
    """The match that the body describes. What cannot be understood becomes faults; DownstreamRejected without a match."""
    try:
        found = find_match(bodies[MATCH], match_id)
    except (BadBody, MatchUnknown, KeyError) as error:
        raise DownstreamRejected("the provider's answers hold no such match") from error
    faults = FaultCollector(MATCH, match_id)
    info, live = (_part(found, name, faults) for name in ("matchInfo", "liveData"))
    details = _part(live, "matchDetails", faults)
    of = course(details, faults, names)
    sides = add_squads(teams(info, faults), live, faults)
    happened = incidents(live, People.of(sides), faults, names)
    start, is_open = kickoff(info, faults)
    match = Match(
        provider="statsperform",
        match_id=match_id,
        sport="soccer",
        status=of.status,
        kickoff=start,
        kickoff_open=is_open,
        clock=clock(of),
        home=sides.get("home"),
        away=sides.get("away"),
        tournament=_read_named(info, "competition", "name", faults),
        location=_read_named(info, "venue", "longName", faults),
        text=False,
    )
    if of.part or of.status.running or of.status.over:
        match = _add_play(match, of, details, happened, faults)
    return replace(match, faults=faults.collected, unreadable_keys=faults.unreadable)


def _part(row: Row, name: str, faults: FaultCollector) -> Row:
    """An object that the format always has; an empty one, and a fault that takes nothing back, where it is not there."""
    found = faults.try_read(lambda: row.needed(name).part(name), blocks_withdrawal=True)
    return Row({}, f"{row.at(name)}.") if found is None else found


def _add_play(match: Match, of: Course, details: Row, happened: Sequence[Incident], faults: FaultCollector) -> Match:
    scores = faults.try_read(details.part, "scores") or Row({}, details.at("scores."))
    total = faults.try_read(scores.score_in, "total")
    kicks = faults.try_read(scores.score_in, "pen") if of.part > EXTRA else None  # else the result is repeated there
    winner = faults.try_read(details.text, "winner") or ""
    newest = [each.score for each in happened if each.score is not None and each.method != KICK]
    return replace(
        match,
        score=total or (newest[-1] if newest else None if match.status.over else Score(0, 0)),
        decided=how_decided(
            match.status,
            shootout=kicks is not None,
            extra=of.part > FULL,
            result=total is not None,
            awarded=of.awarded,
        ),
        shootout=kicks,
        periods=tuple(_periods(of, scores, total, faults)),
        winner=SIDES.get(winner) if match.status is Status.FINISHED else None,
        incidents=in_order_of_play(marks(of), happened),
    )


def _periods(of: Course, scores: Row, total: Score | None, faults: FaultCollector) -> list[PeriodScore]:
    """The scores of parts that are over: the feed's own may run along with a part that is played."""
    half, full, extra = (faults.try_read(scores.score_in, name) for name in ("ht", "ft", "et"))
    extra = _after_extra_time(full, extra, total, faults)
    ended = of.part if of.in_break or of.status is Status.FINISHED else of.part - 1
    over = ((HALF, "half-time", half), (FULL, "full-time", full), (EXTRA, "extra-time", extra))
    return [PeriodScore(title=title, score=score) for part, title, score in over if score is not None and part <= ended]


def _after_extra_time(
    full: Score | None, extra: Score | None, total: Score | None, faults: FaultCollector
) -> Score | None:
    """The score after 120 minutes; whether the feed's counts from the beginning or from minute 90 is not settled."""
    if full is None or extra is None or total is None:
        return extra
    if extra == total or Score(full.home + extra.home, full.away + extra.away) == total:
        return total
    faults.add("scores.et", f"{extra} fits neither the whole match nor its extra time")
    return None


def _read_named(info: Row, name: str, called: str, faults: FaultCollector) -> Named | None:
    row = faults.try_read(info.part, name)
    ext_id, text = (None, None) if row is None else (faults.try_read(row.text, "id"), faults.try_read(row.text, called))
    return None if ext_id is None or text is None else Named(ext_id=ext_id, name=text)


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


def add_squads(sides: Mapping[SideName, Side], live: Row, faults: FaultCollector) -> dict[SideName, Side]:
    """The sides with the people who are named for them."""
    squads = {team: divide_squad(members) for team, members in _squads(live, faults)}
    found: dict[SideName, Side] = {}
    for name, side in sides.items():
        lineup, bench = squads.get(side.ext_id, ((), ()))
        found[name] = replace(side, lineup=lineup, bench=bench)
    return found


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
