"""What SIGHUP does: the log goes on in a new file, and one line says what a restart would apply of the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

import config

if TYPE_CHECKING:
    from collections.abc import Callable

    from config import Settings
    from ingest.daemon.logs import LogFile

log = structlog.get_logger()


def hang_up(file: LogFile | None, read: Callable[[], Settings], running: Settings) -> None:
    """Open the log's file anew, then `recheck`. Uses files, so it is not for the event loop."""
    if file is not None:
        try:
            file.reopen()
        except OSError as error:
            log.warning("log.not_reopened", file=str(file.path), cause=error.strerror)
        else:
            log.info("log.reopened", file=str(file.path))
    recheck(read, running)


def recheck(read: Callable[[], Settings], running: Settings) -> None:
    """Log whether the configuration is valid, and the tables in which it differs from `running`; nothing is applied.

    `read` may raise ConfigError. Reads files, so it is not for the event loop.
    """
    try:
        fresh = read()
    except config.ConfigError as error:
        problems = [str(problem) for problem in error.problems]
        log.warning("config.invalid", problems=problems, note="the settings of the start stay in force")
        return
    changed = [name for name in type(fresh).model_fields if getattr(fresh, name) != getattr(running, name)]
    note = "restart to apply the changes" if changed else "nothing has changed since the start"
    log.info("config.checked", changed=changed, note=note)
