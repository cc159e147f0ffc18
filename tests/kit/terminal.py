"""A shell that plays commands as an unprivileged user types them, and a folder as a clone is to its reader."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.kit.repository import ROOT, tracked
from tests.kit.unprivileged import NOBODY, own_folder, unprivileged


@contextmanager
def fresh_folder():
    """What a clone is to README: a folder with the environment in it."""
    with own_folder() as folder:
        (folder / ".venv").symlink_to(sys.prefix)
        yield folder


def plain_environment(folder, **more):
    """Without what configures a daemon of the machine, or leads Python to other sources."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MATCHWIRE_")}
    inherited.pop("PYTHONPATH", None)
    return {**inherited, "HOME": str(folder), **more}


@contextmanager
def fresh_clone():
    """All files of the repository in a folder of the unprivileged user, and nothing installed."""
    with own_folder() as folder:
        for path in tracked():
            target = folder / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        if unprivileged():
            subprocess.run(["chown", "-R", str(NOBODY), str(folder)], check=True)
        yield folder


@cache
def folder_of_python():
    """Where a `python3` with pip is, as README needs it, that the unprivileged user can run; not one that chooses among several."""
    for folder in (Path(sys._base_executable).resolve().parent, Path("/usr/bin")):
        environ = plain_environment("/", PATH=f"{folder}{os.pathsep}{os.environ['PATH']}")
        command = [*unprivileged(), "bash", "-c", "python3 -m pip --version"]
        if subprocess.run(command, cwd="/", env=environ, capture_output=True, check=False).returncode == 0:
            return folder
    reason = "no python3 with pip for an unprivileged user"
    return pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


def with_interpreter(environ):
    """With that interpreter first on the path."""
    return {**environ, "PATH": f"{folder_of_python()}{os.pathsep}{environ['PATH']}"}


class Terminal:
    """A shell of an unprivileged user that plays commands in the foreground; `log` collects what it prints."""

    def __init__(self, folder, environ, commands, given=""):
        self.log = folder.parent / f"{folder.name}-{time.monotonic_ns()}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [*unprivileged(), "bash", "-c", commands], cwd=folder, env=environ, stdin=subprocess.PIPE,
                stdout=log, stderr=subprocess.STDOUT, text=True, start_new_session=True,
            )  # fmt: skip
        self.process.stdin.write(given)
        self.process.stdin.close()

    def until(self, words, within=60):
        """What it has printed once `words` are among it."""
        deadline = time.monotonic() + within
        while words not in (said := self.log.read_text()):
            assert self.process.poll() is None, said
            assert time.monotonic() < deadline, said
            time.sleep(0.05)
        return said

    def address(self):
        """Host and port that the daemon has said it listens on."""
        return re.search(r"matchwire listens on http://(\S+)\n", self.until("matchwire listens on http://"))[1]

    def finished(self, within=120):
        """Exit status and all that it has printed."""
        return self.process.wait(within), self.log.read_text()

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(30)
        self.log.unlink()


@contextmanager
def terminal(*args, **more):
    opened = Terminal(*args, **more)
    try:
        yield opened
    finally:
        opened.end()
