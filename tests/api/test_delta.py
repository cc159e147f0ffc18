"""The delta read and the stream: what a reader knows plus what they send is what there is."""

import asyncio

import pytest

from api.liveblogs import stream_messages
from api.stream import streams
from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs.liveblogs import record
from tests.kit import matchday, poison
from tests.kit.event_desk import Desk, post
from tests.kit.streaming import STREAM, Reader, over_http

TICKER = matchday.Liveblog().ticker_id


@pytest.fixture
async def desk(server):
    await server.add(matchday.Liveblog())
    return Desk(server.http)


async def test_a_delta_holds_what_changed_and_tombstones(desk):
    """Changed posts in full, deleted and withdrawn ones as tombstones, others not at all."""
    for name in ("stays", "changes", "goes", "hides"):
        await desk.create(post(name, local_id=name))
    known = (await desk.delta())["version"]
    await desk.update("changes", {"headline": "New"})
    await desk.delete("goes")
    await desk.update("hides", {"local_status": 60})
    response = await desk.delta(refresh=known)
    events = {event["local_id"]: event for event in response["events"]}

    assert next(iter(response)) == "_type"
    assert response["_type"] == "Svc::Model::Api::GameShowResponse"
    assert (response["version"], response["more"], response["game"]["version"]) == (8, False, 8)
    assert response["game"]["scoreboard"]["score"]["home_score"] == "2"
    assert [each["local_id"] for each in response["game"]["events"]] == [
        each["local_id"] for each in response["events"]
    ]
    assert (set(events), events["changes"]["headline"]) == ({"changes", "goes", "hides"}, "New")
    assert {name: events[name]["local_status"] for name in ("goes", "hides")} == {"goes": 100, "hides": 60}
    assert set(events["goes"]) == {"_type", "local_id", "version", "local_status", "sort", "tag_ids"}
    assert {event["local_id"] for event in (await desk.delta())["events"]} == {"stays", "changes"}


async def test_poisoned_events_break_no_delta(server, store):
    """Whatever a stored document holds, its neighbours are sent."""
    await store.write(poison.insert)

    _, found = await Desk(server.http, liveblog="gpoison").whole()

    assert found.keys() >= {*matchday.PUBLIC, "epoison9"}


async def test_filters_and_order(desk):
    """`tags`, `highlights`, `include_milestone_events`, `reverse`, `limit` and continuing."""
    plan = [("e0", {}), ("e1", {"tag_ids": ["a"]}), ("e2", {"highlight": "inplace", "tag_ids": ["b"]}),
            ("e3", {"highlight": "milestone"}), ("e4", {"highlight": "stickyNoHighlight"})]  # fmt: skip
    for at, (name, more) in enumerate(plan):
        await desk.create(post(local_id=name, created_at=at, **more))

    async def ids(**params):
        return [event["local_id"] for event in (await desk.delta(**params))["events"]]

    assert await ids() == ["e4", "e3", "e2", "e1", "e0"]
    assert await ids(reverse="true") == ["e0", "e1", "e2", "e3", "e4"]
    assert await ids(tags="a,b") == ["e2", "e1"]
    assert await ids(highlights="true") == ["e3", "e2"]
    assert await ids(highlights="sticky,stickyNoHighlight") == ["e4"]
    assert await ids(highlights="milestone,inplace") == ["e3", "e2"]
    assert await ids(highlights="") == await ids(highlights="false") == await ids()
    assert await ids(tags="a", include_milestone_events="true") == ["e3", "e1"]
    assert await ids(limit=2, continue_event_id="e3") == ["e2", "e1"]
    assert await ids(limit=2, continue_event_id="e3", include_continue_event="true") == ["e3", "e2"]
    assert (await desk.delta(limit=5))["more"] is False
    assert (await desk.delta(limit=4))["more"] is True


