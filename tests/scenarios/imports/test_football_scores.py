"""American football from end to end: its steps of the score as posts, whoever dies, by the settings, with corrections."""

import json
from typing import Any

from sqlalchemy import text

from tests.kit.scripted import Process
from tests.kit.sport_fixtures import FOLDER, recorded_steps


async def begun(store: Any, **wishes: Any) -> tuple[Process, str, list[dict[str, bytes]]]:
    match_id, steps = recorded_steps(FOLDER / "american_football" / "overtime.jsonl")
    process = Process(store, match_id)
    process.adapter.bodies = steps[0]
    return process, await process.create(text=False, **wishes), steps


async def said(process: Process, ticker_id: str) -> list[str]:
    return [document["contents"][0]["text"] for document in (await process.posted(ticker_id)).values()]


async def test_without_a_belief_what_was_posted_stays_and_goes_on(store):
    """The belief is lost in the middle of the match."""
    process, ticker_id, steps = await begun(store)
    half = len(steps) // 2
    for bodies in steps[:half]:
        await process.poll(bodies)
    await process.settle()
    before = await process.posted(ticker_id)
    assert before
    await store.write(lambda unit: unit.conn.execute(text("DELETE FROM beliefs")))
    await process.restart()
    body = {**steps[half - 1], "match": json.dumps(json.loads(steps[half - 1]["match"]), indent=1).encode()}
    for _ in range(4):
        await process.poll(body)
    await process.settle()
    assert before == await process.posted(ticker_id)
    for bodies in steps[half:]:
        await process.poll(bodies)
    await process.settle()
    assert before.items() <= (await process.posted(ticker_id)).items()
    assert "25-22" in " ".join(await said(process, ticker_id))
