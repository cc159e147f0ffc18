"""The command line: `matchwire init`, `check-config`, `run`, `replay`, `demo`, `db upgrade`, and the groups of commands."""

from __future__ import annotations

import asyncio
import gc
import os
import traceback
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import structlog
import typer

import config
from config import Settings
from ingest.cli import accounts as cli_accounts
from ingest.cli import clients as cli_clients
from ingest.cli import crosswalk, exports, fixtures, import_feed, incident, init, maintenance, rules
from ingest.cli import providers as cli_providers
from ingest.cli import webhooks as cli_webhooks
from ingest.cli.shared import (
    Commands,
    ConfigFile,
    DataDir,
    announce_address,
    end,
    fail,
    find_config,
    load,
    out,
    place_settings,
    require_config,
    start,
    vocabulary,
)
from ingest.kit.process import ExitStatus, Role

if TYPE_CHECKING:
    from ingest.telemetry.logs import LogFile

STATUSES = (
    "Exit status: 0 done, or stopped in order; 1 what was looked at is not in order; 2 somebody has to change something "
    "(command line, configuration, file, port); 70 a fault of matchwire itself; 75 the database is away or the disk is full."
)
app = Commands(
    add_completion=False,
    pretty_exceptions_enable=False,  # what they print is long, and may show values
    help="Turns sports data feeds into liveblogs.",
    epilog=STATUSES,
)
database = Commands(help="The database's schema.")
app.add_typer(database, name="db")
app.add_typer(cli_clients.app, name="clients")
app.add_typer(cli_accounts.app, name="account")
app.add_typer(cli_webhooks.app, name="webhooks")
app.add_typer(exports.COMMENTS, name="comments")
app.add_typer(exports.POLLS, name="polls")
app.add_typer(maintenance.MEDIA, name="media")
app.add_typer(maintenance.KEYS, name="keys")
app.add_typer(exports.STATISTICS, name="statistics")
app.add_typer(cli_providers.app, name="providers")
app.command()(init.init)
app.command()(maintenance.backup)
app.command(make=True)(maintenance.restore)
app.command("export")(maintenance.export_organization)
app.command("import", make=True)(maintenance.import_organization)
app.command("import-feed")(import_feed.import_feed)
app.command()(maintenance.doctor)
app.command()(fixtures.fixtures)
app.add_typer(rules.RULES, name="rules")
app.add_typer(crosswalk.app, name="crosswalk")
app.command(known=True)(incident.incident)
app.command()(incident.replay)
app.command()(incident.demo)


