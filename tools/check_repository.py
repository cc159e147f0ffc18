"""What no linter knows: documents, names, decisions, locks and tables of this repository agree. `make lint` runs it.

A rule is a function that yields one line for each fault; a new rule is a function and its name in RULES.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from tools import house
from tools.check_settings import names_of_settings, only_defaults, retention

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("ingest", "mapping", "store", "api", "config")
DECISION = re.compile(r"# (\d{3}) (\S.*)\n\nDate: \d{4}-\d{2}-\d{2}\. Status: (accepted|replaced by \d{3})\.\n\n\S")
TEST = re.compile(r"`((?:tests|tools)/[\w/]+\.py)::(\w+)(?:\[[^\]`]*\])?`")
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]+)\)")
PRIVATE = re.compile(r"^ *from [\w.]+ import (?:\([^)]*?|[^\n(]*?)\b(_[a-z]\w*)", re.MULTILINE)
LOCKED = re.compile(r"[A-Za-z0-9._-]+==\S+.*--hash=sha256:[0-9a-f]{64}\b")

BANNED_ELSEWHERE = {"providers/xml_reader.py", "mapping/rules/plain_text.py"}
"""The one place each for what is banned everywhere else."""
RELAXED = {"tests/**", "bench/**"}
"""Where rules on security are off."""
TESTING = {"fastapi", "hypothesis", "mypy", "playwright", "pytest", "ruff", "schemathesis"}
"""What whoever runs the product does not install."""

REPLACED = frozenset({
    "asked", "asking", "bury", "dressed", "horizon", "illegible", "judged", "lane", "lanes", "makings", "misfit", "olderform",
    "peek", "presence", "remember", "remembered", "remembers", "rhythm", "tell", "telling", "tells", "told", "wires",
})  # fmt: skip
"""Words that better known ones have replaced, see docs/glossary.md: in names, comments, docstrings and pages."""
OTHERWISE = {
    "tools/demo/others/grandprix.py": {"lane"},  # where cars stop
    "api/desk/passwords.py": {"tell"},  # the position in a file
    "tools/walkthrough.py": {"tell"},
    "tools/check_repository.py": REPLACED,
}
# Written in pieces, so that this file does not find itself.
ELSEWHERE = {
    "an issue of a tracker": r"\b[Ii]ssue" + r"s? #?\d|\bGH-\d",
    "a file beside the repository": r"\.\./sha" + r"red",
    "a document of somebody else's": r"\b(?:des" + r"ign|sty" + r"le|anch" + r"ors|ro" + r"oms)\.(?:md|json)\b",
    "a session": r"\b(?:this|last|next|earlier) ses" + r"sion\b",
}
DEFAULTS = {"tests/kit/recordings.py", "tools/demo/make_demo.py", ".ci/run"}
"""Files that name, as the default of a setting, where recordings and public data may lie beside the repository."""
KEYS = {
    "a key of a cloud": r"\b(?:AK" + r"IA|AS" + r"IA)[0-9A-Z]{16}\b",
    "a token of a code host": r"\b(?:gh" + r"[pousr]_[A-Za-z0-9]{36}|glp" + r"at-[\w-]{20})",
    "a token of a chat": r"\bxo" + r"x[abprs]-[0-9A-Za-z-]{10,}",
    "a key of a payment service": r"\bsk_" + r"live_[0-9A-Za-z]{16,}",
    "a private key": "BEGIN [A-Z ]*PRIVATE" + " KEY",
    "a path of somebody's machine": "|".join(
        rf"(?<![\w.:/-])/{folder}/\w" for folder in ("wo" + "rk", "ro" + "ot", "ho" + "me", "Us" + "ers")
    ),
    "a host that packages come from": "|".join(("pypi" + r"\.org/simple", "python" + "hosted", "index" + "-url *[=:]")),
    "a merge conflict": "(?m)^(<{7}|>{7}) ",
}
LONGEST = 400
"""Lines of a module, so that it can be read in one go."""


@cache
def files() -> dict[str, str]:
    """Name and text of each file that is in the repository or about to be."""
    listing = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")  # noqa: S603
    texts = {}
    for name in filter(None, names):
        try:
            texts[name] = (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
    return texts


def modules(*folders: str) -> dict[str, str]:
    return {name: text for name, text in files().items() if name.endswith(".py") and name.split("/")[0] in folders}


def pages() -> dict[str, str]:
    return {name: text for name, text in files().items() if name.endswith(".md")}


def decisions() -> Iterator[str]:
    """Each has its number, a date and a status, once, and its line in the index."""
    index = files()["docs/decisions/README.md"].splitlines()
    found = {name: text for name, text in pages().items() if re.match(r"docs/decisions/\d", name)}
    numbers = Counter(Path(name).name[:3] for name in found)
    yield from (f"docs/decisions: {number} is given twice" for number, times in numbers.items() if times > 1)
    for name, text in found.items():
        head, file = DECISION.match(text), Path(name).name
        if head is None or head[1] != file[:3]:
            yield f"{name}: begins with `# NNN Title`, then `Date: YYYY-MM-DD. Status: accepted.` or `replaced by NNN`"
            continue
        line = f"- {head[1]} [{head[2]}]({file})" + (f", {head[3]}" if head[3] != "accepted" else "")
        if index.count(line) != 1:
            yield f"docs/decisions/README.md: has not this line once: {line}"
        yield from (f"{name}: {each} is no decision" for each in re.findall(r"\d{3}", head[3]) if numbers[each] != 1)


def links() -> Iterator[str]:
    """A link leads to a file and a heading in it."""
    for name, text in pages().items():
        for link in LINK.findall(text):
            path, _, anchor = link.partition("#")
            target = (ROOT / name).parent / path if path else ROOT / name
            if not target.exists() or (anchor and anchor not in _anchors(target.read_text(encoding="utf-8"))):
                yield f"{name}: {link} leads nowhere"


def _anchors(text: str) -> set[str]:
    plain = (
        re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line).lower() for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    )
    return {re.sub(r"[^\w -]", "", line).strip().replace(" ", "-") for line in plain}


def named_files() -> Iterator[str]:
    """A module that a page names exists; replaced decisions name what there was then."""
    paths = {name for name in files() if name.endswith(".py")}
    names = {Path(path).name for path in paths}
    for page, text in pages().items():
        if "Status: replaced" not in text and not page.startswith("api/docs"):
            for named in re.findall(r"`([\w./-]+\.py)(?:::\w+)?`", text):
                if named not in (paths if "/" in named else names):
                    yield f"{page}: {named} does not exist"


def named_tests() -> Iterator[str]:
    """A test that a page names exists: those of threats and of ASVS above all."""
    for page, text in pages().items():
        for path, name in TEST.findall(text):
            if name not in _tests_in(path):
                yield f"{page}: {path}::{name} does not exist"
    rows = re.findall(r"^\| (\d+) \| [^|]+ \| ([^|]*) \|$", files()["docs/threats.md"], re.MULTILINE)
    if [int(number) for number, _ in rows] != list(range(1, len(rows) + 1)):
        yield "docs/threats.md: a number is missing or stands twice"
    rows += re.findall(r"^\| (\d+\.\d+\.\d+) \| [12] \| [^|]+ \| ([^|]*) \|$", files()["docs/asvs.md"], re.MULTILINE)
    reasons = ("Not tested: ", "Not applicable: ", "Open: ", "Not done: ", "Not done (no test): ")
    yield from (f"row {number}: no test and no reason" for number, held in rows if not TEST.search(held)
                and not held.startswith(reasons))  # fmt: skip


@cache
def _tests_in(path: str) -> set[str]:
    tree = ast.parse(files().get(path, ""))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node.name for node in functions if node.name.startswith("test_") or path == "tools/check_repository.py"}


def one_name_one_class() -> Iterator[str]:
    """A public class name of the product stands for one class; providers repeat theirs in folders of their own."""
    homes = defaultdict(list)
    for name, text in modules(*PRODUCT).items():
        for found in re.findall(r"^class ([A-Z]\w*)", text, re.MULTILINE):
            homes[found].append(name)
    yield from (f"{', '.join(where)}: class {name} has more than one meaning" for name, where in homes.items()
                if len(where) > 1)  # fmt: skip


def replaced_words() -> Iterator[str]:
    """The field's words stand in names, comments, docstrings and pages, not those that they have replaced."""
    for name, text in {**modules(*PRODUCT, "providers", "tests", "bench", "tools"), **_documentation()}.items():
        words = _words_of_module(text) if name.endswith(".py") else _words_of_page(text)
        found = (words & REPLACED) - OTHERWISE.get(name, set())
        yield from (f"{name}: {word!r} has been replaced, see docs/glossary.md" for word in sorted(found))


