"""The store of tests that play matches by a script; a folder's conftest imports it."""

import pytest

from tests.kit.scripted import open_store
from tests.kit.sqlite import migrated_url


@pytest.fixture
async def store(tmp_path):
    opened = await open_store(migrated_url(tmp_path / "scripted.db"))
    yield opened
    await opened.close()
