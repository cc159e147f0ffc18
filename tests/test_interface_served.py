"""The operations that the reference calls served, compared with the routes of the API."""

import pytest

from api.routes import ROUTES
from tests.kit.interface_tables import OURS, operations

FILES = {("GET", "/docs/{name}"), ("GET", "/static/{name}"), ("GET", "/static/{version}/{name}")}
"""What pages load; nobody else asks for it."""

SERVED = {(route.method, route.path): route.operation and route.operation["operationId"] for route in ROUTES}


@pytest.fixture(scope="module")
def promised():
    table = operations(OURS.read_text(encoding="utf-8"))
    return {(method, path): name for name, (method, path, since) in table.items() if since != "planned"}


def test_what_is_called_served_is_served(promised):
    """Every operation with a version has a route, and every route has such an operation, but pages of the desk."""
    assert set(promised) == {each for each in set(SERVED) - FILES if not each[1].startswith("/desk")}


def test_operations_bear_the_names_of_the_reference(promised):
    """The identifiers in the OpenAPI document are the names of the reference."""
    named = {where: name for where, name in SERVED.items() if name}

    assert {where: promised[where] for where in named} == named
