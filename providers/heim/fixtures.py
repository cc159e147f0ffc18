"""Reads the matches of a day from HEIM:SPIEL's list; the same bytes give the same matches."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mapping.match.fixture import Fixture, FixtureList, FixtureStatus, NamedId
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.fetch import decode
from providers.heim.clock import is_open, listed_status
from providers.heim.payload import BRANCHES, Found, competition, named_sport, race_title, round_of
from providers.heim.read import RUNNING, Row, scores, seconds, table
from providers.match_lists import Days, read_fixtures

LIST = "matches-by-date"
GENDERS = frozenset({"male", "female"})
PERIOD = re.compile(r"[a-z]+(?:-[a-z]+)*-(?:start|end)", re.ASCII)
"""What `current_period` looks like in every sport."""
OPEN = "unknown"
"""Stands for an hour that is not fixed (recorded)."""
HOURS = ("%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What all matches of a round have in common."""

    above: tuple[Row, ...] = ()
    sport: str | None = None
    competition: NamedId | None = None
    season: str | None = None
    round: str | None = None
    gender: str | None = None
    age_class: str | None = None


def fixtures(body: bytes, days: Days, *, names: Mapping[str, str]) -> FixtureList:
    """The matches of a list, those of a competition together; `days`: of the feed's local times.

    A list may begin at sports or at competitions, and a competition may come several times. BadBody where it cannot be read.
    """
    value = decode(LIST, body)
    found = [each for node in (value if isinstance(value, list) else [value]) for each in _find_places(node, names)]
    listed = read_fixtures(found, lambda each: _fixture(*each, days, names), days)
    order = {each: at for at, each in enumerate(dict.fromkeys(place.competition for place, _ in found))}
    return replace(listed, fixtures=tuple(sorted(listed.fixtures, key=lambda each: order[each.competition])))


def _find_places(node: object, names: Mapping[str, str], above: tuple[Row, ...] = ()) -> Iterator[tuple[Place, object]]:
    """What stands where a match should, with its place; a branch that is none, or leads nowhere, is a row that nobody can read."""
    branch = next((each for each in BRANCHES if each in node), None) if isinstance(node, dict) else None
    if branch is None or not isinstance(node, dict):
        yield Place(), None
        return
    path, below = (*above, Row(node)), node[branch]
    place = _place(path, names) if branch == "match" else Place()
    for child in below if isinstance(below, list) else [below]:
        if branch == "match":
            yield place, child
        else:
            yield from _find_places(child, names, path)


def _place(above: tuple[Row, ...], names: Mapping[str, str]) -> Place:
    """What the branches above a match say of it, as far as they can be read."""
    found, faults = Found(Row({}), above), FaultCollector(LIST, "")
    contest = faults.try_read(competition, found) or Row({})
    season = next((branch for branch in above if branch.has("round")), Row({}))
    round_ = faults.try_read(round_of, found) or Row({})
    gender = faults.try_read(contest.text, "gender")
    return Place(
        above=above,
        sport=_sport(found, names, faults),
        competition=faults.try_read(_named_id, contest),
        season=faults.try_read(season.text, "name"),
        round=faults.try_read(round_.text, "name"),
        gender=gender if gender in GENDERS else None,
        age_class=_age_class(contest, names, faults),
    )


def _sport(found: Found, names: Mapping[str, str], faults: FaultCollector) -> str | None:
    """The sport; of one that no name is known for, the feed's."""
    known = named_sport(found, names)
    if known is None or f"sport_{known}" in names:
        return known
    above = next((branch for branch in found.above if branch.has("competition")), Row({}))
    return faults.try_read(above.text, "name") or known


def _age_class(above: Row, names: Mapping[str, str], faults: FaultCollector) -> str | None:
    age = faults.try_read(above.part, "age")
    ident = faults.try_read(above.ident, "age_id") if age is None else faults.try_read(age.ident, "id")
    classes = dict(each.strip().split("=", 1) for each in names["age_classes"].split(",") if "=" in each)
    return classes.get(ident or "")


