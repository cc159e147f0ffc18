"""The match that is followed while processes are killed."""

import asyncio
from typing import Any

import httpx

from tests.kit.day import SHOW

MATCH = "9900001"


async def quiet(client: httpx.AsyncClient, local_id: str) -> dict[str, Any]:
    """The liveblog once it has not stepped for two seconds."""
    version = -1
    while True:
        game = (await client.get(SHOW, params={"local_id": local_id})).json()
        if game["version"] == version:
            return game
        version = game["version"]
        await asyncio.sleep(2)
