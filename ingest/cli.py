"""The command line: `matchwire run`, `check-config`, `replay`, `demo`, `db upgrade`, `clients hash`."""

from __future__ import annotations

import asyncio
import gc
import os
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

import config
from ingest import cli_clients, cli_providers, cli_webhooks
from ingest.roles import Role
from ingest.terminal import err, out

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from config import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Turns sports data feeds into liveblogs.")
database = typer.Typer(no_args_is_help=True, help="The database's schema.")
app.add_typer(database, name="db")
app.add_typer(cli_clients.app, name="clients")
app.add_typer(cli_webhooks.app, name="webhooks")
app.add_typer(cli_providers.app, name="providers")


YOUNG = 10_000
"""Objects that are made, less those that went, before the youngest are looked through: some 2 MB."""

TRY_LATER = 75
"""Exit status where the same command may work later, sysexits' EX_TEMPFAIL: the database is away. A supervisor tries again."""

ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="Configuration file (TOML); config/default.toml explains every key."),
]

DataDir = Annotated[Path | None, typer.Option(help="Folder of a SQLite file that is given as relative.")]


@app.command()
def run(
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
    role: Annotated[Role, typer.Option(help="What this process does; api and worker share a PostgreSQL.")] = Role.ALL,
    log_file: Annotated[Path | None, typer.Option(help="Append the log to this file, not to standard error.")] = None,
) -> None:
    """Run the daemon: poll providers, keep liveblogs in line, serve them over HTTP."""
    from ingest import daemon, logs

    settings = _placed(_load(config_file), data_dir)
    logs.configure(settings.logging.level, settings.logging.format, log_file)
    work = partial(daemon.run, settings, announce=_announce, role=role)
    _start(lambda stop: work(stop=stop), grace=settings.server.shutdown_grace)


