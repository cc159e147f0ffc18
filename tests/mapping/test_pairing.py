"""Which match of another provider's list is the same: rows, and two days of football in the spellings of two others.

`february_2016.csv`: the matches of 5 and 6 February 2016 as openfootball (CC0 1.0) spells them, and their ids at HEIM.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mapping.follow.links import Links, SourceId
from mapping.follow.pairing import KnownSame, ListedAt, find_same
from mapping.match.fixture import Fixture, FixtureStatus, NamedId
from providers.heim.fixtures import fixtures
from providers.match_lists import Days
from tests.kit.recordings import recorded
from tests.providers.heim.feed import NAMES

KICKOFF = 1_790_000_000
MEN, WOMEN, YOUTH = (
    {"gender": gender, "age_class": age} for gender, age in (("male", "senior"), ("female", "senior"), ("male", "u19"))
)
NOBODY = {"gender": None, "age_class": None}
LINKS = {
    "teams": [("9", "h"), ("8", "a")], "home": [("9", "h")], "competition": [("12", "bl")], "elsewhere": [("9", "other")],
}  # fmt: skip


def fixture(ident: str, home: NamedId, away: NamedId, competition: str, **changes: Any) -> Fixture:
    row = {"sport": "soccer", "competition": NamedId(competition, competition), "kickoff": KICKOFF, **MEN, **changes}
    return Fixture(match_id=ident, home=home, away=away, **row)


def known(*linked: str) -> KnownSame:
    pairs = {name: [(SourceId("heim", one), SourceId("pa", other)) for one, other in LINKS[name]] for name in LINKS}
    teams = [pair for name in linked if name != "competition" for pair in pairs[name]]
    return KnownSame(teams=Links(teams), competitions=Links(pairs["competition"] if "competition" in linked else ()))


@pytest.mark.parametrize(
    ("ours", "theirs", "changes", "linked", "found"),
    [
        ("Inter – Bor. Mönchengladbach", "FC Internazionale Milano – Borussia M'gladbach", {}, "competition", True),
        ("Inter – 1. FC Köln", "FC Internazionale Milano – FC Cologne", {}, "", True),
        ("Hannover 96 – Schalke 04", "Hannover – FC Schalke 1904", {}, "", True),
        ("FC Südtor – SV Nordhafen", "Suedtor – Nordhafen", {"kickoff": KICKOFF + 1800}, "", True),
        ("FC Südtor – SV Nordhafen", "Suedtor – Nordhafen", {"kickoff": KICKOFF + 1801}, "teams competition", None),
        ("FC Südtor – SV Nordhafen", "Suedtor – Nordhafen", {"kickoff": KICKOFF + 10801}, "", False),
        ("FC Südtor – SV Nordhafen", "Suedtor – Nordhafen", {"kickoff_open": True}, "", None),
        ("FC Südtor – SV Nordhafen", "Suedtor – Nordhafen", {"status": FixtureStatus.CANCELLED}, "", False),
        ("FC Südtor – SV Nordhafen", "Suedtor – Nordhafen", {"sport": "futsal"}, "teams competition", False),
        ("FC Südtor – SV Nordhafen", "Suedtor – Nordhafen", WOMEN, "teams competition", False),
        ("FC Südtor – SV Nordhafen", "Suedtor – Nordhafen", YOUTH, "teams competition", False),
        ("FC Südtor – SV Nordhafen", "Suedtor – Nordhafen", NOBODY, "teams", None),
        ("FC Südtor – SV Nordhafen", "Suedtor – Nordhafen", NOBODY, "competition", True),
        ("FC Südtor – SV Nordhafen", "Suedtor Women – Nordhafen Women", NOBODY, "teams competition", False),
        ("FC Südtor – SV Nordhafen", "Suedtor II – Nordhafen", {}, "teams competition", False),
        ("FC Südtor II – SV Nordhafen", "Suedtor B – Nordhafen", {}, "", True),
        ("FC Südtor – SV Nordhafen", "Suedtor U19 – Nordhafen U19", NOBODY, "teams competition", False),
        ("FC Südtor – SV Nordhafen", "Nordhafen – Suedtor", {}, "", False),
        ("TSV 1860 München – SV Nordhafen", "FC München – Nordhafen", {}, "", None),
        ("Schalke 04 – SV Nordhafen", "Schalke 05 – Nordhafen", {}, "", None),
        ("Paris FC – SV Nordhafen", "Paris SG – Nordhafen", {}, "", None),
        ("Real Madrid – SV Nordhafen", "Atlético Madrid – Nordhafen", {}, "", None),
        ("FC Südtor – SV Nordhafen", "Rot-Weiß – Nordhafen", {}, "home", True),
        ("FC Südtor – SV Nordhafen", "Rot-Weiß – Nordhafen", {}, "competition", True),
        ("FC Südtor – SV Nordhafen", "Rot-Weiß – Grün", {}, "home", None),
        ("FC Südtor – SV Nordhafen", "Rot-Weiß – Grün", {}, "teams", True),
        ("FC Südtor – SV Nordhafen", "Suedtor – Nordhafen", {}, "elsewhere", None),
        ("FC Südtor – SV Nordhafen", "Rot-Weiß – Grün", {}, "", False),
    ],
)  # fmt: skip
def test_a_match_is_the_same_where_kick_off_players_and_both_teams_are(ours, theirs, changes, linked, found):
    """`found`: for sure, or None where a person decides, False where it is not even shown."""
    one = fixture("1", *map(NamedId, ("9", "8"), ours.split(" – ")), "12")
    two = fixture("2", *map(NamedId, ("h", "a"), theirs.split(" – ")), "bl", **changes)
    pairing = find_same(one, ListedAt("heim", [one]), ListedAt("pa", [two]), known(*linked.split()))
    assert (pairing.found, pairing.candidates) == ((two, ()) if found else (None, () if found is False else (two,)))


@pytest.mark.parametrize("twice", ["ours", "theirs"])
def test_of_two_matches_that_may_be_the_same_none_is_chosen(twice):
    """Whichever list has two."""
    one, two = (fixture("1", NamedId(f"{at}h", "Südtor"), NamedId(f"{at}a", "Nordhafen"), at) for at in ("12", "bl"))
    own, other = (
        ([one, replace(one, match_id="3")], [two]) if twice == "ours" else ([one], [two, replace(two, match_id="3")])
    )
    assert find_same(one, ListedAt("heim", own), ListedAt("pa", other), known()).candidates == tuple(other)


def of_two_days() -> tuple[list[Fixture], list[dict[str, str]]]:
    """The football of HEIM's lists, and the rows of the table."""
    listed: list[Fixture] = []
    for day, seen in ((5, "184800"), (6, "191111")):
        body = gzip.decompress(recorded(f"heim/catalogue/matches-by-date_da2016-02-0{day}_{seen}.json.gz").read_bytes())
        at = date(2016, 2, day)
        listed += fixtures(body, Days(at, at, ZoneInfo("Europe/Berlin")), names=NAMES).fixtures
    table = Path(__file__).with_name("february_2016.csv").read_text(encoding="utf-8").splitlines()
    return [each for each in listed if each.sport == "soccer"], list(csv.DictReader(table))


