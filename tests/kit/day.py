"""A match day: a replay server, a running daemon on a real database, and a client that only knows the HTTP API."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from config import Settings
from ingest.cli.incident import _collect
from ingest.daemon import run as daemon
from ingest.incident.bundle import IncidentWindow, pack, unpack
from providers.replay import Line, Replay, ReplaySettings, read_lines
from tests.kit.sqlite import migrated_url

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
CREATE = f"/apigw/sports/v2/{ORGANIZATION}/liveblog/createFromExternal"
SHOW = "/api/v5/write/ticker/show.json"


WINDOW = IncidentWindow(since=0.0, until=9e9)


@dataclass
class MatchDay:
    """A replayed provider, a client of the running daemon, and the settings of both."""

    replay: Replay
    client: httpx.AsyncClient
    settings: Settings = field(repr=False)

    async def create(self, match_id: str, **body: Any) -> dict[str, Any]:
        """Create a liveblog of the match, posting everything automatically unless the body says otherwise."""
        response = await self.client.post(
            CREATE, json={"provider": "heim", "matchId": match_id, "autoPostEnabled": True, **body}
        )
        assert response.status_code == 200, response.text
        return response.json()

    async def show(self, local_id: str) -> dict[str, Any]:
        response = await self.client.get(SHOW, params={"local_id": local_id})
        assert response.status_code == 200, response.text
        return response.json()

    async def feed_titles(self, local_id: str, **params: Any) -> list[str]:
        response = await self.client.get(
            "/api/embed/v4/feed/liveblog.json", params={"liveblogId": local_id, "limit": 1000, **params}
        )
        assert response.status_code == 200, response.text
        return [item["title"] for item in response.json()["items"]]

    async def until_played(self) -> None:
        """Wait for the last recorded answer."""
        await until(lambda: self.replay.finished, progress=lambda: self.replay.cursor)
        self.replay.settle()

    async def until_quiet(self, *names: str, quiet: float = 1.0, within: float = 300.0) -> list[dict[str, Any]]:
        """Wait until these liveblogs have not stepped for `quiet` seconds and three polls each, and return them.

        A match that is not polled any more is quiet after ten times as long.
        """
        async with asyncio.timeout(within):
            before: list[int] = []
            calm = polled = 0
            while True:
                shown = [await self.show(name) for name in names]
                if before != (now := [game["version"] for game in shown]):
                    before, calm, polled = now, 0, self.replay.log.total
                elif calm == 10 or self.replay.log.total - polled >= 3 * len(names):
                    return shown
                calm += 1
                await asyncio.sleep(quiet)


async def until(reached: Callable[[], bool], *, progress: Callable[[], object], stall: float = 120.0) -> None:
    """Wait until `reached`, however long that takes a busy machine; TimeoutError when nothing moves for `stall` seconds."""
    while not reached():
        before = progress()
        async with asyncio.timeout(stall):
            while not reached() and progress() == before:
                await asyncio.sleep(0.1)


@asynccontextmanager
async def match_day(
    files: Iterable[Path] = (),
    *,
    folder: Path,
    lines: Iterable[Line] = (),
    database: str | None = None,
    speed: float = 1.0,
    start_at: str = "0",
    live: float = 0.05,
    withdrawn: str = "silent",
    **overrides: Any,
) -> AsyncIterator[MatchDay]:
    """A daemon that follows the replay of `files` (or `lines`); `overrides` replace tables of its configuration.

    `withdrawn`: what goals that are taken back leave, however short they were public.
    """
    recorded = [*lines, *(line for path in files for line in read_lines(path))]
    async with Replay(recorded, ReplaySettings(speed=speed, start_at=start_at)).serve() as replay:
        tables = configuration(replay.url, folder, database or migrated_url(folder / "matchwire.db"), live) | overrides
        for organization in tables["organizations"].values():
            organization["withdrawn"] = withdrawn
        tables["polling"] = {"note_after": 0, **tables["polling"]}
        settings = Settings.model_validate(tables)
        async with running(settings) as address:
            secret = settings.clients["cms"].secret.get_secret_value()
            # No TLS is spoken here; reading the certificates of the authorities would take as long as some requests.
            async with httpx.AsyncClient(
                base_url=address, auth=("cms", secret), timeout=60, trust_env=False, verify=False
            ) as client:
                yield MatchDay(replay=replay, client=client, settings=settings)


def configuration(upstream: str, folder: Path, database: str | None = None, live: float = 0.05) -> dict[str, Any]:
    """Tables as a config file would hold them: one organization, one endpoint, one client that may do everything."""
    return {
        "server": {"port": 0},
        "database": {"url": database or f"sqlite+aiosqlite:///{folder / 'matchwire.db'}"},
        "media": {"folder": str(folder / "media")},
        "organizations": {
            ORGANIZATION: {
                "name": "Example Newsroom",
                "providers": {
                    "heim": {"base_url": upstream, "text_content": True},
                    "gn-gsd": {"base_url": f"{upstream}/gsd/lookup/v1", "api_key": "match-day"},
                },
            }
        },
        "clients": {
            "cms": {
                "secret": secrets.token_urlsafe(24),
                "organizations": [ORGANIZATION],
                "scopes": ["read", "write", "external", "stats", "webhooks"],
            }
        },
        "limits": {"client_per_second": 0, "public_per_second": 0},
        "polling": {
            "live": live,
            "pause": live,
            "before": live,
            "far": live,
            "after": live,
            "after_growth": 1,
            "backoff_max": 1,
            "breaker_pause": 0.5,
            "rate": 0,
        },
    }


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[str]:
    """The daemon in this loop, its address; it is stopped as SIGTERM would stop it."""
    stop, address = asyncio.Event(), asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(daemon.run(settings, announce=address.set_result, stop=stop))
    await asyncio.wait({serving, address}, return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        serving.result()
    try:
        yield address.result()
    finally:
        stop.set()
        await serving


async def bundle_of(day, path, local_id, **wanted):
    """The bundle of the liveblog, through its file."""
    path.write_bytes(pack(await _collect(day.settings, local_id, WINDOW, **{"commentary": True, **wanted})))
    return await asyncio.to_thread(unpack, path)
