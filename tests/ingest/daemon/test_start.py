"""What a daemon does not load before it is ready, on a database that is up to date: loading takes most of a start."""

import asyncio
import subprocess
import sys

import pytest

from tests.kit.command import ENVIRON
from tests.kit.daemon import HEAD, SECRET
from tests.kit.day import ORGANIZATION
from tests.kit.opening import store_at

pytestmark = pytest.mark.proof

UNTIL_READY = """
import asyncio, os, pathlib, sys
from ingest.cli import main
from ingest.daemon import run as daemon
import config

async def until_ready():
    stop, loaded = asyncio.Event(), set()
    def ready(_):
        loaded.update(sys.modules)
        stop.set()
    await daemon.run(config.load(pathlib.Path(sys.argv[1]), os.environ), announce=ready, stop=stop)
    print("ready with", *sorted(loaded & set(sys.argv[2].split())))

asyncio.run(until_ready())
"""
LATER = {
    "alembic": "the schema is current",
    "mako": "the schema is current",
    "aiohttp": "no poll is due yet",
    "stamina": "nobody waits for a provider",
    "httpx_aiohttp": "no poll is due yet",
    "providers.heim.translate": "no match has changed",
    "providers.gn_gsd.translate": "no match has changed",
    "providers.openligadb.translate": "no match has changed",
    "PIL": "no image is looked at",
    "argon2": "nobody signs in to the desk",
    "segno": "nobody sets up an app",
    "jinja2": "nobody opens a page of the desk",
    "authlib": "nobody signs in to the desk",
    "joserfc": "nobody signs in to the desk",
    "fastapi": "it is no part of the product",
    "crawleruseragents": "no page has reported anything",
    "babel": "no text is rendered",
    "obstore": "uploads are on the disk",
    "opentelemetry.sdk": "traces are off",
    "requests": "traces are off",
    "ingest.sync.recorder": "it is not configured",
    "providers.replay": "it is a command of its own",
}
OTHERS = {
    "sqlite": ("psycopg", "sqlalchemy.dialects.postgresql", "store.engine.postgres.backend"),
    "postgresql": ("aiosqlite", "sqlalchemy.orm", "store.engine.sqlite.backend"),
}


@pytest.mark.parametrize("database", OTHERS)
async def test_a_second_start_is_ready_without_what_comes_later(tmp_path, request, database):
    """Ready again within two seconds after a crash: what readiness does not need is loaded after it, or never."""
    url = f"sqlite+aiosqlite:///{tmp_path / 'matchwire.db'}"
    if database == "postgresql":
        url = request.getfixturevalue("postgres_url")
    else:
        await (await store_at(url)).close()
    config = tmp_path / "matchwire.toml"
    config.write_text(
        HEAD.format(database=url, upstream="http://127.0.0.1:9", organization=ORGANIZATION, secret=SECRET)
    )
    watched = " ".join((*LATER, *OTHERS[database]))
    ran = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", UNTIL_READY, str(config), watched],
        capture_output=True, text=True, check=True, env=ENVIRON,
    )  # fmt: skip

    assert ran.stdout.splitlines()[-1].strip() == "ready with"
