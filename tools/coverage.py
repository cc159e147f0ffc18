"""Writes docs/reference/coverage.md, which event type of which provider rests on what: `python -m tools.coverage`.

The catalogues, `grades.toml` and the fixtures are the sources; a test compares the file with what this writes.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mapping.errors import ServiceError
from providers.base import FixtureLister, Provider
from providers.contract.case import plain_endpoint
from providers.contract.mutations import JSON, xml
from providers.registry import Registry
from providers.replay import read_lines
from providers.replay.demo import demo_files

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
TARGET = ROOT / "docs" / "reference" / "coverage.md"
GRADES = tomllib.loads((ROOT / "tools" / "grades.toml").read_text(encoding="utf-8"))
IDS: dict[str, tuple[str | int, ...]] = {
    "heim": ("match", "id"),
    "openligadb": ("matchID",),
    "pa": ("matches", "match", 0, "matchID"),
    "statsperform": ("matchInfo", "id"),
}
"""Where a body of the match has its id."""
READERS = {".json": JSON, ".xml": xml("match")}

HEAD = """\
# Coverage

Written by `python -m tools.coverage` from the catalogues of the installed providers, `tools/grades.toml` and the
fixtures; do not edit.

*Grade*: how sure it is that the provider's word means the event type. **documented**: seen in a body, or in the vendor's
or an integrator's text. **inferred**: follows from that. **assumed**: no public source; if your contract says otherwise,
correct the name in the config (`[providers.<id>.names]`). *Fixtures*: recordings and bodies in `tests/fixtures` and in the
demo that become a post of this type.
"""


class Fixture(NamedTuple):
    """The last bodies of a match in a file, or in the files of one name."""

    provider: str
    name: str
    match_id: str
    bodies: dict[str, bytes]


def fixtures() -> Iterator[Fixture]:
    """Everything in the folders of fixtures, and the demo."""
    for folder in sorted(path for path in FIXTURES.glob("*/*") if path.is_dir()):
        provider = folder.parent.name.replace("_", "-")
        for path in sorted(folder.glob("*.jsonl*")):
            yield from _recorded(provider, path, path.name.partition(".")[0])
        yield from _written(provider, folder)
    for path in demo_files("en"):
        yield from _recorded("heim", path, f"demo {path.name.partition('.')[0]}")


def _recorded(provider: str, path: Path, name: str) -> Iterator[Fixture]:
    """The last good answer of each resource of each match in a recording."""
    matches: dict[str, dict[str, bytes]] = defaultdict(dict)
    for line in read_lines(path):
        if line.is_json:
            matches[line.match_id][line.kind] = line.text.encode()
    for place, bodies in matches.items():
        kind, _, ident = place.rpartition("/")
        yield Fixture(
            provider, name, f"{kind.removesuffix('s')}:{ident}" if kind in ("phases", "overalls") else ident, bodies
        )


def _written(provider: str, folder: Path) -> Iterator[Fixture]:
    """Bodies in files of their own: `<name>.<resource>.json`, or `.xml`."""
    for path in sorted(each for each in folder.glob("*.match.*") if each.suffix in READERS):
        name = path.name.removesuffix(f".match{path.suffix}")
        parts = {each.name.split(".")[1]: each.read_bytes() for each in sorted(folder.glob(f"{name}.*{path.suffix}"))}
        ident: Any = READERS[path.suffix].read(parts["match"])
        for step in IDS[provider]:
            ident = ident[step]
        yield Fixture(provider, name, str(ident), parts)


def shown(registry: Registry) -> dict[tuple[str, str, str], set[str]]:
    """(provider, sport, event type) → names of the fixtures that have it."""
    found: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for fixture in fixtures():
        provider = registry.find(fixture.provider)
        if provider is None:
            raise LookupError(f"fixtures of an unknown provider: {fixture.provider}")
        adapter = provider.connect(plain_endpoint(provider.id, "http://127.0.0.1"))
        try:
            match = adapter.translate(fixture.match_id, fixture.bodies)
        except ServiceError as error:
            raise LookupError(f"{fixture.provider} {fixture.name}: {error}") from error
        for incident in match.incidents:
            found[provider.id, match.sport, incident.kind].add(fixture.name)
    return found


def grade(provider: str, sport: str, kind: str) -> str:
    """The grade of an event type. KeyError where `grades.toml` does not know the sport."""
    grades = GRADES[provider][sport]
    return str(grades.get(kind.partition(".")[2], grades["else"]))


def coverage(registry: Registry | None = None) -> str:
    """The document."""
    registry = registry or Registry.load()
    found = shown(registry)
    parts = [HEAD]
    for provider in registry:
        parts.append(f"\n## {provider.id}\n{_lists(provider)}")
        for sport, kinds in provider.catalog.items():
            parts += _sport(provider, sport, kinds, found)
    return "".join(parts)


def _lists(provider: Provider) -> str:
    """Whether the provider's adapter lists matches, and how sure what it reads in a list is."""
    adapter = provider.connect(plain_endpoint(provider.id, "http://127.0.0.1"))
    known = f"({GRADES[provider.id]['fixtures']})" if isinstance(adapter, FixtureLister) else None
    return f"\nlists the matches of a day {known}\n" if known else "\nlists no matches\n"


def _sport(
    provider: Provider, sport: str, kinds: tuple[str, ...], found: dict[tuple[str, str, str], set[str]]
) -> Iterator[str]:
    board = "scoreboard" if provider.scoreboard[sport] else "no scoreboard"
    text = "text" if sport in provider.text_sports else "no text"
    yield f"\n### {sport}\n\n{board}, {text}"
    yield "\n\n| event type | grade | fixtures |\n|---|---|---|\n" if kinds else ", no events\n"
    for kind in kinds:
        names = ", ".join(sorted(found.get((provider.id, sport, kind), ()))) or "–"
        yield f"| `{kind}` | {grade(provider.id, sport, kind)} | {names} |\n"


if __name__ == "__main__":
    TARGET.write_text(coverage(), encoding="utf-8")
