"""What the database holds, kept, moved and examined: `backup`, `restore`, `export`, `import`, `doctor`, `keys` and `media`."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from config import Settings
from ingest.cli.shared import Commands, end, on_database, out
from ingest.kit.process import ExitStatus

if TYPE_CHECKING:
    from store.upkeep.export_organization import TransferResult

T = TypeVar("T")

UPLOADS = "What clients have uploaded is not part of it: copy {folder} as well, after the database."
WITHOUT_FILE = " The files of {missing} of its {uploads} uploads were not copied{why}."
SECRETS = (
    "It has secrets of webhooks, second factors and keys of the service as they are, and hashes of passwords, sessions and"
    " secrets of clients (docs/running.md)."
)
IN_BUCKET = "What clients have uploaded stands in the bucket {bucket}, which is not part of it."


KEYS = Commands(help="Secrets that the service makes for itself.")


MEDIA = Commands(help="Pictures and videos.")
Address = Annotated[str, typer.Argument(help="As a post names it: https://…, or imageservice://… of an upload.")]


def backup(
    settings: Settings,
    file: Annotated[Path, typer.Argument(help="A file that is not there yet.")],
) -> None:
    """Write the whole database, as it stands at one instant, to FILE; the daemon goes on meanwhile."""
    from store.upkeep.backup import backup as written

    _on(settings, lambda url: written(url, file))
    media = settings.media
    where = IN_BUCKET if media.storage == "s3" else UPLOADS
    out.print(f"{file} holds the database. {SECRETS} {where.format(folder=media.folder, bucket=media.s3_bucket)}")


def restore(
    settings: Settings,
    file: Annotated[Path, typer.Argument(help="What `matchwire backup` has written.")],
    replace: Annotated[bool, typer.Option(help="In the place of the database that is there.")] = False,
) -> None:
    """Put a backup in the place of the database; all processes of matchwire have to be stopped."""
    from store.upkeep.backup import restore as put_back

    aside = _on(settings, lambda url: put_back(url, file, replace=replace))
    kept = "" if aside is None else f" What was there is kept as {aside}."
    out.print(f"The database is as {file} says.{kept}")


def export_organization(
    settings: Settings,
    organization: Annotated[str, typer.Argument(help="Its id.")],
    file: Annotated[Path, typer.Argument(help="A file that is not there yet.")],
    media: Annotated[Path | None, typer.Option(help="A folder to copy the files of its uploads to.")] = None,
) -> None:
    """Write all that ORGANIZATION has, as it stands at one instant, to FILE as JSON Lines; the daemon goes on meanwhile."""
    from ingest.daemon.build import file_store
    from store.files.disk import DiskFiles
    from store.upkeep.export_organization import export_organization as written

    target = None if media is None else DiskFiles(media)
    done = _on(settings, lambda url: written(url, organization, file, files=file_store(settings.media), media=target))
    why = ": --media DIR does so" if media is None else ", as they are missing"
    said = "It has no secrets but those in addresses of webhooks."
    out.print(f"{file} holds {done.rows} rows. {said}{_without_file(done, why)}")


def import_organization(
    settings: Settings,
    file: Annotated[Path, typer.Argument(help="What `matchwire export` has written.")],
    media: Annotated[Path | None, typer.Option(help="The folder that `matchwire export --media` has filled.")] = None,
) -> None:
    """Put an exported organization into a database that does not know it: wholly, or nothing of it."""
    from ingest.daemon.build import file_store
    from store.files.disk import DiskFiles
    from store.upkeep.import_organization import import_organization as put_in

    source = None if media is None else DiskFiles(media)
    organization, done = _on(settings, lambda url: put_in(url, file, files=file_store(settings.media), media=source))
    missing = _without_file(done, ", as they are missing")
    out.print(f"{done.rows} rows of the organization {organization} are imported.{missing}")


def _without_file(done: TransferResult, why: str) -> str:
    if not done.without_file:
        return ""
    return WITHOUT_FILE.format(missing=done.without_file, uploads=done.uploads, why=why)


def doctor(
    settings: Settings,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list of JSON objects.")] = False,
) -> None:
    """Examine database and providers, also beside a daemon: ok, warning or fault for each; status 1 where there is a fault."""
    from ingest.cli.examine_providers import examine_providers
    from store.upkeep.doctor import examine

    found = [*_on(settings, examine), *examine_providers(settings)]
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
    from ingest.kit.start_wait import OPERATORS

    try:
        return work(settings.database.session_url)
    except OPERATORS as error:
        end(error, settings)


class KeyName(StrEnum):
    """What is signed by a key: addresses of images and videos, or the tokens of readers."""

    MEDIA = "media"
    READERS = "readers"


@KEYS.command("rotate")
def rotate_key(
    settings: Settings,
    name: Annotated[KeyName, typer.Argument(help="Addresses of images and videos, or tokens of readers.")],
) -> None:
    """Sign by a new key. What is signed by the old one holds until the next time, so rotate twice where it has leaked."""
    from store.clients import service_keys

    on_database(settings, partial(service_keys.rotate, name=name.value))
    out.print(f"The key of {name.value} is a new one; send SIGHUP to every running daemon, or start it again.")


@MEDIA.command("purge")
def purge_file(
    settings: Settings,
    address: Address,
    undo: Annotated[bool, typer.Option(help="Show it again where it is named.")] = False,
) -> None:
    """Show the file of ADDRESS to nobody any more, in any liveblog of any organization, within a second."""
    from store.media import file_uses

    change = file_uses.unblock if undo else file_uses.block
    done = on_database(settings, lambda unit: change(unit, address))
    hidden = f"is shown to nobody any more; browsers that have it keep it for up to {settings.media.max_age} s"
    state = "is shown again where it is named" if undo else hidden
    out.print(f"{address} {state}." if done else f"Nothing to do: {address} was so already.")
