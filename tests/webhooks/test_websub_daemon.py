"""Our hub inside a whole daemon: a subscriber confirms, an event is posted, the feed arrives, signed."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json

import httpx

from config import Settings
from tests.api.test_websub import subscribers
from tests.day import configuration, running
from tests.ingest.test_resources import NEWS

FEED = "/api/embed/v4/feed/liveblog.json"
PUBLIC = "https://live.example.org/blogs"
SECRET = "a secret of the subscriber"


async def test_from_subscription_to_push(tmp_path):
    """By the hub and the address that the feed itself names; what is pushed is what anybody reads."""
    tables = configuration("http://127.0.0.1:9", tmp_path)
    tables["webhooks"] = {"allow_hosts": ["127.0.0.1"]}
    tables["server"] = {**tables.get("server", {}), "public_feeds": True, "public_url": PUBLIC}
    settings = Settings.model_validate(tables)
    secret = settings.clients["cms"].secret.get_secret_value()
    async with (
        running(settings) as address,
        subscribers() as receivers,
        httpx.AsyncClient(base_url=address, auth=("cms", secret), trust_env=False) as cms,
        httpx.AsyncClient(base_url=address, trust_env=False) as anybody,
    ):

        async def until(reached):
            async with asyncio.timeout(60):
                while not reached():
                    await asyncio.sleep(0.02)

        async def send(mode, **more):
            form = {"hub.mode": mode, "hub.topic": topic, "hub.callback": f"{receivers.base}/reader", **more}
            assert (await anybody.post(hub.removeprefix(PUBLIC), data=form)).status_code == 202

        async def create(name):
            post = {"local_id": name, "headline": f"Headline of {name}"}
            await cms.post("/api/v5/write/event/create.json", params={"ticker_local_id": game}, json=post)

        game = (await cms.post("/api/v5/write/ticker/create.json", json=NEWS)).json()["local_id"]
        links = (await cms.get(FEED, params={"liveblogId": game})).links
        hub, topic = links["hub"]["url"], links["self"]["url"]
        await send("subscribe", **{"hub.secret": SECRET})
        await until(lambda: receivers.modes("reader"))
        await create("egoal")
        await until(lambda: any(b"Headline of egoal" in body for _, body in receivers.of("reader")))

        headers, body = receivers.of("reader")[-1]
        assert [item["id"] for item in json.loads(body)["items"]] == ["egoal"]
        assert body == (await anybody.get(FEED, params={"liveblogId": game})).content
        assert headers["X-Hub-Signature"] == f"sha256={hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()}"
