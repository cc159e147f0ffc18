"""The external source after the creation: shown, changed, paused, attached, moved, taken off and given fields back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from providers.replay import Line
from tests.day import ORGANIZATION, match_day
from tests.ingest.test_creating import LINES, MATCH, ROWS
from tests.providers.heim.feed import row, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

    from tests.day import MatchDay

OTHER_MATCH = "9000002"
LIVEBLOG = f"/apigw/sports/v2/{ORGANIZATION}/liveblog"
WRITE = "/api/v5/write"
LATER = row(5, "goal/head", 50, "home", 9, 7, content="2:0", created="14.06.2025 18:50:10")
GAME = {
    "_type": "Svc::Model::Game",
    "organization_id": ORGANIZATION,
    "template_id": "soccer",
    "meta_info": {
        "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
        "title": "The editor's derby",
        "home_team": {"_type": "Svc::Model::Team", "name": "Nordhafen"},
        "away_team": {"_type": "Svc::Model::Team", "name": "Südtor"},
    },
}


@pytest.fixture
async def day(tmp_path):
    other = wrapped()
    other["match"]["id"] = OTHER_MATCH
    lines = (
        *LINES,
        Line.of("2025-06-14T19:10:00+02:00", f"match/ma{OTHER_MATCH}", other),
        Line.of("2025-06-14T19:10:00+02:00", f"match-event/ma{OTHER_MATCH}", []),
        Line.of("2025-06-14T19:10:04+02:00", f"match-event/ma{MATCH}", [*ROWS, LATER]),
    )
    async with match_day(lines=lines, folder=tmp_path, start_at="0") as running_day:
        yield running_day


async def source(day: MatchDay, name: str, **changes: Any) -> dict[str, Any]:
    """What `external.json` says, after these changes if there are any."""
    path = f"{LIVEBLOG}/{name}/external.json"
    answer = await (day.client.post(path, json=changes) if changes else day.client.get(path))
    assert answer.status_code == 200, answer.text
    return answer.json()


async def act(day: MatchDay, name: str, action: str, **body: Any) -> httpx.Response:
    return await day.client.post(f"{LIVEBLOG}/{name}/external/{action}.json", json=body)


async def shown(day: MatchDay, name: str, reached: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The liveblog, once it is as it should be."""
    async with asyncio.timeout(20):
        while not reached(game := await day.show(name)):
            await asyncio.sleep(0.1)
    return game


def minutes(game: dict[str, Any], status: int = 0) -> list[str]:
    events = [event["sport_event"] for event in game["events"] if event["local_status"] == status]
    return [event["time_of_play"] for event in events if event.get("time_of_play")]


async def test_external_is_part_of_show_search_compact_and_the_answer_of_modifications(day):
    """Each of them holds the connection with the health of the feed; the read of the public does not."""
    name = (await day.create(MATCH))["local_id"]
    change = {
        "_type": "Svc::Model::Modification::UpdateGameMetaInfoModification",
        "meta_info": {"_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo", "allow_comments": False},
    }
    modified = await day.client.post(
        f"{WRITE}/ticker/post_modifications.json", json={"local_id": name, "modifications": [change]}
    )
    compact = await day.client.get(f"{WRITE}/ticker/show.json", params={"local_id": name, "compact": "true"})
    search = await day.client.get(f"{WRITE}/ticker/search.json")
    delta = await day.client.get("/api/v6/ticker/show.json", params={"id": name})

    assert [200, 200] == [modified.status_code, search.status_code], modified.text
    games = [await day.show(name), modified.json(), compact.json(), *search.json()["objects"]]
    assert [{"matchId": MATCH}] * 4 == [game["external"]["selector"] for game in games]
    assert all("match" in game["external"]["feedHealth"] for game in games)
    assert "external" not in delta.json()["game"]
