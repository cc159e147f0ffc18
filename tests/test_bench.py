"""What benchmarks print is read, kept and compared as it stands there."""

# ruff: noqa: RUF001 -- expects multiples

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import __main__ as program
from bench.results import number_of, written_into

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = sorted(
    path.stem
    for path in (ROOT / "bench").glob("*.py")
    if "ArgumentParser(" in path.read_text(encoding="utf-8") and path.stem != "__main__"
)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("74 µs (73–91), 3.2 ×", (3.2, "×")), ("2.79 × (1253 µs : 493 µs; 2.23 to 4.22)", (2.79, "×")),
        ("0 (5000 × 200)", (0.0, "")), ("p50 17 ms, p99 36 ms (220 changes)", (0.036, "s")),
        ("6094 µs", (0.006094, "s")), ("+ 30 MiB", (30720.0, "KiB")), ("79% of a core", (79.0, "%")),
        ("nginx is not installed", (None, "")),
    ],
)  # fmt: skip
def test_what_is_compared_of_a_value(value, number):
    """The ratio to the baseline, else the 99th percentile, else the first number, in one unit."""
    assert number_of(value) == pytest.approx(number)


def test_figures_are_written_into_the_tables_of_their_sections():
    """That of the section's first command, once; other tables, and those of benchmarks that have not run, stay."""
    head, old = "| figure | measured | target | met |\n|---|---|---|---|\n", "| old | 1 |  |  |\n"
    page = f"## Reads\n`python -m bench.reads`\n{head}{old}\nafter\n{head}{old}\n## Start\n`python -m bench.start`\n{head}{old}"
    figure = {"bench": "reads", "figure": "a feed", "value": "2 ×", "target": "≤ 3 ×", "met": True}
    expected = page.replace(old, "| a feed | 2 × | ≤ 3 × | yes |\n", 1)
    assert written_into(page, {"figures": [figure]}) == expected


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
