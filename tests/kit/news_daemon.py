"""A daemon with a news liveblog that is written to."""

import asyncio
from contextlib import asynccontextmanager

from tests.kit.daemon import CONFIG, SECRET, Daemon
from tests.kit.day import ORGANIZATION, SHOW
from tests.kit.sqlite import migrated_url

WRITE = "/api/v5/write"

NEWS = {
    "_type": "Svc::Model::Game",
    "organization_id": ORGANIZATION,
    "template_id": "news",
    "meta_info": {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": "Storm"},
}


def post(words="calm"):
    return {"contents": [{"_type": "Svc::Model::Content::RichTextContentBlock", "text": words}]}


@asynccontextmanager
async def daemon_in(folder, *arguments, log="json"):
    """A running daemon on a SQLite file in `folder`; it is killed at the end if it still runs. `log`: form of its log."""
    config = folder / "matchwire.toml"
    database = migrated_url(folder / "matchwire.db")
    config.write_text(
        CONFIG.format(database=database, organization=ORGANIZATION, upstream="http://127.0.0.1:9", secret=SECRET)
    )
    config.write_text(f'{config.read_text()}[logging]\nlevel = "debug"\nformat = "{log}"\n')
    daemon = Daemon(config, *arguments)
    await daemon.start()
    try:
        yield daemon
    finally:
        if daemon.process.returncode is None:
            await daemon.kill()


async def made(client):
    answer = await client.post(f"{WRITE}/ticker/create.json", json=NEWS)
    assert answer.status_code == 200, answer.text
    return answer.json()["local_id"]


async def written(client, liveblog, body=None):
    return await client.post(
        f"{WRITE}/event/create.json", params={"ticker_local_id": liveblog}, json=post() if body is None else body
    )


async def shown(client, liveblog):
    return await client.get(SHOW, params={"local_id": liveblog})


async def within(seconds, condition):
    """Wait until `condition` holds."""
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.1)
