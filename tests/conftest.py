"""What every test may ask for."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.pgbouncer import missing, pgbouncer, pgbouncer_url
from tests.postgres import Cluster, binaries, identity
from tests.recordings import required, soccer_recordings

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["pgbouncer", "pgbouncer_url"]

# The same examples in every run, so that a red run means something; `make soak` draws fresh ones. A deadline by the clock
# would fail on a busy machine.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("fresh", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("fixed")


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[Cluster]:
    """One server for all tests of this process; skips where there are no binaries, fails instead in CI."""
    programs = binaries()
    if programs is None:
        missing("PostgreSQL's initdb and postgres are not installed")
    if os.geteuid() == 0 and not identity():
        missing("PostgreSQL does not run as root, and there is no user postgres")
    with tempfile.TemporaryDirectory(prefix="matchwire-pg-", ignore_cleanup_errors=True) as folder:
        cluster = Cluster(Path(folder), programs)
        try:
            cluster.create()
            yield cluster
        finally:
            cluster.kill()


@pytest.fixture
def postgres_url(postgres_cluster: Cluster) -> Iterator[str]:
    """The address of an empty database that this test has for itself: `postgresql+asyncpg://…`."""
    name = f"test_{secrets.token_hex(8)}"
    yield postgres_cluster.create_database(name)
    postgres_cluster.drop_database(name)


@pytest.fixture(scope="session")
def recorded_soccer():
    """The paths of the recorded soccer matches; skips where there are none, fails instead in CI."""
    return required(soccer_recordings())
