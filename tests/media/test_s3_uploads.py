"""Uploads in a bucket, through HTTP: by two processes that share it, and while the storage is away."""

import asyncio
import time
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from api.media.proxy import ImageProxy, StoredUploads
from config.sections import MediaConfig
from ingest.jobs.purges import UploadPurge
from mapping.rules.media_address import ImageOptions, ImageRequest
from store.engine.liveblog_records import new_key
from store.files.storage import StorageUnavailable
from store.media import uploads
from store.media.tables import uploads as uploads_table
from tests.api.conftest import serving, store
from tests.kit import matchday
from tests.kit.daemon import CONFIG, SECRET, Daemon, client_of
from tests.kit.day import ORGANIZATION
from tests.kit.event_desk import post
from tests.kit.news_daemon import NEWS, WRITE
from tests.kit.opening import store_at
from tests.kit.pictures import picture
from tests.kit.s3_server import SECRET_KEY, answering

pytestmark = pytest.mark.proof

__all__ = ["store"]

UPLOAD = f"/api/mediaservice/v3/organization/{ORGANIZATION}/upload"
LINK = f"/api/mediaservice/v3/organization/{ORGANIZATION}/image.json"
LATER = 2 * 86_400
MEDIA = 'folder = "media-{name}"\n{s3}s3_secret_key_file = "s3-secret"\n'


def configured(folder, name, database, s3):
    """The configuration of one of the processes, each with a folder of its own."""
    (folder / "s3-secret").write_text(SECRET_KEY)
    settings = s3.toml().replace(f's3_secret_key = "{SECRET_KEY}"\n', "")
    text = CONFIG.format(database=database, organization=ORGANIZATION, upstream="http://127.0.0.1:9", secret=SECRET)
    text = text.replace("port = 0", "port = 0\npublic_feeds = true", 1)
    path = folder / f"{name}.toml"
    path.write_text(f"{text}[media]\n{MEDIA.format(name=name, s3=settings)}")
    return Daemon(path, "--data-dir", str(folder), "--log-file", str(folder / f"{name}.log"))


async def sent(client, method, path, **more):
    response = await client.request(method, path, **more)
    assert response.status_code == 200, response.text
    return response.json()


async def purged(database, files):
    """What the bucket holds after a purge, a day and more later."""
    store = await store_at(database)
    try:
        await UploadPurge(store, files, upload_kept=86_400, clock=lambda: time.time() + LATER).run()
        rows = set(await store.read(lambda conn: conn.scalars(select(uploads_table.c.key)).all()))
    finally:
        await store.close()
    found = {file.key for file in await files.keys("", 10)}
    assert found == rows
    return found


@pytest.mark.proof
async def test_two_processes_share_a_bucket(postgres_url, s3, tmp_path):
    """What one took the other shows once it is published; the purge takes what nothing refers to, and no secret is logged."""
    first, second = (configured(tmp_path, name, postgres_url, s3) for name in ("first", "second"))
    await asyncio.gather(first.start(), second.start())
    files = s3.files(tmp_path / "here")
    try:
        async with client_of(first) as one, client_of(second) as other:
            shown, unused = [(await sent(one, "POST", UPLOAD, content=picture("png", 40, 30)))["url"] for _ in range(2)]
            link = await sent(other, "GET", LINK, params={"url": shown, "width": 20, "height": 20})
            image = urlsplit(link["url"]).path
            assert (await other.get(image, auth=("nobody", ""))).status_code in {401, 404}

            liveblog = await sent(one, "POST", f"{WRITE}/ticker/create.json", json=NEWS)
            await sent(
                one, "POST", f"{WRITE}/event/create.json", params={"ticker_local_id": liveblog["local_id"]},
                json=post(media=[{"url": shown}]),
            )  # fmt: skip
            async with asyncio.timeout(60):
                while (found := await other.get(image, auth=None)).status_code != 200:
                    await asyncio.sleep(0.1)
            assert found.headers["content-type"].startswith("image/")

            used, unused = (uploads.read_address(url)[1] for url in (shown, unused))
            assert {file.key for file in await files.keys("", 10)} == {used, unused}
            assert await purged(postgres_url, files) == {used}
            assert (await one.get(image, auth=None)).status_code == 200
    finally:
        await asyncio.gather(first.terminate(), second.terminate())
    kept = [path.name for name in ("first", "second") for path in (tmp_path / f"media-{name}").rglob("*")]
    assert used not in kept
    logged = "".join((tmp_path / f"{name}.log").read_text() for name in ("first", "second"))
    assert "daemon.started" in logged
    assert SECRET_KEY not in logged


async def written(store, body=b""):
    """The row of an upload that an event shows."""
    upload = uploads.Upload(
        key=new_key(), organization_id=matchday.ORGANIZATION, client_id="desk", subtype="i", content_type="image/png",
        digest="d", bytes=len(body), width=40, height=30, created_at=1,
    )  # fmt: skip
    await store.write(lambda unit: uploads.create(unit, upload))
    await store.write(lambda unit: uploads.refer(unit, "event", "e1", {upload.key: True}))
    return upload


async def test_while_the_storage_is_away_uploads_are_refused_and_nothing_else(store, tmp_path):
    """The answer says that another try may succeed; no row is written, and a purge forgets none."""
    upload = await written(store)
    path = UPLOAD.replace(ORGANIZATION, matchday.ORGANIZATION)
    for status, body in ((None, ""), ("404 Not Found", "<Error><Code>NoSuchBucket</Code></Error>")):
        async with answering(status, body) as hanging:
            files = hanging.files(tmp_path, s3_timeout=0.3)
            async with serving(store, files=files, client_per_second=0) as server:
                auth = ("desk", matchday.SECRET)
                response = await server.http.post(path, content=picture("png", 4, 3), auth=auth)
                assert (response.status_code, response.json()["retryable"]) == (503, True)
                assert (await server.http.get("/livez")).status_code == 200
            with pytest.raises(Exception, match="storage"):
                await UploadPurge(store, files, upload_kept=60, clock=time.time).run()
    rows = await store.read(lambda conn: conn.scalars(select(uploads_table.c.key)).all())
    assert list(rows) == [upload.key]
    assert list(tmp_path.rglob("unfinished/*")) == []


class Uploads:
    """Uploads whose storage comes and goes."""

    def __init__(self, store, files):
        self.store, self.files = store, files

    async def read(self, url, most):
        return await StoredUploads(self.store, self.files).read(url, most)


@pytest.mark.proof
async def test_images_that_are_cached_are_shown_while_the_storage_is_away(store, s3, tmp_path):
    """The others are an error that passes: they are shown once the storage is back."""

    async def chunks():
        yield body

    body, there = picture("png", 40, 30), s3.files(tmp_path)
    upload = await written(store, body)
    await there.put(upload.key, chunks())
    async with answering() as hanging:
        away = hanging.files(tmp_path, s3_timeout=0.2)
        found = Uploads(store, away)
        images = ImageProxy(MediaConfig(folder=str(tmp_path)), None, found, time.time)
        small, large = (
            ImageRequest(matchday.ORGANIZATION, upload.url, ImageOptions(width=width)) for width in (20, 30)
        )
        with pytest.raises(StorageUnavailable):
            await images.find(small, frozenset())
        found.files = there
        assert (await images.find(small, frozenset())).content_type.startswith("image/")
        found.files = away
        assert await images.find(small, frozenset()) is not None
        assert await images.find(large, frozenset()) is not None, "the original is cached, too"
        images.close()
