"""What benchmarks have measured: rows of their tables, kept as JSON, and two such files beside each other."""

# ruff: noqa: RUF001 -- reads multiples

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HEAD = "| figure | measured | target | met |"
COMMAND = re.compile(r"`python -m bench\.(\w+)")
MARKS = {"": None, "yes": True, "**no**": False}
SHOWN = {met: mark for mark, met in MARKS.items()}
RATIO = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ×(?! ?\d)")
NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?: ?(µs|ms|s|KiB|MiB|%)(?!\w))?")
SCALES = {"µs": (1e-6, "s"), "ms": (1e-3, "s"), "s": (1.0, "s"), "KiB": (1.0, "KiB"), "MiB": (1024.0, "KiB")}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a benchmark's table. `number` is the ratio to the baseline where there is one, else the first figure.

    `number` is in seconds, KiB or a unit of its own (`unit`; empty: a ratio or a count).
    """

    bench: str
    figure: str
    value: str
    target: str
    met: bool | None
    number: float | None
    unit: str


def number_of(value: str) -> tuple[float | None, str]:
    """What of a measured value is compared: its ratio, else its 99th percentile, else its first number."""
    if ratio := RATIO.search(value):
        return float(ratio[1]), "×"
    found = NUMBER.search(value.partition("p99 ")[2] or value)
    if found is None:
        return None, ""
    scale, unit = SCALES.get(found[2] or "", (1.0, found[2] or ""))
    return float(found[1]) * scale, unit


def rows_of(bench: str, printed: str) -> list[Row]:
    """The rows of all tables in what a benchmark printed; a heading above a table belongs to the names of its figures."""
    rows: list[Row] = []
    below, inside, names = "", False, Counter[str]()
    for line in printed.splitlines():
        if line.startswith("## "):
            below = f"{line[3:]}: "
        inside = line == HEAD or (inside and line.startswith("|"))
        if not inside or line == HEAD or line.startswith("|---"):
            continue
        figure, value, target, met = (each.strip() for each in line.strip("|").split("|"))
        name = f"{below}{figure}"
        names[name] += 1
        name = name if names[name] == 1 else f"{name} ({names[name]})"
        rows.append(Row(bench, name, value, target, MARKS[met], *number_of(value)))
    return rows


def document(rows: list[Row], options: list[str], began: datetime, load: float) -> dict[str, Any]:
    """All that makes two runs comparable, and the rows."""
    return {
        "commit": _git("rev-parse", "HEAD"),
        "changed": bool(_git("status", "--porcelain", "--untracked-files=no")),
        "began": began.astimezone(UTC).isoformat(timespec="seconds"),
        "machine": {
            "platform": platform.platform(), "python": platform.python_version(), "cores": os.cpu_count(), "load": load,
        },
        "options": options,
        "figures": [asdict(row) for row in rows],
    }  # fmt: skip


def _git(*words: str) -> str:
    folder = Path(__file__).resolve().parents[1]
    try:
        done = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def load_file(path: Path) -> dict[str, Any]:
    """A document that was kept. Raises ValueError for anything else, OSError where it cannot be read."""
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict) or not {"commit", "machine", "options", "figures"} <= found.keys():
        raise ValueError(f"{path} holds no figures of benchmarks")
    return found


def compared(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Both documents as Markdown: what differs in machine and options first, then each figure with its change."""
    lines = [f"before: {_said(before)}", f"after: {_said(after)}", *_differences(before, after)]
    lines += ["", "| figure | before | after | change | met |", "|---|---|---|---|---|"]
    first = {(each["bench"], each["figure"]): each for each in before["figures"]}
    second = {(each["bench"], each["figure"]): each for each in after["figures"]}
    for key in [*first, *(key for key in second if key not in first)]:
        one, other = first.get(key, {}), second.get(key, {})
        shown = one.get("value", "–"), other.get("value", "–"), _change(one, other), SHOWN[other.get("met")]
        lines.append(f"| {': '.join(key)} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def written_into(text: str, found: dict[str, Any]) -> str:
    """The Markdown, each table of figures below the first command of its section with the rows of that benchmark, if it has run."""
    made: dict[str, list[str]] = {}
    for each in found["figures"]:
        row = f"| {each['figure']} | {each['value']} | {each['target']} | {SHOWN[each['met']]} |"
        made.setdefault(each["bench"], []).append(row)
    lines: list[str] = []
    bench, inside = "", False
    for line in text.splitlines():
        if line.startswith("## "):
            bench = ""
        elif not bench and (command := COMMAND.search(line)):
            bench = command[1]
        if line == HEAD and bench in made:
            lines += [HEAD, "|---|---|---|---|", *made.pop(bench)]
            inside = True
        inside = inside and line.startswith("|")
        lines += [] if inside else [line]
    return "\n".join(lines) + "\n"


def _differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What else than the commit may have moved the figures."""
    said = []
    if before["options"] != after["options"]:
        said.append(f"options differ: {before['options']} and {after['options']}")
    if any(before["machine"][key] != after["machine"].get(key) for key in ("platform", "python", "cores")):
        said.append("another machine: compare ratios alone")
    return said


def _said(found: dict[str, Any]) -> str:
    commit = found["commit"][:12] or "no commit"
    return (
        f"{commit}{' and changes' if found['changed'] else ''}, {found['began']}, load {found['machine']['load']:.1f}"
    )


def _change(one: dict[str, Any], other: dict[str, Any]) -> str:
    """In percent, of two figures in the same unit."""
    before, after = one.get("number"), other.get("number")
    if before is None or after is None or not before or one["unit"] != other["unit"]:
        return ""
    return f"{(after / before - 1) * 100:+.0f} %"