@app.command("sync-once")
def sync_once(config_file: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Bring every liveblog in line with its match once and exit: for cron, or to see whether all providers answer."""
    from ingest import daemon, logs
    from ingest.starting import Stopped

    settings = _placed(_load(config_file), data_dir)
    logs.configure(settings.logging.level, settings.logging.format)
    health: dict[str, int] = {}

    async def once(stop: asyncio.Event) -> None:
        with suppress(Stopped):
            health.update(await daemon.sync_once(settings, stopped=stop))

    _start(once)
    out.print(", ".join(f"{count} {name}" for name, count in health.items()))
    if health.get("failing"):
        raise typer.Exit(1)


@app.command()
def explain(
    liveblog: Annotated[str, typer.Argument(help="ticker_id or local_id")],
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Say what the sync knows of a liveblog: its match, why a post is hidden, who owns which field (JSON)."""
    import json

    from ingest.explaining import explain as explained
    from mapping.errors import NotFound
    from store.peek import peek

    settings = _placed(_load(config_file), data_dir)

    async def look(_: asyncio.Event) -> None:
        found = await peek(settings.database.url.get_secret_value(), lambda conn: explained(conn, liveblog))
        out.print(json.dumps(found, ensure_ascii=False, indent=2), markup=False)

    try:
        _start(look)
    except NotFound as error:
        _fail(error.message)


@app.command("check-config")
def check_config(config_file: ConfigFile = None) -> None:
    """Say what is wrong with the configuration, and what might be; exits 1 when the daemon would not start."""
    findings = config.check(config_file, os.environ)
    for line in findings:
        out.print(line, markup=False)
    try:
        config.load(config_file, os.environ)
    except config.ConfigError:
        raise typer.Exit(1) from None
    out.print("The configuration is valid." if not findings else "The configuration is valid, with the remarks above.")


@app.command()
def replay(  # noqa: PLR0917 -- options of a command line
    files: Annotated[list[Path], typer.Argument(help="Recordings (JSONL, plain or .gz).", exists=True, dir_okay=False)],
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 picks a free port, printed on start.")] = 0,
    speed: Annotated[float, typer.Option(help="1 to 1000 times real time.")] = 1.0,
    start_at: Annotated[str, typer.Option(help="Seconds after the first answer, or kickoff, end, kickoff-60 …")] = "0",
    user: Annotated[str | None, typer.Option(help="Ask for HTTP Basic credentials.")] = None,
    password: Annotated[str | None, typer.Option(envvar="MATCHWIRE_REPLAY_PASSWORD")] = None,
    envelope: Annotated[str, typer.Option(help="Shape of the match resource: match or tree.")] = "match",
) -> None:
    """Serve recorded matches as the provider would, as if they were played now."""
    from providers.replay import ReplaySettings, serve
    from providers.replay.settings import checked_envelope

    try:
        settings = ReplaySettings(
            files=tuple(files), host=host, port=port, speed=speed, start_at=start_at,
            user=user, password=password, envelope=checked_envelope(envelope),
        )  # fmt: skip
    except ValueError as error:
        _fail(str(error))

    async def until(stop: asyncio.Event) -> None:
        serving = asyncio.create_task(serve(settings, ready=_announce))
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if not serving.done():
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            return
        serving.result()

    _start(until)


@app.command()
def demo(
    port: Annotated[int, typer.Option(help="Port of the page and the API; 0 picks a free one.")] = 8080,
    speed: Annotated[float, typer.Option(help="How fast the matches are played: 1 to 1000 times real time.")] = 20.0,
) -> None:
    """Play real matches from a built-in provider and show their liveblogs: nothing to configure, nothing is kept."""
    from ingest.demo import play

    _start(lambda stop: play(port=port, speed=speed, out=out, stop=stop))


@database.command()
def upgrade(config_file: ConfigFile = None) -> None:
    """Bring the database's schema to this version."""
    from ingest.starting import StartWait
    from store import migrate

    settings = _load(config_file)
    url = settings.database.url.get_secret_value()
    with _told():
        asyncio.run(StartWait(settings.database).through(lambda: migrate.upgraded(url)))
    out.print("The schema is up to date.")


def main() -> None:
    """Entry point of the `matchwire` command. While modules are loaded nothing becomes garbage; looking for it costs a third."""
    gc.disable()
    app()


def settle_memory() -> None:
    """Look for garbage seldom, and never again in what is loaded now.

    Whatever many requests have in the making looks young; looking through it every 700 objects cost a tenth of a write.
    """
    gc.freeze()
    gc.set_threshold(YOUNG, 10, 10)
    gc.enable()


def _load(path: Path | None) -> Settings:
    try:
        return config.load(path, os.environ)
    except config.ConfigError as error:
        for problem in error.problems:
            err.print(f"matchwire: {problem}", markup=False)
        raise typer.Exit(2) from None


def _placed(settings: Settings, data_dir: Path | None) -> Settings:
    if data_dir is None:
        return settings
    data_dir.mkdir(parents=True, exist_ok=True)
    return settings.in_folder(data_dir.resolve())


def _start(work: Callable[[asyncio.Event], Coroutine[Any, Any, None]], *, grace: float | None = None) -> None:
    """Run until stopped; what only the operator can mend is told in one line, without a trace."""
    from ingest.daemon import main as loop

    settle_memory()
    with _told():
        loop(work, grace=grace)


@contextmanager
def _told() -> Iterator[None]:
    """What waiting or the operator mends is one line and an exit status, without a trace."""
    from mapping.errors import StoreUnavailable
    from store.errors import DatabaseAway, StoreError

    try:
        yield
    except (DatabaseAway, StoreUnavailable) as error:
        _fail(str(error), TRY_LATER)
    except (OSError, ValueError, StoreError) as error:
        _fail(str(error))


def _announce(address: str) -> None:
    out.print(f"matchwire listens on {address}", markup=False)


def _fail(message: str, status: int = 2) -> NoReturn:
    err.print(f"matchwire: {message}", markup=False)
    raise typer.Exit(status)
