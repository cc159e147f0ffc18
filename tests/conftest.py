"""What every test may ask for."""

from __future__ import annotations

import gc
import sys
import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from api.desk import passwords
from tests.kit.budget import Budget
from tests.kit.people import cheap_hasher
from tests.kit.pgbouncer import pgbouncer, pgbouncer_url
from tests.kit.receivers import receiver, second_receiver, shared_receivers
from tests.kit.s3_server import s3, s3_endpoint
from tests.kit.statements import share_compiled_statements

if TYPE_CHECKING:
    from collections.abc import Iterator


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


def pytest_collection() -> None:
    """No garbage is looked for while thousands of tests are collected, and none among them later: they stay to the end."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Spread files that wait among files that compute where several workers share them; one process keeps the files' order."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: zlib.crc32(item.nodeid.partition("::")[0].encode()))


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Passwords are hashed by Argon2id at its cheapest; its real parameters are one test's."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(passwords, "password_hasher", cheap_hasher)
        yield
