"""Requests that open pages of the desk leave with the service: answered once there is something new, and never for long."""

import asyncio
import time
from functools import partial

import pytest

from api.desk import fragment_cache, liveblog_view
from api.desk.fragment_cache import FragmentCache
from api.view.liveblog_reads import StepSignal
from tests.kit import matchday
from tests.kit.event_desk import Desk, post
from tests.kit.people import add_account, signed_in

OPEN = "/desk/liveblogs/gderby/open"
TABLE = "/desk/matches/table"


@pytest.fixture
async def editor(server):
    """Somebody who has the derby open."""
    await server.add(matchday.derby())
    return await signed_in(server, await add_account(server.store))


async def held(request):
    """The request, once it waits: a moment later it is not answered yet."""
    task = asyncio.ensure_future(request)
    await asyncio.sleep(0.3)
    assert not task.done()
    return task


async def report(editor, page="a", **fields):
    return (await editor.submit(OPEN, {"page": page, **fields})).json()


async def waiting(editor, page="a", **fields):
    """A report of a page that has everything, and is held."""
    known = await report(editor, page, **fields)
    return await held(report(editor, page, mark=known["mark"], people=known["seen"], wait="1", **fields))


async def test_a_page_of_a_liveblog_learns_of_a_post_at_once(server, editor, monkeypatch):
    monkeypatch.setattr(liveblog_view, "HELD_SECONDS", 60)
    known = await report(editor)
    task = await waiting(editor)
    await Desk(server.http).create(post("News"))
    assert (await asyncio.wait_for(task, 30))["mark"] != known["mark"]


async def test_a_page_of_a_liveblog_learns_of_who_comes_edits_and_goes(server, editor, monkeypatch):
    monkeypatch.setattr(liveblog_view, "HELD_SECONDS", 60)
    other = await signed_in(server, await add_account(server.store, "sam@example.org", name="Sam Example"))
    for fields, people in (
        ({}, [{"name": "Sam Example", "post": ""}]),
        ({"post": "e1"}, [{"name": "Sam Example", "post": "e1"}]),
        ({"closed": "1"}, []),
    ):
        task = await waiting(editor)
        await report(other, "b", **fields)
        assert (await asyncio.wait_for(task, 30))["people"] == people


async def test_the_table_is_sent_once_a_liveblog_steps(server, editor, monkeypatch):
    monkeypatch.setattr(fragment_cache, "HELD_SECONDS", 60)
    first = await editor.send("GET", TABLE, params={"show": "others"})
    request = partial(editor.send, "GET", TABLE, headers={"If-None-Match": first.headers["etag"]})
    task = await held(request(params={"show": "others", "wait": "1"}))
    server.ticks += 10
    await Desk(server.http).create(post("A draft", local_status=60))
    sent = await asyncio.wait_for(task, 30)
    assert sent.status_code == 200
    assert sent.text != first.text


async def test_a_table_that_stays_as_it_is_is_not_sent(editor, monkeypatch):
    monkeypatch.setattr(fragment_cache, "HELD_SECONDS", 0.5)
    first = await editor.send("GET", TABLE)
    task = await held(editor.send("GET", TABLE, headers={"If-None-Match": first.headers["etag"]}, params={"wait": "1"}))
    assert (await task).status_code == 304


async def test_a_stop_holds_up_nobody(server, editor, monkeypatch):
    """The server waits for answers under way, so these are given at once."""
    monkeypatch.setattr(liveblog_view, "HELD_SECONDS", 60)
    monkeypatch.setattr(fragment_cache, "HELD_SECONDS", 60)
    first = await editor.send("GET", TABLE)
    table = await held(
        editor.send("GET", TABLE, headers={"If-None-Match": first.headers["etag"]}, params={"wait": "1"})
    )
    page = await waiting(editor)
    await server.services[StepSignal].close()
    assert (await asyncio.wait_for(table, 30)).status_code == 304
    assert "mark" in await asyncio.wait_for(page, 30)
    assert not await server.services[StepSignal].wait(60, asyncio.Event())


async def test_a_lost_notification_wakes_everybody(server, editor, monkeypatch):
    """PostgreSQL's connection was away: anything may have stepped."""
    signal = server.services[StepSignal]
    waits = [asyncio.ensure_future(signal.wait(60, signal.next_step(each))) for each in ("", "one", "two")]
    await asyncio.sleep(0)
    signal._hear(None)
    assert await asyncio.wait_for(asyncio.gather(*waits), 30) == [True, True, True]


@pytest.fixture
def step_meanwhile(server, monkeypatch):
    """Arms the store: the liveblog steps while the answer of the next read of this kind is on its way."""
    read = server.store.read

    def pass_time():
        server.ticks += 10

    def arm(kind):
        left = [True]

        async def late(query, **more):
            found = await read(query, **more)
            if left and kind in repr(query):
                left.clear()
                asyncio.get_running_loop().call_later(0.1, pass_time)
                await Desk(server.http).create(post("Meanwhile", local_status=60))
            return found

        monkeypatch.setattr(server.store, "read", late)

    return arm


async def test_a_step_is_not_missed_while_a_liveblog_is_looked_at(server, editor, monkeypatch, step_meanwhile):
    """What is committed after the look and before the wait is answered as what comes later is."""
    monkeypatch.setattr(liveblog_view, "HELD_SECONDS", 60)
    known = await report(editor)
    step_meanwhile("_found")
    task = report(editor, mark=known["mark"], people=known["seen"], wait="1")
    assert (await asyncio.wait_for(task, 30))["mark"] != known["mark"]


@pytest.mark.parametrize("how", ["forget", "anew"])
async def test_what_is_being_made_while_somebody_writes_is_not_given_to_them(how):
    """Neither right after they wrote nor a moment later, when what was begun before is ready."""
    cache, ready, stored = FragmentCache(time.monotonic, asyncio.Event), asyncio.Event(), ["old"]

    async def slow():
        found = stored[-1]
        await ready.wait()
        return found

    async def fast():
        return stored[-1]

    before = asyncio.ensure_future(cache.get("key", slow))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    stored.append("new")
    if how == "forget":
        cache.forget()
    written = asyncio.ensure_future(cache.get("key", fast, anew=how == "anew"))
    assert (await asyncio.wait_for(written, 30)).rendering.body == b"new"
    ready.set()
    assert (await before).rendering.body == b"old"
    assert (await cache.get("key", fast)).rendering.body == b"new"
