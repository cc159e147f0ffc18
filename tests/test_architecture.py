"""The architecture as it is drawn: where imports may point, and what each part must not touch."""

import ast
import re
from functools import cache
from typing import NamedTuple

import pytest

from tests.kit.repository import ROOT

MAY_IMPORT = {
    "config": set(),
    "mapping": set(),
    "providers": {"mapping"},
    "store": {"mapping"},
    "api": {"config", "mapping", "store"},
    "ingest": {"api", "config", "mapping", "providers", "store"},
}
DRIVERS = {"sqlalchemy", "alembic", "sqlite3", "aiosqlite", "psycopg"}
IMPURE_MODULES = {"asyncio", "anyio", "httpx", "sqlalchemy", "socket", "random", "secrets", "uuid", "subprocess"}
IMPURE_CALLS = {
    "time.time", "time.time_ns", "time.monotonic", "time.perf_counter", "datetime.now", "datetime.utcnow", "datetime.today",
    "date.today", "os.environ", "os.getenv", "os.urandom",
}  # fmt: skip
CLIENTS = {"httpx.Client", "httpx.AsyncClient", "aiohttp.ClientSession", "requests.Session"} | {
    f"httpx.{verb}" for verb in ("get", "post", "put", "patch", "delete", "head", "request", "stream")
}
KNOW_HTTP = ("ingest/cli/", "ingest/daemon/", "ingest/server/")
CLIENT_MODULES = {
    "api/desk/openid_provider.py",
    "providers/http_client.py",
    "ingest/guard/guarded_session.py",
    "ingest/telemetry/traces.py",
}


class Module(NamedTuple):
    """What the tests want to know of a file."""

    text: str
    named: set[str]
    """What is imported, also for types alone: `package.module.name`."""
    used: set[str]
    """Dotted names with imports followed: `datetime.datetime.now` as `datetime.now`."""
    called: set[str]


@cache
def modules(package):
    """The modules of a package by name."""
    paths = sorted((ROOT / package).rglob("*.py"))
    assert paths
    return {path.relative_to(ROOT).as_posix(): read(path.read_text(encoding="utf-8")) for path in paths}


@cache
def product():
    """All modules of the product by name."""
    return {name: module for package in MAY_IMPORT for name, module in modules(package).items()}


def read(text):
    nodes = [*ast.walk(ast.parse(text))]
    known, named = {}, set()
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            before = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for each in node.names:
                whole = before or each.asname
                known[each.asname or each.name.split(".")[0]] = before + (
                    each.name if whole else each.name.split(".")[0]
                )
            named |= {before + each.name for each in node.names}

    def followed(expressions):
        found = (dotted(each).partition(".") for each in expressions)
        names = {known.get(first, first) + dot + rest for first, dot, rest in found}
        return {name.replace("datetime.datetime", "datetime", 1) for name in names}

    called = (node.func for node in nodes if isinstance(node, ast.Call))
    used = (node for node in nodes if isinstance(node, ast.Name | ast.Attribute))
    return Module(text, named, followed(used), followed(called))


def dotted(node):
    """`a.b.c` of names alone, empty for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    before = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{before}.{node.attr}" if before else ""


def tops(names):
    return {name.split(".")[0] for name in names}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_down(package):
    """A package imports of the product only what stands below it."""
    others = {*MAY_IMPORT, "tests", "bench", "tools"} - MAY_IMPORT[package] - {package}
    wrong = {name: tops(module.named) & others for name, module in modules(package).items()}

    assert {name: what for name, what in wrong.items() if what} == {}


def test_the_sync_does_not_know_http():
    """Of `ingest` the rooms alone that compose the service know `api`: command line, daemon and server, and the bundles."""
    others = {name: each for name, each in modules("ingest").items() if not name.startswith(KNOW_HTTP)}

    assert {name for name, module in others.items() if "api" in tops(module.named)} == set()


def test_the_composition_imports_little_of_the_api():
    """Command line, daemon and server: what they and the API share lies below both."""
    lines = [
        line
        for name, module in modules("ingest").items()
        if name.startswith(KNOW_HTTP[:3])
        for line in re.findall(r"^ *(?:from|import) api\b.*", module.text, flags=re.MULTILINE)
    ]

    assert len(lines) <= 12, lines


def test_only_the_store_speaks_sql():
    """No package but `store` names SQLAlchemy, alembic or a driver; to others a unit's `Connection` is only a type."""
    others = {name: module for name, module in product().items() if not name.startswith("store/")}

    assert {
        name for name, module in others.items() if tops(module.named - {"sqlalchemy.Connection"}) & DRIVERS
    } == set()


def test_four_modules_create_http_clients():
    """For providers, with time-outs and size caps; for addresses that clients name, with the guard; for the operator's
    collector of traces, whose library takes its own kind; for the operator's provider of OpenID Connect, bounded as the first."""
    assert {name for name, module in product().items() if module.called & CLIENTS} <= CLIENT_MODULES


def test_mapping_is_pure():
    """`mapping` does no I/O, draws no random numbers and has no clock: what changes comes in as an argument."""
    mapping = {name: module for name, module in product().items() if name.startswith("mapping/")}
    impure = {
        name: tops(module.named) & IMPURE_MODULES | module.used & IMPURE_CALLS for name, module in mapping.items()
    }

    assert {name: what for name, what in impure.items() if what} == {}


@pytest.mark.parametrize(
    ("form", "only"),
    [
        pytest.param(
            r"\bEventWrite\(",
            {"store/engine/liveblog_records.py", "api/events/operations.py"},
            id="an event is rewritten",
        ),
        pytest.param(
            r"\b(?:update|insert|delete|update_rows|insert_rows|insert_ignore|upsert)\(\s*(?:tables\.)?games\b",
            {"store/liveblogs/liveblogs.py", "store/upkeep/backup.py", "store/engine/statements.py"},
            id="a liveblog is written",
        ),
    ],
)
def test_there_is_one_way_to_do_it(form, only):
    """Whoever copies an event by hand forgets a field some day; what a transaction holds of a liveblog is true while nobody
    else writes the row (a restore does while nobody has the database; `bulk_write` shows an example)."""
    assert {name for name, module in product().items() if re.search(form, module.text)} <= only
