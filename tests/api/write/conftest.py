import pytest

from tests.kit.desk import Desk


@pytest.fixture
def desk(server):
    return Desk(server.http)


@pytest.fixture
def stranger(server):
    """A client of another organization."""
    return Desk(server.http, "stranger")
