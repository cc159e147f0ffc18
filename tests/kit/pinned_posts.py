"""A liveblog of many posts, of which one is pinned."""

from functools import partial

from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import Change, EventWrite
from tests.kit import matchday
from tests.kit.event_desk import Desk, post, text

LONG_AGO = matchday.KICK_OFF - 7200
TICKER = matchday.Liveblog().ticker_id


async def fill(server, count=40, at=matchday.KICK_OFF + 9000):
    """So many posts at the end, newest last."""
    writes = [
        EventWrite.new(local_id=f"emany{n:03}", document={"contents": [text("Now")]}, created_at=at + n)
        for n in range(count)
    ]
    change = Change(events=tuple(writes))
    await server.store.write(partial(liveblogs.record, game_id=TICKER, change=change))


async def pin(server, name, highlight="sticky", at=LONG_AGO):
    await Desk(server.http).create(post(f"How to follow {name}", local_id=name, created_at=at, highlight=highlight))
