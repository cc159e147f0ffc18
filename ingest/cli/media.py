"""`matchwire media …`: files that nobody may be shown any more, whatever names them, for whoever runs the daemon."""

from __future__ import annotations

from typing import Annotated

import typer

from config import Settings
from ingest.cli.shared import Commands, on_database, out
from store.engine.unit import Unit

app = Commands(help="Pictures and videos.")
Address = Annotated[str, typer.Argument(help="As a post names it: https://…, or imageservice://… of an upload.")]


@app.command()
def purge(
    settings: Settings,
    address: Address,
    undo: Annotated[bool, typer.Option(help="Show it again where it is named.")] = False,
) -> None:
    """Show the file of ADDRESS to nobody any more, in any liveblog of any organization, within a second."""
    from store.media import image_uses

    change = image_uses.restore if undo else image_uses.purge

    def write(unit: Unit) -> bool:
        return change(unit, address)

    done = on_database(settings, write)
    state = (
        "is shown again where it is named"
        if undo
        else "is shown to nobody any more; browsers that have it keep it for up to"
    )
    minutes = "" if undo else f" {settings.media.max_age} s"
    out.print(f"{address} {state}{minutes}." if done else f"Nothing to do: {address} was so already.")
