"""With `editorial_publishing` imported posts wait for an editor as an editor's own do: nothing else publishes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from providers.replay import Line
from tests.kit.creating import LINES, MATCH, ROWS
from tests.kit.day import match_day
from tests.providers.heim.feed import row

if TYPE_CHECKING:
    from tests.kit.day import MatchDay

LATER = row(5, "goal/head", 50, "home", 9, 7, content="2:0", created="14.06.2025 18:50:10")


def answered(second: int, rows: list[Any]) -> Line:
    return Line.of(f"2025-06-14T19:10:{second:02}+02:00", f"match-event/ma{MATCH}", rows)


@pytest.fixture
async def day(tmp_path):
    lines = (*LINES, answered(6, [*ROWS, LATER]))
    async with match_day(lines=lines, folder=tmp_path, start_at="0") as running_day:
        yield running_day


async def set_editorial(day: MatchDay, name: str, *, on: bool) -> int:
    change = {
        "_type": "Svc::Model::Modification::UpdateGameMetaInfoModification",
        "meta_info": {"_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo", "editorial_publishing": on},
    }
    body = {"local_id": name, "modifications": [change]}
    answer = await day.client.post("/api/v5/write/ticker/post_modifications.json", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["version"]


def by_minute(game: dict[str, Any], minute: str) -> dict[str, Any]:
    return next(event for event in game["events"] if (event.get("sport_event") or {}).get("time_of_play") == minute)


async def test_an_imported_post_waits_for_an_editor_and_stays_so_when_the_setting_is_taken_back(day):
    """A goal that falls while `editorial_publishing` is on is a draft; turning it off publishes nothing, an editor does."""
    name = (await day.create(MATCH))["local_id"]
    await set_editorial(day, name, on=True)
    await day.until_played()
    [on] = await day.until_quiet(name)
    await set_editorial(day, name, on=False)
    [off] = await day.until_quiet(name)

    assert (60, 0) == (by_minute(on, "50'")["local_status"], by_minute(on, "15'")["local_status"])
    assert 60 == by_minute(off, "50'")["local_status"]

    goal = by_minute(off, "50'")["local_id"]
    await day.client.post("/api/v5/write/event/update.json", params={"event_local_id": goal}, json={"local_status": 0})
    [published] = await day.until_quiet(name)

    assert 0 == by_minute(published, "50'")["local_status"]
