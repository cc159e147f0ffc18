"""The operations that the reference calls served, compared with the routes of the API."""

import pytest

from api.app import BRANCHES
from api.framework import ROUTERS
from tests.interface_tables import OURS, operations

ADDED_AT_START = {("GET", "/openapi.json")}
FILES = {("GET", "/docs/{name}"), ("GET", "/static/{name}")}
"""What pages load; nobody else asks for it."""

ROUTES = {
    (method, route.path): route.operation_id
    for router in ROUTERS
    for route in router.routes
    if route.include_in_schema
    for method in route.methods
}
HOT = {(branch.method, branch.path): branch.operation and branch.operation["operationId"] for branch in BRANCHES}


@pytest.fixture(scope="module")
def promised():
    table = operations(OURS.read_text(encoding="utf-8"))
    return {(method, path): name for name, (method, path, since) in table.items() if since != "planned"}


def test_what_is_called_served_is_served(promised):
    """Every operation with a version has a route, and every route has such an operation."""
    served = (set(ROUTES) | set(HOT) | ADDED_AT_START) - FILES

    assert set(promised) == served


def test_operations_bear_the_names_of_the_reference(promised):
    """The identifiers in the OpenAPI document are the names of the reference."""
    named = {where: name for where, name in {**ROUTES, **HOT}.items() if name}

    assert {where: promised[where] for where in named} == named
