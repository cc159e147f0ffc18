"""`matchwire statistics …`: what was counted of readers, for whoever runs the daemon."""

from __future__ import annotations

import typer

from ingest.cli.liveblog_export import FileFormat, Format, Liveblog, write_export
from ingest.cli.shared import ConfigFile, DataDir, load, placed

app = typer.Typer(no_args_is_help=True, help="Numbers of readers.")


@app.callback()
def group() -> None:
    """Numbers of readers."""


@app.command()
def export(
    liveblog: Liveblog,
    file_format: Format = FileFormat.CSV,
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Write what was counted of a liveblog's readers to the standard output, by minute or quarter of an hour and page."""
    from api.statistics.statistics_export import exported

    form = file_format.value
    write_export(placed(load(config_file), data_dir), liveblog, lambda read, game_id: exported(read, game_id, form))
