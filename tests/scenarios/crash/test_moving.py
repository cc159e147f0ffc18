"""An organization moves from SQLite to PostgreSQL in the middle of a match: readers see the same, and nothing is posted twice."""

import asyncio
import re
from contextlib import asynccontextmanager
from functools import partial

import httpx
import pytest

from config import Settings
from providers.replay import Replay, ReplaySettings, read_lines
from providers.replay.demo import demo_files
from store.files.disk import DiskFiles
from store.upkeep.doctor import examine
from store.upkeep.export_organization import export_organization
from store.upkeep.import_organization import import_organization
from tests.kit.daemon import MATCH
from tests.kit.day import CREATE, ORGANIZATION, SHOW, configuration, running, until
from tests.kit.pictures import picture
from tests.kit.polling_readers import POLLS
from tests.kit.recorded_posts import posts_of_the_liveblog, posts_of_the_provider
from tests.kit.sqlite import migrated_url

pytestmark = pytest.mark.proof

FEED = "/api/embed/v4/feed/liveblog"
UPLOAD = f"/api/mediaservice/v3/organization/{ORGANIZATION}/upload"
WRITE = "/api/v5/write/event"
STATISTICS = "/api/analytics/v6"
POLL = {
    "_type": "Svc::Model::Content::PollContentBlock",
    "local_id": "p1",
    "question": "Who wins?",
    "options": [{"id": "a", "text": "Us"}, {"id": "b", "text": "Them"}],
}
AGENT = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
READER = {"client_id": "cms"}
SIGNED = re.compile(r"/media/[^\"' ]+")
"""Addresses of images, which each installation signs with a key of its own."""


def tables_of(upstream, folder):
    """A service that takes comments and counts its readers, at a fixed public address."""
    tables = configuration(upstream, folder, live=0.25)
    tables["organizations"][ORGANIZATION]["comments"] = "post"
    tables["clients"]["cms"]["scopes"] += ["comments"]
    server = {"port": 0, "public_url": "https://live.example", "public_feeds": True}
    return tables | {"server": server, "statistics": {"interval": 0.1, "folder": str(folder / "statistics")}}


@asynccontextmanager
async def serving(tables, database, media):
    """A client of a daemon on the database, whose uploads are in the folder."""
    settings = Settings.model_validate({**tables, "database": {"url": database}, "media": {"folder": str(media)}})
    auth = ("cms", settings.clients["cms"].secret.get_secret_value())
    async with (
        running(settings) as address,
        httpx.AsyncClient(base_url=address, auth=auth, timeout=60, trust_env=False, verify=False) as client,
    ):
        yield client


async def sent(client, path, body, **more):
    response = await client.post(path, json=body, **more)
    assert response.status_code in {200, 204}, response.text
    return response.json() if response.content else None


async def take_part(client, liveblog):
    """An upload, a post that shows it and asks a question, a vote, a comment and a page view; the id of the post."""
    photo = (await client.post(UPLOAD, content=picture())).json()
    block = {
        "_type": "Svc::Model::Content::MultiMediaContentBlock",
        "items": [{"_type": "Svc::Model::Content::ImageMediaContent", "source_url": photo["url"]}],
    }
    body = {"contents": [block, POLL]}
    post = (await sent(client, f"{WRITE}/create.json", body, params={"ticker_local_id": liveblog}))["local_id"]
    tokens = f"/api/readers/v1/organization/{ORGANIZATION}/token"
    token = (await sent(client, tokens, {"name": "Kim"}, params=READER))["token"]
    known = {"headers": {"Reader-Token": token}, "params": READER}
    await sent(client, f"{POLLS}/p1/votes", {"options": ["a"]}, **known)
    comments = f"/api/comments/v1/owner/{ORGANIZATION}/public/{post}/comments"
    comment = await sent(client, f"{comments}.json", {"text": "What a goal!"}, **known)
    await sent(client, f"{comments}/{comment['id']}/like.json", {}, **known)
    beacon = {"kind": "load", "liveblog": liveblog, "url": "https://news.example/derby"}
    await sent(client, f"{STATISTICS}/collect", beacon, headers=AGENT)
    return post


