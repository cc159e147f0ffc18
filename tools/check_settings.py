"""A setting keeps its name from `config/default.toml` to the code that uses it, so that a search for it finds its way.

What docs/running.md says of how long things are kept names settings with their defaults.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from config.schema_walk import FILE_SUFFIX
from tools.default_file import documented, known_as

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("ingest", "providers", "mapping", "store", "api")
HANDING_ON = {"ingest/daemon/build.py", "ingest/daemon/run.py", "ingest/sync/provider_source.py"}
"""Modules that hand settings on: a name that ends there is lost."""
JOINED = {"previous_secret": "config/organizations.py joins it with `secret` in `Client.secrets`"}


@functools.cache
def keys() -> list[str]:
    """The last part of each key that the file documents; what names a secret's file ends in config/."""
    found = {next(part for part in reversed(path) if part != "*") for path, _ in known_as(documented())}
    return sorted(key for key in found - JOINED.keys() if not key.endswith(FILE_SUFFIX))


ELSEWHERE = {
    "ingest/cli/": "options of commands, which say so in their help",
    "mapping/documents/": "what a request leaves out, as the interface says",
    "mapping/documents/import_options.py": "what a request leaves out, as the interface says",
    "providers/contract/": "the contract kit runs without the daemon's settings",
    "providers/replay/": "the replay is a program with settings of its own",
}
"""Places with defaults of their own, and why."""
OPTIONS = {
    "api/page/scoreboard.py ShownClock.live",
    "ingest/jobs/purges.py in_batches.pause",
    "ingest/guard/guarded_session.py resolve.port",
    "mapping/fusion/source_pair.py PairState.lead",
    "mapping/rules/webhook_delivery.py Plan.rounds",
    "store/webhooks/deliveries.py Delivery.rounds",
    "store/engine/loops.py LogOnce.level",
    "store/webhooks/outbox.py purge.after",
}
"""Defaults of something else that is called like a setting."""


@functools.cache
def found() -> tuple[set[str], list[str]]:
    """Identifiers of the code that uses settings, and where something is called as a setting and has a value of its own.

    The place is `file function.argument` or `file Class.field`.
    """
    identifiers: set[object] = set()
    defaults: list[str] = []
    for place, path in (
        (str(path.relative_to(ROOT)), path) for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if place not in HANDING_ON:
                identifiers |= {getattr(node, field, None) for field in ("id", "attr", "arg")}
            if not place.startswith(tuple(ELSEWHERE)):
                own = (name for name, value in own_defaults(node) if name in keys() and not is_nothing(value))
                defaults += (f"{place} {getattr(node, 'name', '')}.{name}" for name in own)
    return {name for name in identifiers if isinstance(name, str)}, defaults


EMPTY = {"dict", "list", "set", "frozenset"}
EMPTY_VALUES = {"()", *(f"{kind}()" for kind in EMPTY)}


def own_defaults(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Name and default of the arguments of a function, or of the fields of a class."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        placed = [*node.args.posonlyargs, *node.args.args]
        given: list[tuple[ast.arg, ast.expr | None]] = [*zip(placed[::-1], node.args.defaults[::-1], strict=False)]
        given += zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        yield from ((argument.arg, value) for argument, value in given if value is not None)
    elif isinstance(node, ast.ClassDef):
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and each.value is not None:
                yield ast.unparse(each.target), each.value


def is_nothing(value: ast.expr) -> bool:
    """Whether a default says only that nothing was given: None, an empty text, or an empty collection."""
    if isinstance(value, ast.Call) and value.keywords:
        given = {each.arg: each.value for each in value.keywords}
        made = given.get("default_factory")
        return is_nothing(given["default"]) if "default" in given else made is None or ast.unparse(made) in EMPTY
    return (isinstance(value, ast.Constant) and value.value in (None, "")) or ast.unparse(value) in EMPTY_VALUES


def only_defaults() -> Iterator[str]:
    """What is called as a setting has no value of its own in the code that uses it."""
    for place in sorted({*found()[1]} ^ OPTIONS):
        yield f"{place}: a default beside config/, or a row of OPTIONS without one"


def names_of_settings() -> Iterator[str]:
    """Some identifier beyond config/ and the composition root is the key, or ends with it (`webhooks_per_organization`)."""
    names = found()[0]
    ends = {name[at:] for name in names for at in range(len(name)) if not at or name[at - 1] == "_"}
    for key in keys():
        if key not in ends:
            yield f"{key}: nobody uses the setting by its name"


def retention() -> Iterator[str]:
    """Each setting of the table exists, and one that bounds a row has the default that the row says."""
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    table = re.search(r"## What is kept for how long\n\n(.*?)\n\n", page, re.DOTALL)
    settings = documented()
    for row in table[1].splitlines()[2:] if table else ["| | | | | |"]:
        _, _, kept, named, _, _ = row.split("|")
        for section, key in re.findall(r"`(\w+)\.(\w+)`", named):
            if key != "max_bytes" and str(settings[section][key]) not in f"{kept} {named}":
                yield f"docs/running.md: {section}.{key} is {settings[section][key]}"
