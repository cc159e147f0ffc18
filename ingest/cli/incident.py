"""`matchwire incident`, `replay`, `demo`: a file of how a liveblog came about, and matches that were recorded, played again."""

from __future__ import annotations

import asyncio
import json
import time
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import Connection

from config import Settings
from ingest.cli.shared import announce_address, fail, out, start
from ingest.kit.process import ExitStatus


def incident(  # noqa: PLR0917 -- options of a command line
    settings: Settings,
    liveblog: Annotated[str, typer.Argument(help="ticker_id or local_id")],
    at: Annotated[str | None, typer.Option(help="ISO 8601; left out: now. Without an offset it is UTC.")] = None,
    minutes: Annotated[int, typer.Option(min=1, max=1440, help="So long before and after.")] = 10,
    target: Annotated[Path | None, typer.Option("--out", help="The file to be written.", dir_okay=False)] = None,
    without_commentary: Annotated[bool, typer.Option(help="Leave the provider's editorial text out.")] = False,
) -> None:
    """Write a bundle of answers, decisions, writes and deliveries around a time, which `matchwire replay` plays.

    No secrets are in it.
    """
    from ingest.incident.bundle import IncidentWindow, file_name, pack
    from store.engine import private_files

    moment = _instant(at)
    window = IncidentWindow(since=moment - 60 * minutes, until=moment + 60 * minutes)
    files: dict[str, bytes] = {}

    async def look(_: asyncio.Event) -> None:
        files.update(await _collect(settings, liveblog, window, commentary=not without_commentary))

    start(look, settings)
    path = target or Path(file_name(liveblog if liveblog.isalnum() else "liveblog", moment))
    try:
        with open(path, "wb", opener=private_files.opener) as file:
            file.write(pack(files))
    except OSError as error:
        fail(f"{path}: cannot be written: {error.strerror}")
    for reason in json.loads(files["manifest.json"])["missing"]:
        out.print(f"The bundle cannot be played to the same liveblog: {reason}.")
    out.print(f"{path}: {sum(map(len, files.values()))} bytes before compression")


async def _collect(settings: Settings, liveblog: str, window: object, *, commentary: bool) -> dict[str, bytes]:
    from ingest.cli.play_bundle import liveblog_answer
    from ingest.incident.bundle import IncidentWindow, collect
    from ingest.sync.provider_source import open_sources
    from providers.registry import Registry
    from store.liveblogs import liveblogs
    from store.upkeep import command

    assert isinstance(window, IncidentWindow)  # noqa: S101

    def gather(conn: Connection) -> dict[str, bytes]:
        game = liveblogs.require_game(conn, liveblog)
        adapters = {
            provider: each.adapter for (owner, provider), each in sources.items() if owner == game.organization_id
        }
        files = collect(conn, game.id, settings=settings, adapters=adapters, window=window, commentary=commentary)
        return files | ({"liveblog.json": liveblog_answer(conn, game.id)} if commentary else {})

    async with open_sources(settings, Registry.load()) as sources:
        return await command.look(settings.database.session_url, gather, timeout=settings.database.timeout)


def _instant(text: str | None) -> float:
    """Unix seconds of what the command line says."""
    if text is None:
        return time.time()
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        fail(f"--at {text}: is no ISO 8601 time")
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def play_bundle(path: Path, target: Path | None) -> None:
    """Play a bundle to its liveblog, say whether it is the same, and write it where that is wanted; exits 1 where it is not."""
    from ingest.cli.play_bundle import play
    from ingest.incident.bundle import unpack
    from ingest.telemetry import logs
    from mapping.errors import ServiceError

    logs.configure("error", "auto")
    try:
        played = asyncio.run(play(unpack(path)))
    except ServiceError as error:
        fail(error.message)
    if target is not None:
        target.write_bytes(played.liveblog)
    verdict = {
        True: "the same liveblog, byte for byte",
        False: "another liveblog",
        None: "a liveblog that is not compared",
    }
    out.print(f"{path}: {played.decisions} decisions give {verdict[played.same]} ({len(played.liveblog)} bytes).")
    if played.same is False:
        raise typer.Exit(ExitStatus.FOUND)


def replay(  # noqa: PLR0917 -- options of a command line
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Recordings (JSONL, plain or .gz), or one bundle of `incident`.", exists=True, dir_okay=False
        ),
    ],
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 picks a free port, printed on start.")] = 0,
    speed: Annotated[float, typer.Option(help="1 to 1000 times real time.")] = 1.0,
    start_at: Annotated[str, typer.Option(help="Seconds after the first answer, or kickoff, end, kickoff-60 …")] = "0",
    user: Annotated[str | None, typer.Option(help="Ask for HTTP Basic credentials.")] = None,
    password: Annotated[str | None, typer.Option(envvar="MATCHWIRE_REPLAY_PASSWORD")] = None,
    secret: Annotated[
        str | None,
        typer.Option(envvar="MATCHWIRE_REPLAY_SECRET", help="Ask for tokens, given for this outlet's secret."),
    ] = None,
    envelope: Annotated[str, typer.Option(help="Shape of the match resource: match or tree.")] = "match",
    target: Annotated[Path | None, typer.Option("--out", help="Of an incident: where its liveblog is written.")] = None,
) -> None:
    """Serve recorded matches as the provider would, as if they were played now.

    A bundle of `incident` is played to its liveblog instead, and compared.
    """
    if zipfile.is_zipfile(files[0]):
        play_bundle(files[0], target)
        return
    from providers.replay import ReplaySettings, serve
    from providers.replay.settings import checked_envelope

    try:
        settings = ReplaySettings(
            files=tuple(files), host=host, port=port, speed=speed, start_at=start_at,
            user=user, password=password, secret=secret, envelope=checked_envelope(envelope),
        )  # fmt: skip
    except ValueError as error:
        fail(str(error))

    async def until(stop: asyncio.Event) -> None:
        serving = asyncio.create_task(serve(settings, ready=announce_address))
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if not serving.done():
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            return
        serving.result()

    start(until)


def demo(
    port: Annotated[int, typer.Option(help="Port of the page and the API; 0 picks a free one.")] = 8080,
    speed: Annotated[float, typer.Option(help="How fast the matches are played: 1 to 1000 times real time.")] = 20.0,
) -> None:
    """Play real matches from a built-in provider and show their liveblogs: nothing to configure, nothing is kept."""
    from ingest.cli.demo import play

    start(lambda stop: play(port=port, speed=speed, out=out, stop=stop))
