"""A whole match with an editor in between, through HTTP alone: what the editor says holds, the rest follows the match."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib import resources
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from config import Settings
from mapping.documents.state import ENDED
from providers.http_server import bind_socket, listening
from tests.kit.day import CREATE, SHOW, MatchDay, configuration, match_day, running
from tests.providers.heim.feed import MATCH_ID, results, row, wrapped

FILES = ("colombia-japan.en.jsonl.gz",)
CONTENT = "Svc::Model::Content"
PHOTO = {
    "_type": f"{CONTENT}::MultiMediaContentBlock",
    "items": [{"_type": f"{CONTENT}::ImageMediaContent", "source_url": "https://img.example.org/goal.jpg"}],
}


async def write(day: MatchDay, operation: str, event: str, body: Any = None) -> dict[str, Any]:
    answer = await day.client.post(f"/api/v5/write/event/{operation}.json", params={"event_local_id": event}, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def posts(day: MatchDay, name: str, count: int) -> list[dict[str, Any]]:
    """The incidents that are posted, once there are so many."""
    async with asyncio.timeout(30):
        while True:
            found = [event for event in (await day.show(name))["events"] if event.get("sport_event")]
            if len(found) >= count:
                return found
            await asyncio.sleep(0.05)


@pytest.mark.proof
async def test_an_editor_and_a_running_match_write_the_same_liveblog(tmp_path):
    """Headline, one field of an incident, a photo, a removed block and a deleted post hold until the end of the match."""
    files = [resources.files("providers.replay.demo") / name for name in FILES]
    async with match_day(files, folder=tmp_path, speed=500, start_at="kickoff+1800", live=0.15) as day:
        game = await day.create(next(iter(day.replay.matches)), includeTextContent=True)
        name = game["local_id"]
        first = await posts(day, name, 5)
        headline, field, photo, bare, deleted = (event["local_id"] for event in first[:5])
        await write(day, "update", headline, {**first[0], "headline": "The editor's headline"})
        await write(day, "update", field, {"sport_event": {"title": "The editor's title"}})
        added = await write(day, "update", photo, {"contents": [*first[2]["contents"], PHOTO]})
        await write(day, "update", bare, {"contents": []})
        await write(day, "delete", deleted)
        await day.until_played()
        [last] = await day.until_quiet(name)
        events = {event["local_id"]: event for event in last["events"]}
        feed = await day.client.get("/api/embed/v4/feed/liveblog.json", params={"liveblogId": name, "limit": 1000})

        assert events[headline]["headline"] == "The editor's headline"
        assert events[field]["sport_event"]["title"] == "The editor's title"
        assert events[photo]["contents"][-1]["items"] == added["contents"][-1]["items"]
        assert events[photo]["contents"][0]["_type"] == f"{CONTENT}::RichTextContentBlock"
        assert events[bare]["contents"] == []
        assert deleted not in events
        assert deleted not in {item["id"] for item in feed.json()["items"]}
        assert len({event["local_id"] for event in last["events"]}) == len(last["events"]) > 10
        assert last["version"] > added["version"], "the match went on after the editor"


@dataclass
class Played:
    """A running daemon with one liveblog, and the match as its provider has it."""

    http: httpx.AsyncClient
    match: dict[str, Any]
    name: str = ""

    async def show(self) -> dict[str, Any]:
        return (await self.http.get(SHOW, params={"local_id": self.name})).json()

    async def modify(self, kind: str, **change: Any) -> dict[str, Any]:
        """The liveblog after one modification by an editor's client."""
        body = {"_type": f"Svc::Model::Modification::{kind}Modification", **change}
        answer = await self.http.post(
            "/api/v5/write/ticker/post_modifications.json", json={"local_id": self.name, "modifications": [body]}
        )
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def until(self, **shown: Any) -> dict[str, Any]:
        """The liveblog once its score or state has these values; fails with what it has after 20 seconds."""
        for _ in range(200):
            game = await self.show()
            found = {**game["state_info"], **game["scoreboard"]["score"]}
            if shown.items() <= found.items():
                return game
            await asyncio.sleep(0.1)
        raise AssertionError(found)


@pytest.fixture
async def played(tmp_path):
    """A match at 2:1 that is followed ten times a second; what the test puts into `match` is what the provider says."""
    match = {"match_result": results(p0="2:1")}

    async def answer(request: Request) -> JSONResponse:
        rows = [row(1, "match/game-start", 1)]
        return JSONResponse(wrapped(**match) if request.path_params["rest"].startswith("match/") else rows)

    app = Starlette(routes=[Route("/{rest:path}", answer)])
    async with listening(app, bind_socket("127.0.0.1", 0)) as address:
        settings = Settings.model_validate(configuration(address, tmp_path, live=0.1))
        auth = ("cms", settings.clients["cms"].secret.get_secret_value())
        async with (
            running(settings) as daemon,
            httpx.AsyncClient(base_url=daemon, auth=auth, trust_env=False, verify=False, timeout=60) as http,
        ):
            game = await http.post(CREATE, json={"provider": "heim", "matchId": MATCH_ID, "autoPostEnabled": True})
            assert game.status_code == 200, game.text
            yield Played(http, match, game.json()["local_id"])


async def test_timeout_by_hand_and_gamestate(played):
    """An editor's timeout stays; it does not keep the state at live after the final whistle."""
    state = (await played.show())["state_info"]
    await played.modify("UpdateGameState", state_info={**state, "timeout": True})
    played.match["finished"] = "yes"

    ended = await played.until(gamestate=ENDED)
    assert ended["state_info"]["timeout"] is True


async def test_score_by_hand_heals_when_the_provider_comes_to_it(played):
    """3:1 by hand over 2:1 becomes the provider's 3:2 and 4:2."""
    await played.modify("UpdateGameScoreInfo", score_info={"home_score": 3, "away_score": 1})
    for home, away in (("3", "2"), ("4", "2")):
        played.match["match_result"] = results(p0=f"{home}:{away}")
        await played.until(home_score=home, away_score=away)


async def test_agreement_gives_a_field_back_whoever_came_last(played):
    """An editor at 5:1 stays while the provider comes to 3:2; typing 3 gives the field back, and 4:2 arrives."""
    await played.modify("UpdateGameScoreInfo", score_info={"home_score": 5, "away_score": 1})
    played.match["match_result"] = results(p0="3:2")
    await played.until(home_score="5", away_score="2")
    await played.modify("UpdateGameScoreInfo", score_info={"home_score": 3, "away_score": 2})
    played.match["match_result"] = results(p0="4:2")
    await played.until(home_score="4", away_score="2")
