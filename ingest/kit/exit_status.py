"""How a command ends; the table in docs/running.md says the same to those who run it."""

from __future__ import annotations

from enum import IntEnum


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
