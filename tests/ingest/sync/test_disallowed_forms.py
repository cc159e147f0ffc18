"""A goal that is taken back, in every form that a daemon serves."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from providers.replay import Line
from tests.kit.creating import LINES, MATCH, ROWS
from tests.kit.day import MatchDay, match_day
from tests.kit.external_source import LATER, shown, source

READ = "/api/embed/v4"
TITLE, TEXT = "Goal disallowed", "Goal disallowed: Muster9 (Nordhafen)."


@pytest.fixture
async def start(tmp_path):
    """Starts a daemon whose organization has it this way; the match stands after its last goal."""
    lines = (
        *LINES,
        Line.of("2025-06-14T19:10:09+02:00", f"match-event/ma{MATCH}", [*ROWS, LATER]),
        Line.of("2025-06-14T19:10:19+02:00", f"match-event/ma{MATCH}", ROWS),
    )
    public = {"server": {"port": 0, "public_feeds": True}}

    def started(withdrawn: str) -> Any:
        return match_day(lines=lines, folder=tmp_path, start_at="0", withdrawn=withdrawn, **public)

    return started


def post_of(game: dict[str, Any]) -> dict[str, Any]:
    return next((each for each in game["events"] if (each.get("sport_event") or {}).get("time_of_play") == "50'"), {})


async def taken_back(day: MatchDay, **wishes: Any) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The liveblog's name, and the liveblog with the goal and after it."""
    day.replay.clock.pause()
    day.replay.seek(day.replay.timeline.entries[-2].due)
    name = (await day.create(MATCH))["local_id"]
    if wishes:
        await source(day, name, **wishes)
    before = await shown(day, name, lambda game: post_of(game).get("local_status") == 0)
    day.replay.settle()
    after = await shown(day, name, lambda game: post_of(game) != post_of(before))
    return name, before, after


async def read(day: MatchDay, path: str, **params: Any) -> str:
    answer = await day.client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.text


async def test_the_note_is_in_every_form_and_counts_in_none(start):
    """Page, embed, feeds, structured data and delta read have it; the version steps once, as for any correction."""
    async with start("note") as day:
        name, before, after = await taken_back(day)
        goal, note = post_of(before), post_of(after)
        assert (goal["local_id"], 0, before["version"] + 1) == (
            note["local_id"],
            note["local_status"],
            after["version"],
        )
        assert ("soccer.disallowed-goal", TITLE) == (note["sport_event"]["event_type"], note["sport_event"]["title"])
        assert "1" == after["scoreboard"]["score"]["home_score"]

        delta = json.loads(await read(day, "/api/v6/ticker/show.json", id=name, refresh=before["version"]))
        assert [(note["local_id"], 0)] == [(each["local_id"], each["local_status"]) for each in delta["events"]]
        feed = json.loads(await read(day, f"{READ}/feed/liveblog.json", liveblogId=name))
        assert any(TITLE in each["title"] for each in feed["items"])
        events = [each["type"] for each in feed["_matchwire"]["key_events"]]
        assert (1, 1) == (events.count("goal"), events.count("disallowed"))
        assert "2-0" not in feed["_matchwire"]["recap"]
        for kind in ("rss", "atom"):
            assert TITLE in await read(day, f"{READ}/feed/liveblog.{kind}", liveblogId=name)

        page = await read(day, f"/liveblogs/{name}")
        embedded = json.loads(await read(day, f"{READ}/prefetch/liveblog.json", liveblogId=name))
        for html in (page, embedded["html"]):
            assert re.search(rf"<s>[^<]*(<b>50.</b>)?[^<]*{re.escape(TEXT)}</s>", html.replace("&#x27;", "'")), html
            assert 2 <= html.count(TITLE)
        updates = {each["url"].partition("#")[2]: each for each in embedded["schema"]["liveBlogUpdate"]}
        assert TITLE in updates[note["local_id"]]["headline"]
        assert TEXT == updates[note["local_id"]]["articleBody"]
        goals = await read(day, f"/liveblogs/{name}", show="goals")
        assert note["local_id"] not in re.findall(r'<article[^>]* id="([^"]+)"', goals)
