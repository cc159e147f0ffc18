"""A page of the derby at an address that a browser opens."""

import pytest

from providers.http_server import bind_socket, listening

AT_ONCE = {"timeout_graceful_shutdown": 0, "log_level": "critical"}
"""A server that waits for nobody when it stops: what an open page has left with it is no longer of interest to anybody."""


@pytest.fixture
async def address(public):
    """The API on a real port."""
    async with listening(public.app, bind_socket("127.0.0.1", 0), **AT_ONCE) as address:
        yield address
