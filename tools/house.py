"""How the product is built, measured by its imports: `make house`.

A room is a folder below one of FLOORS; a file that lies loose there is a room by itself, but those of `mapping` and of
`providers` are one together. Imports for types count like others: whoever reads a file has to know what it names. A
capability's own files are known by their names; others that import one know the capability, and are hubs where they
compose several.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import statistics
import sys
import tokenize
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("api", "config", "ingest", "mapping", "providers", "store")
FLOORS = ("api", "store", "ingest", "mapping", "providers")
DOORS = {"providers": "2"}
"""Two-way doors that a floor may have: the registry of providers knows each of them."""
LOOSE = {"providers": "16"}
CAPABILITIES = {
    "desk": r"desk|accounts",
    "comments": r"comments?|comment_\w+|public_comments|moderation",
    "polls": r"polls?|poll_\w+|reader_polls|votes?",
    "readers": r"readers|reader_(sign_ins?|tokens?)|request_reader",
    "statistics": r"statistics|beacons?|beacon_\w+|\w+_sketch|reader_numbers",
}
"""Names of the folders and files of each, as expressions."""
MOST = {"desk": "3, 2, 3"}
"""Bars of their own. Whoever shows who has written a post knows the names of accounts; the desk's routes and command beside."""
CAPABLE = ("api", "mapping", "store")
"""Where capabilities are: elsewhere the same words are a provider's, or of the polls that ask it."""
HUB = 3
"""Capabilities that a file must know to count as one that composes them."""
PARTICIPLE = re.compile(
    r"[a-z]+ed|shown|known|found|given|taken|made|said|held|kept|left|lost|sent|seen|gone|drawn|written|worn|told|built|"
    r"bound|read|put|cut|split|spread|chosen|broken|hidden|driven|begun|thrown|grown|fallen|spoilt|meant|brought|thought"
)
"""Verbs in the form that says what has been done. `read`, `put` and the like are verbs as well, and may stand."""
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
SMALL = 60
VERBS = frozenset({"read", "put", "cut", "split", "spread", "feed", "need", "speed", "exceed", "embed"})


@dataclass(frozen=True)
class Structure:
    """Files of the product by name (`api/app.py`), and which files each imports."""

    lines: dict[str, int]
    imports: dict[str, frozenset[str]]


@functools.cache
def structure(root: Path = ROOT) -> Structure:
    """The product as it stands below `root`."""
    files = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
    }
    return Structure(
        lines={name: len(text.splitlines()) for name, text in files.items()},
        imports={name: frozenset(_imports(text, files.keys())) - {name} for name, text in files.items()},
    )


def _imports(text: str, names: AbstractSet[str]) -> Iterator[str]:
    """Files among `names` that the file with this text imports; a package without code of its own is not imported."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files_of(alias.name) & names
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:  # a module of the package, or a name in it
                yield from (_files_of(f"{node.module}.{alias.name}") & names) or (_files_of(str(node.module)) & names)


def _files_of(module: str) -> set[str]:
    path = module.replace(".", "/")
    return {f"{path}.py", f"{path}/__init__.py"}


def room(name: str) -> str:
    """`api/feeds/formats.py` → `api/feeds`, `mapping/errors.py` → `mapping`; a loose file of another floor is a room by itself."""
    first, *rest = name.split("/")
    return first if first in {"mapping", "providers"} and len(rest) == 1 else f"{first}/{rest[0]}"


def two_way_doors(built: Structure, floor: str) -> list[tuple[str, str]]:
    """Pairs of rooms of a floor that import each other."""
    doors = {
        (room(name), room(other))
        for name, others in built.imports.items()
        for other in others
        if name.startswith(f"{floor}/") and other.startswith(f"{floor}/") and room(name) != room(other)
    }
    return sorted((a, b) for a, b in doors if a < b and (b, a) in doors)


def circles(built: Structure) -> list[list[str]]:
    """Groups of files each of which imports, by others, all of its group; the largest first."""
    reach = {name: _reached(built.imports, name) for name in built.imports}
    groups = {
        frozenset(other for other in reach[name] if name in reach[other]) for name in reach if name in reach[name]
    }
    return sorted((sorted(group) for group in groups), key=len, reverse=True)


def _reached(imports: dict[str, frozenset[str]], name: str) -> set[str]:
    reached: set[str] = set()
    ahead = list(imports[name])
    while ahead:
        if (other := ahead.pop()) not in reached:
            reached.add(other)
            ahead.extend(imports[other])
    return reached


def loose(built: Structure, floor: str) -> list[str]:
    """Files that lie in the floor itself and not in a room."""
    return [name for name in built.imports if name.startswith(f"{floor}/") and name.count("/") == 1]


@dataclass(frozen=True)
class Spread:
    """Where a capability is: its folders, the files of others that compose several capabilities, and those of all others."""

    folders: list[str]
    hubs: list[str]
    others: list[str]


def spread(built: Structure, capability: str) -> Spread:
    """Where one of CAPABILITIES is, and who else imports a file of it."""
    own = {name: _own(built, name) for name in CAPABILITIES}
    known = {name: _known_by(name, imports, own) for name, imports in built.imports.items()}
    outside = sorted(name for name, names in known.items() if capability in names)
    return Spread(
        folders=sorted({name.rpartition("/")[0] for name in own[capability]}),
        hubs=[name for name in outside if len(known[name]) >= HUB],
        others=[name for name in outside if len(known[name]) < HUB],
    )


def _known_by(name: str, imports: frozenset[str], own: Mapping[str, frozenset[str]]) -> set[str]:
    """The capabilities of others that a file with these imports knows; `request_reader.py` of one is used without knowing it."""
    within = any(name in files for files in own.values())
    doors = {each for each in imports if within and each.endswith("/request_reader.py")}
    return {capability for capability, files in own.items() if (imports - doors) & files and name not in files}


def _own(built: Structure, capability: str) -> frozenset[str]:
    """The files whose name, or that of a folder around them, is one of the capability's."""
    words = re.compile(CAPABILITIES[capability])
    named = (name for name in built.imports if name.split("/")[0] in CAPABLE)
    parts = {name: name.removesuffix(".py").split("/")[1:] for name in named}
    return frozenset(name for name, each in parts.items() if any(map(words.fullmatch, each)))


