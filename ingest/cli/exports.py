"""`matchwire comments export`, `polls export`, `statistics export`: what a liveblog has of a capability, as a file.

For whoever runs the daemon, beside it and without credentials.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import typer

from config import Settings
from ingest.cli.shared import Commands, end, fail

Exported = Callable[[Any, str], AsyncIterator[str]]
"""The parts of the file, from what gives the result of a query and the liveblog's `ticker_id`."""


class FileFormat(StrEnum):
    """The format of an export's file."""

    CSV = "csv"
    JSONL = "jsonl"


Liveblog = Annotated[str, typer.Option(help="The liveblog's local_id or ticker_id.")]
Format = Annotated[FileFormat, typer.Option("--format")]


class Content(StrEnum):
    """What is exported of polls."""

    VOTES = "votes"
    RESULTS = "results"


COMMENTS = Commands(help="Comments of readers.")
POLLS = Commands(help="Readers' votes on polls and quizzes.")
STATISTICS = Commands(help="Numbers of readers.")


@COMMENTS.command("export")
def export_comments(
    settings: Settings,
    liveblog: Liveblog,
    file_format: Format = FileFormat.JSONL,
) -> None:
    """Write all comments of a liveblog to the standard output, but those that were deleted; no cell of a CSV is a formula."""
    write_export(settings, liveblog, "comments", file_format)


@POLLS.command("export")
def export_polls(
    settings: Settings,
    liveblog: Liveblog,
    content: Annotated[Content, typer.Option(help="A row for each vote, or for each option.")] = Content.VOTES,
    file_format: Format = FileFormat.CSV,
) -> None:
    """Write the votes on all polls of a liveblog to the standard output; readers have no names in it."""
    write_export(settings, liveblog, "polls", file_format, content.value)


@STATISTICS.command("export")
def export_statistics(
    settings: Settings,
    liveblog: Liveblog,
    file_format: Format = FileFormat.CSV,
) -> None:
    """Write what was counted of a liveblog's readers to the standard output, by minute or quarter of an hour and page."""
    write_export(settings, liveblog, "statistics", file_format)


def write_export(settings: Settings, liveblog: str, name: str, file_format: FileFormat, content: str = "") -> None:
    """Write what a liveblog, by its `local_id` or `ticker_id`, has of the capability; ends the command where there is none."""
    from api.capabilities import CAPABILITIES
    from ingest.kit.start_wait import OPERATORS

    exports = {each.name: each.export for each in CAPABILITIES if each.export is not None}

    def exported(read: Any, game_id: str) -> AsyncIterator[str]:
        return exports[name](read, game_id, file_format.value, content)

    try:
        found = asyncio.run(_write(settings, liveblog, exported))
    except OPERATORS as error:
        end(error, settings)
    if not found:
        fail(f"there is no liveblog {liveblog}")


async def _write(settings: Settings, liveblog: str, exported: Exported) -> bool:
    """Whether there is such a liveblog. Nothing is locked while the output waits for its reader."""
    from store.liveblogs import liveblogs
    from store.upkeep import command

    database = settings.database
    read = partial(command.look, database.session_url, timeout=database.timeout)
    game = await read(partial(liveblogs.find_game, name=liveblog))
    if game is None:
        return False
    async for part in exported(read, game.id):
        sys.stdout.write(part)
    return True
