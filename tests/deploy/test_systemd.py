"""The unit of systemd: it says what systemd understands, grants little, and agrees with the daemon."""

import configparser
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ingest.kit.process import ExitStatus, Role

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "deploy" / "systemd" / "matchwire@.service"
MOST = 20
"""Tenths of systemd's exposure level, from 0 to 10; a unit without any restriction has 9.6."""


@pytest.fixture
def systemd_analyze():
    found = shutil.which("systemd-analyze")
    reason = "there is no systemd-analyze here"
    if found is None:
        return pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return found


def service():
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str
    unit.read(UNIT)
    return unit["Service"]


@pytest.mark.proof
def test_its_exposure_is_small(systemd_analyze):
    """By systemd's own measure."""
    command = [systemd_analyze, "security", "--offline=true", f"--threshold={MOST}", str(UNIT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert done.returncode == 0, done.stdout
    assert "Overall exposure level" in done.stdout


@pytest.mark.proof
@pytest.mark.parametrize("role", Role)
def test_systemd_understands_it_for_each_role(systemd_analyze, tmp_path, role):
    """No unknown key, no wrong value; the program stands where the unit says."""
    program = tmp_path / "matchwire"
    program.touch(mode=0o755)
    unit = tmp_path / f"matchwire@{role.value}.service"
    unit.write_text(re.sub(r"/opt/\S+/matchwire", str(program), UNIT.read_text()))
    done = subprocess.run(
        [systemd_analyze, "verify", str(unit)], capture_output=True, text=True, check=False, timeout=60
    )

    assert [line for line in done.stderr.splitlines() if unit.name in line] == []


def test_it_agrees_with_the_daemon():
    """A mistake of the configuration is not tried again; a stop has the time that the daemon takes for it."""
    said = service()

    assert said["RestartPreventExitStatus"] == str(int(ExitStatus.MISTAKE))
    assert "--role %i" in said["ExecStart"]
    assert int(said["TimeoutStopSec"]) > 15
