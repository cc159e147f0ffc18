"""A page of the derby at an address that a browser opens."""

import asyncio
import socket

import pytest
import uvicorn


@pytest.fixture
async def address(public):
    """The API on a real port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(public.app, log_level="warning", lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await serving
    listener.close()
