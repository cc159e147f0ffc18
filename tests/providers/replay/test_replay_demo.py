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


@pytest.fixture(scope="module", params=LANGUAGES)
def matches(request):
    return {recording.match_id: recording for recording in read(demo.demo_files(request.param))}


def answers(recording, kind):
    return [line.body for line in recording.lines if line.kind == kind]


def last(recording, kind):
    return next(line.body for line in reversed(recording.lines) if line.kind == kind)


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
