"""Runs programs as a user who may do nothing special: root, as tests in containers are, can write everywhere."""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534
DROPPED = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
READING = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
"""Where the interpreter lies in a folder of root's own: reads everything, writes no more than nobody does."""


@functools.cache
def unprivileged() -> tuple[str, ...]:
    """What stands before a command that an unprivileged user is to run; skips where there is no way, fails in CI."""
    if os.geteuid() != 0:
        return ()
    for way in (DROPPED, (*DROPPED, *READING)):
        if shutil.which(way[0]) and _works(way):
            return way
    reason = "root cannot become somebody else here who reads the sources"
    return pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


def _works(way: tuple[str, ...]) -> bool:
    """Whether that user can start the interpreter, load the sources, and write where root can."""
    ask = (
        "import os, subprocess, sys, ingest.entry; subprocess.run([sys.executable, '-c', ''], check=True);"
        " sys.exit(os.access('/var/lib', os.W_OK))"
    )
    return subprocess.run([*way, sys.executable, "-c", ask], capture_output=True, check=False).returncode == 0


@contextmanager
def own_folder() -> Iterator[Path]:
    """A fresh folder that belongs to the unprivileged user; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory(prefix="matchwire-first-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        if unprivileged():
            os.chown(folder, NOBODY, NOBODY)
        yield folder
