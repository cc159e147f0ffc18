"""`matchwire polls …`: what readers voted, for whoever runs the daemon."""

from __future__ import annotations

import asyncio
import sys
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.cli.shared import ConfigFile, DataDir, end, fail, load, placed

if TYPE_CHECKING:
    from config import Settings

app = typer.Typer(no_args_is_help=True, help="Readers' votes on polls and quizzes.")


class Content(StrEnum):
    """What is exported."""

    VOTES = "votes"
    RESULTS = "results"


class FileFormat(StrEnum):
    """How it is written."""

    CSV = "csv"
    JSONL = "jsonl"


@app.callback()
def group() -> None:
    """Readers' votes on polls and quizzes."""


@app.command()
def export(
    liveblog: Annotated[str, typer.Option(help="The liveblog's local_id or ticker_id.")],
    content: Annotated[Content, typer.Option(help="A row for each vote, or for each option.")] = Content.VOTES,
    file_format: Annotated[FileFormat, typer.Option("--format")] = FileFormat.CSV,
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Write the votes on all polls of a liveblog to the standard output; readers have no names in it."""
    from ingest.cli.start_errors import OPERATORS

    settings = placed(load(config_file), data_dir)
    try:
        found = asyncio.run(_export(settings, liveblog, content, file_format))
    except OPERATORS as error:
        end(error, settings)
    if not found:
        fail(f"there is no liveblog {liveblog}")


async def _export(settings: Settings, liveblog: str, content: Content, file_format: FileFormat) -> bool:
    """Whether there is such a liveblog. Nothing is locked while the output waits for its reader."""
    from api.polls.poll_export import ExportRequest, exported
    from store import command, liveblogs

    database = settings.database
    read = partial(command.look, database.session_url, timeout=database.timeout)
    game = await read(partial(liveblogs.find_game, name=liveblog))
    if game is None:
        return False
    async for part in exported(read, game.id, ExportRequest(content.value, file_format.value)):
        sys.stdout.write(part)
    return True
