"""`matchwire replay` and `matchwire demo`: matches that were recorded, played as if they were played now."""

from __future__ import annotations

import asyncio
import zipfile
from pathlib import Path
from typing import Annotated

import typer

from ingest.cli.incident import play_bundle
from ingest.cli.shared import announce_address, fail, out, start


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
