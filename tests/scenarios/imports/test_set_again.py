"""A match that is broken off, called off or ended by mistake and set again: one try after the other, never a mixture of both."""

import json
from typing import Any

import pytest

from store.engine.liveblog_records import EventWrite
from store.liveblogs import liveblogs
from tests.kit.corrected_match import FIRST, SECOND, START, TWO, score
from tests.kit.scripted import Bodies, Clock, Process, open_store
from tests.kit.sport_fixtures import FOLDER, recorded_steps
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import MATCH_ID, match, results, row

BROKEN_OFF = {"match_incident": {"id": "5", "name": "abgebrochen", "shortname": "Abbr."}}
DAY, DAYS = 86_400, 10
NEW_DAY = {"match_date": "24.06.2025", "match_time": "20:00"}
BLANK = {"current_period": "", "current_period_start": "", "current_minute": "0"}
ROWS = (START, FIRST, SECOND)


@pytest.fixture
async def store(tmp_path):
    opened = await open_store(migrated_url(tmp_path / "again.db"), Clock(1_749_925_000.0))
    yield opened
    await opened.close()


def said(*rows: dict[str, Any], result: str | None = None, **changes: Any) -> Bodies:
    """What the provider says; without `result` it has none."""
    body = {"match": match(match_result=[] if result is None else results(p0=result), **changes)}
    return {"match": json.dumps(body).encode(), "match-event": json.dumps(rows).encode(), "liveticker": b"[]"}


TAKEN_BACK = {
    "everything goes": said(**BLANK, **NEW_DAY),
    "0:0": said(result="0:0", **BLANK, **NEW_DAY),
    "rows stay": said(*ROWS, result="2:0", **BLANK, **NEW_DAY),
    "period stays": said(*ROWS, result="2:0", **NEW_DAY),
    "end stays": said(*ROWS, result="2:0", **NEW_DAY, finished="yes", current_period="game-end"),
    "postponed": said(
        result="0:0", **BLANK, **NEW_DAY, match_incident={"id": "3", "name": "verlegt", "shortname": "v"}
    ),
    "the same evening, without a result": said(**BLANK, match_time="20:30"),
    "next morning": said(result="0:0", **BLANK, match_date="15.06.2025", match_time="11:00"),
}


def kicked_off(*rows: dict[str, Any], result: str, date: str = "24.06.2025", hour: int = 20, **changes: Any) -> Bodies:
    """The second try, on its day."""
    day, month, year = date.split(".")
    started = {"current_period": "game-start", "current_period_start": f"{year}-{month}-{day} {hour}:01:00"}
    start = row(101, "match/game-start", 1, created=f"{date} {hour}:01:00")
    return said(start, *rows, result=result, match_date=date, match_time=f"{hour}:00", **started, **changes)


GOAL = row(111, "goal/head", 7, "away", 4, content="0:1", created="24.06.2025 20:08:00")
BROKEN = said(*ROWS, result="2:0", **BROKEN_OFF)


async def broken_off(store: Any, **wishes: Any) -> tuple[Process, str]:
    """Two goals, then no more."""
    process = Process(store, MATCH_ID, clock=Clock(1_749_925_000.0))
    process.adapter.bodies = TWO
    ticker_id = await process.create(**wishes)
    await process.poll()
    await process.poll(BROKEN)
    await process.settle()
    assert ("2:0", 31) == await board(process, ticker_id)
    return process, ticker_id


async def board(process: Process, ticker_id: str) -> tuple[str, int]:
    return await score(process, ticker_id), (await process.game(ticker_id)).document["state_info"]["gamestate"]


async def public(process: Process, ticker_id: str) -> tuple[Any, ...]:
    """What readers see of the match."""
    document = (await process.game(ticker_id)).document
    return (
        document["scoreboard"],
        document["state_info"],
        document["meta_info"].get("starts_at"),
        await process.posted(ticker_id),
    )


async def days_pass(process: Process, number: float) -> None:
    """So long nothing is said; a match that is over for longer than its window is followed no more."""
    for _ in range(4):
        process.clock.now += number * DAY / 4
        await process.poll()
        await process.followers.stop()


@pytest.mark.parametrize("kill", [None, 1, 4, *(pytest.param(fuse, marks=pytest.mark.proof) for fuse in (0, 2, 3, 5))])
@pytest.mark.parametrize("back", TAKEN_BACK.values(), ids=TAKEN_BACK.keys())
async def test_a_match_that_is_broken_off_and_set_again_is_followed_to_its_second_goals(store, back, kill):
    """Days later it kicks off anew: it is polled, its goals are posted, and nothing of the first try is left."""
    process, ticker_id = await broken_off(store)
    before = await public(process, ticker_id)
    seen = [before]
    for fuse in (kill, kill, None, None, None):
        await process.poll(back, fuse=fuse)
        seen.append(await public(process, ticker_id))
    waiting = seen[-1]
    assert all(each in (before, waiting) for each in seen), "as a whole or not at all"
    assert {} == waiting[3]
    assert 0 == (await board(process, ticker_id))[1]
    assert (await board(process, ticker_id))[0] in {":", "0:0"}
    assert waiting[2] != before[2], "it has another kick-off"

    await days_pass(process, DAYS)
    assert process.matches, "it is still followed"
    await process.poll(kicked_off(result="0:0"), fuse=kill)
    await process.poll()
    await process.settle()
    assert ("0:0", 1) == await board(process, ticker_id)
    await process.poll(kicked_off(GOAL, result="0:1"), fuse=kill)
    await process.settle()
    assert ("0:1", 1) == await board(process, ticker_id)
    assert {"period:soccer.start", "incident:111"} == (await process.posted(ticker_id)).keys()
    assert "Südtor" in json.dumps((await process.posted(ticker_id))["incident:111"], ensure_ascii=False)