def others(rows: list[dict[str, str]], spelling: str) -> Iterator[Fixture]:
    """The men's matches, then at the same hour those of the clubs' women, youth and reserves, some with nothing that says so."""
    for row in rows:
        home, away = (row[f"other_{side}"] if spelling == "second" else "" for side in ("home", "away"))
        home, away = home or row["home"], away or row["away"]
        for kind, end, players in (
            ("", "", MEN), (" women", "", WOMEN), (" W", " Women", NOBODY), (" youth", "", YOUTH), (" reserves", " II", MEN),
            (" ?", "", NOBODY),
        ):  # fmt: skip
            yield fixture(
                row["heim"] + kind, NamedId(home + kind, home + end), NamedId(away + kind, away + end), row["competition"] + kind,
                kickoff=int(row["kickoff"]), **players,
            )  # fmt: skip


@pytest.mark.proof
@pytest.mark.parametrize(
    ("spelling", "linked", "count"),
    [("first", False, 77), ("second", False, 71), ("first", True, 81), ("second", True, 81)],
)
def test_two_recorded_days_are_paired_and_none_is_paired_wrongly(spelling, linked, count):
    """Without a person so many of 81; where the right match is missing, no other one is taken."""
    listed, rows = of_two_days()
    contests = {each.match_id: each.competition.id for each in listed if each.competition is not None}
    pairs = {(SourceId("heim", contests[row["heim"]]), SourceId("pa", row["competition"])) for row in rows}
    same = KnownSame(teams=Links(), competitions=Links(sorted(pairs) if linked else ()))
    there = list(others(rows, spelling))
    own = [
        *listed,
        *(replace(each, match_id=f"{each.match_id} women", **WOMEN) for each in listed if each.match_id in contests),
    ]
    missing = [each for each in there if not each.match_id.isdigit()]
    found = {one.match_id: find_same(one, ListedAt("heim", own), ListedAt("pa", there), same).found for one in own}
    paired = {ident: two.match_id for ident, two in found.items() if two is not None}
    assert [ident for ident, other in paired.items() if ident != other] == []
    assert not any(find_same(one, ListedAt("heim", own), ListedAt("pa", missing), same).found for one in listed)
    assert len(rows) == 81
    assert sum(ident.isdigit() for ident in paired) == count
