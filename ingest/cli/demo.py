"""The demo: real matches from a replay server at many times their speed, and a daemon that follows them."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import config
from config import Settings
from config.errors import StartError
from ingest.cli.accounts import add_demo_editor
from ingest.daemon import run as daemon
from ingest.telemetry import logs
from mapping.errors import ServiceError
from providers.replay import ReplaySettings, running
from providers.replay.demo import LANGUAGES, NAMES, demo_files
from store.liveblogs.liveblogs import list_games
from store.upkeep import command

if TYPE_CHECKING:
    from rich.console import Console


BASE_URL = "MATCHWIRE_ORGANIZATIONS__DEMO__PROVIDERS__HEIM__BASE_URL"
GERMAN = {"uruguay-russia"}
"""Matches whose liveblogs are German in `config/demo.toml`; so is the text of their feed."""

PORT = "MATCHWIRE_SERVER__PORT"
TRIES = 600
"""Looks until the greeting is printed although matches are missing."""
GREETING = """
  matchwire shows matches of four sports at {speed:g} times their speed.

  Page      {address}/
  Choose    {address}/desk/matches/new   (the matches of the day; Colombia – Japan has no liveblog yet: tick it, create it)
  API       {address}/docs   (client_id demo, client_secret demo-secret-for-the-demo-only)
  Desk      {address}/desk   (editor@example.org, password {password})
  Provider  {provider}/__replay/state   (what the replayed feed shows; faults, seek and pause are beside it)

  Stop with Ctrl-C. Nothing is kept.
"""


PASSWORD = "demo-secret-for-the-demo-only"  # noqa: S105 -- of an account that is gone with the demo


async def play(*, port: int, speed: float, out: Console, stop: asyncio.Event) -> None:
    """Play the demo matches from ten minutes after kick-off until `stop`; the database lives in a temporary folder.

    They are under way when the first reader comes, so that there is something to read at once.
    """
    english, german = map(demo_files, LANGUAGES)
    files = tuple(german[place] if name in GERMAN else english[place] for place, name in enumerate(NAMES))
    matches = ReplaySettings(files=files, speed=speed, start_at="kickoff+600")
    async with running(matches) as replay:
        with TemporaryDirectory(prefix="matchwire-demo-", ignore_cleanup_errors=True) as folder:
            settings = _settings(port, replay.url).in_folder(Path(folder))
            logs.configure(settings.logging.level, settings.logging.format)

            url, greeted = settings.database.url.get_secret_value(), list[asyncio.Task[None]]()

            def announce(address: str) -> None:
                greeting = GREETING.format(speed=speed, address=address, provider=replay.url, password=PASSWORD)
                greeted.append(asyncio.create_task(_greet(url, greeting, out, len(settings.liveblogs))))

            try:
                await daemon.run(settings, announce=announce, stop=stop)
            except StartError as error:
                raise StartError(f"{error}; `matchwire demo --port 0` takes any free port") from error
            finally:
                for task in greeted:
                    task.cancel()
                await asyncio.gather(*greeted, return_exceptions=True)


async def _greet(url: str, greeting: str, out: Console, liveblogs: int) -> None:
    """Print the greeting once there is somebody who may sign in, and so many liveblogs are there: no first page is empty."""
    await asyncio.to_thread(command.run, url, partial(add_demo_editor, password=PASSWORD), timeout=5)
    for _ in range(TRIES):
        with suppress(ServiceError):
            if len(await command.look(url, list_games, timeout=5)) >= liveblogs:
                break
        await asyncio.sleep(0.1)
    out.print(greeting)


def _settings(port: int, base_url: str) -> Settings:
    with as_file(files(config) / "demo.toml") as path:
        return config.load(path, {**os.environ, BASE_URL: base_url, PORT: str(port)})
