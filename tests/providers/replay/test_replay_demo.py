"""The demo matches end as they ended, say so in the provider's form, and are what their script writes."""

import gzip
import os
import re
from pathlib import Path

import pytest

from providers.replay import demo, read
from tests.kit.recordings import ROOT
from tools.demo.make_demo import recordings


def realdata():
    named = os.environ.get("MATCHWIRE_REALDATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "realdata"
    if folder.is_dir():
        return folder
    reason = f"no match data in {folder}; MATCHWIRE_REALDATA names its folder"
    if os.environ.get("CI"):
        pytest.fail(reason)
    return pytest.skip(reason)


LANGUAGES = ("en", "de")
FACTS = {
    "9900001": {
        "score": {"0": ("3", "2"), "1": ("1", "1"), "2": ("1", "1"), "21": ("1", "1")},
        "winner": "9598",
        "incident": "2",
        "goals": [("1", "Mathias Jørgensen", "Thomas Delaney", "0:1"), ("4", "Mario Mandžukić", None, "1:1")],
        "kinds": ["left-foot", "right-foot"],
        "cards": [("115", "yellow", "Mathias Jørgensen")],
        "missed": [("116", "Luka Modrić")],
        "periods": [
            "game-start", "first-half-end", "second-half-start", "second-half-end", "first-extra-start",
            "first-extra-end", "second-extra-start", "second-extra-end", "penalty-start", "game-end",
        ],
    },
    "9900002": {
        "score": {"0": ("3", "0"), "1": ("2", "0")},
        "winner": "15670",
        "incident": None,
        "goals": [
            ("10", "Luis Suárez", None, "1:0"),
            ("23", "Denis Cheryshev", None, "2:0"),
            ("90", "Edinson Cavani", None, "3:0"),
        ],
        "kinds": ["direct-free-kick", "own-goal", "left-foot"],
        # Smolnikov's first yellow card has left the feed by then
        "cards": [
            ("9", "yellow", "Yury Gazinskiy"),
            ("36", "yellow-red", "Igor Smolnikov"),
            ("59", "yellow", "Rodrigo Bentancur"),
        ],
        "missed": [],
        "periods": ["game-start", "first-half-end", "second-half-start", "game-end"],
    },
    "9900003": {
        "score": {"0": ("1", "2"), "1": ("1", "1")},
        "winner": "12913",
        "incident": None,
        "goals": [
            ("6", "Shinji Kagawa", None, "0:1"),
            ("39", "Juan Quintero", None, "1:1"),
            ("73", "Yūya Ōsako", "Keisuke Honda", "1:2"),
        ],
        "kinds": ["penalty", "direct-free-kick", "head"],
        "cards": [
            ("3", "red", "Carlos Sánchez"),
            ("64", "yellow", "Wílmar Barrios"),
            ("86", "yellow", "James Rodríguez"),
            ("90", "yellow", "Eiji Kawashima"),
        ],
        "missed": [],
        "periods": ["game-start", "first-half-end", "second-half-start", "game-end"],
    },
}  # fmt: skip


@pytest.fixture(scope="module", params=LANGUAGES)
def matches(request):
    return {recording.match_id: recording for recording in read(demo.demo_files(request.param))}


def answers(recording, kind):
    return [line.body for line in recording.lines if line.kind == kind]


def last(recording, kind):
    return next(line.body for line in reversed(recording.lines) if line.kind == kind)


def rows(recording, action, *kinds):
    return [
        row
        for row in last(recording, "match-event")
        if row["action"] == action and row["kind"] in (kinds or row["kind"])
    ]


def name(row, key="person"):
    return row[key]["name"] if key in row else None


def test_the_other_sports_end_as_they_ended(matches):
    """Winners, scores and places are those of the day."""
    race, tennis, football = (
        last(matches[match_id], "match")["match"] for match_id in ("9900011", "9900012", "9900013")
    )
    podium = sorted((row for row in race["match_result"] if row["rank"] in set("123")), key=lambda row: row["rank"])
    sets = {row["match_result_at"]: [] for row in tennis["match_result"]}
    for row in tennis["match_result"]:
        sets[row["match_result_at"]].append(row["match_result"])

    assert ["Verstappen", "Ocon", "Gasly"] == [row["person"]["surname"] for row in podium]
    assert ["yes", "yes", "yes"] == [match["finished"] for match in (race, tennis, football)]
    assert {"0": "2:3", "1": "4:6", "2": "4:6", "3": "7:6", "4": "7:6", "5": "7:9"} == {
        number: ":".join(games) for number, games in sets.items()
    }
    assert ["25", "22"] == [row["match_result"] for row in football["match_result"] if row["match_result_at"] == "0"]
    assert 18 == len([row for row in last(matches["9900011"], "match-event") if row["kind"] == "pit-stop"])


@pytest.mark.parametrize("match_id", FACTS)
def test_the_end_of_a_match_is_the_truth(matches, match_id):
    """The last answers hold the real result, scorers, assists, cards, missed penalties and substitutions."""
    recording, facts = matches[match_id], FACTS[match_id]
    match = last(recording, "match")["match"]
    goals = rows(recording, "goal")
    score = {}
    for row in match["match_result"]:
        score.setdefault(row["match_result_at"], []).append(row["match_result"])

    assert facts["score"] == {key: tuple(both) for key, both in score.items()}
    assert (facts["winner"], "yes", "game-end") == (match["winner_team_id"], match["finished"], match["current_period"])
    assert facts["incident"] == match.get("match_incident", {}).get("id")
    assert facts["goals"] == [(g["minute"], name(g), name(g, "additional_person"), g["content"]) for g in goals]
    assert facts["kinds"] == [row["kind"] for row in goals]
    assert facts["cards"] == [(row["minute"], row["kind"], name(row)) for row in rows(recording, "card")]
    assert facts["missed"] == [(row["minute"], name(row)) for row in rows(recording, "special", "missed-penalty")]
    assert facts["periods"] == [row["kind"] for row in rows(recording, "match")]


@pytest.mark.proof
def test_the_script_writes_what_is_shipped():
    """The recordings in the package are, byte for byte, what the script makes of the public data."""
    written = dict(recordings(realdata()))
    shipped = {path.name: path for language in LANGUAGES for path in demo.demo_files(language)}

    assert shipped.keys() == written.keys()
    for file, path in shipped.items():
        # compared unpacked: how tightly zlib packs is not ours to decide
        assert gzip.decompress(path.read_bytes()) == gzip.decompress(written[file])
        assert path.read_bytes()[4:8] == bytes(4), "the archive must not hold the time at which it was made"


def test_the_attribution_travels_with_the_data():
    """The README holds the attribution that the licence asks for, word for word."""
    reported = (realdata() / "README.md").read_text()
    attribution = re.search(r"Pappalardo, L\., .*? penalties and substitutions\.", reported)[0]

    readme = (Path(demo.__file__).parent / "README.md").read_text()
    assert attribution in readme
    assert "F1DB, https://github.com/f1db/f1db, CC BY 4.0. Changes: converted to timeline events." in readme
