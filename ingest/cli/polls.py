"""`matchwire polls …`: what readers voted, for whoever runs the daemon."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ingest.cli.liveblog_export import FileFormat, Format, Liveblog, write_export
from ingest.cli.shared import ConfigFile, DataDir, load, placed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

app = typer.Typer(no_args_is_help=True, help="Readers' votes on polls and quizzes.")


class Content(StrEnum):
    """What is exported."""

    VOTES = "votes"
    RESULTS = "results"


@app.callback()
def group() -> None:
    """Readers' votes on polls and quizzes."""


@app.command()
def export(
    liveblog: Liveblog,
    content: Annotated[Content, typer.Option(help="A row for each vote, or for each option.")] = Content.VOTES,
    file_format: Format = FileFormat.CSV,
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Write the votes on all polls of a liveblog to the standard output; readers have no names in it."""
    from api.polls.poll_export import ExportRequest, exported
    from store.clients.service_keys import known_reader_id_key

    request = ExportRequest(content.value, file_format.value)

    async def parts(read: Any, game_id: str) -> AsyncIterator[str]:
        key = await read(known_reader_id_key)
        async for part in exported(read, game_id, request, key):
            yield part

    write_export(placed(load(config_file), data_dir), liveblog, parts)
