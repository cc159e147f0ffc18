"""`matchwire keys …`: the secrets that the service has made for itself, for whoever runs the daemon."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import Annotated

import typer

from config import Settings
from ingest.cli.shared import Commands, on_database, out

app = Commands(help="Secrets that the service makes for itself.")


class KeyName(StrEnum):
    """What is signed by a key: addresses of images and videos, or the tokens of readers."""

    MEDIA = "media"
    READERS = "readers"


@app.command()
def rotate(
    settings: Settings,
    name: Annotated[KeyName, typer.Argument(help="Addresses of images and videos, or tokens of readers.")],
) -> None:
    """Sign by a new key. What is signed by the old one holds until the next time, so rotate twice where it has leaked."""
    from store.clients import service_keys

    on_database(settings, partial(service_keys.rotate, name=name.value))
    out.print(f"The key of {name.value} is a new one; send SIGHUP to every running daemon, or start it again.")
