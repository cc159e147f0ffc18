"""Processes beside the test: daemons that deliver, and writers that change liveblogs."""

import json
import signal
import subprocess
import sys

from tests.kit.command import ROOT


class Process:
    """A daemon that delivers, in a process of its own; its clock is set by `step`."""

    def __init__(self, folder, name, database):
        self.log = folder / f"{name}.log"
        self.settings, self.offset = folder / f"{name}.json", folder / f"{name}.clock"
        tables = {
            "database": {"url": database},
            "server": {"port": 0},
            "webhooks": {"allow_hosts": ["127.0.0.1"], "rate": 0},
        }
        self.settings.write_text(json.dumps(tables))
        self.step(0)

    def step(self, hours):
        new = self.offset.with_suffix(".new")
        new.write_text(str(hours * 3600))
        new.replace(self.offset)  # at once: the process reads it all the time

    def start(self):
        command = [sys.executable, "-m", "tests.kit.worker", self.settings, self.offset]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("http"), line

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Writer:
    """A process that changes liveblogs, `writers` at a time, with pauses before its commits."""

    def __init__(self, database, total, seed, writers):
        numbers = map(str, (total, seed, writers))
        self.command = [sys.executable, "-m", "tests.kit.versions", database, *numbers]

    def start(self):
        self.process = subprocess.Popen(
            self.command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout.readline() == "ready\n"

    @property
    def over(self):
        """Whether it has written all that it was to write."""
        return self.process.poll() is not None

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
