"""What a person takes down is gone from the next request on, at every delay; what the provider takes back follows the delay."""

from __future__ import annotations

import asyncio
import secrets
from functools import partial

import pytest

from api.liveblogs.messages import as_json
from api.stream.reader import StreamRequest
from api.stream.streams import Streams
from mapping.documents.scalars import LocalStatus
from mapping.reconcile import Entry, State
from store.following import ledger
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import Change, EventWrite, NewGame
from tests.api.conftest import NOW
from tests.kit import matchday
from tests.kit.delayed import EMBED, Watcher, served
from tests.kit.sqlite import migrated_url
from tests.kit.takedown import GAME, TICKER_ID, surfaces

WORDS, TITLE = "SomethingThatNobodyShallRead", "LiveblogThatIsTakenDown"
DELAYS = (0, 3, 900)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return migrated_url(tmp_path / "takedown.db")
    return request.getfixturevalue("postgres_cluster").create_database(f"takedown_{secrets.token_hex(4)}")


@pytest.fixture
async def server(url):
    """A liveblog with two posts, older than every delay."""
    time = [NOW - 2000.0]
    async with served(url, lambda: time[0], delay_max=900) as made:
        await made.store.write(partial(liveblogs.insert_game, game=liveblog(time[0])))
        made.now = time[0] = NOW
        yield made


