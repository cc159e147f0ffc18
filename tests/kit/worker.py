"""A daemon in a process of its own, whose clock stands as far beside the machine's as a file says."""

import asyncio
import sys
import time
from functools import partial
from pathlib import Path

import structlog

from config import Settings
from ingest.daemon import run as daemon
from ingest.kit.process import Role


def main(settings, offset):
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))  # the address alone goes to stdout
    clock = lambda: time.time() + float(offset.read_text())  # noqa: E731
    asyncio.run(
        daemon.run(
            Settings.model_validate_json(settings.read_text()),
            announce=partial(print, flush=True),
            clock=clock,
            role=Role.WORKER,
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