async def test_a_match_that_goes_on_on_another_day_has_its_goals_again(store):
    """It is taken up where it was broken off, with its score: the same posts, and the next goal."""
    process, ticker_id = await broken_off(store)
    names = {key: line.local_id for key, line in (await process.ledger(ticker_id)).items()}
    await process.poll(TAKEN_BACK["rows stay"])
    await process.settle()
    assert {} == await process.posted(ticker_id)
    third = row(113, "goal/head", 70, "away", 4, content="2:1", created="24.06.2025 20:20:00")
    again = {"current_period": "second-half-start", "current_period_start": "2025-06-24 20:01:00"}
    await process.poll(said(*ROWS, result="2:0", **NEW_DAY, **again))
    await process.poll(said(*ROWS, third, result="2:1", **NEW_DAY, **again))
    await process.settle()
    assert ("2:1", 1) == await board(process, ticker_id)
    assert {"incident:11", "incident:12", "incident:113"} <= (await process.posted(ticker_id)).keys()
    assert names["incident:11"] == (await process.ledger(ticker_id))["incident:11"].local_id


async def test_what_a_person_changed_stays(store):
    """An editor's score stays on the board, and an editor's post in the liveblog."""
    process, ticker_id = await broken_off(store)

    def edit(unit: Any) -> None:
        game = liveblogs.lock_game(unit, ticker_id)
        document = {**game.document, "scoreboard": {**game.document["scoreboard"]}}
        document["scoreboard"]["score"] = {**document["scoreboard"]["score"], "home_score": "5"}
        own = EventWrite.new(
            local_id="e-own", created_at=unit.now, document={"headline": "Ours"}, local_status=0, user_id="cms"
        )
        liveblogs.rewrite(unit, game, (own,), document=document, known={})

    await store.write(edit)
    await process.poll(TAKEN_BACK["everything goes"])
    await process.settle()
    assert "5:" == await score(process, ticker_id)
    assert ["e-own"] == [event.local_id for event in await process.events(ticker_id)]


async def test_a_match_that_ended_by_mistake_is_followed_again(store):
    """Ended in the 60th minute, an hour later it runs again: polled as a running match, also after the window."""
    process = Process(store, MATCH_ID, clock=Clock(1_749_925_000.0))
    process.adapter.bodies = TWO
    ticker_id = await process.create()
    await process.poll(said(*ROWS, result="2:0", finished="yes", current_period="game-end"))
    await process.settle()
    assert ("2:0", 31) == await board(process, ticker_id)
    process.clock.now += 3600
    await process.poll(TWO)
    await process.settle()
    assert ("2:0", 1) == await board(process, ticker_id)
    await days_pass(process, 3)
    third = row(13, "goal/head", 70, "away", 4, content="2:1")
    await process.poll(said(*ROWS, third, result="2:1"))
    assert "incident:13" in await process.posted(ticker_id)


def changed(bodies: Bodies, **changes: Any) -> Bodies:
    """The bodies with other fields of the match."""
    body = json.loads(bodies["match"])
    tree = body if isinstance(body, dict) else body[0]

    def change(value: Any) -> None:
        if isinstance(value, dict):
            if "match_date" in value:
                value.update(changes)
            for each in value.values():
                change(each)
        elif isinstance(value, list):
            for each in value:
                change(each)

    change(tree)
    return {**bodies, "match": json.dumps(body).encode()}


async def test_a_tennis_match_that_is_broken_off_is_played_anew(store):
    """Games of the first try go with its sets; the second one is posted from its first game."""
    match_id, steps = recorded_steps(FOLDER / "tennis" / "tie-break.jsonl")
    process = Process(store, match_id, clock=Clock(1_749_900_000.0))
    process.adapter.bodies = steps[len(steps) // 2]
    ticker_id = await process.create(text=False)
    await process.poll(changed(process.adapter.bodies, **BROKEN_OFF))
    await process.settle()
    first = await process.posted(ticker_id)
    assert "period:tennis.start" in first
    assert 31 == (await process.game(ticker_id)).document["state_info"]["gamestate"]
    later = {"match_date": "24.12.2025", "match_time": "20:00"}
    await process.poll(changed(steps[len(steps) // 2], **later, match_result=[], current_period=""))
    await process.settle()
    assert {} == await process.posted(ticker_id)
    await days_pass(process, DAYS)
    for bodies in steps:
        await process.poll(changed(bodies, **later))
    await process.settle()
    assert 31 == (await process.game(ticker_id)).document["state_info"]["gamestate"]
    assert {"period:tennis.start", "period:tennis.end"} <= (await process.posted(ticker_id)).keys()
