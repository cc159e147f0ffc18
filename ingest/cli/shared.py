"""What all commands share: which configuration they use, one unit on the database, and how they end."""

from __future__ import annotations

import asyncio
import functools
import gc
import inspect
import os
import re
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TextIO, TypeVar

import structlog
import typer
from rich.console import Console

import config
from config import Settings
from config.cross_checks import Vocabulary
from config.environment import PREFIX, overlay
from ingest.kit.process import ExitStatus
from store.engine.private_files import FOLDER
from store.engine.unit import Unit

if TYPE_CHECKING:
    from rich.text import Text


T = TypeVar("T")

WIDE = 240
"""Columns of a table that a script reads; nothing in it may be cut."""

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


log = structlog.get_logger()
CUT_OFF = 3.0
"""Seconds beyond the grace of a stop after which the process ends as it is."""


class PlainConsole(Console):
    """Writes texts as they are, whoever wrote them: nothing in them is markup, an emoji's name or an order to the terminal."""

    def __init__(self, stream: TextIO, *, stderr: bool = False) -> None:
        width = None if stream.isatty() else WIDE
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True, width=width)

    def render_str(self, text: str, **options: Any) -> Text:
        """The text for printing, each control character as JSON writes it."""
        return super().render_str(_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text), **options)


out = PlainConsole(sys.stdout)
err = PlainConsole(sys.stderr, stderr=True)

FILE = "matchwire.toml"
"""The configuration that is used where none is named and the current folder has one."""

YOUNG = 10_000
"""Objects that are made, less those that went, before the youngest are looked through: some 2 MB."""

TURN = 0.0005
"""Seconds for which a thread that computes keeps others waiting for the interpreter; with fewer they mostly take turns."""

ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", "-c", help=f"Configuration file (TOML); left out: {FILE} of this folder, if there is one."
    ),
]
DataDir = Annotated[Path | None, typer.Option(help="Folder of a SQLite file that is given as relative.")]
EVERYWHERE = tuple(
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
    for name, annotation in (("config_file", ConfigFile), ("data_dir", DataDir))
)
"""What every command takes that works on the settings."""


def find_config(path: Path | None) -> Path | None:
    """The file that is named, or else the one in this folder; None where there is none."""
    return Path(FILE) if path is None and os.path.lexists(FILE) else path


def require_config(path: Path | None, environ: Mapping[str, str]) -> None:
    """End the command where neither a file nor the environment configures anything: it would only make an empty database."""
    if find_config(path) is None and not overlay({}, environ).origins:
        fail(
            f"there is no configuration: no {FILE} in this folder, no --config, no variable {PREFIX}…;"
            " `matchwire init` writes one, `matchwire demo` plays real matches without one"
        )