def participles(root: Path = ROOT) -> list[str]:
    """Public functions of modules whose whole name is one participle: `shown`, `moved`. A name says what is done, or given."""
    return [
        f"{path.relative_to(root).as_posix()}:{node.name}"
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and PARTICIPLE.fullmatch(node.name)
        and node.name not in VERBS
    ]


def figures(built: Structure) -> list[tuple[str, str, str]]:
    """What is measured, how it is, and what it may be at most; numbers separated by commas."""
    rounds = circles(built)
    rows = [
        *(
            (f"two-way doors between rooms of {floor}", str(len(two_way_doors(built, floor))), DOORS.get(floor, "0"))
            for floor in FLOORS
        ),
        *((f"loose files in {floor}", str(len(loose(built, floor))), LOOSE.get(floor, "6")) for floor in FLOORS),
        ("circles of imports", str(len(rounds)), "4"),
        ("files in the largest circle", str(max(map(len, rounds), default=0)), "3"),
    ]
    for name in CAPABILITIES:
        where = spread(built, name)
        counts = f"{len(where.folders)}, {len(where.hubs)}, {len(where.others)}"
        rows.append((f"folders, hubs and other files that know {name}", counts, MOST.get(name, "3, 2, 2")))
    rows.append(("public functions that are one participle", str(len(participles())), "40"))
    return rows


@dataclass(frozen=True)
class Weight:
    """What there is to read; code is lines without blank ones, comments and docstrings, of a template those not blank."""

    code: int
    imports: int
    lines: int
    guarded: int
    files: list[int]
    """Lines of each file, `__init__.py` apart."""


def weigh(root: Path = ROOT) -> Weight:
    """The product's weight as it stands below `root`."""
    code = imports = lines = guarded = 0
    files: list[int] = []
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        nodes = list(ast.walk(ast.parse(text)))
        length = len(text.splitlines())
        code += len(_lines_of_tokens(text) - {line for node in nodes for line in _docstring_lines(node)})
        imports += sum(_length(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
        guarded += sum(isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) for node in nodes)
        lines += length
        files += [] if path.name == "__init__.py" else [length]
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("templates/**/*.html")):
        code += sum(bool(line.strip()) for line in path.read_text(encoding="utf-8").splitlines())
    return Weight(code, imports, lines, guarded, files)


def _lines_of_tokens(text: str) -> set[int]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {line for each in tokens if each.type not in SILENT for line in range(each.start[0], each.end[0] + 1)}


def _docstring_lines(node: ast.AST) -> range:
    """The lines of a docstring, of a text by itself that describes the name above it too."""
    value = node.value if isinstance(node, ast.Expr) else None
    text = isinstance(value, ast.Constant) and isinstance(value.value, str)
    return range(node.lineno, node.lineno + _length(node)) if text and isinstance(node, ast.Expr) else range(0)


def _length(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def weights(weight: Weight) -> list[tuple[str, float, str, float]]:
    """What is weighed, how much it is, and the bar: at most or at least so much."""
    small = sum(length <= SMALL for length in weight.files)
    return [
        ("lines of code, templates counted", weight.code, "at most", 61_000),
        ("files of Python", len(weight.files), "at most", 540),
        (f"files of at most {SMALL} lines", small, "at most", 60),
        ("median lines of a file", statistics.median(weight.files), "at least", 110),
        ("lines of imports in a hundred", round(100 * weight.imports / weight.lines, 1), "at most", 9.0),
        ("blocks under TYPE_CHECKING", weight.guarded, "at most", 30),
    ]


def listed(built: Structure) -> Iterator[str]:
    """What the figures count, line by line."""
    yield from (f"{floor}: {a} ↔ {b}" for floor in FLOORS for a, b in two_way_doors(built, floor))
    yield from (" ↔ ".join(each) for each in circles(built))
    yield from (f"{name}: {spread(built, name)}" for name in CAPABILITIES)
    yield from participles()


def main() -> None:
    """Print the figures; with `--list` also what they count."""
    built = structure()
    lines = [f"{name:55} {found:>10}   at most {most}" for name, found, most in figures(built)]
    lines += [f"{name:55} {found:>10,}   {way} {bar:,}" for name, found, way, bar in weights(weigh())]
    lines.append(f"lines of the product: {sum(built.lines.values()):,}")
    lines += listed(built) if "--list" in sys.argv else []
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
