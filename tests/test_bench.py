"""Benchmarks run with what running needs and the extra `bench`, without the packages of the tests."""

# ruff: noqa: RUF001 -- expects multiples

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bench import __main__ as program
from bench.results import HEAD, compared, number_of, rows_of

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = sorted(
    path.stem
    for path in (ROOT / "bench").glob("*.py")
    if "ArgumentParser(" in path.read_text(encoding="utf-8") and path.stem != "__main__"
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


def test_one_module_starts_the_daemon_as_a_process():
    """So that each benchmark waits for the same, in the same environment."""
    found = [path.stem for path in (ROOT / "bench").glob("*.py") if "ingest.entry" in path.read_text(encoding="utf-8")]
    assert found == ["daemon_process"]


@pytest.mark.proof
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


PRINTED = f"""
# Noise above a table
{HEAD}
|---|---|---|---|
| hello | 23 µs (22–25), 1.0 × |  |  |
| feed | 74 µs (73–91), 3.2 × | ≤ 2.5 × | **no** |
"""


@pytest.mark.proof
def test_one_command_runs_keeps_and_compares(tmp_path, capsys, monkeypatch):
    """What is named runs, its figures are kept as JSON, and two files are set beside each other; what prints no table is named."""
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    printed = {"reads": PRINTED, "start": "Traceback"}
    monkeypatch.setattr(program, "run", lambda name, _: rows_of(name, printed[name]))
    monkeypatch.setattr(sys, "argv", ["bench", "reads", "start", "--quick", "--json", str(before)])
    with pytest.raises(SystemExit, match="without a table: start"):
        program.main()
    kept = json.loads(before.read_text())
    hello, one = kept["figures"]
    assert re.fullmatch(r"[0-9a-f]{40}|", kept["commit"])
    assert kept["options"] == ["--quick"]
    assert (hello["figure"], hello["met"], one["figure"], one["met"]) == ("hello", None, "feed", False)
    assert (one["bench"], one["number"], one["unit"], one["value"]) == ("reads", 3.2, "×", "74 µs (73–91), 3.2 ×")

    changed = {
        **kept,
        "figures": [*kept["figures"][:-1], {**one, "value": "twice as much", "number": one["number"] * 2}],
    }
    after.write_text(json.dumps(changed))
    program.compare([str(before), str(after)])
    assert "| twice as much | +100 % |" in capsys.readouterr().out
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(SystemExit, match="2"):
        program.compare([str(before), str(tmp_path / "other.json")])
    assert capsys.readouterr().err.endswith("other.json holds no figures of benchmarks\n")


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("74 µs (73–91), 3.2 ×", (3.2, "×")),
        ("2.79 × (1253 µs : 493 µs; 2.23 to 4.22)", (2.79, "×")),
        ("0 (5000 × 200)", (0.0, "")),
        ("p50 17 ms, p99 36 ms (220 changes)", (0.036, "s")),
        ("6094 µs", (0.006094, "s")),
        ("+ 30 MiB", (30720.0, "KiB")),
        ("79% of a core", (79.0, "%")),
        ("nginx is not installed", (None, "")),
    ],
)
def test_what_is_compared_of_a_value(value, number):
    """The ratio to the baseline, else the 99th percentile, else the first number, in one unit."""
    assert number_of(value) == pytest.approx(number)


def test_figures_of_one_name_stay_apart():
    """By the heading above their table, and by their number in it."""
    lines = [
        "## SQLite",
        "",
        HEAD,
        "|---|---|---|---|",
        "| a | 1 s | ≤ 2 s | yes |",
        "| a | 2 s |  |  |",
        "",
        "| no | row |",
    ]

    rows = rows_of("events", "\n".join(lines))

    assert [(row.figure, row.number, row.met) for row in rows] == [
        ("SQLite: a", 1.0, True),
        ("SQLite: a (2)", 2.0, None),
    ]


def test_changes_of_machine_and_options_are_said():
    """A figure that one side alone has keeps its place; other machines and options stand above the table."""
    machine = {"platform": "Linux", "python": "3.11", "cores": 2, "load": 0.0}
    row = {"bench": "b", "figure": "f", "value": "1 s", "number": 1.0, "unit": "s", "met": None}
    side = {"commit": "", "changed": True, "began": "now", "machine": machine, "options": [], "figures": [row]}
    other = {**side, "options": ["--quick"], "machine": {**machine, "cores": 4}, "figures": [{**row, "figure": "g"}]}

    said = compared(side, other)

    assert "another machine: compare ratios alone" in said
    assert "options differ: [] and ['--quick']" in said
    assert "| b: f | 1 s | – |  |  |\n| b: g | – | 1 s |  |  |\n" in said
    assert "differ" not in compared(side, side)


def test_all_benchmarks_belong_to_the_one_command():
    """Each module that is a program, and no other."""
    assert sorted(program.BENCHMARKS) == COMMANDS


@pytest.mark.soak
def test_every_benchmark_runs(tmp_path):
    """All of them with tiny sizes: each prints figures."""
    command = [sys.executable, "-m", "bench", "--quick", "--json", str(tmp_path / "all.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    kept = json.loads((tmp_path / "all.json").read_text())
    assert {each["bench"] for each in kept["figures"]} == set(program.BENCHMARKS)
