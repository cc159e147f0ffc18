"""A whole match with an editor in between, through HTTP alone: what the editor says holds, the rest follows the match."""

from __future__ import annotations

import asyncio
from importlib import resources
from typing import Any

from tests.day import MatchDay, match_day

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


async def test_an_editor_and_a_running_match_write_the_same_liveblog(tmp_path):
    """Headline, one field of an incident, a photo, a removed block and a deleted post hold until the end of the match."""
    files = [resources.files("providers.replay.demo") / name for name in FILES]
    async with match_day(files, folder=tmp_path, speed=500, start_at="kickoff+1800") as day:
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
