"""kill -9 in the middle of probes: every file is known or given up at the end, and each post has learned it in one step."""

from __future__ import annotations

import asyncio
import random
import time

import httpx
import pytest
from sqlalchemy import select

from store.media.tables import media_probes
from tests.kit import origin as origins
from tests.kit.daemon import CONFIG, SECRET, Daemon, client_of
from tests.kit.day import ORGANIZATION
from tests.kit.news_daemon import NEWS, WRITE
from tests.kit.opening import look
from tests.kit.pictures import picture
from tests.kit.sqlite import migrated_url

pytestmark = pytest.mark.proof

IMAGE = "Svc::Model::Content::ImageMediaContent"
MEDIA = """
[webhooks]
allow_hosts = ["127.0.0.1"]
[media]
folder = "{folder}"
probe_tries = 20
probe_retry = 15
probe_retry_most = 30
"""


async def posting(client, liveblog, address, rng, acknowledged):
    """Post pictures until the daemon is gone; a post that nobody acknowledged is sent again by the next one."""
    while True:
        name = f"e{rng.randrange(10**12)}"
        items = [{"_type": IMAGE, "source_url": f"{address}/a.jpg?{name}.{each}"} for each in range(rng.randint(1, 3))]
        block = {"_type": "Svc::Model::Content::MultiMediaContentBlock", "items": items}
        body = {"_type": "Svc::Model::Event", "local_id": name, "contents": [block]}
        try:
            response = await client.post(f"{WRITE}/event/create.json", params={"ticker_local_id": liveblog}, json=body)
        except httpx.TransportError:
            return
        assert response.status_code == 200, response.text
        acknowledged.append(name)
        await asyncio.sleep(rng.uniform(0, 0.2))


async def until_known(client, liveblog, database):
    """The events once all of their files have a size."""
    ends = time.monotonic() + 120
    while True:
        game = (await client.get(f"{WRITE}/ticker/show.json", params={"local_id": liveblog})).json()
        unknown = [file["local_id"] for event in game["events"] for file in event["media"] if not file.get("width")]
        if not unknown:
            return game
        if time.monotonic() > ends:
            rows = await look(database, lambda conn: conn.execute(select(media_probes)).mappings().all())
            left = [(row["tries"], row["error"], row["next_at"] and row["next_at"] - time.time()) for row in rows]
            pytest.fail(f"{len(unknown)} files of {len(game['events'])} posts are not known; waiting probes: {left}")
        await asyncio.sleep(1)


async def killed(folder, database, *, kills, seed):
    rng = random.Random(seed)
    async with origins.serving() as origin:
        origin.files = AnyQuery({"/a.jpg": picture(width=64, height=48)})
        config = folder / "matchwire.toml"
        text = CONFIG.format(database=database, organization=ORGANIZATION, upstream="http://127.0.0.1:9", secret=SECRET)
        config.write_text(text + MEDIA.format(folder=folder / "media"))
        daemon, acknowledged, liveblog = Daemon(config), [], None
        for _ in range(kills):
            await daemon.start()
            async with client_of(daemon) as client:
                if liveblog is None:
                    liveblog = (await client.post(f"{WRITE}/ticker/create.json", json=NEWS)).json()["local_id"]
                sender = asyncio.create_task(posting(client, liveblog, origin.address, rng, acknowledged))
                seen = len(origin.requests)
                async with asyncio.timeout(60):
                    while len(origin.requests) < seen + 3:
                        await asyncio.sleep(0.005)
                await asyncio.sleep(rng.uniform(0, 0.2))
                await daemon.kill()
                await sender
        await daemon.start()
        async with client_of(daemon) as client:
            game = await until_known(client, liveblog, database)
        await daemon.terminate()
    events = {event["local_id"]: event for event in game["events"]}
    assert set(acknowledged) <= events.keys()
    assert {(file["width"], file["height"]) for event in events.values() for file in event["media"]} == {(64, 48)}
    assert game["version"] == 1 + 2 * len(events), "each post is one step, what its files learn another one"


class AnyQuery(dict):
    """Files whose addresses may carry a query."""

    def get(self, path, default=None):
        return super().get(path.partition("?")[0], default)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    if request.param == "sqlite":
        return migrated_url(tmp_path / "matchwire.db")
    return request.getfixturevalue("postgres_url")


async def test_kills_lose_no_probe_and_double_none(database, tmp_path):
    """A kill at a random instant while pictures are posted and probed."""
    await killed(tmp_path, database, kills=1, seed=11)


@pytest.mark.soak
async def test_fifty_kills_lose_no_probe_and_double_none(database, tmp_path):
    """The same with fifty."""
    await killed(tmp_path, database, kills=50, seed=12)
