"""What every test may ask for."""

import gc
import os
import secrets
import sys
import zlib
from collections.abc import AsyncIterator, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from hypothesis import settings
from starlette.types import Scope

from api.desk import passwords
from api.http.request import Context
from api.middleware import outermost
from store.database import Store
from store.engine import migrate
from tests.kit.budget import Budget
from tests.kit.opening import store_at
from tests.kit.people import cheap_hasher
from tests.kit.pgbouncer import missing, pgbouncer, pgbouncer_url
from tests.kit.postgres import Cluster, binaries, identity, memory_folder, server_folder
from tests.kit.receivers import receiver, second_receiver, shared_receivers
from tests.kit.s3_server import s3, s3_endpoint
from tests.kit.statements import share_compiled_statements

__all__ = ["pgbouncer", "pgbouncer_url", "receiver", "s3", "s3_endpoint", "second_receiver", "shared_receivers"]

# httpx looks for it at each request to an app of this process, and where it is missing along the whole path; known to be
# missing it is not looked for.
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]

share_compiled_statements()

# The same examples in every run, so that a red run means something; `make soak` draws fresh ones, and twice as many. A
# deadline by the clock would fail on a busy machine.
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("fresh", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("fixed")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Budget(config))
    if folder := memory_folder():
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(folder))  # where each `tmp_path` is


def pytest_collection() -> None:
    """No garbage is looked for while thousands of tests are collected, and none among them later: they stay to the end."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Each of several workers begins at another file of a folder, and finds compiled what the others have read by then."""
    report = yield
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    if isinstance(collector, pytest.Directory):
        at = len(report.result) * number // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        report.result = [*report.result[at:], *report.result[:at]]
    return report


def crc_of_file(item: pytest.Item) -> int:
    return zlib.crc32(item.nodeid.partition("::")[0].encode())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, None, None]:
    """Spread files that wait among files that compute where several workers share them; one process keeps the files' order.

    First of all too, as workers need one order, and what others make of it follows from what they are given.
    """
    sort = partial(items.sort, key=crc_of_file) if hasattr(config, "workerinput") else list
    sort()
    yield
    sort()


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Passwords are hashed by Argon2id at its cheapest; its real parameters are one test's."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(passwords, "password_hasher", cheap_hasher)
        yield


FAILED: list[str] = []
"""Requests of this process that were answered 500."""
_log_failed = outermost._log_failed


def _note_failed(scope: Scope, context: Context, error: Exception) -> None:
    FAILED.append(f"{scope['method']} {scope['path']}: {error!r}")
    _log_failed(scope, context, error)


outermost._log_failed = _note_failed


@pytest.fixture(autouse=True)
def failed_requests() -> Iterator[list[str]]:
    """No request of any test is answered 500; one that plants a fault takes it out of this list."""
    yield FAILED
    failed, FAILED[:] = FAILED[:], []
    assert failed == []


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[Cluster]:
    """One server for all tests of this process; skips where there are no binaries, fails instead in CI."""
    programs = binaries()
    if programs is None:
        missing("PostgreSQL's initdb and postgres are not installed")
    if os.geteuid() == 0 and not identity():
        missing("PostgreSQL does not run as root, and there is no user postgres")
    with server_folder() as folder:
        cluster = Cluster(folder, programs)
        try:
            cluster.create()
            cluster.cheapen_logins()
            yield cluster
        finally:
            cluster.kill()


@pytest.fixture(scope="session")
def postgres_template(postgres_cluster: Cluster) -> str:
    """The name of a database with a current schema; a copy of it costs a fifth of what migrations do."""
    name = "migrated"
    url = postgres_cluster.create_database(name)
    with ThreadPoolExecutor(1) as thread:  # a thread of its own has no event loop, which `upgrade` needs to be free
        thread.submit(migrate.upgrade, url).result()
    return name


@pytest.fixture
def postgres_url(postgres_cluster: Cluster, postgres_template: str) -> Iterator[str]:
    """The address of a database with a current schema that this test has for itself: `postgresql+asyncpg://…`."""
    yield from _database(postgres_cluster, postgres_template)


@pytest.fixture
def bare_postgres_url(postgres_cluster: Cluster) -> Iterator[str]:
    """The same without any table."""
    yield from _database(postgres_cluster, "template0")


def _database(cluster: Cluster, template: str) -> Iterator[str]:
    name = f"test_{secrets.token_hex(8)}"
    yield cluster.create_database(name, template)
    cluster.drop_database(name)


@pytest.fixture
async def two_stores(postgres_url: str) -> AsyncIterator[tuple[Store, Store]]:
    """Two processes' views of one database."""
    first = await store_at(postgres_url)
    second = await store_at(postgres_url)
    yield first, second
    await first.close()
    await second.close()
