"""Databases and origins of files for what is tested of media."""

import pytest

from store.clients import clients
from tests.api.conftest import open_store
from tests.kit import matchday
from tests.kit import origin as origins
from tests.kit.pictures import picture
from tests.kit.sqlite import migrated_url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.proof)])
def database(request, tmp_path):
    """The address of an empty database. PostgreSQL, which is sent the same statements, is left to a proof."""
    return migrated_url(tmp_path / "media.db") if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.fixture
async def store(database):
    """A store that knows the clients of the match day."""
    opened = await open_store(database)
    await opened.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
    yield opened
    await opened.close()


@pytest.fixture
async def origin():
    async with origins.serving(**{"a.jpg": picture(), "turned.jpg": picture(orientation=6)}) as served:
        yield served
