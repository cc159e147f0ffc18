"""Reads the matches of a day from PA's list; the same bytes give the same matches."""

from collections.abc import Mapping

from mapping.match.fixture import Fixture, FixtureList, FixtureStatus, NamedId
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.match_lists import Days, read_fixtures
from providers.pa.clock import kickoff, situation
from providers.pa.payload import NothingYet, Row, day_rows, row_of
from providers.xml_reader import TEXT

LIST = "matchDay"


def fixtures(body: bytes, days: Days, *, names: Mapping[str, str]) -> FixtureList:
    """The matches of a list; `days` are those of London. BadBody where it cannot be read.

    That no data are available means that there are no matches (inferred from the words).
    """
    try:
        rows = day_rows(LIST, body, names)
    except NothingYet:
        return FixtureList(fixtures=())
    return read_fixtures(rows, lambda each: _fixture(row_of(each, "match."), names), days)


def _fixture(match: Row, names: Mapping[str, str]) -> Fixture:
    """One match. ValueMismatch where its id, its day or a team cannot be read."""
    faults = FaultCollector(LIST, "")
    ident = match.needed("matchID").number("matchID")
    status, word = _status(match, names)
    moment, is_open = kickoff(match, faults)
    if moment is None:
        raise ValueMismatch("date", "missing")
    contest = _contest(match, faults)
    gender = None if contest is None else _gender(contest.id, names)
    home, away = (_team(match, side) for side in ("homeTeam", "awayTeam"))
    if home is None and away is None:
        raise ValueMismatch("homeTeam", "missing")
    return Fixture(
        match_id=str(ident),
        sport="soccer",
        competition=contest,
        round=_text_in(match, "round", faults),
        home=home,
        away=away,
        kickoff=moment,
        kickoff_open=is_open and not (status is not None and status.begun),
        status=status,
        status_word=word,
        score=_score(match) if status is not None and status.begun else None,
        gender=gender,
        age_class=None if gender is None else "senior",
        text_coverage=False,
    )


def _gender(competition: str, names: Mapping[str, str]) -> str | None:
    """Who plays the competition, which no row says: known of some, all of first teams."""
    for gender, name in (("male", "competitions_men"), ("female", "competitions_women")):
        if competition in {each.strip() for each in names[name].split(",")}:
            return gender
    return None


def _team(match: Row, side: str) -> NamedId | None:
    row = match.part(side)
    ident = None if row is None else row.text("teamID")
    name = None if row is None or ident is None else row.needed("teamName").text("teamName")
    return None if ident is None or name is None else NamedId(ident, name)


def _contest(match: Row, faults: FaultCollector) -> NamedId | None:
    """The competition, which the list of one does not name."""
    row = faults.try_read(match.part, "competition")
    ident, name = (None if row is None else faults.try_read(row.text, at) for at in ("competitionID", TEXT))
    return None if ident is None or name is None else NamedId(ident, name)


def _text_in(match: Row, name: str, faults: FaultCollector) -> str | None:
    """The text of a child, with attributes or without."""
    value = match.data.get(name)
    row = match.inner(name) if isinstance(value, dict) else Row({TEXT: value})
    return faults.try_read(row.text, TEXT)


def _score(match: Row) -> tuple[int, int] | None:
    """The score on the pitch; None where one of its halves cannot be read."""
    faults = FaultCollector(LIST, "")
    home, away = (faults.try_read(match.inner(side).number, "score") for side in ("homeTeam", "awayTeam"))
    return None if home is None or away is None else (home, away)


def _status(match: Row, names: Mapping[str, str]) -> tuple[FixtureStatus | None, str | None]:
    """Where the match stands; None for a word that nobody knows, and with it, and for none."""
    faults = FaultCollector(LIST, "")
    word = faults.try_read(match.text, "matchStatus")
    if word is None or word not in {value for name, value in names.items() if name.startswith("status_")}:
        return None, word
    return FixtureStatus.of(situation(match, faults, names).status), None
