"""Incidents of recorded matches: their bundles are played to the same liveblog, byte for byte."""

import json

import pytest

from ingest.incident.play import play
from providers.registry import Registry
from tests.kit.day import match_day
from tests.kit.incidents_recorded import bundle_of
from tests.kit.recorded_posts import created_when_it_appears
from tests.kit.recordings import required, soccer_recordings

pytestmark = pytest.mark.proof


FEW = ("ma2309737", "ma8305396", "ma8315073")


@pytest.mark.parametrize("names", [FEW, pytest.param(("ma",), id="all", marks=pytest.mark.soak)])
async def test_bundles_of_recorded_matches_give_the_same_liveblogs(tmp_path, names):
    """Real answers with their faults, corrections and withdrawals, through files and a database of its own."""
    files = required([each for each in soccer_recordings() if each.name.startswith(names)])
    recording = {"enabled": True, "folder": str(tmp_path / "recorded")}
    async with match_day(files, folder=tmp_path, speed=1000, live=0.25, recording=recording) as day:
        names = {each: (await created_when_it_appears(day, each))["local_id"] for each in day.replay.matches}
        await day.until_played()
        await day.until_quiet(*names.values())
        same = {}
        for match_id, local_id in names.items():
            path = tmp_path / f"{match_id}.zip"
            bundle = await bundle_of(day, path, local_id)
            assert bundle["manifest.json"]["missing"] == []
            served = await day.client.get("/api/v6/ticker/show.json", params={"id": local_id, "limit": 1000})
            assert json.loads(bundle["liveblog.json"]) == served.json()
            played = await play(bundle, Registry.load())
            same[match_id] = played.same
        assert same == dict.fromkeys(names, True)
