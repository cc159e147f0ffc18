"""The roles that a process can have where several share a PostgreSQL, and the exit statuses of commands.

The table in docs/running.md says the exit statuses to those who run it.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum

OPERATIONS = frozenset({"/livez", "/readyz", "/metrics", "/status", "/status.json"})
"""Paths that every process serves."""


class ExitStatus(IntEnum):
    """Exit statuses."""

    DONE = 0
    FOUND = 1
    """What was looked at is not in order: the configuration, a provider."""
    MISTAKE = 2
    """Somebody has to change something: the command line, the configuration, a file, a port."""
    BROKEN = 70
    """A fault of matchwire itself (EX_SOFTWARE of sysexits.h); the log has the traceback."""
    UNAVAILABLE = 75
    """What is needed is away at the moment (EX_TEMPFAIL): the database, room on the disk."""


class Role(StrEnum):
    ALL = "all"
    API = "api"
    WORKER = "worker"

    @property
    def works(self) -> bool:
        """Follows matches, creates what is declared, delivers, publishes, tidies up."""
        return self is not Role.API

    @property
    def serves(self) -> bool:
        """Serves the API, feeds and pages."""
        return self is not Role.WORKER
