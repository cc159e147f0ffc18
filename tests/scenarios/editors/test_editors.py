"""Editors win, field by field: what a person changed, deleted or scheduled is never overwritten, whatever the settings."""

import json
from functools import partial
from typing import Any

import pytest

from ingest.cli.explain import explain
from store.engine.liveblog_records import Change, StoredEvent
from store.following import follow_rows
from store.liveblogs import liveblogs, publishing
from store.liveblogs.event_rows import events_named
from tests.kit.corrected_match import FIRST, KEY, ONE, START, TWO, begun, corrected, edit, goals, post, snapshot
from tests.kit.scripted import Bodies, Process
from tests.providers.heim.feed import item, match

PHOTO = {"_type": "Svc::Model::Content::MultiMediaContentBlock", "local_id": "bphoto", "items": []}


async def change(process: Process, ticker_id: str, name: str, **fields: Any) -> None:
    """What an editor's client does to a part of the liveblog: it sends the part whole, with what it changed."""
    game = await process.game(ticker_id)
    changed = {**game.document, name: {**game.document[name], **fields}}
    await process.store.write(lambda unit: liveblogs.record(unit, ticker_id, Change(game=changed)))


def planned_at(time: str) -> Bodies:
    """The match before it begins."""
    before = dict.fromkeys(("current_period", "current_period_start", "current_minute"), "")
    body = {"match": match(match_time=time, match_result=[], live_status="none", **before)}
    return {"match": json.dumps(body).encode(), "match-event": b"[]", "liveticker": b"[]"}


UNITS = {
    "headline": "The editor's headline",
    "highlight": "sticky",
    "tag_ids": ["one"],
    "sport_event.time_of_play": "14'",
    "sport_event.title": "What a goal",
    "sport_event.players": [],
    "sport_event.team": {"_type": "Svc::Model::Team", "name": "The others"},
    "sport_event.phase": {"_type": "Svc::Model::Content::SportPhase", "name": "early"},
}


@pytest.mark.parametrize("unit", sorted(UNITS))
async def test_a_changed_unit_survives_every_later_sync(store, unit):
    """The unit stays the editor's, the other units follow the provider's corrections."""
    process, ticker_id = await begun(store, ONE)
    name, _, inner = unit.partition(".")
    before = await post(process, ticker_id)
    await edit(process, ticker_id, KEY, **{name: {**before[name], inner: UNITS[unit]} if inner else UNITS[unit]})
    for minute in ("16", "17", "18"):
        await process.poll(corrected(minute=minute))

    now = await post(process, ticker_id)
    assert UNITS[unit] == (now[name][inner] if inner else now[name])
    others = {"time_of_play": "18'", "players": ["Jan Muster8", "Jan Muster7"]}
    if inner != "time_of_play":
        assert others["time_of_play"] == now["sport_event"]["time_of_play"]
    if inner != "players":
        assert others["players"] == [each["player"]["name"] for each in now["sport_event"]["players"]]


async def test_a_photo_does_not_stop_the_narrative_that_comes_later(store):
    """A block added to `contents` keeps its place; the text beside it is replaced by the narrative 90 s later."""
    process, ticker_id = await begun(store, ONE)
    before = await post(process, ticker_id)
    await edit(process, ticker_id, KEY, contents=[PHOTO, *before["contents"]])
    narrative = item(901, 15, "<b>Tor</b> <br/>A header from close range.", FIRST)
    await process.poll({**ONE, "liveticker": json.dumps([narrative]).encode()})

    contents = (await post(process, ticker_id))["contents"]
    assert ["bphoto", "A header from close range."] == [contents[0]["local_id"], contents[1]["text"]]


