"""A server whose media are looked at, and a desk that uploads them."""

import asyncio
from contextlib import asynccontextmanager

import httpx

from config import Settings
from ingest.cli.explain import explain
from tests.kit.day import SHOW, configuration, running
from tests.kit.news_daemon import NEWS
from tests.kit.opening import look

IMAGE = "Svc::Model::Content::ImageMediaContent"
VIDEO = "Svc::Model::Content::VideoMediaContent"
QUICK = {"probe_tries": 2, "probe_retry": 15, "fetch_timeout": 12}


class Desk:
    """A liveblog of a running daemon, and who writes it."""

    def __init__(self, client, url):
        self.client, self.url = client, url

    async def create(self):
        response = await self.client.post("/api/v5/write/ticker/create.json", json=NEWS)
        assert response.status_code == 200, response.text
        self.name = response.json()["local_id"]
        return self

    async def post(self, *sources, kind=IMAGE, **more):
        items = [{"_type": kind, "source_url": each} for each in sources]
        block = {"_type": "Svc::Model::Content::MultiMediaContentBlock", "items": items}
        body = {"_type": "Svc::Model::Event", "contents": [block] if items else [], **more}
        response = await self.client.post(
            "/api/v5/write/event/create.json", params={"ticker_local_id": self.name}, json=body
        )
        assert response.status_code == 200, response.text
        return response.json()

    async def update(self, event, **changes):
        params = {"event_local_id": event["local_id"]}
        body = {"_type": "Svc::Model::Event", **changes}
        response = await self.client.post("/api/v5/write/event/update.json", params=params, json=body)
        assert response.status_code == 200, response.text
        return response.json()

    async def show(self):
        return (await self.client.get(SHOW, params={"local_id": self.name})).json()

    async def event(self, local_id):
        return next(each for each in (await self.show())["events"] if each["local_id"] == local_id)

    async def until(self, event, condition):
        """The event once its files fulfil the condition."""
        async with asyncio.timeout(60):
            while not condition((shown := await self.event(event["local_id"]))["media"]):
                await asyncio.sleep(0.1)
        return shown

    async def health(self):
        return (await look(self.url, lambda conn: explain(conn, self.name)))["media"]

    async def until_health(self, condition):
        async with asyncio.timeout(60):
            while not condition(found := await self.health()):
                await asyncio.sleep(0.1)
        return found


@asynccontextmanager
async def desk_at(url, folder, **media):
    tables = configuration("http://127.0.0.1:9", folder, url)
    tables |= {"webhooks": {"allow_hosts": ["127.0.0.1"]}, "media": {"folder": str(folder / "media"), **QUICK, **media}}
    settings = Settings.model_validate(tables)
    async with running(settings) as address:
        secret = settings.clients["cms"].secret.get_secret_value()
        async with httpx.AsyncClient(base_url=address, auth=("cms", secret), timeout=60, trust_env=False) as client:
            yield await Desk(client, url).create()


def is_known(media):
    return all(file.get("width") for file in media)
