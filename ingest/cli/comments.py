"""`matchwire comments …`: what readers wrote, for whoever runs the daemon, beside it and without credentials."""

from __future__ import annotations

import typer

from ingest.cli.liveblog_export import FileFormat, Format, Liveblog, write_export
from ingest.cli.shared import ConfigFile, DataDir, load, placed

app = typer.Typer(no_args_is_help=True, help="Comments of readers.")


@app.callback()
def group() -> None:
    """Comments of readers."""


@app.command()
def export(
    liveblog: Liveblog,
    file_format: Format = FileFormat.JSONL,
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Write all comments of a liveblog to the standard output, but those that were deleted; no cell of a CSV is a formula."""
    from api.comments.comment_export import exported

    form = file_format.value
    write_export(placed(load(config_file), data_dir), liveblog, lambda read, game_id: exported(read, game_id, form))