def _named_id(row: Row) -> NamedId | None:
    """Id and name; None without an id, ValueMismatch without a name."""
    ident = row.ident("id")
    name = None if ident is None else row.needed("name").text("name")
    return None if ident is None or name is None else NamedId(ident, name)


def _fixture(place: Place, value: object, days: Days, names: Mapping[str, str]) -> Fixture:
    """One match. ValueMismatch where its id, its day or a team cannot be read, or nothing says who plays."""
    match, faults = Row.of(value, "match"), FaultCollector(LIST, "")
    home, away = (None if (row := match.part(side)) is None else _named_id(row) for side in ("home", "away"))
    title = race_title(Found(match, place.above), faults) if home is None and away is None else None
    if home is None and away is None and title is None:
        raise ValueMismatch("home", "missing")
    status, word = _status(match, names)
    kickoff, is_set = _kickoff(match, days)
    begun = status is not None and status.begun
    matchday = faults.try_read(match.ident, "matchday")
    covered = faults.try_read(match.text, "live_status")
    return Fixture(
        match_id=match.identity(),
        sport=place.sport,
        competition=place.competition,
        season=place.season,
        round=" ".join(filter(None, (place.round, matchday))) or None,
        home=home,
        away=away,
        title=title,
        kickoff=kickoff,
        kickoff_open=not is_set or (is_open(match) and not begun),
        status=status,
        status_word=word,
        score=_score(place.sport, match, names) if begun and home is not None else None,
        gender=place.gender,
        age_class=place.age_class,
        text_coverage=_is_covered(covered, names),
    )


def _kickoff(match: Row, days: Days) -> tuple[int, bool]:
    """(Unix seconds, whether the hour is fixed); without an hour the day's begin."""
    day, hour = match.needed("match_date").text("match_date") or "", match.text("match_time")
    if hour in {None, OPEN}:
        return seconds(day, ("%d.%m.%Y",), days.zone, "match_date"), False
    return seconds(f"{day} {hour}", HOURS, days.zone, "match_date"), True


def _status(match: Row, names: Mapping[str, str]) -> tuple[FixtureStatus | None, str | None]:
    """Where the match stands; None where a field cannot be read, and with the feed's word where nobody knows that."""
    faults = FaultCollector(LIST, "")
    incident = faults.try_read(match.part, "match_incident") or Row({})
    ident = faults.try_read(incident.ident, "id")
    if ident is not None and ident not in {value for name, value in names.items() if name.startswith("incident_")}:
        return None, faults.try_read(incident.text, "name") or ident
    period = faults.try_read(match.text, "current_period")
    if period is not None and PERIOD.fullmatch(period) is None:
        return None, period
    if faults.try_read(match.needed_flag, "finished") is None or faults.sink:
        return None, None
    return FixtureStatus.of(listed_status(match, FaultCollector(LIST, ""), names)), None


def _score(sport: str | None, match: Row, names: Mapping[str, str]) -> tuple[int, int] | None:
    """The score on the pitch: in football the running score's row holds a shoot-out's kicks once there is one."""
    faults = FaultCollector(LIST, "")
    rows = table(match, faults)
    score = rows.get(RUNNING)
    if sport == "soccer":
        incident = faults.try_read(match.part, "match_incident") or Row({})
        kicks = faults.try_read(incident.ident, "id") == names["incident_shootout"]
        status = listed_status(match, faults, names)
        score = scores(rows, status=status, decided_by_kicks=kicks, kicks=(), goals=(), covered=False).score
    return None if score is None else (score.home, score.away)


def _is_covered(word: str | None, names: Mapping[str, str]) -> bool | None:
    """Whether there is editorial text; None where nobody knows what the word means."""
    for key, covered in (("text_words", True), ("textless_words", False)):
        if word in {each.strip() for each in names[key].split(",")}:
            return covered
    return None