OTHERS = 0o027
"""What nobody but the daemon's user and group may do with whatever it makes, even where its umask would let them."""


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        out.print(f"matchwire {version('matchwire')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options of the program itself."""


@app.command()
def run(
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
    role: Annotated[Role, typer.Option(help="What this process does; api and worker share a PostgreSQL.")] = Role.ALL,
    log_file: Annotated[Path | None, typer.Option(help="Append the log to this file, not to standard error.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="In place of [server] port; 0: a free one.")
    ] = None,
) -> None:
    """Run the daemon: poll providers, keep liveblogs in line, serve them over HTTP."""
    require_config(config_file, os.environ)
    known = vocabulary()
    environ = {**os.environ, **({} if port is None else {"MATCHWIRE_SERVER__PORT": str(port)})}
    written = load(config_file, known, environ)
    settings = place_settings(written, data_dir, make=True)
    file = _log(settings, log_file)
    from ingest.daemon import run as daemon  # loads nearly everything: what is wrong so far is reported sooner
    from ingest.daemon.reload import Reload

    reload = Reload(
        written,
        read=partial(config.load, find_config(config_file), environ, known),
        place=partial(place_settings, data_dir=data_dir),
        log_file=file,
    )
    announced: list[str] = []

    def announce(address: str) -> None:
        structlog.get_logger().info("config.in_force", file=str(find_config(config_file) or "none"))
        if not announced:
            announce_address(address)
        announced.append(address)

    async def serve(current: Settings, over: asyncio.Event) -> None:
        await daemon.run(current, announce=announce, stop=over, role=role, bind=reload.listener)

    start(
        lambda stop: reload.run(stop, serve),
        settings,
        hangup=reload.hang_up,
        grace=settings.server.shutdown_grace,
        announced=announced,
    )


@app.command("sync-once")
def sync_once(config_file: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Bring every liveblog in line with its match once and exit: for cron, or to see whether all providers answer."""
    from ingest.daemon import run as daemon
    from ingest.kit.start_wait import Stopped

    require_config(config_file, os.environ)
    settings = place_settings(load(config_file, vocabulary()), data_dir, make=True)
    _log(settings)
    health: dict[str, int] = {}

    async def once(stop: asyncio.Event) -> None:
        with suppress(Stopped):
            health.update(await daemon.sync_once(settings, stopped=stop))

    start(once, settings)
    out.print(", ".join(f"{count} {name}" for name, count in health.items()))
    if health.get("failing"):
        raise typer.Exit(ExitStatus.FOUND)


@app.command()
def explain(
    settings: Settings,
    liveblog: Annotated[str, typer.Argument(help="ticker_id or local_id")],
    post: Annotated[str | None, typer.Argument(help="local_id of a post: why was it late?", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A post's timeline as JSON.")] = False,
) -> None:
    """Say what the sync knows of a liveblog: its match, why a post is hidden, who owns which field (JSON).

    Of one post it says when it came about, and whose time it was.
    """
    import json

    from ingest.cli.explain import explain as explained
    from ingest.cli.explain import explain_post, lines_of
    from store.upkeep import command

    async def look(_: asyncio.Event) -> None:
        database = settings.database
        query = (
            partial(explained, name=liveblog) if post is None else partial(explain_post, liveblog=liveblog, post=post)
        )
        found = await command.look(database.session_url, query, timeout=database.timeout)
        as_text = json.dumps(found, ensure_ascii=False, indent=2)
        out.print("\n".join(lines_of(found)) if post is not None and not as_json else as_text)

    start(look, settings)


@app.command("check-config")
def check_config(
    file: Annotated[Path | None, typer.Argument(help="The same as --config.", show_default=False)] = None,
    config_file: ConfigFile = None,
    online: Annotated[
        bool, typer.Option("--online", help="Also look at the providers' lists: what follow rules make of them.")
    ] = False,
) -> None:
    """Say what is wrong with the configuration, and what might be; exits 1 when the daemon would not start.

    With --online also when a list that a follow rule needs cannot be had.
    """
    if file is not None and config_file is not None and file != config_file:
        fail(f"two configurations are named: {file} and {config_file}")
    path = find_config(file or config_file)
    findings = config.check(path, os.environ, vocabulary())
    for line in findings:
        out.print(line)
    if any(line.startswith("error: ") for line in findings):
        raise typer.Exit(ExitStatus.FOUND)
    if online:
        rules.show_preview(load(path), 7)
    out.print(
        f"{'The configuration' if path is None else path} is valid{', with the remarks above' if findings else ''}."
    )


@database.command(make=True)
def upgrade(settings: Settings) -> None:
    """Bring the database's schema to this version."""
    from ingest.kit.start_wait import OPERATORS, StartWait
    from store.engine import migrate

    url = settings.database.session_url
    try:
        asyncio.run(StartWait(settings.database).through(lambda: migrate.bring_up_to_date(url)))
    except OPERATORS as error:
        end(error, settings)
    out.print("The schema is up to date.")


def main() -> None:
    """Run the command. What nobody has foreseen goes to the log, or to standard error, with its traceback."""
    gc.disable()
    os.umask(os.umask(OTHERS) | OTHERS)
    try:
        app()
    except Exception:  # noqa: BLE001 -- the last one who can say it
        if structlog.is_configured():
            structlog.get_logger().critical("matchwire.failed", exc_info=True)
        else:
            traceback.print_exc()
        raise SystemExit(ExitStatus.BROKEN) from None


def _log(settings: Settings, path: Path | None = None) -> LogFile | None:
    from ingest.telemetry import logs

    try:
        file = None if path is None else logs.LogFile(path)
    except OSError as error:
        fail(f"--log-file {path}: cannot be opened: {error.strerror}")
    logs.configure(settings.logging.level, settings.logging.format, file)
    return file
