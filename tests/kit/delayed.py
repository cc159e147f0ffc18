"""A server whose readers see a liveblog later than its writers, and all that it shows."""

from contextlib import asynccontextmanager
from urllib.parse import urlencode

from sqlalchemy import insert

from store.clients import clients
from store.tables import teams
from tests.api.conftest import serving
from tests.kit import matchday
from tests.kit.opening import pool_settings, store_at

EMBED = "/api/embed/v4"


def team():
    return {
        "id": "t1", "owner_id": matchday.ORGANIZATION, "source": "", "ext_id": None, "sportstype": "soccer",
        "name": "Tigers", "doc": {}, "written": {}, "created_at": 1, "updated_at": 1,
    }  # fmt: skip


def surfaces(game, version, last):
    """The paths and queries of all that is public of a liveblog; `last`: a post of it."""
    name = {"liveblogId": game}
    for form in ("rss", "atom", "json"):
        yield f"{EMBED}/feed/liveblog.{form}", {**name, "limit": 1000}
    yield f"{EMBED}/feed/liveblog.json", {**name, "limit": 3, "sort": "asc"}
    yield f"{EMBED}/feed/liveblog.json", {**name, "continue_event_id": last, "include_continue_event": 1}
    yield f"{EMBED}/prefetch/liveblog.json", name
    yield f"{EMBED}/prefetch/liveblog-teaser.json", name
    yield f"/liveblogs/{game}", {}
    yield f"/embed/{game}", {"limit": 3}
    yield "/oembed", {"url": f"https://live.example.org/blogs/liveblogs/{game}"}
    yield f"/liveblogs/{game}/snippets", {}
    for since in (0, version - 1, version, version + 1) if game == "g1" else (version - 1,):
        yield f"/liveblogs/{game}", {"fragment": 1, "refresh": since}
        yield "/api/v6/ticker/show.json", {"id": game, "refresh": since, "limit": 1000}
    yield "/api/v6/ticker/show.json", {"id": game, "tags": "a", "highlights": 1, "include_milestone_events": 1}


async def response(server, path, query):
    found = await server.http.get(path, params=query)
    headers = {name: value for name, value in found.headers.items() if name != "x-request-id"}
    return found.status_code, headers, found.content


@asynccontextmanager
async def served(url, clock, **settings):
    store = await store_at(url, clock=clock, pool=pool_settings(timeout=60.0), migrate=True)
    await store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
    await store.write(lambda unit: unit.conn.execute(insert(teams).values(team())))
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True, **settings) as server:
        yield server
    await store.close()


async def seen(server, courses, **query):
    """All responses that a reader can get."""
    found = {"/": await response(server, "/", query)}
    for each in courses:
        for path, own in surfaces(each.name, 2, f"{each.name}new"):
            page = {"url": f"{own['url']}?{urlencode(query)}"} if "url" in own else {}
            found[f"{path} {own}"] = await response(server, path, {**own, **page, **query})
    return found
