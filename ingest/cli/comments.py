"""`matchwire comments …`: what readers wrote, for whoever runs the daemon, beside it and without credentials."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ingest.cli.shared import ConfigFile, DataDir, fail, load, on_database, placed

if TYPE_CHECKING:
    from store.unit import Unit

app = typer.Typer(no_args_is_help=True, help="Comments of readers.")


@app.callback()
def group() -> None:
    """Comments of readers."""


@app.command()
def export(
    liveblog: Annotated[str, typer.Option("--liveblog", "-l", help="The liveblog, by local_id or ticker_id.")],
    form: Annotated[Literal["csv", "jsonl"], typer.Option("--format", "-f")] = "jsonl",
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Write all comments of a liveblog to the standard output, but those that were deleted; no cell of a CSV is a formula."""
    from api.comments.export import PAGE, head, page_text
    from store import comments, liveblogs

    def write(unit: Unit) -> bool:
        game = liveblogs.find_game(unit.conn, liveblog)
        if game is None:
            return False
        after = 0
        sys.stdout.buffer.write(head(form))
        while found := comments.exported(unit.conn, game.id, after=after, limit=PAGE):
            after = found[-1].serial
            sys.stdout.buffer.write(page_text(found, form))
        sys.stdout.buffer.flush()
        return True

    if not on_database(placed(load(config_file), data_dir), write):
        fail(f"there is no liveblog {liveblog}")