async def test_an_edited_post_whose_incident_vanishes_is_hidden_and_shown_with_its_reason(store):
    """The provider takes the goal back: the post leaves the public, keeps the editor's words, and says why."""
    process, ticker_id = await begun(store, TWO)
    await edit(process, ticker_id, "incident:12", headline="The editor's headline")
    await process.poll(ONE)
    await process.settle()

    (hidden,) = await process.events(ticker_id, statuses=[60])
    assert "The editor's headline" == hidden.document["headline"]
    explained = await store.read(lambda conn: explain(conn, ticker_id))
    (line,) = [each for each in explained["posts"] if each["key"] == "incident:12"]
    assert ("withdrawn", "hidden", "withdrawn by the provider", ["headline"]) == (
        line["state"], line["status"], line["reason"], line["edited"],
    )  # fmt: skip


async def test_a_team_name_that_an_editor_changed_stays(store):
    """Meta info is merged field by field: the title is the editor's, the kick-off still moves."""
    process, ticker_id = await begun(store, ONE)
    starts_at = (await process.game(ticker_id)).document["meta_info"]["starts_at"]
    await change(process, ticker_id, "meta_info", title="The derby")
    await process.poll(snapshot("1:0", START, FIRST, match_time="18:30"))

    now = (await process.game(ticker_id)).document["meta_info"]
    assert "The derby" == now["title"]
    assert starts_at + 1800 == now["starts_at"]


async def test_the_start_before_a_moved_kick_off_is_kept(store):
    """Before the match the start that was published first is kept; a correction of it during the match is none."""
    process, ticker_id = await begun(store, planned_at("18:00"))
    planned = (await process.game(ticker_id)).starts_at
    assert planned is not None
    for time in ("19:30", "20:00"):
        await process.poll(planned_at(time))
    moved = await process.game(ticker_id)
    assert (planned + 7200, planned) == (moved.starts_at, moved.previous_starts_at)
    assert moved.starts_at == moved.document["meta_info"]["starts_at"]

    await process.poll(planned_at("18:00"))
    assert (await process.game(ticker_id)).previous_starts_at is None
    await process.poll(snapshot("0:0", START, match_time="18:05"))
    assert (await process.game(ticker_id)).previous_starts_at is None


@pytest.mark.parametrize("unit", ["headline", "sport_event.time_of_play"])
async def test_a_post_whose_editor_agrees_with_the_provider_follows_it_again(store, unit):
    """The same holds for each unit of a post; an agreement is not shown as an edit."""
    process, ticker_id = await begun(store, ONE)
    sport_event = (await post(process, ticker_id))["sport_event"]
    await edit(process, ticker_id, KEY, headline="Mine", sport_event={**sport_event, "time_of_play": "14'"})
    await process.poll(corrected())
    agreed = (await post(process, ticker_id))["sport_event"] | {"time_of_play": "16'"}
    await edit(process, ticker_id, KEY, **({"headline": ""} if unit == "headline" else {"sport_event": agreed}))

    explained = await store.read(lambda conn: explain(conn, ticker_id))
    (line,) = [each for each in explained["posts"] if each["key"] == KEY]
    assert sorted({"headline", "sport_event.time_of_play"} - {unit}) == line["edited"]
    await process.poll(corrected(minute="17"))
    now = await post(process, ticker_id)
    minute = "17'" if unit == "sport_event.time_of_play" else "14'"
    assert minute == now["sport_event"]["time_of_play"]


TEXTS = [item(901, 5, "<b>Chance</b> <br/>Just over the bar."), item(902, 9, "<b>Corner</b> <br/>Cleared.")]
WITH_TEXTS = {**TWO, "liveticker": json.dumps(TEXTS).encode()}
SCHEDULED_IN = 3600


async def set_terms(process: Process, ticker_id: str, **changes: Any) -> None:
    """What a client does to the settings of the connection."""
    attachment = await process.store.read(lambda conn: follow_rows.attachment(conn, ticker_id))
    await process.store.write(partial(follow_rows.save_terms, game_id=ticker_id, terms={**attachment.terms, **changes}))
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
