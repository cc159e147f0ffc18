"""Reads the matches of a league's round or season; the same bytes give the same matches."""

from collections.abc import Mapping

from mapping.errors import BadBody
from mapping.match.fixture import Fixture, FixtureList, FixtureStatus, NamedId
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.fetch import decode
from providers.match_lists import Days, read_fixtures
from providers.openligadb.goals import read_goals, results, standing
from providers.openligadb.payload import MATCH, Row
from providers.openligadb.translate import kickoff, status_of


def fixtures(body: bytes, days: Days, *, names: Mapping[str, str]) -> FixtureList:
    """The matches of these days in a list that holds others too. BadBody where it cannot be read."""
    value = decode(MATCH, body)
    if not isinstance(value, list):
        raise BadBody(f"{MATCH}: list expected")
    return read_fixtures(value, lambda each: _fixture(Row.of(each, "match"), days, names), days, beyond=True)


def _fixture(match: Row, days: Days, names: Mapping[str, str]) -> Fixture:
    """One match. ValueMismatch where its id, its kick-off or a team cannot be read."""
    faults = FaultCollector(MATCH, "")
    ident, moment = match.ident("matchID"), kickoff(match, days.zone, faults)
    if ident is None or moment is None:
        raise ValueMismatch("matchID" if ident is None else "matchDateTimeUTC", "missing")
    home, away = (_named_id(match.part(side), "teamId", "teamName") for side in ("team1", "team2"))
    if home is None and away is None:
        raise ValueMismatch("team1", "missing")
    group = faults.try_read(match.part, "group")
    status = _status(match, days, names)
    return Fixture(
        match_id=ident,
        sport="soccer",
        competition=faults.try_read(_named_id, match, "leagueId", "leagueName"),
        season=_season(match, faults),
        round=None if group is None else faults.try_read(group.text, "groupName"),
        home=home,
        away=away,
        kickoff=moment,
        status=status,
        score=_score(match, names) if status in {FixtureStatus.LIVE, FixtureStatus.FINISHED} else None,
        text_coverage=False,
    )


def _named_id(row: Row | None, ident: str, name: str) -> NamedId | None:
    found = None if row is None else row.ident(ident)
    called = None if row is None or found is None else row.needed(name).text(name)
    return None if found is None or called is None else NamedId(found, called)


def _season(match: Row, faults: FaultCollector) -> str | None:
    season = faults.try_read(match.number, "leagueSeason")
    return None if season is None else str(season)


def _status(match: Row, days: Days, names: Mapping[str, str]) -> FixtureStatus | None:
    """Where the match stands, None without the flag of its end; the feed has no word for it, and no other states."""
    over = FaultCollector(MATCH, "").try_read(match.flag, "matchIsFinished")
    return None if over is None else FixtureStatus.of(status_of(match, days.zone, names))


def _score(match: Row, names: Mapping[str, str]) -> tuple[int, int] | None:
    """The score on the pitch: kicks of a shoot-out count on in the feed."""
    faults = FaultCollector(MATCH, "")
    goals = [goal.score for goal in read_goals(match, faults, names) if not goal.kick]
    score = standing(goals, results(match, faults, names))
    return None if score is None else (score.home, score.away)