def liveblog(now):
    title = {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": TITLE}
    posts = tuple(
        EventWrite.new(local_id=f"e{each}", document=post(each), created_at=int(now) - 10) for each in range(2)
    )
    return NewGame(
        id=TICKER_ID, local_id=GAME, organization_id=matchday.ORGANIZATION, sportstype="soccer", template_id="soccer",
        document={"meta_info": title, "locale": "en"}, events=posts,
    )  # fmt: skip


def delete(unit, name):
    (event,) = liveblogs.events_named(unit.conn, [name]).values()
    liveblogs.record(unit, TICKER_ID, Change(events=(event.rewritten(local_status=LocalStatus.DELETED),)))


def post(number):
    words = WORDS if number == 0 else "Another one"
    block = {"_type": "Svc::Model::Content::RichTextContentBlock", "local_id": f"b{number}", "text": f"<p>{words}</p>"}
    return {"headline": words, "highlight": "sticky", "contents": [block], "tag_ids": ["a"]}


async def read(server, version=1, etags=None):
    """(surface, delay) → status and body, with the validators of an earlier read where those are given."""
    found = {}
    for delay in DELAYS:
        for path, own in surfaces(version):
            name = (path, str(own), delay)
            late = {"delay": delay} if delay else {}
            query = {"url": f"{own['url']}?delay={delay}"} if "url" in own and delay else {**own, **late}
            headers = {} if etags is None or name not in etags else {"If-None-Match": etags[name]}
            answer = await server.http.get(path, params=query, headers=headers)
            found[name] = answer.status_code, answer.text, answer.headers.get("etag")
    return found


def rewritten(unit, **changes):
    (event,) = liveblogs.events_named(unit.conn, ["e0"]).values()
    return event.rewritten(**changes)


async def take_down_post(server, **changes):
    await server.store.write(
        lambda unit: liveblogs.record(unit, TICKER_ID, Change(events=(rewritten(unit, **changes),))) and None
    )


async def take_down_liveblog(server, status):
    await server.store.write(lambda unit: liveblogs.record(unit, TICKER_ID, Change(local_status=status)) and None)


TAKEDOWNS = {
    "a post unpublished": partial(take_down_post, local_status=LocalStatus.UNPUBLISHED),
    "a post deleted": partial(take_down_post, local_status=LocalStatus.DELETED),
    "a post put off": partial(take_down_post, publish_at=int(NOW) + 3600),
    "a liveblog unpublished": partial(take_down_liveblog, status=LocalStatus.UNPUBLISHED),
    "a liveblog deleted": partial(take_down_liveblog, status=LocalStatus.DELETED),
}


@pytest.mark.parametrize("name", TAKEDOWNS)
async def test_what_a_person_takes_down_is_gone_from_the_next_request_on(server, name):
    """Everywhere, whatever the delay, also for who asks whether anything has changed."""
    words = WORDS if "post" in name else TITLE
    before = await read(server)
    shown = {each for each, (_, text, _) in before.items() if words in text}
    assert {path for path, *_ in shown} >= {f"/liveblogs/{GAME}", f"/embed/{GAME}", f"{EMBED}/feed/liveblog.rss"}
    assert {delay for *_, delay in shown} == set(DELAYS)

    await TAKEDOWNS[name](server)
    etags = {each: etag for each, (_, _, etag) in before.items() if etag}
    after, revalidated = await read(server), await read(server, etags=etags)
    assert [] == [each for each, (_, text, _) in (*after.items(), *revalidated.items()) if words in text]
    assert [] == [each for each in shown if revalidated[each][0] == 304]
    assert ("post" in name) == any("Another one" in text for _, text, _ in after.values())


async def test_who_follows_with_a_delay_forgets_it_at_once(server):
    """A stream begins anew, and so do the delta read and the page that ask with the version that they have."""
    delta = {"id": GAME, "refresh": 1, "delay": 60}
    page = {"fragment": 1, "refresh": 1, "delay": 60}
    assert [] == (await server.http.get("/api/v6/ticker/show.json", params=delta)).json()["events"]
    assert 204 == (await server.http.get(f"/liveblogs/{GAME}", params=page)).status_code
    await TAKEDOWNS["a post deleted"](server)
    changed = (await server.http.get("/api/v6/ticker/show.json", params=delta)).json()
    shown = (await server.http.get(f"/liveblogs/{GAME}", params=page)).json()

    assert changed["reset"]
    assert ["e1"] == [each["local_id"] for each in changed["events"]]
    assert (0, ["e1"]) == (shown["since"], [each["id"] for each in shown["posts"]])


async def test_a_delayed_stream_begins_anew_when_a_post_is_taken_down(url):
    """Its readers have forgotten the post long before the delay has gone by, one of the same second too; the liveblog ends it."""
    clock = [NOW - 2000.0]
    async with served(url, lambda: clock[0], delay_max=900) as made:
        await made.store.write(partial(liveblogs.insert_game, game=liveblog(clock[0])))
        clock[0] = NOW
        streams = Streams(made.store, clock=lambda: clock[0])
        watcher = Watcher(streams)
        watcher.reader = streams.join(StreamRequest(TICKER_ID, 1, 1, as_json, b": silence", 60), watcher._send)
        for number in range(2):
            await made.store.write(partial(delete, name=f"e{number}"))
            async with asyncio.timeout(10):
                while len(watcher.posts) <= number:
                    await asyncio.sleep(0.01)
        await made.store.write(
            lambda unit: liveblogs.record(unit, TICKER_ID, Change(local_status=LocalStatus.UNPUBLISHED))
        )
        async with asyncio.timeout(10):
            while not watcher.reader.over:
                await asyncio.sleep(0.01)
        await streams.close()

        assert [["Another one"], [], []] == watcher.posts


async def test_what_the_provider_takes_back_follows_the_delay(server):
    """So that no score is ahead of its goal: readers with a delay see it as long as they see the score."""
    entry = Entry(key="incident:1", kind="soccer.goal", source="play", local_id="e0", state=State.WITHDRAWN)
    await server.store.write(lambda unit: ledger.save(unit, TICKER_ID, [ledger.row_of(entry, 1)]))
    await take_down_post(server, local_status=LocalStatus.UNPUBLISHED)
    found = await read(server)

    assert {0} == {
        delay for (path, _, delay), (_, text, _) in found.items() if path.endswith(".rss") and WORDS not in text
    }
