"""Benchmarks run with what running needs and the extra `bench`, without the packages of the tests."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = sorted(
    path.stem for path in (ROOT / "bench").glob("*.py") if "ArgumentParser(" in path.read_text(encoding="utf-8")
)
WITHOUT = """
import runpy, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages}:
            raise ModuleNotFoundError("not installed: " + name)

sys.meta_path.insert(0, Absent())
sys.argv = ["bench", "--help"]
for name in {names}:
    print("bench." + name)
    try:
        runpy.run_module("bench." + name, run_name="__main__")
    except SystemExit as end:
        assert not end.code, name
"""


def packages_of_tests():
    """Modules of the extra `test`."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    names = {re.match(r"[\w-]+", each)[0] for each in extras["test"]} - {
        re.match(r"[\w-]+", each)[0] for each in extras["bench"]
    }
    return {name.replace("-", "_") for name in names} | {"_pytest", "xdist"}


def test_benchmarks_start_without_the_packages_of_the_tests():
    """Neither pytest nor anything else of the extra `test` is imported by any of them."""
    program = WITHOUT.format(packages=packages_of_tests(), names=COMMANDS)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    _, *shown = re.split(r"^bench\.(?=\w+$)", done.stdout, flags=re.MULTILINE)

    assert done.returncode == 0, done.stderr
    assert [each.split()[:2] for each in shown] == [[name, "usage:"] for name in COMMANDS]


def test_there_are_benchmarks():
    """Of events, polls, webhooks and journeys."""
    assert {"events", "journeys", "polling", "webhooks"} <= set(COMMANDS)
