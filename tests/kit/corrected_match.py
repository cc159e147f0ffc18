"""A match of heim whose goals are corrected."""

import json
from typing import Any

from store.database import Store
from tests.kit.scripted import Bodies, Process
from tests.providers.heim.feed import MATCH_ID, match, results, row

START = row(1, "match/game-start", 1)
FIRST = row(11, "goal/head", 15, "home", 9, content="1:0")
SECOND = row(12, "goal/right-foot", 30, "home", 10, content="2:0")


def snapshot(score: str, *rows: dict[str, Any], **changes: Any) -> Bodies:
    body = {"match": match(match_result=results(p0=score), current_period="game-start", **changes)}
    return {"match": json.dumps(body).encode(), "match-event": json.dumps(rows).encode(), "liveticker": b"[]"}


ONE, TWO = snapshot("1:0", START, FIRST), snapshot("2:0", START, FIRST, SECOND)


async def begun(store: Store, bodies: Bodies) -> tuple[Process, str]:
    process = Process(store, MATCH_ID)
    process.adapter.bodies = bodies
    ticker_id = await process.create()
    await process.poll()
    return process, ticker_id


async def score(process: Process, ticker_id: str) -> str:
    shown = (await process.game(ticker_id)).document["scoreboard"]["score"]
    return f"{shown['home_score']}:{shown['away_score']}"


async def goals(process: Process, ticker_id: str) -> list[str]:
    return sorted(key for key in await process.posted(ticker_id) if key.startswith("incident:"))
