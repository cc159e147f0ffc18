"""SIGHUP: the log goes on in a new file, and a valid new configuration is applied by an orderly restart inside the process.

The listening socket stays open meanwhile, so who connects waits and is not refused. One way applies every setting; nothing
is applied by halves.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable

import structlog

import config
from config import Settings
from config.sections import Server
from ingest.kit.start_wait import OPERATORS, Stopped, line_of
from ingest.server.server import listener_of
from ingest.telemetry import logs
from ingest.telemetry.logs import LogFile

Serve = Callable[[Settings, asyncio.Event], Awaitable[None]]


log = structlog.get_logger()

CLOSED = -1
"""The file descriptor of a closed socket."""
LISTENER = ("host", "port")
"""Keys of `[server]` that only a new process can apply: the socket is kept."""


class Reload:
    """Serves with one configuration after the other. `running`: the first one, as it was read from the file.

    `read` gives the newest one and may raise ConfigError; `place` puts its relative names below the data directory.
    """

    def __init__(
        self,
        running: Settings,
        *,
        read: Callable[[], Settings],
        place: Callable[[Settings], Settings],
        log_file: LogFile | None = None,
    ) -> None:
        self._running = running
        self._read = read
        self._place = place
        self._log_file = log_file
        self._next: Settings | None = None
        self._one_at_a_time = threading.Lock()
        self._wanted = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listener: socket.socket | None = None

    def listener(self, server: Server) -> socket.socket:
        """The socket that all configurations are served by, once more. Raises StartError, and Stopped after the stop."""
        if self._listener is None:
            self._listener = listener_of(server)
        if self._listener.fileno() == CLOSED:
            raise Stopped
        return self._listener.dup()

    def hang_up(self) -> None:
        """Open the log's file anew and look at the configuration. Uses files, so it is not for the event loop."""
        with self._one_at_a_time:
            if self._log_file is not None:
                _reopen(self._log_file)
            fresh = self._read_new_settings()
            if fresh is not None and self._loop is not None:
                self._next = fresh
                self._loop.call_soon_threadsafe(self._wanted.set)

    async def run(self, stop: asyncio.Event, serve: Serve) -> None:
        """Call `serve` with the settings in force and the event that ends it, until `stop` is set.

        Settings that `serve` cannot start with are logged, and those before them are used again. Raises what `serve` raises
        with the first ones, and what nobody foresaw.
        """
        self._loop = asyncio.get_running_loop()
        try:
            await self._until_stopped(stop, serve)
        finally:
            self._close_listener()

    async def _until_stopped(self, stop: asyncio.Event, serve: Serve) -> None:
        before: Settings | None = None
        while True:
            settings = self._running
            try:
                await self._serve(settings, stop, serve)
            except OPERATORS as error:
                if before is None or stop.is_set():
                    raise
                log.warning(
                    "config.not_applied", cause=line_of(error, settings), note="the settings before are in force"
                )
                self._running, before = before, None
                continue
            if stop.is_set():
                return
            if self._next is not None:
                before, self._running, self._next = settings, self._next, None
                log.info("config.applying", changed=_changed_tables(self._running, before))

    async def _serve(self, settings: Settings, stop: asyncio.Event, serve: Serve) -> None:
        self._wanted.clear()
        logs.configure(settings.logging.level, settings.logging.format, self._log_file)
        over = asyncio.Event()
        waiting = asyncio.create_task(self._wait(stop, over), name="stop or reload")
        try:
            await serve(self._place(settings), over)
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    async def _wait(self, stop: asyncio.Event, over: asyncio.Event) -> None:
        """Set `over` when the process is to stop, and then let nobody in any more, or when there are other settings."""
        waits = [asyncio.create_task(each.wait()) for each in (stop, self._wanted)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                self._close_listener()
            over.set()
        finally:
            for each in waits:
                each.cancel()

    def _close_listener(self) -> None:
        if self._listener is not None:
            self._listener.close()

    def _read_new_settings(self) -> Settings | None:
        """The newest configuration where it is valid, differs from the one in force and can be applied; what it is, is logged."""
        try:
            fresh = self._read()
        except config.ConfigError as error:
            problems = [str(problem) for problem in error.problems]
            log.warning("config.invalid", problems=problems, note="the settings before stay in force")
            return None
        changed = _changed_tables(fresh, self._running)
        if not changed:
            log.info("config.unchanged")
            return None
        before = self._running
        keys = [f"server.{key}" for key in LISTENER if getattr(fresh.server, key) != getattr(before.server, key)]
        keys = keys if fresh.database == before.database else ["database", *keys]
        if keys:  # what cannot be changed while the process lives
            log.warning("config.needs_restart", keys=keys, changed=changed, note="nothing is applied before a restart")
            return None
        return fresh


def _changed_tables(fresh: Settings, running: Settings) -> list[str]:
    """The tables that differ."""
    return [name for name in type(fresh).model_fields if getattr(fresh, name) != getattr(running, name)]


def _reopen(file: LogFile) -> None:
    try:
        file.reopen()
    except OSError as error:
        log.warning("log.not_reopened", file=str(file.path), cause=error.strerror)
    else:
        log.info("log.reopened", file=str(file.path))
