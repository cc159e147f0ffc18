"""What every test may ask for."""

from __future__ import annotations

import pytest

from tests.pgbouncer import pgbouncer, pgbouncer_url
from tests.postgres import postgres_cluster, postgres_url
from tests.recordings import required, soccer_recordings

__all__ = ["pgbouncer", "pgbouncer_url", "postgres_cluster", "postgres_url"]


@pytest.fixture(scope="session")
def recorded_soccer():
    """The paths of the recorded soccer matches; skips where there are none, fails instead in CI."""
    return required(soccer_recordings())
