"""A goal that is taken back after readers have seen it: its post says so, counts nowhere, and becomes the goal again."""

import asyncio
from typing import Any

import pytest

from api.view.key_moments import moments_of
from mapping.posts.withdrawal_notes import WithdrawalRules
from store.upkeep.doctor import examine
from tests.kit.corrected_match import FIRST, ONE, SECOND, START, TWO, edit, score, snapshot
from tests.kit.scripted import NOTES, Bodies, Process, open_store
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import MATCH_ID, row

KEY = "incident:12"
LATER = row(13, "goal/right-foot", 30, "home", 10, content="2:0")


async def begun(store: Any, bodies: Bodies = TWO, rules: WithdrawalRules = NOTES, **wishes: Any) -> tuple[Process, str]:
    process = Process(store, MATCH_ID, withdrawals=rules)
    process.adapter.bodies = bodies
    ticker_id = await process.create(**wishes)
    await process.poll()
    return process, ticker_id


async def taken_back(store: Any, **wishes: Any) -> tuple[Process, str]:
    """The second goal was public, and is taken back."""
    process, ticker_id = await begun(store, **wishes)
    await process.poll(ONE)
    await process.settle()
    return process, ticker_id


async def post(process: Process, ticker_id: str, key: str = KEY) -> dict[str, Any] | None:
    return (await process.posted(ticker_id)).get(key)


async def state(process: Process, ticker_id: str, key: str = KEY) -> str:
    return (await process.ledger(ticker_id))[key].state


WORDS = {
    "en": ("Goal disallowed", "Goal disallowed: Muster10 (Nordhafen)."),
    "de": ("Tor aberkannt", "Tor aberkannt: Muster10 (Nordhafen)."),
    "fr-fr": ("But refusé", "But refusé&nbsp;: Muster10 (Nordhafen)."),
}


@pytest.mark.parametrize("locale", WORDS)
async def test_a_goal_that_is_taken_back_says_so_in_its_place(store, tmp_path, locale):
    """The same post, public, with another type and text, without a score; the version steps once."""
    process, ticker_id = await begun(store, locale=locale)
    name = (await process.ledger(ticker_id))[KEY].local_id
    version = (await process.game(ticker_id)).version
    await process.poll(ONE)
    assert "soccer.goal" == (await post(process, ticker_id))["sport_event"]["event_type"], "said once it counts nothing"
    await process.settle()

    note = await post(process, ticker_id)
    title, text = WORDS[locale]
    assert ("soccer.disallowed-goal", title) == (note["sport_event"]["event_type"], note["sport_event"]["title"])
    assert text == note["contents"][0]["text"]
    assert not note["sport_event"].get("score")
    assert "30'" == note["sport_event"]["time_of_play"]
    assert (name, "disallowed") == ((await process.ledger(ticker_id))[KEY].local_id, await state(process, ticker_id))
    assert version + 1 == (await process.game(ticker_id)).version
    assert "1:0" == await score(process, ticker_id)
    for _ in range(3):
        await process.poll()
    assert version + 1 == (await process.game(ticker_id)).version
    sound = await asyncio.to_thread(examine, migrated_url(tmp_path / "disallowed.db"))
    assert not [each for each in sound if each.outcome != "ok"]


async def test_the_note_counts_nowhere(store):
    """Neither as a goal among the key moments, nor in the recap, nor beside the player's name; it is a moment of its own."""
    process, ticker_id = await taken_back(store)
    game = (await process.game(ticker_id)).as_document()
    posts = [{**event.document, "local_id": event.local_id} for event in await process.events(ticker_id)]
    found = moments_of(game, posts)
    assert [("goal", "1:0"), ("disallowed", "1:0")] == [
        (str(each.type), str(each.score)) for each in found.moments if each.type in {"goal", "disallowed"}
    ]
    assert "Muster10" not in found.recap
    assert "2-0" not in found.recap
    assert all("Muster10" not in repr(name) for name in found.player_events)
    assert 1 == sum(len(each) for each in found.player_events.values())


async def test_a_deleted_note_swallows_no_goal(store):
    """An editor deletes the note; the same player scores in the next minute."""
    process, ticker_id = await taken_back(store)
    await edit(process, ticker_id, KEY, local_status=100)
    await process.poll(snapshot("2:0", START, FIRST, row(14, "goal/right-foot", 31, "home", 10, content="2:0")))
    await process.settle()
    assert await post(process, ticker_id, "incident:14") is not None
    assert "gone" == await state(process, ticker_id)


BOTH = (START, FIRST, SECOND)
"""The rows of both goals."""


@pytest.mark.parametrize("storage", ["sqlite", "postgresql"])
async def test_a_goal_that_the_score_has_lost_is_under_review_until_its_row_says_more(storage, request, tmp_path):
    """Public and marked in its place, it counts nothing; the score back up ends the review without a trace but the version."""
    url = migrated_url(tmp_path / "review.db") if storage == "sqlite" else request.getfixturevalue("postgres_url")
    store = await open_store(url)
    process, ticker_id = await begun(store, snapshot("2:0", *BOTH))
    goal, version = await post(process, ticker_id), (await process.game(ticker_id)).version
    await process.poll(snapshot("1:0", *BOTH))
    assert goal == await post(process, ticker_id), "said once it changes nothing"
    await process.settle()
    reviewed = await post(process, ticker_id)
    assert {**goal["sport_event"], "title": "Goal – under review"} == reviewed["sport_event"]
    assert (goal["contents"], "1:0", version + 1) == (
        reviewed["contents"],
        await score(process, ticker_id),
        (await process.game(ticker_id)).version,
    )
    posts = [{**event.document, "local_id": event.local_id} for event in await process.events(ticker_id)]
    found = moments_of((await process.game(ticker_id)).as_document(), posts)
    assert [("goal", "1:0"), ("review", "1:0")] == [
        (str(each.type), str(each.score)) for each in found.moments if each.type in {"goal", "review"}
    ]
    assert "Goal – under review: Muster10 (Nordhafen)" == found.moments[-1].text
    assert "Muster10" not in found.recap
    await process.restart()
    for fuse in (1, None, None):
        await process.poll(fuse=fuse)
    assert reviewed == await post(process, ticker_id)
    assert version + 1 == (await process.game(ticker_id)).version
    await process.poll(snapshot("2:0", *BOTH))
    await process.settle()
    assert goal == await post(process, ticker_id)
    await store.close()


async def test_a_note_follows_the_language_and_stays_when_the_match_is_closed(store):
    """The window after the end deletes what went silently, and no note."""
    process, ticker_id = await taken_back(store)
    ended = snapshot("1:0", START, FIRST, finished="yes")
    await process.poll(ended)
    await process.settle()
    process.clock.now += 3 * 86_400
    await process.poll()
    await process.followers.stop()
    assert () == process.matches
    assert "Goal disallowed" == (await post(process, ticker_id))["sport_event"]["title"]
