"""Who else is at a liveblog, where the service runs as several processes: real ones, on one PostgreSQL."""

import asyncio
from contextlib import AsyncExitStack

import httpx
import pytest

from api.desk.attendance import ANNOUNCED_EVERY, LASTS, Attendance
from api.desk.cookies import SESSION
from tests.kit.day import ORGANIZATION
from tests.kit.news_daemon import NEWS, WRITE
from tests.kit.opening import store_at
from tests.kit.people import OWN_SITE, PASSWORD, SignedInBrowser, add_account, session_of
from tests.kit.workers import two_processes

SOON = 60
"""Seconds within which everything comes about, however busy the machine is."""


async def at(stack, worker, email):
    """A browser of somebody who is signed in, at this process."""
    http = await stack.enter_async_context(
        httpx.AsyncClient(base_url=str(worker.client.base_url), timeout=60, trust_env=False, verify=False)
    )
    token = session_of(await http.post("/desk/sign-in", data={"email": email, "password": PASSWORD}, headers=OWN_SITE))
    http.cookies.clear()
    return SignedInBrowser(http, token, SESSION)


@pytest.mark.proof
async def test_everybody_is_seen_at_whichever_process_they_are(tmp_path, postgres_url):
    """Who comes, edits and goes at one process is seen at the other one at once."""
    store = await store_at(postgres_url)
    for name in ("kim", "sam"):
        await add_account(store, f"{name}@example.org", name=name.title(), organization=ORGANIZATION)
    await store.close()
    async with two_processes(tmp_path, postgres_url, one="api", two="api") as (_, one, two), AsyncExitStack() as stack:
        await asyncio.gather(one.start(), two.start())
        liveblog = (await one.client.post(f"{WRITE}/ticker/create.json", json=NEWS)).json()["local_id"]
        kim, sam = await at(stack, one, "kim@example.org"), await at(stack, two, "sam@example.org")
        path = f"/desk/liveblogs/{liveblog}/open"

        async def report(browser, **fields):
            response = await browser.submit(path, {"page": "p", **fields})
            assert response.status_code == 200, response.text
            return response.json()

        async def until_seen(people):
            """Kim's page leaves its report until something is new, as the page of the desk does."""
            known = await report(kim)
            async with asyncio.timeout(SOON):
                while known["people"] != people:
                    known = await report(kim, wait="1", mark=known["mark"], people=known["seen"])

        await until_seen([])
        await report(sam)
        await until_seen([{"name": "Sam", "post": ""}])
        await report(sam, post="e1")
        await until_seen([{"name": "Sam", "post": "e1"}])
        await report(sam, closed="1")
        await until_seen([])


def test_what_was_lost_is_made_up_for():
    """An announcement that nobody heard is sent again, though nothing has changed; not each time that the page reports."""
    now, words = [1000.0], []
    here, there = Attendance(lambda: now[0], words.append), Attendance(lambda: now[0])
    here.report("g1", "p", "a1", "Kim", "")
    words.clear()
    for _ in range(5):
        here.report("g1", "p", "a1", "Kim", "")
    assert words == []
    now[0] += ANNOUNCED_EVERY
    here.report("g1", "p", "a1", "Kim", "")
    assert [there.hear(word) for word in words] == ["g1"]
    assert [each.name for each in there.others("g1", "own")] == ["Kim"]
    now[0] += LASTS
    assert there.others("g1", "own") == []


def test_who_comes_back_is_news():
    """A page that was hidden until it counted as closed is seen again at once, here and at other processes."""
    now, words = [1000.0], []
    here, there = Attendance(lambda: now[0], words.append), Attendance(lambda: now[0])
    assert here.report("g1", "p", "a1", "Kim", "e1")
    now[0] += LASTS
    assert here.others("g1", "own") == []
    assert here.report("g1", "p", "a1", "Kim", "e1")
    assert [there.hear(word) for word in words[:1]] == ["g1"]
    now[0] += LASTS
    assert [there.hear(word) for word in words[1:]] == ["g1"]
