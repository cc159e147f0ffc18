"""A look at a provider's match through the running daemon: what the liveblog would hold, and nothing is written."""

import asyncio
from types import SimpleNamespace

import pytest

from ingest.sync import fixture_lists
from ingest.sync.fixture_lists import LOOKS_AT_ONCE, MatchPreviews
from mapping.errors import RateLimited, UpstreamUnavailable
from providers.replay import read_lines
from providers.replay.demo import demo_files
from tests.kit.day import ORGANIZATION, match_day

PREVIEW = f"/apigw/sports/v2/{ORGANIZATION}/liveblog/previewExternal"
MATCH = "9900001"
SEARCH = "/api/v5/write/ticker/search.json"


async def test_a_preview_says_what_the_liveblog_then_holds(tmp_path):
    """Teams, state and counts are those of the liveblog that is made of it afterwards; before that there is none."""
    lines = [*read_lines(demo_files("de")[0])]
    async with match_day(folder=tmp_path, lines=lines, start_at="end", live=60) as day:
        query = {"provider": "heim", "matchId": MATCH}
        found = (await day.client.get(PREVIEW, params=query)).json()
        assert (await day.client.get(SEARCH)).json()["total"] == 0
        assert found["liveblogs"] == []
        game = await day.create(MATCH)
        again = (await day.client.get(PREVIEW, params=query)).json()
        assert again["liveblogs"] == [game["local_id"]]
        unknown = await day.client.get(PREVIEW, params={**query, "matchId": "1"})
        assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
        nothing = await day.client.get(PREVIEW, params={"provider": "heim"})
        assert (nothing.status_code, nothing.json()["field"]) == (422, "matchId")
    meta, score = game["meta_info"], game["scoreboard"]["score"]
    assert found["title"] == meta["title"]
    assert (found["homeTeam"], found["awayTeam"]) == (meta["home_team"]["name"], meta["away_team"]["name"])
    assert (found["homeScore"], found["awayScore"]) == (score["home_score"], score["away_score"])
    assert (found["status"], found["sportstype"]) == ("finished", "soccer")
    people = [each for side in ("home", "away") for part in ("lineup", "bench") for each in game["squads"][side][part]]
    assert found["lineUps"] == len(people)
    assert found["events"] > 0


class SlowImporter:
    """Answers when it may."""

    def __init__(self):
        self.may = asyncio.Event()

    async def match_of(self, request):
        await self.may.wait()
        raise UpstreamUnavailable("it is away")


async def test_looks_are_bounded_by_number_and_by_time(monkeypatch):
    """Of one organization a few at a time, of others too; one that takes too long ends, and leaves its place."""
    importer = SlowImporter()
    previews = MatchPreviews(importer.match_of)
    own, other = SimpleNamespace(organization_id="a"), SimpleNamespace(organization_id="b")
    waiting = [asyncio.create_task(previews(own)) for _ in range(LOOKS_AT_ONCE)]
    elsewhere = asyncio.create_task(previews(other))
    await asyncio.sleep(0)
    with pytest.raises(RateLimited):
        await previews(own)
    importer.may.set()
    for each in (*waiting, elsewhere):
        with pytest.raises(UpstreamUnavailable):
            await each
    importer.may.clear()
    monkeypatch.setattr(fixture_lists, "LONGEST_LOOK", 0.01)
    with pytest.raises(UpstreamUnavailable, match="in time"):
        await previews(own)
    importer.may.set()
    with pytest.raises(UpstreamUnavailable, match="away"):
        await previews(own)
