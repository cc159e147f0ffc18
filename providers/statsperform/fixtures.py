"""Reads a page of Stats Perform's list of matches; the same bytes give the same matches."""

from collections.abc import Mapping
from typing import Any

from mapping.errors import BadBody
from mapping.match.fixture import Fixture, FixtureList, FixtureStatus, NamedId
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.fetch import decode
from providers.match_lists import Days, read_fixtures
from providers.statsperform.clock import course, kickoff
from providers.statsperform.payload import ID, Row

LIST = "match"


def page_rows(body: bytes) -> list[Any]:
    """The matches of a page, unread. BadBody where it is none."""
    value = decode(LIST, body)
    rows = value.get("match") if isinstance(value, dict) else None
    if not isinstance(rows, list):
        raise BadBody(f"{LIST}: list expected")
    return rows


def fixtures(body: bytes, days: Days, *, names: Mapping[str, str]) -> FixtureList:
    """The matches of a page. BadBody where it cannot be read."""
    return read_fixtures(page_rows(body), lambda each: _fixture(Row.of(each, "match"), names), days)


def _fixture(match: Row, names: Mapping[str, str]) -> Fixture:
    """One match. ValueMismatch where its id, its day or a team cannot be read, or nothing says who plays."""
    faults = FaultCollector(LIST, "")
    info = match.needed("matchInfo").part("matchInfo") or Row({})
    ident = info.text("id")
    moment, is_open = kickoff(info, faults)
    if ident is None or ID.fullmatch(ident) is None or moment is None:
        raise ValueMismatch("matchInfo.id" if moment is not None else "matchInfo.date", "missing")
    teams = _teams(info)
    title = None if teams else info.text("description")
    if not teams and title is None:
        raise ValueMismatch("matchInfo.contestant", "missing")
    live = faults.try_read(match.part, "liveData") or Row({})
    details = faults.try_read(live.part, "matchDetails") or Row({})
    status, word = _status(details, names)
    parts = _part_text(info, "stage", "name", faults), faults.try_read(info.text, "week")
    rules = _part_text(info, "ruleset", "name", faults)
    return Fixture(
        match_id=ident,
        sport=_sport(info, names, faults),
        competition=_competition(info, faults),
        season=_part_text(info, "tournamentCalendar", "name", faults),
        round=" ".join(filter(None, parts)) or None,
        home=teams.get("home"),
        away=teams.get("away"),
        title=title,
        kickoff=moment,
        kickoff_open=is_open,
        status=status,
        status_word=word,
        score=_score(details) if status is not None and status.begun else None,
        gender={names["ruleset_men"]: "male", names["ruleset_women"]: "female"}.get(rules or ""),
        text_coverage=False,
    )


def _teams(info: Row) -> dict[str, NamedId]:
    """`home` and `away`, as far as the pair is known: a contestant without an id is not."""
    found: dict[str, NamedId] = {}
    for at, item in enumerate(info.items("contestant")):
        row = Row.of(item, f"contestant.{at}.")
        place, ident = row.text("position"), row.text("id")
        if place is not None and ident is not None:
            found[place] = NamedId(ident, row.needed("name").text("name") or ident)
    return found


def _competition(info: Row, faults: FaultCollector) -> NamedId | None:
    ident, name = _part_text(info, "competition", "id", faults), _part_text(info, "competition", "name", faults)
    return None if ident is None or name is None else NamedId(ident, name)


def _sport(info: Row, names: Mapping[str, str], faults: FaultCollector) -> str | None:
    named = _part_text(info, "sport", "name", faults)
    return "soccer" if named == names["sport_soccer"] else named


def _part_text(info: Row, part: str, name: str, faults: FaultCollector) -> str | None:
    row = faults.try_read(info.part, part)
    return None if row is None else faults.try_read(row.text, name)


def _status(details: Row, names: Mapping[str, str]) -> tuple[FixtureStatus | None, str | None]:
    """Where the match stands; None for a word that nobody knows, and with it, and for none."""
    faults = FaultCollector(LIST, "")
    word = faults.try_read(details.text, "matchStatus")
    if word is None or word not in {value for name, value in names.items() if name.startswith("status_")}:
        return None, word
    return FixtureStatus.of(course(details, faults, names).status), None


def _score(details: Row) -> tuple[int, int] | None:
    faults = FaultCollector(LIST, "")
    scores = faults.try_read(details.part, "scores") or Row({})
    total = faults.try_read(scores.score_in, "total")
    return None if total is None else (total.home, total.away)
