"""`matchwire import-feed`: a liveblog of another service with its times and media, once, and again without doubling."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from providers.http_server import bind_socket, listening
from tests.api.conftest import NOW, declared_database, open_store, serving
from tests.kit import matchday
from tests.kit.command import invoke
from tests.kit.event_desk import Desk, photo, post
from tests.kit.opening import store_at
from tests.kit.sqlite import copied_url, migrated_url

FEED = "/api/embed/v4/feed/liveblog.json?liveblogId=gderby&limit=2"
ATOM, RSS = (FEED.replace(".json", f".{form}") for form in ("atom", "rss"))
DELTA = "/api/v6/ticker/show.json?id=gderby&limit=3"
PHOTO = "https://img.example.org/fans.jpg"


class Other:
    """The service that is left, with the derby; it can be written to."""

    def __init__(self, server, address):
        self.desk, self.address = Desk(server.http), address


@pytest.fixture
async def other(tmp_path):
    opened = await open_store(copied_url(tmp_path / "other.db", declared_database))
    listener = bind_socket("127.0.0.1", 0)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    settings = {"client_per_second": 0, "public_per_second": 0, "public_feeds": True, "public_url": address}
    async with serving(opened, **settings) as server:
        await server.add(matchday.derby())
        async with listening(server.app, listener, log_level="critical"):
            yield Other(server, address)
    await opened.close()


@pytest.fixture
async def here(tmp_path):
    """Runs the command on an empty database, and reads what there is then."""
    made = await store_at(migrated_url(tmp_path / "here.db"), clock=lambda: NOW)
    await made.close()
    return Here(tmp_path)


class Here:
    def __init__(self, folder):
        self.folder = folder

    async def run(self, url, *options, allow='"127.0.0.1"', code=0):
        config = self.folder / "matchwire.toml"
        database = f'[database]\nurl = "sqlite+aiosqlite:///{self.folder}/here.db"\n'
        hosts, own = (
            f"[webhooks]\nallow_hosts = [{allow}]\n",
            f'[organizations.{matchday.ORGANIZATION}]\nname = "Own"\n',
        )
        config.write_text(database + hosts + own)
        words = ["import-feed", url, "--organization", matchday.ORGANIZATION, "--config", config, *options]
        done = await asyncio.to_thread(invoke, *words)
        assert done.exit_code == code, done.output
        return done.output

    @asynccontextmanager
    async def served(self):
        opened = await store_at(f"sqlite+aiosqlite:///{self.folder}/here.db", clock=lambda: NOW)
        async with serving(opened, client_per_second=0, public_per_second=0, public_feeds=True) as server:
            yield server
        await opened.close()

    async def items(self, liveblog):
        async with self.served() as server:
            query = {"liveblogId": liveblog, "limit": 100}
            return (await server.http.get("/api/embed/v4/feed/liveblog.json", params=query)).json()["items"]


def name_of(output):
    return output.strip().splitlines()[-1].split(":")[0]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(FEED, id="json"),
        pytest.param(ATOM, id="atom", marks=pytest.mark.proof),
        pytest.param(RSS, id="rss", marks=pytest.mark.proof),
        pytest.param(DELTA, id="delta"),
    ],
)
async def test_posts_come_with_their_times_and_media_once(other, here, path):
    """All pages of it, in their order; a second run finds nothing new, a third what was posted since."""
    await other.desk.create(post("Fans", local_id="efans", contents=[{"_type": "Svc::Model::Content::RichTextContentBlock",
                            "text": "<p>Fans <b>sing</b></p>"}, photo(PHOTO)]))  # fmt: skip
    await other.desk.create({"local_id": "ealone", "headline": "A headline alone"})
    there = (
        await other.desk.http.get("/api/embed/v4/feed/liveblog.json", params={"liveblogId": "gderby", "limit": 100})
    ).json()
    first = await here.run(other.address + path)
    again = await here.run(other.address + path)
    await other.desk.create(post("Rain", local_id="erain"))
    third = await here.run(other.address + path)
    items = await here.items(name_of(first))

    count = len(there["items"])
    assert f"{count} posts are new" in first
    assert f"0 posts are new, 0 changed, {count} were there already" in again
    assert "1 posts are new" in third
    assert [each["date_published"] for each in items][1:] == [each["date_published"] for each in there["items"]]
    assert items[0]["title"] == "Rain"
    assert "A headline alone" in items[1]["content_html"]
    assert "<b>sing</b>" in items[2]["content_html"]
    assert len(items[2]["attachments"]) == 1


@pytest.mark.parametrize("path", [DELTA, ATOM])
async def test_a_change_over_there_comes_here_unless_somebody_changed_it(other, here, path):
    """What a person has written here stays; the entries of Atom say when they were changed, too."""
    for name in ("eone", "etwo"):
        await other.desk.create(post("First", local_id=name))
    output = await here.run(other.address + path)
    liveblog = name_of(output)
    async with here.served() as server:
        from store.clients import clients

        await server.store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
        desk = Desk(server.http, liveblog)
        mine = next(each for each in (await desk.show())["events"][::-1] if "First" in json.dumps(each["contents"]))
        await desk.update(mine["local_id"], {"headline": "Mine", "contents": post("Mine")["contents"]})
    for name in ("eone", "etwo"):
        await other.desk.update(name, {"contents": post("Second")["contents"], "updated_at": NOW + 500})
    output = await here.run(other.address + path)
    texts = [each["content_html"] for each in await here.items(liveblog)]

    assert "1 changed" in output
    assert sum(">Second<" in each for each in texts) == 1
    assert sum("Mine" in each for each in texts) == 1


STRANGE = b"""<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY f SYSTEM "file:///etc/hostname">]>
<rss version="2.0" xmlns:m="http://search.yahoo.com/mrss/"><channel><title>T</title>
<item><guid>1</guid><pubDate>Mon, 21 Sep 2026 15:00:00 +0200</pubDate><title>Hi</title>
<description>&lt;script&gt;x&lt;/script&gt;&lt;p onclick="x"&gt;Hi &a;&lt;/p&gt;</description>
<enclosure url="https://img.example.org/1.jpg" type="image/jpeg"/><enclosure url="https://a.example/1.mp3" type="audio/mpeg"/>
<m:content url="https://img.example.org/1.jpg" medium="image"/>
<m:content url="https://img.example.org/2.mp4" medium="video"/></item>
<item><guid>2</guid><title>No time</title></item><item><guid>3</guid><pubDate>never</pubDate><description>&f;</description></item>
</channel></rss>"""


@asynccontextmanager
async def answering(body, media_type="application/json"):
    """The address of a service that answers so."""
    app = Starlette(routes=[Route("/feed", lambda _: Response(body, media_type=media_type))])
    async with listening(app, bind_socket("127.0.0.1", 0), log_level="critical") as address:
        yield f"{address}/feed"


async def test_a_strange_feed_harms_nothing(here):
    """What an item has and can be shown comes, once each; of entities of its own nothing, of files on this machine neither."""
    async with answering(STRANGE, "application/rss+xml") as address:
        output = await here.run(address)
    (item,) = await here.items(name_of(output))

    assert "1 posts are new" in output
    assert "left out: file of the type audio/mpeg (1)\n" in output
    assert "left out: post without a time (2)\n" in output
    assert "2 were left out" in output
    assert item["date_published"].startswith("2026-09-21T13:00:00")
    assert "<p>Hi" in item["content_html"]
    assert "onclick" not in item["content_html"]
    assert [each["mime_type"].partition("/")[0] for each in item["attachments"]] == ["image", "video"]


AT = "2026-09-21T13:00:00Z"
PLAYER = '<iframe src="//www.youtube.com/embed/dQw4w9WgXcQ"></iframe>'
CLIP = '<video><source src="https://v.example.org/1.mp4"><source src="https://v.example.org/1.webm"></video>'
PARTS = {
    "the title alone": ({"title": "Only <b>words</b>"}, "Only &lt;b&gt;words&lt;/b&gt;"),
    "a title of its own": (
        {"title": "15' Goal", "content_html": "<p>What a shot!</p>"},
        "<p><b>15' Goal</b></p><p>What",
    ),
    "a title that the text has": (
        {"title": "What a …", "content_html": "<p>What a shot!</p>"},
        '<div dir="auto"><p>What',
    ),
    "a frame alone": ({"content_html": PLAYER}, "https://www.youtube.com/"),
    "a frame beside text": ({"content_html": f"See{PLAYER}this"}, "https://www.youtube.com/"),
    "a video": ({"content_html": f"<p>See</p>{CLIP}"}, "https://v.example.org/1.mp4"),
    "deep markup": ({"content_html": "<div>" * 20_000 + "Deep"}, "Deep"),
    "attachments that are no list": ({"content_text": "Words", "attachments": 7}, "Words"),
}
"""What an item has beside its id and time, and what its post shows."""
LEFT_OUT = (
    {"id": "a"}, {"id": "b", "date_published": "never", "content_html": "x"}, {"date_published": AT, "content_html": "x"},
    {"id": "c", "date_published": AT, "content_html": "<script>x</script>"}, None, 7,
    {"id": "d", "date_published": AT, "content_html": (
        "Last<audio src=x></audio><object></object><iframe src=x></iframe><svg></svg><![x["
    )},
    {"id": "d", "date_published": AT, "content_html": "Last again"},
)  # fmt: skip


def json_feed(items):
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "T", "items": items}).encode()


async def test_all_that_posts_can_show_comes_and_the_rest_is_counted_by_name(here):
    """Titles, frames, videos and deep markup; a page of a hundred posts is one version, what is left out has a line each."""
    items = [{"id": name, "date_published": AT, **fields} for name, (fields, _) in PARTS.items()]
    async with answering(json_feed([*items, *LEFT_OUT])) as address:
        output = await here.run(address)
        again = await here.run(address)
    shown = await here.items(name_of(output))
    async with here.served() as server:
        version = (await server.http.get("/api/v6/ticker/show.json", params={"id": name_of(output)})).json()["version"]

    assert f"{len(PARTS) + 1} posts are new, 0 changed, 0 were there already, 7 were left out." in output
    assert output.splitlines()[:-1] == [
        f"left out: {line}"
        for line in (
            "audio (1)", "file of the type none (1)", "iframe without an address that can be read here (1)",
            "markup that is nested too deeply (1)", "object (1)",
            "post that is there twice (1)", "post without a time (2)", "post without an id (3)",
            "post without anything to show (1)", "svg (1)",
        )
    ]  # fmt: skip
    assert f"0 posts are new, 0 changed, {len(PARTS) + 1} were there already" in again
    assert version == 2
    for each, (name, (_, words)) in zip(shown, PARTS.items(), strict=False):
        assert words in json.dumps(each.get("attachments")) + each["content_html"].replace("&#x27;", "'"), name


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (json_feed(7), "is neither a feed"),
        (json_feed({"a": 1}), "is neither a feed"),
        (b"<rss version='2.0'><channel><item>" + b"<a>" * 300_000, "is nested too deeply"),
        (b"[" * 300_000, ""),
    ],
)
async def test_what_cannot_be_read_ends_the_command(here, body, said):
    """In one line, whatever it is."""
    async with answering(body) as address:
        output = await here.run(address, code=2)

    assert said in output
    assert len(output.strip().splitlines()) == 1


async def test_nothing_is_fetched_of_a_host_that_is_not_public(other, here):
    """Through the guard; nor is a page of another host, or what is no feed."""
    output = await here.run(other.address + FEED, allow="", code=2)
    assert "could not be fetched" in output
    assert "JSON feed, Atom, RSS" in await here.run(f"{other.address}/openapi.json", code=2)


async def test_a_feed_leads_to_no_other_host(here):
    """`next_url` of another origin is not followed; a hostile item harms nothing and is left out where it shows nothing."""
    requested = []

    async def feed(request):
        requested.append(str(request.url))
        items = [
            {"id": "1", "date_published": "2026-09-21T13:00:00Z", "content_html": "<script>x</script><p onclick=x>Hi</p>",
             "attachments": [{"url": "http://10.0.0.1:22/x", "mime_type": "image/png"}, {"url": "javascript:x"}, 7]},
            {"id": "2", "date_published": "never", "content_html": "x"}, {"id": [], "content_html": {}}, None,
        ]  # fmt: skip
        return JSONResponse(
            {
                "version": "https://jsonfeed.org/version/1.1",
                "title": "T",
                "items": items,
                "next_url": "http://127.0.0.1:1/x",
            }
        )

    app = Starlette(routes=[Route("/feed", feed)])
    async with listening(app, bind_socket("127.0.0.1", 0), log_level="critical") as address:
        output = await here.run(f"{address}/feed?liveblogId=x")
    (item,) = await here.items(name_of(output))

    assert len(requested) == 1
    assert "1 posts are new" in output
    assert "3 were left out" in output
    assert item["content_html"] == '<div dir="auto"><p>Hi</p></div>'
