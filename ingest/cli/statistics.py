"""`matchwire statistics …`: what was counted of readers, for whoever runs the daemon."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.cli.polls import FileFormat
from ingest.cli.shared import ConfigFile, DataDir, end, fail, load, placed

if TYPE_CHECKING:
    from config import Settings

app = typer.Typer(no_args_is_help=True, help="Numbers of readers.")


@app.callback()
def group() -> None:
    """Numbers of readers."""


@app.command()
def export(
    liveblog: Annotated[str, typer.Option(help="The liveblog's local_id or ticker_id.")],
    file_format: Annotated[FileFormat, typer.Option("--format")] = FileFormat.CSV,
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Write what was counted of a liveblog's readers to the standard output, by minute or quarter of an hour and page."""
    from ingest.cli.start_errors import OPERATORS

    settings = placed(load(config_file), data_dir)
    try:
        found = asyncio.run(_export(settings, liveblog, file_format))
    except OPERATORS as error:
        end(error, settings)
    if not found:
        fail(f"there is no liveblog {liveblog}")


async def _export(settings: Settings, liveblog: str, file_format: FileFormat) -> bool:
    """Whether there is such a liveblog. Nothing is locked while the output waits for its reader."""
    from api.statistics.statistics_export import exported
    from store import command, liveblogs

    database = settings.database
    read = partial(command.look, database.session_url, timeout=database.timeout)
    game = await read(partial(liveblogs.find_game, name=liveblog))
    if game is None:
        return False
    async for part in exported(read, game.id, file_format.value):
        sys.stdout.write(part)
    return True