def _documentation() -> dict[str, str]:
    return {name: text for name, text in pages().items() if "/" not in name or name.startswith("docs/")}


def _words_of_page(text: str) -> set[str]:
    prose = re.sub(r"```.*?```|^(?: {4}|\t)[^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE)
    return set(re.findall(r"[a-z]+", _without_code(prose).lower()))


def _words_of_module(source: str) -> set[str]:
    if not any(word in source.lower() for word in REPLACED):
        return set()
    tokens = [*tokenize.generate_tokens(io.StringIO(source).readline)]
    names = [token.string for token in tokens if token.type == tokenize.NAME]
    prose = [token.string for token in tokens if token.type == tokenize.COMMENT]
    prose += [node.value.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr)
              and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)]  # fmt: skip
    parts = (part.lower() for name in names for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))
    return {*parts, *(word for text in prose for word in re.findall(r"[a-z]+", _without_code(text).lower()))}


def _without_code(text: str) -> str:
    return re.sub(r"`[^`]*`|https?://\S+", "", text)


def product_alone() -> Iterator[str]:
    """Nothing refers to what lies outside the repository, and no file holds a key or names a machine."""
    for name, text in files().items():
        if name.startswith("api/docs") or name == "tools/check_repository.py":
            continue
        for what, form in {**ELSEWHERE, **KEYS}.items():
            if re.search(form, text) and not (name in DEFAULTS and what == "a file beside the repository"):
                yield f"{name}: {what}"


