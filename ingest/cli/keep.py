"""`matchwire backup FILE`, `restore FILE` and `doctor`: what the database holds, kept, brought back and examined."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 -- Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ingest.cli.exit_status import ExitStatus
from ingest.cli.shared import ConfigFile, DataDir, end, load, out, placed

if TYPE_CHECKING:
    from collections.abc import Callable

    from config import Settings

T = TypeVar("T")

UPLOADS = "What clients have uploaded is not part of it: copy {folder} as well, after the database."
IN_BUCKET = "What clients have uploaded stands in the bucket {bucket}, which is not part of it."


def backup(
    file: Annotated[Path, typer.Argument(help="A file that is not there yet.")],
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Write the whole database, as it stands at one instant, to FILE; the daemon goes on meanwhile."""
    from store.backup import backup as written

    settings = placed(load(config_file), data_dir)
    _on(settings, lambda url: written(url, file))
    media = settings.media
    where = IN_BUCKET if media.storage == "s3" else UPLOADS
    out.print(f"{file} holds the database. {where.format(folder=media.folder, bucket=media.s3_bucket)}", markup=False)


def restore(
    file: Annotated[Path, typer.Argument(help="What `matchwire backup` has written.")],
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
    replace: Annotated[bool, typer.Option(help="In the place of the database that is there.")] = False,
) -> None:
    """Put a backup in the place of the database; all processes of matchwire have to be stopped."""
    from store.backup import restore as put_back

    settings = placed(load(config_file), data_dir, make=True)
    aside = _on(settings, lambda url: put_back(url, file, replace=replace))
    kept = "" if aside is None else f" What was there is kept as {aside}."
    out.print(f"The database is as {file} says.{kept}", markup=False)


def doctor(
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list of JSON objects.")] = False,
) -> None:
    """Examine the database, also beside a daemon: ok, warning or fault for each check; status 1 where there is a fault."""
    from store.doctor import examine

    found = _on(placed(load(config_file), data_dir), examine)
    if as_json:
        import json
        from dataclasses import asdict

        typer.echo(json.dumps([asdict(finding) for finding in found], ensure_ascii=False))
    else:
        for finding in found:
            typer.echo(f"{finding.outcome:7} {finding.check:9} {finding.detail}".rstrip())
    if any(finding.outcome == "fault" for finding in found):
        raise typer.Exit(ExitStatus.FOUND)


def _on(settings: Settings, work: Callable[[str], T]) -> T:
    from ingest.cli.start_errors import OPERATORS

    try:
        return work(settings.database.session_url)
    except OPERATORS as error:
        end(error, settings)
