"""Writes the demo's recordings from public match data: `python -m tools.demo.make_demo ../shared/realdata`.

The same data give the same bytes, so a test can check whether the shipped files are those that this script writes.
"""

import gzip
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.demo.facts import read_facts
from tools.demo.others import grandprix, superbowl, wimbledon
from tools.demo.others.racefacts import read_race
from tools.demo.plan import PLANS, Plan
from tools.demo.story import feed_of
from tools.demo.words import LANGUAGES

HERE = Path(__file__).parent
SHIPPED = HERE.parents[1] / "providers" / "replay" / "demo"


def recordings(realdata: Path) -> Iterator[tuple[str, bytes]]:
    """File name and bytes of every recording."""
    texts: dict[str, list[dict[str, Any]]] = tomllib.loads((HERE / "commentary.toml").read_text(encoding="utf-8"))
    for plan in PLANS:
        for language in LANGUAGES:
            yield f"{plan.name}.{language}.jsonl.gz", _recording(realdata, plan, texts[plan.name], language)
    race = read_race(realdata / "motorsports")
    for language in LANGUAGES:
        yield f"{grandprix.NAME}.{language}.jsonl.gz", _packed(grandprix.feed_of(race, language))
        yield f"{wimbledon.NAME}.{language}.jsonl.gz", _packed(wimbledon.feed_of(language))
        yield f"{superbowl.NAME}.{language}.jsonl.gz", _packed(superbowl.feed_of(language))


def _recording(realdata: Path, plan: Plan, texts: list[dict[str, Any]], language: str) -> bytes:
    facts = read_facts(realdata / "soccer", plan.stem)
    return _packed(feed_of(facts, plan, texts, language))


def _packed(lines: Iterator[str]) -> bytes:
    return gzip.compress("".join(lines).encode(), compresslevel=9, mtime=0)


def main(arguments: list[str]) -> int:
    """Write all recordings where they are shipped; the argument is the folder that holds `soccer/` and `motorsports/`."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tools.demo.make_demo REALDATA\n")
        return 2
    for name, content in recordings(Path(arguments[0])):
        (SHIPPED / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