def locks() -> Iterator[str]:
    """Every package that is needed is locked with the digests of its files, and what runs is tested in the same version."""
    said = tomllib.loads(files()["pyproject.toml"])
    runs, extras = said["project"]["dependencies"], said["project"]["optional-dependencies"]
    needs = {
        "requirements.lock": runs,
        "requirements-test.lock": runs + extras["test"] + extras["bench"] + extras["s3"],
    }
    lines = {}
    for lock in ("requirements.lock", "requirements-test.lock"):
        logical = re.sub(r"\\\n\s*", " ", files()[lock]).splitlines()
        lines[lock] = {line for line in logical if line and not line.startswith("#")}
        yield from (f"{lock}: without a digest: {line[:60]}" for line in lines[lock] if not LOCKED.match(line))
        wanted = {re.split(r"[^\w-]", need)[0].lower() for need in needs[lock] + said["build-system"]["requires"]}
        missing = wanted - {line.partition("==")[0] for line in lines[lock]}
        yield from (f"{lock}: has not {name}" for name in sorted(missing))
    versions = {line.split()[0] for line in lines["requirements-test.lock"]}
    for line in lines["requirements.lock"]:
        if line.split()[0] not in versions:
            yield f"requirements-test.lock: has not {line.split()[0]}"
        if line.partition("==")[0] in TESTING:
            yield f"requirements.lock: {line.split()[0]} is for tests"
    for line in re.findall(r"^\t@?\$\(INSTALL\) (.*)$", files()["Makefile"], re.MULTILINE):
        if "--require-hashes" not in line and "--no-deps --no-build-isolation --editable ." not in line:
            yield f"Makefile: installs without digests: {line}"


def shipped() -> Iterator[str]:
    """What is shipped is what the product is made of, in modules that can be read in one go."""
    packages = {*PRODUCT, "providers"}
    targets = tomllib.loads(files()["pyproject.toml"])["tool"]["hatch"]["build"]["targets"]
    if set(targets["wheel"]["packages"]) != packages:
        yield f"pyproject.toml: the wheel holds other packages than {', '.join(sorted(packages))}"
    if not {"tests", "bench", "tools"}.isdisjoint(targets["sdist"]["include"]):
        yield "pyproject.toml: the source distribution holds what tests and measures"
    for name, text in modules(*packages).items():
        if text.count("\n") > LONGEST:
            yield f"{name}: longer than {LONGEST} lines"


def linter() -> Iterator[str]:
    """Every rule of the linter is on; those on security are off for tests and benchmarks alone, and silenced for no SQL.

    No parser of XML that a document type could reach is imported but in one module (banned in pyproject.toml), and no name that
    begins with an underscore, which the linter finds as an attribute alone.
    """
    lint = tomllib.loads(files()["pyproject.toml"])["tool"]["ruff"]["lint"]
    off = {where for where, rules in lint["per-file-ignores"].items() if "S" in rules}
    if lint["select"] != ["ALL"] or any(re.fullmatch(r"S\d*", rule) for rule in lint["ignore"]) or off != RELAXED:
        yield "pyproject.toml: a rule on security is off"
    for name, text in modules(*PRODUCT, "providers").items():
        if re.search(r"noqa: [^\n]*S608", text) and not name.startswith("store/migrations/versions/"):
            yield f"{name}: SQL that is put together is silenced"
        if re.search(r"noqa: [^\n]*TID251", text) and name not in BANNED_ELSEWHERE:
            yield f"{name}: a module that is banned is imported"
        yield from (f"{name}: imports the private {each}" for each in PRIVATE.findall(text))


def rooms() -> Iterator[str]:
    """Rooms, circles, capabilities and weight stay within the bars of `make house`; docs/architecture.md shows the first three."""
    for what, found, most in house.figures(house.structure()):
        if any(int(a) > int(b) for a, b in zip(found.split(","), most.split(","), strict=True)):
            yield f"{what}: {found}, at most {most}"
        if f"| {what} | {found} | {most} |" not in files()["docs/architecture.md"]:
            yield f"docs/architecture.md: has not | {what} | {found} | {most} |"
    for what, weighed, way, bar in house.weights(house.weigh()):
        if weighed > bar if way == "at most" else weighed < bar:
            yield f"{what}: {weighed}, {way} {bar}"


RULES: tuple[Callable[[], Iterator[str]], ...] = (
    decisions, links, named_files, named_tests, one_name_one_class, replaced_words, product_alone, locks,
    shipped, linter, rooms, only_defaults, names_of_settings, retention,
)  # fmt: skip


def main() -> None:
    faults = [fault for rule in RULES for fault in rule()]
    sys.stderr.writelines(f"{fault}\n" for fault in faults)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
