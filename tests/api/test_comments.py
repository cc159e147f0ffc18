"""Comments over HTTP: read, written, moderated, exported."""

import csv
import io
import json
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from xml.etree import ElementTree as ET

import httpx
import pytest
import structlog
from sqlalchemy import select

from api.http.caching import http_date
from store.clients import clients
from store.comments.tables import comment_reports, comments
from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs.liveblogs import record
from tests.api.conftest import NOW, declared_database, serving
from tests.kit import matchday, poison
from tests.kit.comments import DERBY, DESK, MODERATOR, STRANGER
from tests.kit.event_desk import Desk
from tests.kit.feed_forms import feed
from tests.kit.matchday import ORGANIZATION, OTHER
from tests.kit.opening import store_at
from tests.kit.settings import configure
from tests.kit.sqlite import copied_url

OWNER = f"/api/comments/v1/owner/{ORGANIZATION}/public/egoal/comments"


class Newsroom:
    """A service whose organization takes comments, and who speaks to it."""

    def __init__(self, server):
        self.server = server

    async def reader(self, **body):
        path = f"/api/readers/v1/organization/{ORGANIZATION}/token"
        response = await self.server.http.post(path, json=body, params={"client_id": "desk"})
        assert response.status_code == 200, response.text
        return {"Reader-Token": response.json()["token"]}

    async def post(self, path, body=None, headers=None, status=200, **query):
        params = {"client_id": "desk", **query}
        response = await self.server.http.post(path, json=body, params=params, headers=headers)
        assert response.status_code == status, response.text
        return response.json()

    async def comment(self, headers, text="What a goal!", status=200, path=f"{OWNER}.json", **body):
        return await self.post(path, {"text": text, **body}, headers, status)

    async def read(self, headers=None, status=200, path=f"{OWNER}.json", **query):
        self.server.now += 1  # what all see is kept for a second
        response = await self.server.http.get(path, params={"client_id": "desk", **query}, headers=headers)
        assert response.status_code == status, response.text
        return response.json()

    async def shown(self, headers=None, **query):
        return [each["text"] for each in (await self.read(headers, **query))["comments"]]

    async def decide(self, path, body=None, status=200, auth=MODERATOR):
        response = await self.server.http.post(f"{DESK}{path}", json=body, auth=auth)
        assert response.status_code == status, response.text
        return response.json()

    async def list(self, code=200, auth=MODERATOR, **query):
        response = await self.server.http.get(f"{DESK}/comments.json", params=query, auth=auth)
        assert response.status_code == code, response.text
        return response.json()

    def goal(self, **changes):
        (goal,) = [each for each in DERBY.events if each.local_id == "egoal"]
        return replace(goal, **changes)

    def mode(self, mode):
        """Take comments this way from now on."""
        settings = self.server.services.settings
        configure(settings, ORGANIZATION, comments=mode)


@asynccontextmanager
async def newsroom(store):
    rates = ("client_per_second", "public_per_second", "tokens_per_second", "reader_per_second", "address_per_second")
    settings = dict.fromkeys(rates, 0.0) | {"comment_modes": {ORGANIZATION: "post"}}
    moderators = (
        matchday.client("moderator", "comments"),
        matchday.client("strange-moderator", "comments", organization=OTHER),
    )
    await store.write(lambda unit: clients.declare(unit, (*matchday.CLIENTS, *moderators)))
    async with serving(store, **settings) as server:
        await server.add(DERBY)
        yield Newsroom(server)


@pytest.fixture
async def room(store):
    async with newsroom(store) as made:
        yield made


