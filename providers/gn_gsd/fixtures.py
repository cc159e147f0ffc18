"""Reads the matches of a schedule of Global Sports Data; the same bytes give the same matches."""

from collections.abc import Mapping
from typing import Any

from mapping.errors import BadBody
from mapping.match.fixture import Fixture, FixtureList, FixtureStatus, NamedId
from providers.fault_collector import FaultCollector, ValueMismatch, read_if_fits
from providers.fetch import decode
from providers.gn_gsd import clock
from providers.gn_gsd.catalog import STATUSES
from providers.gn_gsd.names import keywords
from providers.gn_gsd.payload import sport_named
from providers.gn_gsd.read import Node, node, walk, ways
from providers.gn_gsd.translate import related_events
from providers.match_lists import Days, read_fixtures

LIST = "schedule-results"


def fixtures(body: bytes, days: Days, *, names: Mapping[str, str]) -> FixtureList:
    """The matches of a list. BadBody where it cannot be read, and for one that has no list of matches."""
    return read_fixtures(_rows(body, names), lambda each: _fixture(node("match", each, names)), days)


def _rows(body: bytes, names: Mapping[str, str]) -> list[Any]:
    value = decode(LIST, body)
    paths = ways(names["listed_matches"]) if isinstance(value, dict) else ()
    found = read_if_fits(lambda: [walk(value, steps, "") for _, steps in paths]) or ()
    rows: list[Any] | None = next((each for each in found if isinstance(each, list)), None)
    if rows is None:
        raise BadBody(f"{LIST}: list of matches expected")
    return rows


def _fixture(match: Node) -> Fixture:
    """One match. ValueMismatch where its id, its start or a team cannot be read, or nothing says who plays."""
    faults = FaultCollector(LIST, "")
    ident, moment = match.ident("id"), match.moment("kickoff")
    if ident is None or moment is None:
        raise ValueMismatch(match.names["id" if ident is None else "kickoff"], "missing")
    home, away = (_team(match, side) for side in ("home", "away"))
    title = match.text("name") if home is None and away is None else None
    if home is None and away is None and title is None:
        raise ValueMismatch(match.names["home"], "missing")
    status, word = _status(match)
    above = related_events(match, faults)
    contest, phase = (
        next((named for kind, named in above if kind in keywords(match.names, kinds)), None)
        for kinds in ("tournament_kinds", "round_kinds")
    )
    return Fixture(
        match_id=ident,
        sport=sport_named(match),
        competition=None if contest is None else NamedId(contest.ext_id, contest.name),
        round=None if phase is None else phase.name,
        home=home,
        away=away,
        title=title,
        kickoff=moment,
        status=status,
        status_word=word,
        score=_score(match) if status is not None and status.begun else None,
        text_coverage=False,
    )


def _team(match: Node, side: str) -> NamedId | None:
    """A team; None as long as it is not known."""
    row = match.part(side)
    ident, name = (None, None) if row is None else (row.ident("id"), row.text("name"))
    if row is not None and (ident is None or name is None):
        raise ValueMismatch(f"{row.path}{'id' if ident is None else 'name'}", "missing")
    return None if ident is None or name is None else NamedId(ident, name)


def _status(match: Node) -> tuple[FixtureStatus | None, str | None]:
    """Where the match stands by its status and period; None for a keyword that nobody knows, with that, and for none."""
    faults = FaultCollector(LIST, "")
    given = [keyword for _, keyword in faults.try_read(match.keywords, "status") or ()]
    period = clock.stage(match, faults)
    known = any(keyword in keywords(match.names, key) for keyword in given for key in STATUSES)
    if not known and (given or period is None):
        return None, next(iter(given), None)
    return FixtureStatus.of(clock.state(match, period, faults, played=False).status), None


def _score(match: Node) -> tuple[int, int] | None:
    faults = FaultCollector(LIST, "")
    home, away = (faults.try_read(match.number, f"score_{side}") for side in ("home", "away"))
    return None if home is None or away is None else (home, away)
