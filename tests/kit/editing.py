"""An editor's changes beside the sync."""

from typing import Any

from store.liveblogs import liveblogs
from tests.kit.corrected_match import START, snapshot
from tests.kit.scripted import Bodies, Process
from tests.providers.heim.feed import row

KEY = "incident:11"


async def edit(process: Process, ticker_id: str, key: str, *, local_status: int | None = None, **fields: Any) -> None:
    """What an editor's client does to a post: an ordinary event update."""
    name = (await process.ledger(ticker_id))[key].local_id

    def work(unit: Any) -> None:
        (event,) = liveblogs.events_named(unit.conn, [name]).values()
        write = event.rewritten(
            document={**event.document, **fields},
            local_status=event.local_status if local_status is None else local_status,
            user_id="editor",
        )
        liveblogs.record(unit, ticker_id, liveblogs.Change(events=(write,)))

    await process.store.write(work)


async def post(process: Process, ticker_id: str, key: str = KEY) -> dict[str, Any]:
    return (await process.posted(ticker_id))[key]


def corrected(minute: str = "16") -> Bodies:
    """The first goal with another scorer, minute, assist and kind, as providers correct them."""
    goal = row(11, "goal/left-foot", minute, "home", 8, 7, content="1:0")
    return snapshot("1:0", START, goal)
