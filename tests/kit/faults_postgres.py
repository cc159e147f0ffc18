"""A PostgreSQL that stands still."""

import os
import signal
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def frozen(process):
    """The server and all its children stand still, as they do when a machine is paused."""
    everyone = [process.pid, *children_of(process.pid)]
    try:
        for pid in everyone:
            _send(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in reversed(everyone):
            _send(pid, signal.SIGCONT)


def _send(pid, what):
    with suppress(ProcessLookupError):  # the server's process of a connection that was closed a moment ago
        os.kill(pid, what)


def children_of(pid):
    fields = {int(path.parent.name): path.read_text() for path in Path("/proc").glob("[0-9]*/stat")}
    return [child for child, stat in fields.items() if int(stat.rpartition(")")[2].split()[1]) == pid]