async def seen(client, liveblog, post):
    """Everything that is read of the liveblog, by path."""
    feed = {"liveblogId": liveblog, "limit": 1000}
    wanted = {
        SHOW: {"local_id": liveblog},
        **{f"{FEED}.{form}": feed for form in ("json", "rss", "atom")},
        f"/liveblogs/{liveblog}": {},
        f"/api/comments/v1/owner/{ORGANIZATION}/public/{post}/comments.json": READER,
        f"{POLLS}/p1": READER,
        f"{STATISTICS}/stats/liveblog/{liveblog}/overview.json": {},
    }
    found = {}
    for path, params in wanted.items():
        response = await client.get(path, params=params)
        assert response.status_code == 200, (path, response.text)
        found[path] = SIGNED.sub("/media/", response.text)
    return found


async def counted(client, liveblog, post):
    """What is seen once the page view and the comment are in the numbers, which come a little later."""
    async with asyncio.timeout(60):
        while True:
            found = await seen(client, liveblog, post)
            feed, show = found[f"{FEED}.json"], found[SHOW]
            if '"totalUniques":1' in "".join(found.values()) and '"count":1' in show and '"comments":1' in feed:
                return found
            await asyncio.sleep(0.1)


async def steady(client, replay, liveblog):
    """The liveblog once six requests have changed nothing."""
    version, polls = -1, replay.log.total
    async with asyncio.timeout(120):
        while True:
            game = (await client.get(SHOW, params={"local_id": liveblog})).json()
            if game["version"] != version:
                version, polls = game["version"], replay.log.total
            elif replay.log.total >= polls + 6:
                return game
            await asyncio.sleep(0.1)


async def test_a_liveblog_goes_on_where_it_was(tmp_path, bare_postgres_url):
    """Reads are equal byte for byte while the match stands still; then it is played to its end, with every post once."""
    old, new = migrated_url(tmp_path / "old.db"), bare_postgres_url
    lines = read_lines(next(path for path in demo_files("en") if "croatia" in path.name))
    async with Replay(lines, ReplaySettings(speed=1000, start_at="kickoff-600")).serve() as replay:
        tables = tables_of(replay.url, tmp_path)
        body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True, "includeTextContent": True}
        async with serving(tables, old, tmp_path / "media") as client:
            liveblog = (await sent(client, CREATE, body))["local_id"]
            replay.clock.pause()
            replay.clock.seek(6000)
            await steady(client, replay, liveblog)
            post = await take_part(client, liveblog)
            half = await steady(client, replay, liveblog)
            before = await counted(client, liveblog, post)
            carry = {"files": DiskFiles(tmp_path / "media"), "media": DiskFiles(tmp_path / "carried")}
            await asyncio.to_thread(partial(export_organization, old, ORGANIZATION, tmp_path / "kept", **carry))
        carry["files"] = DiskFiles(tmp_path / "there")
        await asyncio.to_thread(partial(import_organization, new, tmp_path / "kept", **carry))
        async with serving(tables, new, tmp_path / "there") as client:
            await steady(client, replay, liveblog)
            after = await seen(client, liveblog, post)
            replay.clock.resume()
            await until(lambda: replay.finished, progress=lambda: replay.cursor)
            replay.settle()
            game = await steady(client, replay, liveblog)
        rows = replay.last_good(MATCH)["match-event"]

    for url in (old, new):
        assert {each.outcome for each in await asyncio.to_thread(examine, url)} == {"ok"}
    assert after == before
    assert 10 < len(half["events"]) < len(game["events"])
    posts = posts_of_the_liveblog(game)
    assert len(posts) == len(set(posts))
    assert posts_of_the_provider(rows) <= set(posts)
    assert {each["local_id"] for each in half["events"]} <= {each["local_id"] for each in game["events"]}
