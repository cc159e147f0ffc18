"""A reader at one process sees within moments what another process posts, though the first never looks by itself."""

from __future__ import annotations

import asyncio

import pytest

from tests.kit.streaming import Reader
from tests.kit.workers import NUMBERS, create, two_processes

pytestmark = pytest.mark.proof

NEVER_LOOKS = "from api.stream.streams import Streams; Streams.__init__.__kwdefaults__['poll'] = 3600.0; "
CARDS = 3


async def test_what_a_worker_posts_a_reader_of_the_api_process_sees(postgres_url, tmp_path):
    """The provider shows a card every second; each arrives with a version of its own while one stream stays open."""
    async with two_processes(tmp_path, postgres_url, worker="worker", door="api") as (_, worker, door):
        door.program = NEVER_LOOKS + door.program
        await asyncio.gather(worker.start(), door.start())
        reader = Reader(door.client, await create(door, NUMBERS[0]), client="cms")
        following = asyncio.create_task(reader.read())
        async with asyncio.timeout(30):
            while len(reader.ids) <= CARDS:
                await asyncio.sleep(0.05)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)

    assert sum(each["sport_event"]["event_type"] == "soccer.yellow-card" for each in reader.kept.values()) >= CARDS - 1
