"""The API over a store whose clock is the server's: what is stored ends as time passes."""

from __future__ import annotations

import pytest

from tests.api.conftest import NOW, declared_database, serving
from tests.kit.opening import pool_settings, store_at
from tests.kit.sqlite import copied_url


@pytest.fixture
async def server(tmp_path):
    """Time stands still unless a test moves it."""
    running = []
    store = await store_at(
        copied_url(tmp_path / "desk.db", declared_database),
        clock=lambda: running[0].now if running else NOW,
        pool=pool_settings(timeout=60.0),
    )
    async with serving(store, client_per_second=0, public_per_second=0) as made:
        running.append(made)
        yield made
    await store.close()
