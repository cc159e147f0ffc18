"""A day of a provider that an entry point adds: its server, a daemon that follows one match of it, and a client of the API."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from config import Settings
from providers.contract.server import Server, serving
from tests.kit.day import CREATE, ORGANIZATION, SHOW, configuration, running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    Titles = tuple[list[str], tuple[str, str]]


@dataclass(slots=True)
class ProviderDay:
    """The server with one match that a test changes. `bodies`: what it serves of a match, by the paths."""

    provider: str
    match_id: str
    bodies: Callable[[Any], Mapping[str, bytes]]
    server: Server
    client: httpx.AsyncClient

    async def create(self, match_id: str = "", **more: Any) -> httpx.Response:
        """A liveblog of the match, or of another one."""
        request = {"provider": self.provider, "matchId": match_id or self.match_id, "autoPostEnabled": True, **more}
        return await self.client.post(CREATE, json=request)

    async def becomes(self, match: Any, local_id: str, wanted: Titles) -> dict[str, Any]:
        """Serve this match and wait until titles and score of the liveblog are these."""
        self.server.bodies = self.bodies(match)
        found: Titles | None = None
        try:
            async with asyncio.timeout(30):
                while True:
                    game: dict[str, Any] = (await self.client.get(SHOW, params={"local_id": local_id})).json()
                    found = _titles_of(game)
                    if found == wanted:
                        return game
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"{found} is not {wanted}") from None


def _titles_of(game: Mapping[str, Any]) -> Titles:
    """Titles of the published posts in the order of play, and the score."""
    posts = sorted((each for each in game["events"] if each["local_status"] == 0), key=lambda each: each["sort"])
    score = game["scoreboard"]["score"]
    return [each["sport_event"]["title"] for each in posts], (score.get("home_score"), score.get("away_score"))


def goals_of(game: Mapping[str, Any]) -> list[str]:
    """Ids of the posts that are goals."""
    kinds = {each["local_id"]: (each.get("sport_event") or {}).get("event_type") for each in game["events"]}
    return [local_id for local_id, kind in kinds.items() if kind == "soccer.goal"]


@asynccontextmanager
async def provider_day(
    provider: str,
    match_id: str,
    bodies: Callable[[Any], Mapping[str, bytes]],
    first: Any,
    folder: Path,
    endpoint: Callable[[str], dict[str, str]],
) -> AsyncIterator[ProviderDay]:
    """The day, with what the provider has of the match at `first`. `endpoint`: its settings, by the server's address.

    What is polled is kept in `folder`/kept, and goals that are taken back leave nothing.
    """
    async with serving(Server(bodies(first))) as server:
        tables = configuration("http://127.0.0.1:9", folder)
        tables["organizations"][ORGANIZATION] |= {
            "providers": {provider: endpoint(server.url)},
            "withdrawn": "silent",
        }
        tables["recording"] = {"enabled": True, "folder": str(folder / "kept")}
        settings = Settings.model_validate(tables)
        async with running(settings) as address:
            secret = settings.clients["cms"].secret.get_secret_value()
            async with httpx.AsyncClient(
                base_url=address, auth=("cms", secret), timeout=60, trust_env=False, verify=False
            ) as client:
                yield ProviderDay(provider, match_id, bodies, server, client)
