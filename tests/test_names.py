"""One name, one meaning: classes and files that would be distinguished by their folder alone."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("ingest", "mapping", "store", "api", "config")
PROVIDERS = ("providers",)
ROLES = {
    "__init__.py": "a package",
    "endpoint.py": "the handlers of a resource",
    "tables.py": "the tables of a part of the store",
    "documents.py": "the documents of a capability",
    "capability.py": "the row of a capability, and what such a row is",
    "backend.py": "the store on one kind of database",
    "base.py": "what the modules of its folder share",
    "adapter.py": "fetches from a provider",
    "payload.py": "a provider's raw documents",
    "translate.py": "a provider's documents to the canonical match",
    "catalog.py": "what a provider offers",
    "names.py": "a provider's names that the configuration can correct",
    "clock.py": "a provider's times of play",
    "read.py": "a provider's scalar values",
    "resolve.py": "a phase or overall to its match",
    "score.py": "a provider's scores",
    "sport.py": "which sport a provider's match is of",
    "squads.py": "a provider's line-ups",
}
"""File names that repeat on purpose, one for each resource, database or provider."""
FOLDERS = (*PRODUCT, *PROVIDERS, "tests", "bench", "tools")
REPLACED = {
    "asked": "requested", "asking": "fetch", "bury": "reap", "dressed": "with references", "horizon": "cursor",
    "house": "components",
    "illegible": "unreadable", "judged": "classified", "lane": "receiver, endpoint limiter", "lanes": "receivers",
    "makings": "input fingerprint", "misfit": "value mismatch", "olderform": "legacy event", "peek": "json path",
    "presence": "liveness lock", "remember": "cache", "remembered": "change cache", "remembers": "caches",
    "rhythm": "intervals", "tell": "log, report, notify", "telling": "notifying", "tells": "says", "told": "logged, reported",
    "wires": "connections",
}  # fmt: skip
"""Words that better known ones have replaced, see docs/glossary.md: in names, comments and docstrings.

A *decorated* game is the interface's own word for one with its references resolved, and stays.
"""
REPLACED_NAMES = {
    "gave_up": "abandoned", "kept_away": "throttled", "spare": "try_read", "voice": "notify sender",
    "Branches": "routes", "Buckets": "rate limiter", "Elsewhere": "", "Gate": "", "Guard": "SsrfGuard, RequestLimits",
    "Hand": "worker", "Held": "EndpointPaused, ReceiverClaim", "Homes": "liveblog index", "Notices": "NotifyListener",
    "Pace": "PollIntervals", "Question": "ResourceRequest", "Silence": "NoNotify", "Slots": "PollSlots",
    "Standing": "StoredEvent", "Turn": "batch", "Watch": "PeerMonitor", "Wire": "connector",
}  # fmt: skip
"""Names that as a whole have been replaced; their words mean other things elsewhere."""
OTHERWISE = {
    "tools/demo/wire.py": {"Wire"},  # the provider's format on the wire
    "tools/demo/others/grandprix.py": {"lane"},  # where cars stop
    "tools/house.py": {"house"},  # `make house` measures how the product is built
    "tests/test_house.py": {"house"},
}


def modules(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def classes(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def test_a_class_name_means_one_thing():
    """No two classes of the product have the same name; providers repeat theirs in folders of their own."""
    homes = defaultdict(list)
    for path in modules(*PRODUCT):
        for name in classes(path):
            if not name.startswith("_"):
                homes[name].append(str(path.relative_to(ROOT)))

    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_a_file_name_means_one_thing_in_its_top_level_folder():
    """Within a top-level folder a name stands for one file, but for the roles that repeat on purpose."""
    homes = defaultdict(list)
    for path in modules(*PRODUCT, *PROVIDERS):
        if "migrations" not in path.parts and "contract" not in path.parts and "replay" not in path.parts:
            homes[path.relative_to(ROOT).parts[0], path.name].append(str(path.relative_to(ROOT)))
    twice = {name: paths for (_, name), paths in homes.items() if len(paths) > 1 and name not in ROLES}

    sports = {"soccer.py", "tennis.py", "motorsports.py"}
    assert {name: paths for name, paths in twice.items() if name not in sports} == {}


def names_of(tree):
    """Names that a module gives: of classes, functions, arguments, variables, attributes, keywords and imports' aliases."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name


def words_in(name):
    """`_RateLimiter2` is rate and limiter."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def prose_of(source, tree):
    """Comments and docstrings, also those of variables; other strings are shown to users or are values."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def replaced_in(source, path="module.py"):
    """Replaced words of a file, each as often as it occurs: in its name, in the names it gives, in its prose."""
    text = set(re.findall(r"\w+", f"{path} {source}"))
    if text.isdisjoint(REPLACED_NAMES) and REPLACED.keys().isdisjoint(word for name in text for word in words_in(name)):
        return []
    tree = ast.parse(source)
    words = [word for name in (*Path(path).with_suffix("").parts, *names_of(tree)) for word in words_in(name)]
    words += [word.lower() for text in prose_of(source, tree) for word in re.findall(r"[A-Za-z]+", without_code(text))]
    found = [word for word in words if word in REPLACED] + [name for name in names_of(tree) if name in REPLACED_NAMES]
    return [word for word in found if word not in OTHERWISE.get(path, ())]


def without_code(text):
    """Prose without what is quoted in it: names of log events, fields of documents, commands."""
    return re.sub(r"`[^`]*`|https?://\S+", "", text)


def test_replaced_words_stay_away():
    """No name, comment or docstring has a word that a word of the field has replaced."""
    found = {}
    for path in modules(*FOLDERS):
        name = path.relative_to(ROOT).as_posix()
        if words := replaced_in(path.read_text(encoding="utf-8"), name):
            found[name] = words

    assert found == {}


def replaced_in_text(text):
    """Replaced words of a page of documentation, without its blocks of code."""
    prose = without_code(re.sub(r"```.*?```|^(?: {4}|\t)[^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE))
    return [word.lower() for word in re.findall(r"[A-Za-z]+", prose) if word.lower() in REPLACED]


def test_replaced_words_stay_away_from_the_documentation():
    """Pages for users and for those who work on the code say it in the same words as the code."""
    pages = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    found = {page.relative_to(ROOT).as_posix(): replaced_in_text(page.read_text(encoding="utf-8")) for page in pages}

    assert len(pages) > 40
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It is told by its status.", ["told"]),
        ("| name | tells teams apart |", ["tells"]),
        ("The event `match.told`.", []),
        ("```\ntell\n```\nand\n\n    asked = 1\n\nhorizon", ["horizon"]),
    ],
)
def test_a_replaced_word_would_be_found_in_a_page(text, words):
    """In prose and tables, not in code."""
    assert replaced_in_text(text) == words


@pytest.mark.parametrize(
    "source",
    [
        "class House: ...",
        "def wires(): ...",
        "def f(told): ...",
        "self.asked_for = 1",
        "x = 1  # told once",
        '"""Who is told of what."""',
        "def spare(): ...",
        "class Slots: ...",
        "from store import notify as voice",
    ],
)
def test_a_replaced_word_would_be_found(source):
    """In classes, functions, arguments, attributes, aliases, comments and docstrings."""
    assert replaced_in(source)


@pytest.mark.parametrize(
    "source",
    [
        "log.info('match.told')",
        "def spare_connections(): ...",
        "class PollSlots: ...",
        '"""The field `asked` of a poll."""',
    ],
)
def test_other_words_are_left_alone(source):
    """Log events, parts of other names, and quoted names of the interface."""
    assert replaced_in(source) == []
