"""All benchmarks, or those that are named, one after the other, each in a process of its own beside its baseline.

python -m bench --json before.json                   # all of them: an hour, on a machine with nothing else to do
python -m bench polling reads --json after.json
python -m bench compare before.json after.json
python -m bench document after.json docs/performance.md   # its tables, from the figures
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from bench import results

BENCHMARKS = {
    "start": ("--rounds", "1"),
    "large_start": ("--liveblogs", "300", "--events", "2", "--rounds", "1"),
    "polling": ("--counts", "10", "20"),
    "two_sources": ("--rounds", "1", "--minutes", "2", "--matches", "2"),
    "events": ("--database", "sqlite", "--runs", "1", "--rounds", "3", "--count", "16", "--large", "200"),
    "webhooks": ("--counts", "5"),
    "reads": ("--rounds", "1", "--count", "100"),
    "first_feed": ("--sizes", "2", "--rounds", "20"),
    "streams": ("--readers", "20", "--rounds", "1", "--versions", "2", "--few", "10", "--many", "40"),
    "media": ("--rounds", "1", "--count", "100"),
    "media_others": ("--rounds", "1"),
    "beacons": ("--matches", "2", "--rate", "50", "--seconds", "2"),
    "memory": ("--matches", "5", "--feeds", "5", "--streams", "5", "--interval", "2"),
    "workers": ("--matches", "6", "--seconds", "2", "--rounds", "1"),
    "growth": (
        "--sizes",
        "1",
        "1000",
        "--posts",
        "2",
        "--rounds",
        "1",
        "--count",
        "2",
        "--starts",
        "1",
        "--seconds",
        "1",
        "--settle",
        "1",
    ),
    "idle": ("--seconds", "1"),
    "journeys": (),
}
"""Each with the options of a quick run, which only shows that it works."""


def run(name: str, options: tuple[str, ...]) -> list[results.Row]:
    """Run one in a process of its own; what it prints is shown; no rows where it prints no table."""
    command = [sys.executable, "-m", f"bench.{name}", *options]
    print(f"\n# {' '.join(['python', *command[1:]])}\n", flush=True)
    done = subprocess.run(
        command, cwd=Path(__file__).resolve().parents[1], stdout=subprocess.PIPE, text=True, check=False
    )
    print(done.stdout, flush=True)
    return results.rows_of(name, done.stdout)


def compare(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench compare", description="The change of each figure.")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    given = parser.parse_args(arguments)
    try:
        print(results.compared(results.load_file(given.before), results.load_file(given.after)), end="")
    except (OSError, ValueError) as error:
        parser.error(str(error))


def write_document(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench document", description="Write figures into their tables.")
    parser.add_argument("figures", type=Path)
    parser.add_argument("page", type=Path)
    given = parser.parse_args(arguments)
    text = given.page.read_text(encoding="utf-8")
    given.page.write_text(results.written_into(text, results.load_file(given.figures)), encoding="utf-8")


def main() -> None:
    if sys.argv[1:2] == ["compare"]:
        compare(sys.argv[2:])
        return
    if sys.argv[1:2] == ["document"]:
        write_document(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(BENCHMARKS)}; none: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures are kept, to be compared later")
    parser.add_argument("--quick", action="store_true", help="shows that they work; the figures say nothing")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in BENCHMARKS]:
        parser.error(f"no benchmark is named {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    if failed := run_all(given.names or list(BENCHMARKS), quick=given.quick, kept=given.json):
        sys.exit(f"without a table: {', '.join(failed)}")


def run_all(names: list[str], *, quick: bool, kept: Path | None) -> list[str]:
    """Run them one after the other, and return which of them printed no table. `kept` is written after each.

    So the figures of an hour are not lost with the last benchmark.
    """
    began, load = datetime.now(UTC), os.getloadavg()[0]
    rows: list[results.Row] = []
    failed: list[str] = []
    for name in names:
        found = run(name, BENCHMARKS[name] if quick else ())
        rows += found
        failed += [] if found else [name]
        if kept:
            document = results.document(rows, ["--quick"] if quick else [], began, load)
            kept.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return failed


if __name__ == "__main__":
    main()
