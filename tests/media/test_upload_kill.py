"""kill -9 in the middle of uploads and purges: nothing acknowledged is lost, no half file is kept, nothing is left over."""

import asyncio
import hashlib
import random
import sys
import time
import tomllib

import httpx
import pytest
from sqlalchemy import select

from config.sections import MediaConfig
from ingest.daemon.build import file_store
from ingest.jobs.purges import UploadPurge
from store.media import uploads
from store.media.tables import uploads as uploads_table
from tests.kit.command import ENVIRON
from tests.kit.daemon import CONFIG, SECRET, Daemon, client_of
from tests.kit.day import ORGANIZATION
from tests.kit.opening import store_at
from tests.kit.pictures import picture

pytestmark = pytest.mark.proof

PATH = f"/api/mediaservice/v3/organization/{ORGANIZATION}/upload"
HEAD = picture("png", 4, 3)
LATER = 2 * 86_400
"""Seconds after which whatever is left is old."""
PURGE = f"""
import asyncio, sys, time, tomllib
from config.sections import MediaConfig
from ingest.daemon.build import file_store
from ingest.jobs.purges import UploadPurge
from tests.kit.opening import store_at

async def main(database, media):
    store = await store_at(database)
    files = file_store(MediaConfig.model_validate(tomllib.loads(media)))
    print("ready", flush=True)
    await UploadPurge(store, files, upload_kept=0, clock=lambda: time.time() + {LATER}).run()

asyncio.run(main(*sys.argv[1:]))
"""


async def pieces(body, rng):
    """The body as a client sends it that now and then takes its time."""
    for place in range(0, len(body), 65_536):
        yield body[place : place + 65_536]
        if rng.random() < 0.3:
            await asyncio.sleep(0.005)


async def uploading(client, rng, acknowledged):
    """Upload files, no two alike, until the daemon is gone; the key and the digest of what it has acknowledged."""
    while True:
        body = HEAD + rng.randbytes(rng.choice((10, 300_000, 900_000)))
        try:
            answer = await client.post(PATH, content=pieces(body, rng))
        except httpx.TransportError:
            return
        if answer.status_code == 200:
            acknowledged[uploads.read_address(answer.json()["url"])[1]] = hashlib.sha256(body).hexdigest()
        else:
            assert answer.status_code in {429, 503}, answer.text


async def checked(database, files, acknowledged):
    """Compare rows and files with what was acknowledged; some of it is referred to from now on."""
    store = await store_at(database)
    try:
        rows = {row.key: row.digest for row in await store.read(lambda conn: conn.execute(select(uploads_table)).all())}
        assert acknowledged.items() <= rows.items(), "an upload is lost"
        for key, digest in rows.items():
            assert hashlib.sha256(await files.read(key, 2_000_000)).hexdigest() == digest, "a file is not whole"
        used = sorted(acknowledged)[::3]
        await store.write(lambda unit: uploads.refer(unit, "event", "e1", dict.fromkeys(used, True)))
        return used
    finally:
        await store.close()


async def purge_killed(database, media, rng):
    """Begin a purge in a process of its own and kill it somewhere in the middle."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PURGE, database, media, env=ENVIRON, stdout=asyncio.subprocess.PIPE
    )
    assert (await process.stdout.readline()) == b"ready\n"
    await asyncio.sleep(rng.uniform(0, 0.1))
    if process.returncode is None:
        process.kill()
    await process.wait()


async def test_kills_lose_no_upload_and_leave_nothing_over(database, tmp_path):
    """A kill of the daemon under four senders, one of the purge, at random instants."""
    rng, media = random.Random(7), f'folder = "{tmp_path / "media"}"\n'
    config = tmp_path / "matchwire.toml"
    text = CONFIG.format(database=database, organization=ORGANIZATION, upstream="http://127.0.0.1:9", secret=SECRET)
    config.write_text(f"{text}[media]\n{media}")
    daemon, acknowledged, files = Daemon(config), {}, file_store(MediaConfig.model_validate(tomllib.loads(media)))
    await daemon.start()
    async with client_of(daemon) as client:
        senders = [asyncio.create_task(uploading(client, rng, acknowledged)) for _ in range(4)]
        wanted = len(acknowledged) + 5
        async with asyncio.timeout(60):
            while len(acknowledged) < wanted:
                await asyncio.sleep(0.005)
        await asyncio.sleep(rng.uniform(0, 0.1))
        await daemon.kill()
        await asyncio.gather(*senders)
    used = await checked(database, files, acknowledged)
    await purge_killed(database, media, rng)
    store = await store_at(database)
    try:
        await UploadPurge(store, files, upload_kept=0, clock=lambda: time.time() + LATER).run()
        rows = await store.read(lambda conn: conn.scalars(select(uploads_table.c.key)).all())
    finally:
        await store.close()
    assert sorted(rows) == used
    assert [file.key for file in await files.keys("", len(used) + 1)] == used
    left = {path.name for path in (tmp_path / "media").rglob("*") if path.is_file()}
    assert left == set(used)
    for key in used:
        assert hashlib.sha256(await files.read(key, 2_000_000)).hexdigest() == acknowledged[key]
