"""Who begins without a configuration learns how to go on, and finds nothing that they did not want."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from ingest.kit.exit_status import ExitStatus
from tests.kit.command import MATCHWIRE

pytestmark = pytest.mark.proof


@pytest.mark.parametrize("word", ["run", "sync-once"])
def test_without_a_configuration_nothing_is_made(tmp_path, word):
    """Who has none learns how to go on, and no database stands in a folder of theirs; a variable configures, too."""
    environ = {name: value for name, value in os.environ.items() if not name.upper().startswith("MATCHWIRE_")}
    ended = subprocess.run(
        [*MATCHWIRE, word], cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == ExitStatus.MISTAKE
    assert all(each in ended.stderr for each in ("no configuration", "matchwire init", "matchwire demo"))
    assert list(tmp_path.iterdir()) == []

    configured = {**environ, "MATCHWIRE_SERVER__PORT": "no port"}
    ended = subprocess.run(
        [*MATCHWIRE, word], cwd=tmp_path, env=configured, capture_output=True, text=True, timeout=60, check=False
    )
    assert "server.port" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_port_of_the_command_line_is_listened_on_in_place_of_that_of_the_file(tmp_path):
    """And stays it, whatever the file says next."""
    (tmp_path / "matchwire.toml").write_text("[server]\nport = 1\n", encoding="utf-8")
    with subprocess.Popen(
        [*MATCHWIRE, "run", "--port", "0"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as daemon:
        try:
            said = daemon.stdout.readline()
        finally:
            daemon.terminate()
    assert re.fullmatch(r"matchwire listens on http://127\.0\.0\.1:[1-9]\d{3,4}\n", said)
