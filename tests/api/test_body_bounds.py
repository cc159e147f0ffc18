"""Every route has a largest body, and that of what strangers send is small."""

import pytest

from api.http.routing import ESCAPED_BYTES, READER_BYTES
from api.routes import ROUTES
from tests.api.conftest import serving
from tests.kit.matchday import ORGANIZATION

DOCUMENTS = 1_048_576
COMMENT = 2_000
OF_STRANGERS = {"open", "page", "feed", "reader"}


@pytest.mark.parametrize("route", ROUTES, ids=lambda each: f"{each.method} {each.path}")
def test_every_route_has_a_bound_of_its_body(route):
    """What strangers may send is a comment at most and a few kB, everything else a document of the setting."""
    bound = route.largest_body(DOCUMENTS, COMMENT)
    assert 0 < bound <= DOCUMENTS
    if route.method == "POST" and route.access in OF_STRANGERS:
        assert bound <= READER_BYTES + ESCAPED_BYTES * COMMENT


async def test_a_large_body_of_a_reader_is_refused(store):
    """A megabyte of empty arrays is 413 before it is parsed."""
    path = f"/api/readers/v1/organization/{ORGANIZATION}/token"
    async with serving(store, public_feeds=True) as server:
        response = await server.http.post(path, content=b"[" + b"[]," * 340_000 + b"[]]")
    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")
