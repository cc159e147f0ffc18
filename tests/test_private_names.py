"""Third-party packages and our own modules are used by their public names, so that what is behind them may change."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("ingest", "providers", "mapping", "store", "api", "config", "bench", "tools")
INTERNAL = {
    "pydantic.v1": "the version before",
    "sqlalchemy.dialects.postgresql.asyncpg": "`create_engine` and `postgresql+asyncpg://` name the dialect",
    "sqlalchemy.sql.compiler": "documented for extensions by `sqlalchemy.ext.compiler` alone",
    "sqlalchemy.util": "not in the reference",
    "uvicorn.protocols": "`uvicorn.Config(http=…)` names them, and its `http_protocol_class` gives the class",
}
"""Modules that their project does not document, or calls internal, and what to use instead."""
DOCUMENTED = {"_asdict", "_fields", "_make", "_replace", "_mapping", "_exit"}
"""Public in spite of the underscore: of named tuples, of SQLAlchemy's rows, `os._exit`."""
LOOKS = {"getattr", "setattr", "hasattr", "delattr", "attrgetter"}

ALLOWED: dict[tuple[str, str], tuple[str, str, str]] = {}
"""(file, what): its package, why, and the test (`file::name`) that fails when an upgrade changes it."""


def modules():
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]


def is_foreign(module):
    top = module.partition(".")[0]
    return top not in FOLDERS and top not in sys.stdlib_module_names


def is_private(name):
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__")) and name not in DOCUMENTED


def is_internal(dotted):
    """Whether a dotted name is, or lies in, a module that is internal or has a private part."""
    return any(is_private(part) for part in dotted.split(".")) or any(
        dotted == module or dotted.startswith(f"{module}.") for module in INTERNAL
    )


def own_names(nodes):
    """Private names that a module defines itself: what it reaches of its own classes and functions is its own affair."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and _is_own(node.value) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _is_own(node):
    return isinstance(node, ast.Name) and node.id in {"self", "cls"}


def _bases(nodes):
    """Names that classes of the module derive from."""
    return {ast.unparse(base) for node in nodes if isinstance(node, ast.ClassDef) for base in node.bases}


def foreign_names(nodes):
    """Local names that an import binds to something of a third party."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names if is_foreign(alias.name))
        elif isinstance(node, ast.ImportFrom) and is_foreign(node.module or ""):
            yield from (alias.asname or alias.name for alias in node.names)


def private_uses(source):
    """(line, what) of every private or internal name of others, third parties or our own, that a text imports or reaches."""
    nodes = [*ast.walk(ast.parse(source))]
    own, foreign = set(own_names(nodes)), set(foreign_names(nodes))
    inherits = any(base.split(".")[0].split("[")[0] in foreign for base in _bases(nodes))
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (
                (node.lineno, alias.name) for alias in node.names if is_foreign(alias.name) and is_internal(alias.name)
            )
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            dotted = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from ((node.lineno, name) for name in dotted if is_internal(name))
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            if not _is_own(node.value) or inherits:
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Attribute) and _is_internal_attribute(node, foreign):
            yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Call) and _called(node) in LOOKS:
            words = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            yield from ((node.lineno, ast.unparse(node)) for word in words if is_private(word.rpartition(".")[2]))
        elif isinstance(node, ast.Call) and _called(node) in {"import_module", "__import__"}:
            words = [each.value for each in node.args[:1] if isinstance(each, ast.Constant)]
            yield from ((node.lineno, word) for word in words if is_foreign(word) and is_internal(word))


def _is_internal_attribute(node, foreign):
    """`sqlalchemy.util.x` where only `sqlalchemy` was imported; a Load, so that `x: sqlalchemy.util` counts too."""
    if node.attr not in {module.rpartition(".")[2] for module in INTERNAL}:
        return False
    dotted = ast.unparse(node)
    return dotted in INTERNAL and dotted.partition(".")[0] in foreign


def _called(node):
    """The last name of what a call calls."""
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


@cache
def found():
    """(file, what) of all modules, benchmarks too."""
    return {
        (path.relative_to(ROOT).as_posix(), what)
        for path in modules()
        for _, what in private_uses(path.read_text(encoding="utf-8"))
    }


def test_others_are_used_by_their_public_names():
    """No import and no attribute of another package or module begins with an underscore or lies in a module that is internal."""
    assert found() - ALLOWED.keys() == set()


def test_what_is_allowed_is_still_used():
    """An exception leaves the list with what it was for."""
    assert ALLOWED.keys() - found() == set()


def test_what_is_allowed_has_a_reason_a_test_and_a_bound():
    """Each exception says why, names a test that fails on an upgrade, and its package is bound to a minor version."""
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*needs["dependencies"], *needs["optional-dependencies"]["bench"]]
    bounds = {re.match(r"[\w-]+", each)[0]: re.search(r"<(\d+)\.(\d+)", each) for each in wanted}
    for entry, (package, reason, test) in ALLOWED.items():
        file, _, name = test.partition("::")
        assert reason, entry
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), entry
        assert bounds[package], f"{package} is not bound to a minor version"


@pytest.mark.parametrize(
    "source",
    [
        "from httpcore import _backends",
        "from starlette._utils import is_async_callable",
        "import httpcore._async.connection as connection",
        "from sqlalchemy import util",
        "import sqlalchemy\nsqlalchemy.util.await_only",
        "def f(store):\n    store._backend.write()",
        "def f(pool):\n    return getattr(pool, '_connections')",
        "from uvicorn import Server\nclass Mine(Server):\n    def stop(self):\n        self._serve()",
        "from importlib import import_module\nimport_module('httpcore._backends')",
        "from store.engine.ids import _draw",
        "from ingest.sync.poll import Poller\nPoller._apply",
    ],
)
def test_a_private_name_would_be_found(source):
    """Imports in any form, attributes of what is passed in, inherited ones, and names in strings."""
    assert list(private_uses(source))


@pytest.mark.parametrize(
    "source",
    [
        "class Own:\n    def __init__(self):\n        self._held = 1\n    def like(self, other):\n        return other._held",
        "def f(row):\n    return row._asdict(), row._replace(a=1), type(row).__name__",
        "from sqlalchemy import select",
    ],
)
def test_what_is_our_own_or_public_is_left_alone(source):
    """A class may look into its like, and the methods of named tuples are public."""
    assert list(private_uses(source)) == []
