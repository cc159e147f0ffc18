"""Incidents of recorded matches: their bundles are played to the same liveblog, byte for byte."""

import asyncio
import json

import pytest

from ingest.cli.play_bundle import play
from tests.kit.day import bundle_of, match_day
from tests.kit.recorded_posts import created_when_it_appears
from tests.kit.recordings import required, soccer_recordings

pytestmark = pytest.mark.proof


UNTOUCHED, FEW = "2309737", ("ma2309737", "ma8315073")
WRITE = "/api/v5/write/event"


async def edited(day, local_id, over):
    """What an editor does: writes a post, deletes every fifth post of the sync and changes the others, the last when it is over."""
    params = {"ticker_local_id": local_id}
    body = {"_type": "Svc::Model::Event", "headline": "Welcome"}
    own = (await day.client.post(f"{WRITE}/create.json", json=body, params=params)).json()["local_id"]
    seen, last = [], False
    while not last:
        last = over.is_set()
        events = (await day.show(local_id))["events"]
        for name in [each["local_id"] for each in events if "sport_event" in each and each["local_id"] not in seen]:
            seen.append(name)
            await touched(day, name, len(seen))
            await touched(day, own, 1 + 5 * len(seen))
        await asyncio.sleep(0.02)


async def touched(day, local_id, place):
    action, body = ("update", {"headline": f"Post {place}"}) if place % 5 else ("delete", None)
    answer = await day.client.post(f"{WRITE}/{action}.json", json=body, params={"event_local_id": local_id})
    assert answer.status_code in {200, 404}, answer.text


@pytest.mark.parametrize("names", [FEW, pytest.param(("ma",), id="all", marks=pytest.mark.soak)])
async def test_bundles_of_recorded_matches_give_the_same_liveblogs(tmp_path, names):
    """Real answers with their faults, corrections and withdrawals, and what people made of the posts, by the replay server."""
    files = required([each for each in soccer_recordings() if each.name.startswith(names)])
    recording = {"enabled": True, "folder": str(tmp_path / "recorded")}
    async with match_day(files, folder=tmp_path, speed=1000, live=0.25, recording=recording) as day:
        names = {each: (await created_when_it_appears(day, each))["local_id"] for each in day.replay.matches}
        over = asyncio.Event()
        editors = [asyncio.create_task(edited(day, name, over)) for match, name in names.items() if match != UNTOUCHED]
        await day.until_played()
        over.set()
        await asyncio.gather(*editors)
        await day.until_quiet(*names.values())
        same = {}
        for match_id, local_id in names.items():
            path = tmp_path / f"{match_id}.zip"
            bundle = await bundle_of(day, path, local_id)
            assert bundle["manifest.json"]["missing"] == []
            served = await day.client.get("/api/v6/ticker/show.json", params={"id": local_id, "limit": 1000})
            assert json.loads(bundle["liveblog.json"]) == served.json()
            assert bool(bundle["writes.json"]["people"]) is (match_id != UNTOUCHED)
            same[match_id] = (await play(bundle)).same
        assert same == dict.fromkeys(names, True)
