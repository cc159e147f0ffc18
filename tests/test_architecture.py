"""The architecture as it is drawn: where imports may point, and what each part must not touch."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest

from tests.kit.repository import MAY_IMPORT, ROOT, TEXT, _followed, everywhere, modules, name_of, reading, tracked, used

LONGEST = 400
IMPURE_MODULES = {"asyncio", "anyio", "httpx", "sqlalchemy", "socket", "random", "secrets", "uuid", "subprocess"}
IMPURE_CALLS = {
    "time.time",
    "time.time_ns",
    "time.monotonic",
    "time.perf_counter",
    "datetime.now",
    "datetime.utcnow",
    "datetime.today",
    "date.today",
    "os.environ",
    "os.getenv",
    "os.urandom",
}
CLIENTS = {"httpx.Client", "httpx.AsyncClient", "aiohttp.ClientSession", "requests.Session"}
CLIENT_MODULES = {
    "api/desk/openid_provider.py",
    "providers/http_client.py",
    "ingest/guard/guarded_session.py",
    "ingest/telemetry/traces.py",
}
HTTPX_SHORTCUTS = {f"httpx.{verb}" for verb in ("get", "post", "put", "patch", "delete", "head", "request", "stream")}

# Written in pieces, so that this file does not find itself.
FORBIDDEN = {
    "a path of somebody's machine": "|".join(
        rf"(?<![\w.:/-])/{folder}/\w" for folder in ("wo" + "rk", "ro" + "ot", "ho" + "me", "Us" + "ers")
    ),
    "a host that packages come from": "|".join(("pypi" + r"\.org/simple", "python" + "hosted", "index" + "-url *[=:]")),
    "a private key": "BEGIN [A-Z ]*PRIVATE" + " KEY",
    "a merge conflict": "^(<{7}|>{7}) ",
}


def imported(path, *, types=True):
    """The names of all modules that a file imports, wherever; without `types`, not those that only a type checker runs."""
    for node in reading(path).imports:
        if not types and node in reading(path).for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            yield "." * node.level + (node.module or "")


def drawn(path):
    """What a file imports from modules, name by name."""
    for node in reading(path).imports:
        yield from (f"{node.module}.{alias.name}" for alias in node.names if isinstance(node, ast.ImportFrom))


def roots(path):
    return {name.split(".")[0] for name in imported(path)}


def calls(path):
    """Dotted names that a file calls, with imports followed."""
    return {*_followed(path, reading(path).called)}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_down(package):
    """A package imports of the product only what stands below it."""
    allowed = MAY_IMPORT[package] | {package}
    wrong = {
        (name_of(path), name)
        for path in modules(package)
        for name in roots(path)
        if name in MAY_IMPORT.keys() - allowed or name in {"tests", "bench"}
    }

    assert wrong == set()


def test_imports_are_absolute():
    """No import is relative, so the rule above sees all of them."""
    assert {name_of(path) for path in everywhere() if any(name.startswith(".") for name in imported(path))} == set()


def test_only_the_store_speaks_sql():
    """No package but `store` loads SQLAlchemy, alembic or a driver; to others a unit's `Connection` is only a type."""
    drivers = {"sqlalchemy", "alembic", "sqlite3", "aiosqlite", "psycopg"}
    loaded = {(name_of(path), name) for path in everywhere() for name in imported(path, types=False)}
    named = {(name_of(path), name) for path in everywhere() for name in drawn(path)}

    assert {path for path, name in loaded if name.split(".")[0] in drivers and not path.startswith("store/")} == set()
    assert {
        (path, name)
        for path, name in named
        if name.split(".")[0] in drivers and not path.startswith("store/") and name != "sqlalchemy.Connection"
    } == set()


def test_four_modules_create_http_clients():
    """HTTP clients come from four modules: one for providers, with time-outs and size caps, one for addresses that clients
    name, with the guard, one for the operator's collector of traces, whose library takes a client of its own kind, and one
    for the operator's provider of OpenID Connect, bounded as that for providers is."""
    makers = {name_of(path) for path in everywhere() if calls(path) & (CLIENTS | HTTPX_SHORTCUTS)}

    assert makers <= CLIENT_MODULES


def test_mapping_is_pure():
    """`mapping` does no I/O, draws no random numbers and has no clock: what changes comes in as an argument."""
    wrong = {
        (name_of(path), name)
        for path in modules("mapping")
        for name in (roots(path) & IMPURE_MODULES) | used(path) & IMPURE_CALLS
    }

    assert wrong == set()


def test_modules_are_short():
    """No module is longer than can be read in one go."""
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in everywhere()}

    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_modules_say_why_they_exist():
    """Every module that has code opens with a docstring."""
    silent = {name_of(path) for path in everywhere() if not reading(path).described}

    assert silent == set()


def test_the_wheel_holds_the_packages_and_no_tests():
    """What is shipped is what the product is made of."""
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]

    assert set(targets["wheel"]["packages"]) == set(MAY_IMPORT)
    assert not {"tests", "bench"} & set(targets["sdist"]["include"])


def test_the_locks_know_what_the_project_needs():
    """Every dependency is locked to one version with hashes, those of tests and benchmarks in a lock of their own."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    runs = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    extras = project["project"]["optional-dependencies"]

    for lock, needs in (
        ("requirements.lock", runs),
        ("requirements-test.lock", [*runs, *extras["test"], *extras["bench"], *extras["s3"]]),
    ):
        text = (ROOT / lock).read_text(encoding="utf-8")
        locked = re.findall(r"^([a-z0-9-]+)==\S+(?: ; [^\\\n]+)? \\\n    --hash=", text, re.MULTILINE)
        assert {re.match(r"[A-Za-z0-9_-]+", need)[0].lower() for need in needs} - set(locked) == set()


def test_the_repository_speaks_of_the_product_alone():
    """No file names a machine, a package host or a secret."""
    files = [path for path in tracked() if path.suffix in TEXT]
    assert len(files) > len(MAY_IMPORT)

    found = {
        (name_of(path), what)
        for path in files
        for what, pattern in FORBIDDEN.items()
        if re.search(pattern, path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    }

    assert found == set()


def test_a_stored_event_is_rewritten_in_one_way():
    """Whoever copies the fields of one by hand forgets one some day: its time, its author."""
    made = {
        str(path.relative_to(ROOT))
        for package in ("api", "ingest", "store")
        for path in modules(package)
        if re.search(r"\bEventWrite\(", path.read_text(encoding="utf-8"))
    }

    assert made <= {"store/engine/records.py", "api/events/endpoint.py"}


def test_liveblogs_are_written_through_one_door():
    """What a transaction holds of a liveblog is true only as long as nobody else writes the row.

    A restore writes all of them while nobody has the database.
    """
    writes = re.compile(
        r"\b(?:update|insert|delete|update_rows|insert_rows|insert_ignore|upsert)\(\s*(?:tables\.)?games\b"
    )
    found = {name_of(path) for path in everywhere() if writes.search(path.read_text(encoding="utf-8"))}

    assert found - {"store/engine/sql/bulk_write.py"} == {
        "store/liveblogs/liveblogs.py",
        "store/upkeep/new_numbers.py",
    }  # where an example in the docstring says how