async def test_reports_of_one_address_are_one(room):
    """Five tokens of one address hide nothing; five addresses do. What is stored names no address."""
    first = await room.comment(await room.reader(name="Kim"))
    tokens = [await room.reader() for _ in range(9)]
    path = f"{OWNER}/{first['id']}/report.json"
    for token in tokens[:5]:
        await room.post(path, None, token)
    assert await room.shown() == ["What a goal!"]
    for number, token in enumerate(tokens[5:]):
        transport = httpx.ASGITransport(app=room.server.app, client=(f"192.0.2.{number}", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as http:
            assert (await http.post(path, params={"client_id": "desk"}, headers=token)).status_code == 200
    assert await room.shown() == []
    kept = await room.server.store.read(lambda conn: conn.execute(select(comment_reports)).all())
    assert len(kept) == 9
    assert not any(text in str(kept) for text in ("192.0.2", "127.0.0.1"))


async def test_comments_are_read_as_the_interface_says(room):
    """The response of the interface, its limits and its paging, newest first; only what is approved."""
    kim, sam = await room.reader(name="Kim"), await room.reader()
    first = await room.comment(kim)
    reply = await room.comment(sam, "Indeed.", parent_id=first["id"])
    assert await room.post(f"{OWNER}/{first['id']}/like.json", {}, sam) == {"likes": 1, "liked": True}

    page = await room.read()
    newest, oldest = page["comments"]
    assert (page["next"], page["total"]) == (None, 2)
    assert oldest == {
        "id": first["id"], "channel_id": "egoal", "created_at": NOW - 60, "updated_at": NOW - 60, "text": "What a goal!",
        "author": {"id": first["author"]["id"], "name": "Kim", "image": None}, "parent_id": None, "status": "approved",
        "likes": 1, "reply_count": 1,
    }  # fmt: skip
    assert (newest["id"], newest["parent_id"], newest["author"]["name"]) == (reply["id"], first["id"], None)
    assert [each["liked"] for each in (await room.read(sam))["comments"]] == [False, True]
    for channel in ("enever", "edeleted", "edraft"):
        await room.read(path=OWNER.replace("egoal", channel) + ".json", status=404)
    await room.read(path=OWNER.replace(ORGANIZATION, OTHER) + ".json", status=404)
    await room.read({"Reader-Token": "forged"}, status=401)
    response = await room.server.http.get(f"{OWNER}.json", params={"client_id": "desk"})
    again = await room.server.http.get(
        f"{OWNER}.json", params={"client_id": "desk"}, headers={"If-None-Match": response.headers["etag"]}
    )
    assert (again.status_code, response.headers["vary"]) == (304, "Authorization, Reader-Token, Accept-Encoding")

    await room.post(f"{OWNER}/{first['id']}/like.json", {"liked": False}, sam)
    room.mode("off")
    assert await room.read() == {"comments": [], "next": None, "total": 0}
    assert "no comments" in (await room.comment(kim, "More", status=403))["message"]


async def test_what_is_no_comment_is_refused(room):
    """Length, links, markup's look-alikes, duplicates, replies to replies, closed liveblogs; a retry writes once."""
    kim = await room.reader(name="Kim")
    limits = room.server.services.settings.comments
    for text in ("x" * (limits.text_length + 1), "x" * 2 * 10**4, "", " \n\u202e\u200b ", "//a //b www.c", 7, None):
        assert (await room.comment(kim, text, status=422))["field"] == "text"
    assert (await room.comment(kim, "x" * 10**5, status=413))["code"] == "payload_too_large"
    assert (await room.comment(kim, "x" * limits.text_length))["status"] == "approved"
    kept = await room.comment(kim, "  a\u202eb\r\n\n\n\nc\x07 e\u0301 \U0001f468\u200d\U0001f469\u200d\U0001f467 ")
    assert kept["text"] == "ab\n\nc \u00e9 \U0001f468\u200d\U0001f469\u200d\U0001f467"
    for name in ("one", "one"):
        answered = await room.comment({**kim, "Idempotency-Key": name}, "Only once")
    assert (await room.comment({**kim, "Idempotency-Key": "one"}, "Twice", status=409))["field"] == "Idempotency-Key"
    assert (await room.comment(kim, "Only once", status=409))["field"] == "text"
    assert await room.shown(limit=1) == ["Only once"]
    reply = await room.comment(kim, "Reply", parent_id=answered["id"])
    assert (await room.comment(kim, "No", parent_id=reply["id"], status=422))["field"] == "parent_id"
    await room.comment(None, "Nobody", status=401)
    await room.comment({"Reader-Token": kim["Reader-Token"][:-3]}, "Forged", status=401)
    await room.post(f"{OWNER}/never/like.json", {}, kim, 404)
    await room.post(f"{OWNER}/never/report.json", None, kim, 404)

    await room.decide("/channels/egoal/close.json", {})
    assert "closed" in (await room.comment(kim, "Too late", status=403))["message"]
    await room.decide("/channels/egoal/close.json", {"closed": False})
    await room.comment(kim, "In time")
    await room.server.add(replace(matchday.derby(), local_id="gquiet", ticker_id="7b" * 12, events=(
        matchday.event("equiet", NOW - 100),)))  # fmt: skip
    quiet = OWNER.replace("egoal", "equiet") + ".json"
    assert "no comments" in (await room.comment(kim, "Psst", path=quiet, status=403))["message"]


async def test_a_reader_is_charged_for_what_it_sends(store, room):
    """One more write than the burst is 429, whatever it is; reading costs nothing."""
    rates = dict.fromkeys(("client_per_second", "public_per_second", "tokens_per_second", "address_per_second"), 0.0)
    few = {"reader_per_second": 1.0, "reader_burst": 2, "comment_modes": {ORGANIZATION: "post"}}
    async with serving(store, **rates, **few) as server:
        limited = Newsroom(server)
        kim = await limited.reader(name="Kim")
        first = await limited.comment(kim)
        await limited.post(f"{OWNER}/{first['id']}/like.json", {}, kim)
        await limited.post(f"{OWNER}/{first['id']}/report.json", None, kim, 429)
        assert await limited.shown(kim) == ["What a goal!"]
        server.ticks += 1
        await limited.post(f"{OWNER}/{first['id']}/report.json", None, kim)


async def test_a_newsroom_moderates(room):
    """Pending ones are seen by their author alone; decisions, bans and exports; and who may not."""
    room.mode("pre")
    kim, sam = await room.reader(name="=cmd()"), await room.reader(name="Sam")
    first = await room.comment(kim, "+1\n=2")
    await room.comment(sam, "Me too")
    assert first["status"] == "pending"
    assert await room.shown() == []
    assert await room.shown(kim) == ["+1\n=2"]
    waiting = await room.list(status="pending")
    assert (waiting["total"], waiting["comments"][1]["id"]) == (2, first["id"])
    assert (await room.list(status="approved"))["total"] == 0

    with structlog.testing.capture_logs() as logs:
        decided = await room.decide(f"/comments/{first['id']}/moderate.json", {"action": "approve"})
    assert (decided["status"], decided["moderated_by"], decided["reports"]) == ("approved", "moderator", 0)
    assert [each["operation"] for each in logs if each["event"] == "audit.write"] == ["comments.approve"]
    assert await room.shown() == ["+1\n=2"]

    rows = list(csv.reader(io.StringIO((await export(room, "csv")).text)))
    assert [row[5:7] for row in rows[1:]] == [["'=cmd()", "'+1\n=2"], ["Sam", "Me too"]]
    lines = [json.loads(line) for line in (await export(room, "jsonl")).text.splitlines()]
    assert [(each["text"], each["status"]) for each in lines] == [("+1\n=2", "approved"), ("Me too", "pending")]
    assert (await export(room, "xml")).status_code == 400

    reader = first["author"]["id"]
    await room.decide(f"/readers/{reader}/ban.json", {})
    assert await room.shown() == []
    assert "may not" in (await room.comment(kim, "Again", status=403))["message"]
    await room.decide(f"/readers/{reader}/ban.json", {"banned": False})
    await room.decide(f"/comments/{first['id']}/moderate.json", {"action": "delete"})
    assert await room.shown() == []
    assert await room.shown(kim) == []
    await room.decide(f"/comments/{first['id']}/moderate.json", {"action": "approve"}, 404)
    await room.decide(f"/comments/{first['id']}/moderate.json", {"action": "hide"}, 422)
    assert (await room.list(400, status="new"))["field"] == "status"
    await room.list(403, auth=("reader", matchday.SECRET))
    await room.list(403, auth=STRANGER)


async def export(room, form):
    return await room.server.http.get(f"{DESK}/export", params={"liveblogId": "gderby", "format": form}, auth=MODERATOR)


async def test_no_text_of_a_reader_is_markup_anywhere(room):
    """Name, text and image of a comment, in its own response, lists and exports: JSON and CSV, never HTML."""
    kim = await room.reader(name=poison.XSS)
    await room.comment(kim, poison.XSS)
    response = await room.server.http.get(f"{OWNER}.json", params={"client_id": "desk"})
    assert response.headers["content-type"] == "application/json"
    assert response.json()["comments"][0]["text"] == poison.XSS
    for form in ("csv", "jsonl"):
        given = await export(room, form)
        assert "html" not in given.headers["content-type"]
        assert given.headers["x-content-type-options"] == "nosniff"
        assert given.headers["content-disposition"].startswith("attachment")


async def test_posts_say_how_many_comments_they_have(room):
    """In deltas, feeds of all forms and counts, after five seconds at the latest, and only where comments are taken."""
    kim = await room.reader(name="Kim")

    async def read(path, **query):
        room.server.now, room.server.ticks = room.server.now + 5, room.server.ticks + 5
        response = await room.server.http.get(path, params=query, auth=("desk", matchday.SECRET))
        assert response.status_code == 200, response.text
        return response

    async def everywhere():
        feed = "/api/embed/v4/feed/liveblog"
        delta = (await read("/api/v6/ticker/show.json", id="gderby", limit=1000)).json()["events"]
        shown = (await read("/api/v5/write/ticker/show.json", local_id="gderby")).json()["events"]
        items = (await read(f"{feed}.json", liveblogId="gderby", limit=1000)).json()["items"]
        rss = ET.fromstring((await read(f"{feed}.rss", liveblogId="gderby", limit=1000)).content)
        atom = ET.fromstring((await read(f"{feed}.atom", liveblogId="gderby", limit=1000)).content)
        return (
            (await read("/api/comments/v1/liveblog/gderby/counts.json")).json()["counts"],
            {each["local_id"]: each["comments"]["count"] for each in delta if each.get("comments", {}).get("count")},
            {each["local_id"]: each["comments"]["count"] for each in shown if each.get("comments", {}).get("count")},
            {
                each["id"]: each["_matchwire"]["comments"]
                for each in items
                if each.get("_matchwire", {}).get("comments")
            },
            [each.text for each in rss.iter("{http://purl.org/rss/1.0/modules/slash/}comments") if each.text != "0"],
            [each.text for each in atom.iter("{http://purl.org/syndication/thread/1.0}total") if each.text != "0"],
        )

    assert await everywhere() == ({}, {}, {}, {}, [], [])
    first = await room.comment(kim)
    await room.comment(kim, "Indeed.", parent_id=first["id"])
    assert await everywhere() == (*4 * ({"egoal": 2},), ["2"], ["2"])
    await room.decide(f"/comments/{first['id']}/moderate.json", {"action": "reject"})
    assert await everywhere() == ({}, {}, {}, {}, [], [])
    await room.decide(f"/comments/{first['id']}/moderate.json", {"action": "approve"})
    assert (await everywhere())[0] == {"egoal": 2}
    await Desk(room.server.http).update("egoal", {"local_status": 60})
    assert await everywhere() == ({}, {}, {}, {}, [], []), "nobody learns of a post that was withdrawn"
    await Desk(room.server.http).update("egoal", {"local_status": 0})
    room.mode("off")
    assert await everywhere() == ({}, {}, {}, {}, [], [])


async def test_a_feed_with_comments_was_modified_when_one_came_or_went(tmp_path):
    """Its date is that of the newest change of posts and comments, once the second is over in which their number was read."""
    clock = [NOW]
    opened = await store_at(copied_url(tmp_path / "test.db", declared_database), clock=lambda: clock[0])
    async with newsroom(opened) as room:
        kim = await room.reader(name="Kim")

        async def read(seconds=10, **headers):
            clock[0] += seconds
            room.server.now, room.server.ticks = clock[0], room.server.ticks + seconds
            return await feed(room.server, headers=headers, client_id="desk", client_secret=matchday.SECRET)

        first = await room.comment(kim)
        assert "last-modified" not in (await read(0.5)).headers
        comment, reader = f"/comments/{first['id']}/moderate.json", f"/readers/{first['author']['id']}/ban.json"
        known = (await read()).headers["last-modified"]
        assert known == http_date(NOW)
        for path, body in (
            (comment, {"action": "reject"}),
            (comment, {"action": "approve"}),
            (reader, {}),
            (reader, {"banned": False}),
            (comment, {"action": "delete"}),
        ):
            changed = http_date(int(clock[0]))
            await room.decide(path, body)
            again = await read(**{"If-Modified-Since": known})
            known = again.headers["last-modified"]
            assert (again.status_code, known) == (200, changed), body
            assert (await read(**{"If-Modified-Since": known})).status_code == 304
    await opened.close()


async def test_delayed_readers_see_what_was_written_until_then(room):
    """A comment on a goal would give it away: it is seen as late as the goal."""
    kim = await room.reader(name="Kim")
    await room.comment(kim)
    assert await room.shown() == ["What a goal!"]
    later = comments.update().values(created_at=NOW - 30)
    await room.server.store.write(lambda unit: unit.conn.execute(later))
    assert await room.shown(delay=40) == []
    assert await room.shown(delay=20) == ["What a goal!"]


async def test_a_post_that_a_delayed_reader_does_not_see_yet_has_no_comments_for_it(room):
    """It can neither be read, nor commented on, liked or reported, by a reader with a delay; nor by any before it is public."""
    kim = await room.reader()
    first = await room.comment(kim)
    beside = f"{OWNER}/{first['id']}"
    for delay, status in ((90, 404), (10, 200)):
        room.server.now = NOW  # a minute after the post was written
        await room.post(f"{OWNER}.json", {"text": f"{delay} late"}, kim, status, delay=delay)
        await room.post(f"{beside}/like.json", {}, kim, status, delay=delay)
        await room.post(f"{beside}/report.json", None, kim, status, delay=delay)
        await room.read(None, status, delay=delay)

    waits = EventWrite.new(local_id="ewaits", document={}, created_at=NOW, publish_at=NOW + 600)
    await room.server.store.write(partial(record, game_id=DERBY.ticker_id, change=Change(events=(waits,))))
    await room.comment(kim, "First!", 404, OWNER.replace("egoal", "ewaits") + ".json")
