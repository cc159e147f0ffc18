"""A match of heim whose goals are corrected."""

import json
from typing import Any

from store.database import Store
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from store.liveblogs.event_rows import events_named
from tests.kit.scripted import Bodies, Process
from tests.providers.heim.feed import MATCH_ID, match, results, row

START = row(1, "match/game-start", 1)
FIRST = row(11, "goal/head", 15, "home", 9, content="1:0")
SECOND = row(12, "goal/right-foot", 30, "home", 10, content="2:0")


KEY = "incident:11"


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


async def edit(process: Process, ticker_id: str, key: str, *, local_status: int | None = None, **fields: Any) -> None:
    """What an editor's client does to a post: an ordinary event update."""
    name = (await process.ledger(ticker_id))[key].local_id

    def work(unit: Any) -> None:
        (event,) = events_named(unit.conn, [name]).values()
        write = event.rewritten(
            document={**event.document, **fields},
            local_status=event.local_status if local_status is None else local_status,
            user_id="editor",
        )
        liveblogs.record(unit, ticker_id, Change(events=(write,)))

    await process.store.write(work)


async def post(process: Process, ticker_id: str, key: str = KEY) -> dict[str, Any]:
    return (await process.posted(ticker_id))[key]


def corrected(minute: str = "16") -> Bodies:
    """The first goal with another scorer, minute, assist and kind, as providers correct them."""
    goal = row(11, "goal/left-foot", minute, "home", 8, 7, content="1:0")
    return snapshot("1:0", START, goal)
