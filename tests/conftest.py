"""What every test may ask for."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.postgres import postgres_cluster, postgres_url
from tests.recordings import required, soccer_recordings

__all__ = ["postgres_cluster", "postgres_url"]

# The same examples in every run, so that a red run means something; `make soak` draws fresh ones. A deadline by the clock
# would fail on a busy machine.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("fresh", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("fixed")


@pytest.fixture(scope="session")
def recorded_soccer():
    """The paths of the recorded soccer matches; skips where there are none, fails instead in CI."""
    return required(soccer_recordings())
