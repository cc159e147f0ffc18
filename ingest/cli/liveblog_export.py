"""What commands share that write something of a liveblog to the standard output as a file."""

from __future__ import annotations

import asyncio
import sys
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ingest.cli.shared import end, fail

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from config import Settings

    Exported = Callable[[Any, str], AsyncIterator[str]]
    """The parts of the file, from what gives the result of a query and the liveblog's `ticker_id`."""


class FileFormat(StrEnum):
    """How it is written."""

    CSV = "csv"
    JSONL = "jsonl"


Liveblog = Annotated[str, typer.Option(help="The liveblog's local_id or ticker_id.")]
Format = Annotated[FileFormat, typer.Option("--format")]


def write_export(settings: Settings, liveblog: str, exported: Exported) -> None:
    """Write the file of the liveblog with this `local_id` or `ticker_id`; ends the command where there is none."""
    from ingest.kit.start_errors import OPERATORS

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