async def test_the_liveblog_lists_what_is_to_be_shown(desk):
    """In order, abbreviated, after filters and limit, with tombstones on refresh; milestones beside them are bodies alone."""
    for at, (name, more) in enumerate(
        [("e1", {"tag_ids": ["a"]}), ("e2", {"highlight": "milestone"}), ("e3", {"tag_ids": ["a"]})]
    ):
        await desk.create(post(local_id=name, created_at=at, **more))

    async def listed(**params):
        found = await desk.delta(**params)
        return [each["local_id"] for each in found["game"]["events"]], [each["local_id"] for each in found["events"]]

    assert await listed() == (["e3", "e2", "e1"],) * 2
    assert await listed(reverse="true", limit=2) == (["e1", "e2"],) * 2
    assert await listed(tags="a", include_milestone_events="true") == (["e3", "e1"], ["e3", "e2", "e1"])
    version = (await desk.delta())["version"]
    await desk.delete("e3")
    found = await desk.delta(refresh=version)
    assert found["game"]["events"] == found["events"]
    assert [(each["local_id"], each["local_status"]) for each in found["game"]["events"]] == [("e3", 100)]
    shown = (await desk.delta())["game"]["events"][0]
    assert shown.keys() == {"_type", "local_id", "version", "local_status", "sort", "tag_ids"}


async def test_a_post_that_leaves_the_filter_is_a_tombstone(desk):
    """A reader of highlights alone learns that a post is none any more."""
    await desk.create(post(local_id="e1", highlight="inplace"))
    await desk.update("e1", {"highlight": ""})

    [gone] = (await desk.delta(refresh=2, highlights="true"))["events"]
    assert (gone["local_id"], gone["local_status"]) == ("e1", 60)


async def test_a_withdrawn_or_deleted_liveblog_says_so(desk, store):
    """Everywhere else it is 404; here its status is given, and nothing of its contents."""
    await desk.create()
    for status in (60, 100):
        await store.write(lambda unit, status=status: record(unit, TICKER, Change(local_status=status)))
        response = await desk.delta(refresh=1)
        assert (response["game"]["local_status"], response["events"]) == (status, [])
        assert "scoreboard" not in response["game"]


async def test_a_large_liveblog_comes_in_several_messages(desk, server, store, monkeypatch):
    """No version is cut in two, and whoever leaves between two messages misses nothing."""
    monkeypatch.setattr(stream_messages, "EVENTS", 10)
    for size in (25, 1, 8, 4):
        writes = tuple(EventWrite.new(local_id=f"e{size}n{n}", document=post(), created_at=n) for n in range(size))
        await store.write(lambda unit, writes=writes: record(unit, TICKER, Change(events=writes)))
    async with over_http(server.app) as http:
        reader = Reader(http)
        sizes = []
        while reader.version < 5:
            await reader.read(messages=1)
            sizes.append(len(reader.kept))

    assert sizes == [25, 34, 38]
    assert reader.kept == (await desk.whole())[1]


async def test_the_end_of_the_liveblog_ends_the_stream(desk, server, store):
    """The last message has the status; coming back is 404."""
    async with over_http(server.app) as http:
        reader = Reader(http)
        reading = asyncio.create_task(reader.read())
        while reader.version < 1:
            await asyncio.sleep(0.01)
        await store.write(lambda unit: record(unit, TICKER, Change(local_status=100)))
        await asyncio.wait_for(reading, 30)
        gone = await http.get(STREAM, params={"liveblogId": "gderby", "client_id": "desk"})

    assert (reader.game["local_status"], gone.status_code) == (100, 404)


async def test_a_silent_stream_is_kept_alive(desk, server, monkeypatch):
    """A comment now and then; it is no message."""
    monkeypatch.setattr(streams, "SILENCE", 0.05)
    monkeypatch.setattr(streams, "TICK", 0.05)
    async with over_http(server.app) as http:
        params = {"liveblogId": "gderby", "client_id": "desk", "refresh": "1"}
        async with http.stream("GET", STREAM, params=params) as response:
            lines = response.aiter_lines()
            found = [await anext(lines) for _ in range(5)]

    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert found[0] == "retry: 2000"
    assert found[2] == ": still here"
