"""What benchmarks print is read, kept and compared as it stands there; the document of coverage is what the tool writes."""

# ruff: noqa: RUF001 -- expects multiples
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import __main__ as program
from bench.results import number_of, written_into
from providers.contract import RULES
from providers.openligadb import catalog as openligadb
from providers.pa import catalog as pa
from providers.registry import Registry
from providers.statsperform import catalog as statsperform
from tools import coverage

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


DOCS = Path(__file__).resolve().parent.parent / "docs"
GRADES = {"documented", "inferred", "assumed"}


def test_the_file_is_what_the_script_writes():
    """After a change of catalogue, grade or fixture: python -m tools.coverage"""
    assert coverage.TARGET.read_text(encoding="utf-8") == coverage.coverage()


def test_every_event_type_has_a_grade():
    """Of every provider and sport; and no line of the grades is about a type that does not exist."""
    for provider in Registry.load():
        for sport, kinds in provider.catalog.items():
            assert {coverage.grade(provider.id, sport, kind) for kind in kinds} <= GRADES
            own = set(coverage.GRADES[provider.id][sport]) - {"else"}
            assert own <= {kind.partition(".")[2] for kind in kinds}


def test_every_event_type_has_a_fixture():
    """Of every provider and sport: what no body shows has never been seen to work."""
    shown = coverage.shown(Registry.load())
    promised = {
        (each.id, sport, kind) for each in Registry.load() for sport, kinds in each.catalog.items() for kind in kinds
    }

    assert promised - {place for place, names in shown.items() if names} == set()


def test_no_fixture_shows_a_type_that_the_catalogue_does_not_have():
    """What is in a fixture becomes a post, so it has to be promised."""
    registry = Registry.load()

    for provider, sport, kind in coverage.shown(registry):
        assert kind in registry.find(provider).catalog[sport]


def test_the_checklist_names_every_rule_of_the_contract():
    """With its sentence, in the order of the kit."""
    rules = [f"| `{rule.id}` | {rule.sentence} |" for rule in RULES]

    assert [
        line for line in (DOCS / "add-a-provider.md").read_text(encoding="utf-8").splitlines() if line in rules
    ] == rules


@pytest.mark.parametrize(
    ("page", "names"), [("openligadb", openligadb.NAMES), ("pa", pa.NAMES), ("statsperform", statsperform.NAMES)]
)
def test_the_page_of_a_plug_in_names_what_may_be_corrected(page, names):
    """With default, grade and meaning as in the adapter."""
    text = (DOCS / "providers" / f"{page}.md").read_text(encoding="utf-8")

    assert all(f"| `{name.key}` | `{name.default}` | {name.grade} | {name.meaning} |" in text for name in names)
