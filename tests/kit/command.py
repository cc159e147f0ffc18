"""The command `matchwire` from this checkout: as a process of its own, or in this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

if TYPE_CHECKING:
    from click import Command
    from click.testing import Result

ROOT = Path(__file__).resolve().parents[2]
MATCHWIRE = [sys.executable, "-c", "from ingest.entry import main; main()"]
ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT)}


@cache
def _command() -> Command:
    """Made once of all its parts, which takes longer than most of what it is called for."""
    from typer.main import get_command

    from ingest.cli.main import app

    return get_command(app)


def _leaves(command: Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Command]]:
    if not hasattr(command, "commands"):
        yield " ".join(path), command
        return
    for name, each in command.commands.items():
        yield from _leaves(each, (*path, name))


@cache
def commands() -> Mapping[str, Command]:
    """Every command by its words."""
    return dict(_leaves(_command()))


def invoke(*words: object, given: str | None = None, env: Mapping[str, str] | None = None) -> Result:
    """The command in this process; `given`: its standard input. The log of the process stays as it is for later tests."""
    from click.testing import CliRunner

    from ingest.telemetry import logs

    with patch.object(logs, "configure"):
        return CliRunner().invoke(
            _command(), [str(each) for each in words], input=given, env={"COLUMNS": "400", **(env or {})}
        )