def load(path: Path | None, vocabulary: Vocabulary | None = None, environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings; every problem is one line, and ends the command."""
    try:
        return config.load(find_config(path), environ, vocabulary)
    except config.ConfigError as error:
        for problem in error.problems:
            err.print(f"matchwire: {problem}")
        raise typer.Exit(ExitStatus.MISTAKE) from None


def vocabulary() -> Vocabulary:
    """What the installed providers know; one that cannot be loaded ends the command."""
    from providers.registry import Registry

    try:
        return {provider.id: provider.catalog for provider in Registry.load()}
    except ValueError as error:
        fail(str(error))


def place_settings(settings: Settings, data_dir: Path | None, *, make: bool = False) -> Settings:
    """The settings with relative names below `data_dir`, which is made where `make` says so."""
    if data_dir is None:
        return settings
    try:
        if make:
            data_dir.mkdir(mode=FOLDER, parents=True, exist_ok=True)
        return settings.in_folder(data_dir.resolve())
    except OSError as error:
        fail(f"--data-dir {data_dir}: {_folder(error)}")


class Commands(typer.Typer):
    """A group of commands. One that is a function of `settings` first takes --config and --data-dir in their place."""

    def __init__(self, **options: Any) -> None:
        super().__init__(no_args_is_help=True, callback=lambda: None, **options)

    def command(
        self, name: str | None = None, *, make: bool = False, known: bool = False, **options: Any
    ) -> Callable[[Any], Any]:
        """Typer's decorator. `make`: the folder --data-dir is made where it is missing; `known`: providers check the settings."""
        register = super().command(name, **options)

        def registered(function: Callable[..., None]) -> Callable[..., None]:
            own = inspect.signature(function, eval_str=True).parameters
            if "settings" not in own:
                return register(function)

            @functools.wraps(function)
            def command(config_file: Path | None, data_dir: Path | None, **given: Any) -> None:
                settings = load(config_file, vocabulary() if known else None)
                function(place_settings(settings, data_dir, make=make), **given)

            parameters = [each.replace(kind=each.KEYWORD_ONLY) for each in own.values() if each.name != "settings"]
            command.__signature__ = inspect.Signature([*parameters, *EVERYWHERE])  # type: ignore[attr-defined]
            command.__annotations__ = {}
            register(command)
            return function

        return registered


def the_organization(settings: Settings, named: str | None) -> str:
    """The organization of the configuration that is named, or the only one; ends the command where there is none."""
    known = tuple(settings.organizations)
    if named is None and len(known) == 1:
        return known[0]
    if named is None or named not in known:
        fail(f"name an organization of the configuration with --organization: {', '.join(known) or 'there is none'}")
    return named


def on_database(settings: Settings, work: Callable[[Unit], T]) -> T:
    """One unit on the daemon's database; what only the operator can mend is reported in one line."""
    from ingest.kit.start_wait import OPERATORS
    from store.upkeep import command

    try:
        return command.run(settings.database.session_url, work, timeout=settings.database.timeout)
    except OPERATORS as error:
        end(error, settings)


def end(error: BaseException, settings: Settings | None = None) -> NoReturn:
    """End the command with the line and the exit status of `error`."""
    from ingest.kit.start_wait import line_of, status_of

    fail(line_of(error, settings), status_of(error))


def fail(message: str, status: ExitStatus = ExitStatus.MISTAKE) -> NoReturn:
    err.print(f"matchwire: {message}")
    raise typer.Exit(status)


def _folder(error: OSError) -> str:
    text = "is a file, not a folder" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror
    return f"cannot be made: {text}"


def tune_interpreter() -> None:
    """Look for garbage seldom, and never again in what is loaded now; let threads that wait have their turn soon.

    Whatever many requests have in the making looks young; looking through it every 700 objects cost a tenth of a write.
    A unit of work gives the interpreter up with each of its statements. While the event loop has a core full, it got it back
    after the usual 5 ms each time: writes came 20 times as late, ever more of them waited, and a poll cost twice as much.
    """
    sys.setswitchinterval(TURN)
    gc.freeze()
    gc.set_threshold(YOUNG, 10, 10)
    gc.enable()


def start(
    work: Callable[[asyncio.Event], Coroutine[Any, Any, None]],
    settings: Settings | None = None,
    *,
    hangup: Callable[[], None] | None = None,
    grace: float | None = None,
    announced: Sequence[str] = (),
) -> None:
    """Run until stopped. What keeps it from starting is reported in one line; what comes after `announced` is a fault."""
    from ingest.kit.start_wait import OPERATORS

    tune_interpreter()
    try:
        run_with_signals(work, hangup, grace=grace)
    except OPERATORS as error:
        if announced:
            raise
        end(error, settings)


def announce_address(address: str) -> None:
    out.print(f"matchwire listens on {address}")


def run_with_signals(
    work: Callable[[asyncio.Event], Coroutine[Any, Any, None]],
    hangup: Callable[[], None] | None = None,
    *,
    grace: float | None = None,
) -> None:
    """Run `work` in a fresh loop; SIGTERM and SIGINT set the event that it is given, and so does SIGHUP without `hangup`.

    `hangup` is called in a thread, at each SIGHUP. `grace`: seconds in which `work` should end after the event is set;
    `CUT_OFF` seconds after them the process ends as it is. Each wait of a stop is bounded, but while the database is frozen
    a dozen of them come one after the other.
    """
    import uvloop

    async def with_signals() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()

        def end() -> None:
            if grace is not None and not stop.is_set():
                loop.call_later(grace + CUT_OFF, _cut_off)
            stop.set()

        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, end)
        loop.add_signal_handler(signal.SIGHUP, *((end,) if hangup is None else (loop.run_in_executor, None, hangup)))
        await work(stop)

    uvloop.run(with_signals())


def _cut_off() -> None:
    """End like after `kill -9`, which nothing is lost by."""
    log.error("daemon.stop_cut_off")
    os._exit(ExitStatus.UNAVAILABLE)
