"""Settings that are switched off and on, and posts that wait for their time: what a person decided stays decided."""

import json
from functools import partial
from typing import Any

from store.engine.records import Change, StoredEvent
from store.following import sync
from store.liveblogs import liveblogs, publishing
from store.liveblogs.event_rows import events_named
from tests.kit.corrected_match import KEY, ONE, TWO, begun, corrected, goals
from tests.kit.scripted import Process
from tests.providers.heim.feed import item

TEXTS = [item(901, 5, "<b>Chance</b> <br/>Just over the bar."), item(902, 9, "<b>Corner</b> <br/>Cleared.")]
WITH_TEXTS = {**TWO, "liveticker": json.dumps(TEXTS).encode()}
SCHEDULED_IN = 3600


async def set_terms(process: Process, ticker_id: str, **changes: Any) -> None:
    """What a client does to the settings of the connection."""
    attachment = await process.store.read(lambda conn: sync.attachment(conn, ticker_id))
    await process.store.write(partial(sync.save_terms, game_id=ticker_id, terms={**attachment.terms, **changes}))
    await process.restart()
    await process.settle()


async def schedule(process: Process, ticker_id: str, key: str = KEY, seconds: int = SCHEDULED_IN) -> None:
    """What an editor's client does to show a post later."""
    name = (await process.ledger(ticker_id))[key].local_id

    def work(unit: Any) -> None:
        (event,) = events_named(unit.conn, [name]).values()
        liveblogs.record(unit, ticker_id, Change(events=(event.rewritten(publish_at=unit.now + seconds),)))

    await process.store.write(work)


async def texts(process: Process, ticker_id: str, statuses: tuple[int, ...] = (0,)) -> list[str]:
    names = {row.local_id for row in (await process.ledger(ticker_id)).values() if row.kind == "text"}
    return [event.local_id for event in await process.events(ticker_id, statuses) if event.local_id in names]


async def test_a_scheduled_post_is_not_taken_back_by_a_setting(store):
    """Posting is switched off before its time: an editor has decided that it shall be public, so it is, then."""
    process, ticker_id = await begun(store, ONE)
    await schedule(process, ticker_id)
    await set_terms(process, ticker_id, auto_post=False)
    assert [] == await goals(process, ticker_id)
    process.clock.now += SCHEDULED_IN + 60
    await store.write(partial(publishing.publish, game_id=ticker_id))
    await process.poll(corrected())
    await process.settle()

    assert ["incident:11"] == await goals(process, ticker_id)


async def waits(process: Process, ticker_id: str) -> list[StoredEvent]:
    """The posts that wait for their time."""
    found = await process.store.read(partial(liveblogs.events, game_id=ticker_id, statuses=(0,), limit=None))
    return [event for event in found if event.publish_at is not None]


async def test_a_scheduled_post_is_not_published_by_a_withdrawal_and_its_return(store):
    """The goal goes and comes again before the time of its post: it waits on."""
    process, ticker_id = await begun(store, TWO)
    await schedule(process, ticker_id, "incident:12")
    for bodies in (ONE, ONE, ONE):
        await process.poll(bodies)
    assert [] == await waits(process, ticker_id)
    for bodies in (TWO, TWO):
        await process.poll(bodies)
    await process.settle()

    assert [KEY] == await goals(process, ticker_id)
    assert 1 == len(await waits(process, ticker_id))


async def test_texts_that_are_not_wanted_for_a_while_are_drafts_meanwhile(store):
    """The match ends meanwhile: nothing is withdrawn or deleted, and all of it comes back."""
    process, ticker_id = await begun(store, WITH_TEXTS)
    public = await texts(process, ticker_id)
    assert 2 == len(public)
    await set_terms(process, ticker_id, text=False)
    assert ([], public) == (await texts(process, ticker_id), await texts(process, ticker_id, (60,)))
    assert {"draft"} == {row.reason for row in (await process.ledger(ticker_id)).values() if row.kind == "text"}
    await set_terms(process, ticker_id, text=True)

    assert public == await texts(process, ticker_id)
