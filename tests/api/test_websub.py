"""WebSub by the rules of the protocol, with subscribers that are real servers: intent, leases, deliveries, ends."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree as ET

import httpx
import pytest
from aiohttp import web
from sqlalchemy import select, update

from api.app import create_app
from api.websub.hub_settings import HubSettings
from api.websub.topics import Topics
from config.sections import Webhooks, WebSub
from ingest.daemon.containment import Containment
from ingest.guard.ssrf_guard import SsrfGuard
from ingest.webhooks.steady_clock import SteadyClock
from ingest.websub.hub import Hub
from mapping.documents.scalars import LocalStatus
from mapping.rules.websub import pause_after
from store import hub_subscriptions, liveblogs
from store.hub_subscriptions import HubRoom
from store.liveblogs import Change
from store.tables import games
from store.tables import hub_subscriptions as table
from tests.api import matchday
from tests.api.conftest import NOW, serving
from tests.opening import store_at
from tests.sqlite import migrated_url

FEED = "/api/embed/v4/feed/liveblog"
ATOM = "{http://www.w3.org/2005/Atom}"
PUBLIC = "https://live.example.org/blogs"
HUB = f"{PUBLIC}/websub"
TOPIC = f"{PUBLIC}{FEED}.json?liveblogId=gderby"
ROOM = HubRoom(subscriptions=50, liveblog_subscriptions=40, host_subscriptions=30)
TAKES = HubSettings(default_lease=1000, lease_min=60, lease_max=5000, room=ROOM, address_per_second=0, address_burst=1)
QUICK = WebSub(pause=0.01, timeout=3.0)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    """The address of an empty database, once of each kind."""
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_url")
    return migrated_url(tmp_path / "test.db")


class Subscribers:
    """A server whose paths are subscribers, each with a way to behave that a test may change."""

    def __init__(self):
        self.ways, self.confirmed, self.denied, self.pushed = {}, [], [], []

    async def serve(self, request):
        name = request.match_info["name"]
        way, query = self.ways.get(name, "ok"), dict(request.query)
        if request.method == "POST":
            self.pushed.append((name, dict(request.headers), await request.read()))
            if way == "hang":
                await asyncio.sleep(10)
            return web.Response(status=way if isinstance(way, int) else 204)
        if query["hub.mode"] == "denied":
            self.denied.append((name, query))
            return web.Response()
        self.confirmed.append((name, query))
        body = {"wrong": "something else", "longer": query["hub.challenge"] + "0"}.get(way, query["hub.challenge"])
        if way == "redirect":
            raise web.HTTPFound(f"/ok?{request.query_string}")
        return web.Response(text=body, status=404 if way == "stranger" else 200)

    def of(self, name):
        return [(headers, body) for each, headers, body in self.pushed if each == name]

    def modes(self, name):
        return [query["hub.mode"] for each, query in self.confirmed if each == name]


@asynccontextmanager
async def subscribers():
    found, app = Subscribers(), web.Application()
    app.router.add_route("*", "/{name}", found.serve)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    found.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield found
    finally:
        await runner.cleanup()


class Stage:
    """The API, one or more hubs on its database, and subscribers."""

    def __init__(self, server, receivers, stores):
        self.server, self.receivers, self.late = server, receivers, 0.0
        self.game = matchday.derby().ticker_id
        guard = SsrfGuard(Webhooks(allow_hosts=["127.0.0.1"]))
        timing = SteadyClock(wall=lambda: NOW + self.late, steady=lambda: self.late)
        self.topics = Topics(server.services.settings, server.services.keys.media)
        self.hubs = [Hub(each, guard, QUICK, self.topics, timing=timing, containment=Containment()) for each in stores]

    async def request(self, name, mode="subscribe", topic=TOPIC, **more):
        form = {"hub.mode": mode, "hub.topic": topic, "hub.callback": f"{self.receivers.base}/{name}?token=a%2Fb"}
        return await self.server.http.post("/websub", data=form | {f"hub.{key}": each for key, each in more.items()})

    async def change(self):
        await self.server.store.write(lambda unit: liveblogs.record(unit, self.game, Change()))

    async def settle(self, seconds=20.0):
        """Let the hubs do what is due now, all of them at once."""
        self.late += seconds
        for _ in range(4):
            ids = await self.server.store.read(partial(hub_subscriptions.due, now=NOW + self.late, limit=99))
            if not ids:
                return
            await asyncio.gather(*(hub._serve(each) for hub in self.hubs for each in ids))

    async def rows(self):
        found = await self.server.store.read(lambda conn: conn.execute(select(table)).all())
        return {urlsplit(row.callback).path[1:]: row for row in found}


@pytest.fixture
async def stage(database):
    """Two hubs: on PostgreSQL those of two processes."""
    store = await store_at(database, migrate=True, clock=lambda: NOW - 60)
    second = store if database.startswith("sqlite") else await store_at(database, clock=lambda: NOW - 60)
    settings = {"client_per_second": 0, "public_per_second": 0, "public_feeds": True, "hub": TAKES}
    async with serving(store, **settings) as server, subscribers() as receivers:
        await server.add(matchday.derby())
        yield Stage(server, receivers, [store, second])
    if second is not store:
        await second.close()
    await store.close()


async def test_commits_wake_the_hub_while_there_is_a_subscriber(stage):
    """Where nobody subscribes, a liveblog that changes costs the hub nothing; each tick it looks whether somebody does."""
    hub = stage.hubs[-1]
    assert await hub._due() == []
    hub.wake()
    assert not hub._woken.is_set()

    assert (await stage.request("ok")).status_code == 202
    assert len(await hub._due()) == 1
    await stage.settle()
    assert await hub._due() == []
    hub.wake()
    assert hub._woken.is_set()


async def test_a_subscriber_gets_each_version_once(stage):
    """Intent is confirmed by an exact challenge; then the newest version is sent, signed, until the subscriber leaves."""
    receivers = stage.receivers
    receivers.ways |= {"wrong": "wrong", "longer": "longer", "stranger": "stranger", "redirect": "redirect"}
    for name in ("ok", "wrong", "longer", "stranger", "redirect"):
        assert (await stage.request(name, secret="geheim ü", lease_seconds="99999")).status_code == 202
    assert (await stage.request("plain", topic=TOPIC.replace("json", "atom"), lease_seconds="1")).status_code == 202
    await stage.change()
    assert receivers.confirmed == receivers.pushed == []  # not before they have confirmed, and not while 202 is awaited

    await stage.settle()
    query = dict(receivers.confirmed)["ok"]
    assert query | {"hub.challenge": ""} == {
        "token": "a/b", "hub.mode": "subscribe", "hub.topic": TOPIC, "hub.challenge": "", "hub.lease_seconds": "5000",
    }  # fmt: skip
    assert len({each["hub.challenge"] for _, each in receivers.confirmed}) == 6
    assert all(len(each["hub.challenge"]) >= 32 for _, each in receivers.confirmed)
    rows = await stage.rows()
    assert {name: row.until for name, row in rows.items()} == {"ok": NOW + 20 + 5000, "plain": NOW + 20 + 60}

    ((headers, body),) = receivers.of("ok")
    assert body == (await stage.server.http.get(f"{FEED}.json?liveblogId=gderby")).content
    assert headers["Content-Type"] == "application/json; charset=utf-8"
    assert headers["Link"] == f'<{HUB}>; rel="hub", <{TOPIC}>; rel="self"'
    assert headers["X-Hub-Signature"] == f"sha256={hmac.new('geheim ü'.encode(), body, hashlib.sha256).hexdigest()}"
    ((headers, body),) = receivers.of("plain")
    assert headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert "X-Hub-Signature" not in headers
    assert ET.fromstring(body).tag == f"{ATOM}feed"

    await stage.change()
    await stage.change()
    await stage.settle()
    await stage.settle()
    assert len(receivers.of("ok")) == len(receivers.of("plain")) == 2  # the later change replaced the earlier one
    await stage.settle(100)  # the lease of one is over
    assert list(await stage.rows()) == ["ok"]

    receivers.ways["ok"] = "stranger"  # somebody else wants to end it, or to renew it with a secret of his
    await stage.request("ok", "unsubscribe")
    await stage.settle()
    await stage.request("ok", secret="mine")
    await stage.settle()
    assert (await stage.rows())["ok"].secret == "geheim ü"
    receivers.ways["ok"] = "ok"
    await stage.request("ok", secret="new", lease_seconds="3000")
    await stage.settle(1)
    row = (await stage.rows())["ok"]
    assert (row.secret, row.until, row.requested) == ("new", NOW + int(stage.late) + 3000, None)
    await stage.request("ok", "unsubscribe")
    await stage.settle()
    assert receivers.modes("ok") == ["subscribe", "unsubscribe", "subscribe", "subscribe", "unsubscribe"]
    assert "hub.lease_seconds" not in receivers.confirmed[-1][1]
    await stage.change()
    await stage.settle()
    assert (await stage.rows(), len(receivers.of("ok"))) == ({}, 2)
    await stage.request("nobody", "unsubscribe")
    await stage.settle()
    assert receivers.modes("nobody") == []


async def test_a_subscriber_that_fails_delays_only_itself_and_one_that_is_gone_ends(stage, monkeypatch):
    """Pauses grow and have a bound; what is sent in the end is the newest version."""
    receivers = stage.receivers
    for name in ("ok", "down", "hangs", "gone", "moved"):
        await stage.request(name)
    await stage.settle()
    receivers.ways |= {"down": 503, "hangs": "hang", "gone": 410, "moved": 307}
    await stage.change()
    await stage.settle(1)
    assert [len(receivers.of(name)) for name in ("ok", "down", "hangs", "gone", "moved")] == [1] * 5
    rows = await stage.rows()
    assert {name: row.failures for name, row in rows.items()} == {"ok": 0, "down": 1, "hangs": 1, "moved": 1}

    await stage.change()
    await stage.settle(2)
    assert (len(receivers.of("ok")), len(receivers.of("down"))) == (2, 1)
    receivers.ways |= {"down": "ok", "hangs": "ok", "moved": "ok"}
    await stage.settle(pause_after(1))
    assert [len(receivers.of(name)) for name in ("ok", "down", "hangs", "moved", "gone")] == [2, 2, 2, 2, 1]
    assert receivers.of("down")[-1][1] == receivers.of("ok")[-1][1]
    assert {row.failures for row in (await stage.rows()).values()} == {0}
    assert [pause_after(count) for count in (1, 2, 3, 99)] == [10, 20, 40, 900]

    with monkeypatch.context() as patch:  # what nobody has foreseen is a failed push, too
        patch.setattr(stage.topics, "publication", lambda *_: 1 / 0)
        await stage.change()
        await stage.settle()
        rows = (await stage.rows()).values()
        assert {(row.failures, row.claim_id, row.next_at - stage.late - NOW) for row in rows} == {(1, None, 10)}
    await stage.settle(10)
    assert [len(receivers.of(name)) for name in ("ok", "down", "hangs", "moved")] == [3] * 4


async def test_the_hub_finds_what_is_due_by_itself(stage):
    """Requests within its tick, changes as soon as it is woken; a process that died keeps nobody waiting for long."""
    hub, receivers = stage.hubs[0], stage.receivers
    running = asyncio.create_task(hub.run())
    try:
        await stage.request("ok")
        async with asyncio.timeout(60):
            while not receivers.confirmed or (await stage.rows())["ok"].claim_id:
                await asyncio.sleep(0.02)
            claim = partial(hub_subscriptions.claim_subscriber, id_=(await stage.rows())["ok"].id, now=NOW, seconds=15)
            assert await stage.server.store.write(claim) is not None
            await stage.change()
            hub.wake()
            await asyncio.sleep(0.3)
            assert receivers.pushed == []
            stage.late += 15
            hub.wake()
            while not receivers.pushed:
                await asyncio.sleep(0.02)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await hub.stop()


async def test_what_cannot_be_read_without_a_secret_is_not_sent(stage):
    """A liveblog that is withdrawn is denied; so is all of it where feeds are not public any more, or have a delay."""
    receivers, settings = stage.receivers, stage.server.services.settings
    await stage.request("one")
    await stage.request("two", topic=TOPIC.replace("json", "rss"))
    await stage.settle()
    object.__setattr__(settings, "public_delays", {matchday.ORGANIZATION: 30})
    await stage.change()
    assert (await stage.request("three")).status_code == 404
    await stage.settle()
    assert (receivers.pushed, sorted(name for name, _ in receivers.denied)) == ([], ["one", "two"])
    assert receivers.denied[0][1]["hub.topic"].startswith(PUBLIC)
    assert await stage.rows() == {}

    object.__setattr__(settings, "public_delays", {})
    await stage.request("one")
    await stage.settle()
    await stage.request("four")  # withdrawn before it is confirmed
    withdrawn = update(games).values(local_status=LocalStatus.UNPUBLISHED, version=games.c.version + 1)
    await stage.server.store.write(lambda unit: unit.conn.execute(withdrawn))
    await stage.settle()
    assert (receivers.pushed, sorted(name for name, _ in receivers.denied[2:])) == ([], ["four", "one"])
    assert (receivers.modes("four"), await stage.rows()) == ([], {})


async def _resolve(host, port):
    return ["10.1.2.3"] if host == "inside.example" else ["93.184.216.34"]


async def test_requests_that_the_hub_does_not_take(public):
    """Other topics, callbacks inside, secrets in addresses, nonsense: 4xx at once, and nothing is kept."""
    await public.add(matchday.derby())
    check = SsrfGuard(Webhooks(), resolve=_resolve).is_allowed
    app = create_app(replace(public.services, check_address=check))
    public.http = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://testserver")
    callback = "https://reader.example/callback"
    good = {"hub.mode": "subscribe", "hub.topic": TOPIC, "hub.callback": callback}

    async def status(**changes):
        form = {**good, **{f"hub.{name}": value for name, value in changes.items()}}
        return (await public.http.post("/websub", data=form)).status_code

    for topic in (
        "https://elsewhere.example/feed", TOPIC + "&client_id=desk&client_secret=x", TOPIC + "&delay=30",
        TOPIC.replace("gderby", "gnone"), TOPIC + "&continue_event_id=equal", TOPIC + "&limit=20", PUBLIC, "x\ud7ff",
        TOPIC + "&limit=951",
    ):  # fmt: skip
        assert await status(topic=topic) == 404, topic
    for inside in (
        "http://inside.example/", "http://127.0.0.1/", "http://[::1]:9/", "http://10.0.0.1/", "http://169.254.169.254/latest", "ftp://a.example/",
        "https://user:pw@reader.example/", "http://2130706433/", "https://reader.example:22/", f"{callback}#part",
        f"{callback}/{'x' * 2000}", "callback",
    ):  # fmt: skip
        assert await status(callback=inside) == 422, inside
    assert await status(mode="publish") == await status(mode="") == 400
    assert (
        await status(lease_seconds="-1") == await status(lease_seconds="1e9") == await status(secret="x" * 200) == 400
    )
    assert (await public.http.post("/websub", json=good)).status_code == 400
    assert (await public.http.post("/websub", data={**good, "hub.mode": ["subscribe", "x"]})).status_code == 400
    assert await public.store.read(lambda conn: conn.execute(select(table)).all()) == []
    assert await status(secret="x" * 199, lease_seconds="99999999999") == 202


async def test_there_is_room_for_so_many_and_an_address_sends_so_much(store):
    """By host, by liveblog and in all; renewals need no room."""
    room = HubRoom(subscriptions=4, liveblog_subscriptions=3, host_subscriptions=2)
    hub = TAKES._replace(room=room, address_per_second=0.001, address_burst=9)
    async with serving(store, public_per_second=0, public_feeds=True, hub=hub) as server:
        await server.add(matchday.derby())

        async def ask(host, name):
            form = {"hub.mode": "subscribe", "hub.topic": TOPIC, "hub.callback": f"https://{host}.example/{name}"}
            return (await server.http.post("/websub", data=form)).status_code

        places = [("a", 1), ("a", 2), ("a", 3), ("A", 4), ("b", 1), ("c", 1), ("a", 1), ("b", 1)]
        assert [await ask(*each) for each in places] == [202, 202, 422, 422, 202, 422, 202, 202]
        assert [await ask("a", 1) for _ in range(2)] == [202, 429]


async def test_feeds_name_their_hub_where_there_is_one(public, store, auth):
    """In a header and in each format; not where a secret or a delay stands between the reader and the present."""
    await public.add(matchday.derby())
    response = await public.http.get(f"{FEED}.json?liveblogId=gderby", params={**auth, "liveblogId": "gderby"})
    assert response.json()["hubs"] == [{"type": "WebSub", "url": HUB}]
    assert response.headers["link"] == f'<{HUB}>; rel="hub", <{TOPIC}>; rel="self"'
    assert matchday.SECRET not in response.text + str(response.headers)
    for extension in ("atom", "rss"):
        response = await public.http.get(f"{FEED}.{extension}?liveblogId=gderby")
        links = {link.get("rel"): link.get("href") for link in ET.fromstring(response.content).iter(f"{ATOM}link")}
        assert links["hub"] == HUB
        assert f'<{links["self"]}>; rel="self"' in response.headers["link"]

    async def named(server, query="", **headers):
        response = await server.http.get(f"{FEED}.json?liveblogId=gderby{query}", headers=headers)
        assert response.status_code == 200
        return "link" in response.headers or "hubs" in response.json()

    assert await named(public)
    assert not await named(public, "&delay=1")
    assert not await named(public, "&continue_event_id=equal")
    credentials = f"&client_id=desk&client_secret={matchday.SECRET}"
    without = ({"public_feeds": False}, {"hub": None}, {"public_delays": {matchday.ORGANIZATION: 9}})
    for changes in without:
        async with serving(store, **{"public_feeds": True, **changes}) as server:
            assert not await named(server, credentials), changes
            form = dict(parse_qsl(f"hub.mode=subscribe&hub.callback=https://a.example/&hub.topic={TOPIC}"))
            assert (await server.http.post("/websub", data=form)).status_code == 404
