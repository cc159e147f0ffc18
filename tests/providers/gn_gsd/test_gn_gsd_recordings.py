"""The demo's matches in the provider's assumed shapes: the files are what the script writes, and end as the facts."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from mapping.match import Score, Status
from providers.gn_gsd.names import names_of
from providers.gn_gsd.translate import translate
from providers.replay import read, read_lines
from tests.kit.day import match_day
from tests.kit.replay_demo import realdata
from tools.demo.make_gn_gsd import main, recordings

pytestmark = pytest.mark.proof

ROOT = Path(__file__).resolve().parents[2] / "fixtures" / "gn_gsd"
FACTS = {
    "croatia-denmark": (
        Score(1, 1),
        Score(3, 2),
        {"goal": 2, "substitution": 8, "yellow-card": 1, "penalty-kick-missed": 1},
    ),
    "uruguay-russia": (Score(3, 0), None, {"goal": 3, "substitution": 6, "yellow-card": 3, "red-card": 1}),
    "colombia-japan": (Score(1, 2), None, {"goal": 3, "substitution": 6, "yellow-card": 3, "red-card": 1}),
}
STAGE, RACE = "GNDEMOSTAGE0005", "GNDEMORACE00001"


def soccer(name: str) -> Path:
    return ROOT / "soccer" / f"{name}.jsonl.gz"


def counted(kinds) -> dict[str, int]:
    return dict(Counter(kind.removeprefix("soccer.") for kind in kinds))


@pytest.mark.parametrize("name", sorted(FACTS))
def test_a_recording_ends_as_the_match_did(name):
    """Score, shoot-out and what happened are the facts; not one row is in doubt."""
    lines = list(read_lines(soccer(name)))
    bodies = {line.kind: line.text.encode() for line in lines}
    found = translate(lines[0].match_id.removeprefix("matches/"), bodies, names=names_of({}))

    assert FACTS[name] == (found.score, found.shootout, counted(each.kind for each in found.incidents))
    assert (Status.FINISHED, ()) == (found.status, found.faults)
    assert [11, 11] == [len(side.lineup) for side in found.sides]


def test_a_recording_is_about_its_kick_off():
    """Which the replay can begin at."""
    (match,) = read([soccer("croatia-denmark")])

    assert "2018-07-01T18:00:00+00:00" == match.kickoff.isoformat()


def test_the_script_writes_the_fixtures(tmp_path):
    """The same data give the same bytes."""
    written = dict(recordings(realdata()))

    assert {f"{name}.jsonl.gz" for name in FACTS} == written.keys()
    for name, content in written.items():
        assert gzip.decompress((ROOT / "soccer" / name).read_bytes()) == gzip.decompress(content)
    assert 0 == main([str(realdata()), str(tmp_path)])
    assert 2 == main([])


async def test_a_followed_race_knows_who_starts(tmp_path):
    """The start list comes the day before, and a rider who does not start leaves it."""
    async with match_day([ROOT / "cycling" / "tour-of-the-coast.jsonl"], folder=tmp_path) as day:
        day.replay.clock.pause()
        created = await day.create("", matchId=None, provider="gn-gsd", phaseId=STAGE, overallId=RACE)
        seen = []
        for hours in (29, 47, 60):
            day.replay.seek(hours * 3600)
            (shown,) = await day.until_quiet(created["local_id"], quiet=0.4)
            seen.append(shown)

    assert "Tour of the Coast – Stage 5" == created["meta_info"]["title"]
    assert [0, 5, 4, 4] == [len(game["state_info"].get("ranking") or ()) for game in (created, *seen)]
    assert [0, 0, 0, 31] == [game["state_info"]["gamestate"] for game in (created, *seen)]
