"""A site with a liveblog, and a page in a browser that follows it."""

import asyncio
from contextlib import AsyncExitStack
from functools import partial

import pytest

from providers.http_server import bind_socket, listening
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from tests.api.conftest import serving
from tests.kit import matchday
from tests.kit.event_desk import Desk, text

TICKER = matchday.Liveblog().ticker_id
SOON = 30_000
"""Milliseconds in which something must be seen; without the stream it may take as long as a poll."""
SEEN = "#liveblog .post"
TOP = "id => document.getElementById(id).getBoundingClientRect().top"


class Site:
    """The API behind a real server that can go away and come back under the same address."""

    def __init__(self, server, **settings):
        self.server, self.port = server, 0
        self.desk = Desk(server.http)
        self._settings = {**OPEN, **settings}
        self._up = AsyncExitStack()

    async def start(self):
        """A process begins: with an app, and so with streams, of its own."""
        store = self.server.store
        running = await self._up.enter_async_context(serving(store, **self._settings))
        listener = bind_socket("127.0.0.1", self.port)
        self.port = listener.getsockname()[1]
        self.address = await self._up.enter_async_context(
            listening(running.app, listener, timeout_graceful_shutdown=1, log_level="critical")
        )

    async def stop(self):
        await self._up.aclose()

    async def change(self, *events, **more):
        change = Change(events=tuple(events), **more)
        await self.server.store.write(partial(liveblogs.record, game_id=TICKER, change=change))


OPEN = {"client_per_second": 0, "public_per_second": 0, "public_feeds": True}


@pytest.fixture
async def site(public):
    await public.add(matchday.derby())
    site = Site(public)
    await site.start()
    yield site
    await site.stop()


class Page:
    """An open liveblog page, what it requested, and what it complained about."""

    def __init__(self, page, address):
        self.page, self.address = page, f"{address}/liveblogs/gderby"
        self.requested, self.complaints = [], []
        page.on("request", lambda request: self.requested.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)

    async def open(self):
        async with self.page.expect_request("**/api/embed/v4/stream?*"):
            await self.page.goto(self.address)
        await asyncio.sleep(0.3)
        return self

    def post(self, name):
        return self.page.locator(f"#{name}")

    async def shows(self, name, words="", within=SOON):
        await self.post(name).filter(has_text=words).wait_for(timeout=within)

    async def forgets(self, name, within=SOON):
        await self.post(name).wait_for(state="detached", timeout=within)

    async def ids(self):
        return await self.page.eval_on_selector_all(SEEN, "all => all.map(each => each.id)")

    def polls(self):
        return [url for url in self.requested if "fragment=1" in url]

    def streams(self):
        return [url for url in self.requested if "/api/embed/v4/stream?" in url]


@pytest.fixture
async def page(site, browser):
    return await Page(await browser.new_page(), site.address).open()


def words(text_):
    return {"contents": [text(text_)]}
