"""Runs an ASGI application in the caller's event loop on a socket that is bound first: for the daemon, replays and tests."""

import asyncio
import select
import socket
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Literal

import uvicorn
from starlette.types import ASGIApp

ACCEPTING = 0.5
"""Seconds for which a stop lets clients in that have connected before it."""


class _Server(uvicorn.Server):
    """Leaves the signals to the process that embeds it, and knows when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listens = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.listens.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await _accept_pending(sockets or [])
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def listening(
    app: ASGIApp,
    listener: socket.socket,
    *,
    http: type[asyncio.Protocol] | Literal["httptools"] = "httptools",
    **options: Any,
) -> AsyncIterator[str]:
    """Serve `app` on the bound socket while the context is open and yield its address.

    `http` speaks on the connections and `options` go to uvicorn. Leaving the context stops accepting, and lets requests
    under way finish.
    """
    with listener:
        config = uvicorn.Config(
            app,
            lifespan="off",
            http=http,
            ws="none",
            access_log=False,
            log_config=None,
            server_header=False,
            **options,
        )
        server = _Server(config)
        running = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            await server.listens.wait()
            yield address_of(listener)
        finally:
            server.should_exit = True
            await running


async def _accept_pending(sockets: Iterable[socket.socket]) -> None:
    """Let the event loop accept who has connected already: the kernel cuts them off when the socket is closed.

    The loop accepts one of them a turn; while new ones keep coming, that is done for `ACCEPTING` seconds.
    """
    waiting = select.poll()
    for each in sockets:
        waiting.register(each, select.POLLIN)
    until = time.monotonic() + ACCEPTING
    while waiting.poll(0) and time.monotonic() < until:  # noqa: ASYNC110 -- each turn accepts one
        await asyncio.sleep(0)


def address_of(listener: socket.socket) -> str:
    """The base URL under which the socket is reached."""
    name, port = listener.getsockname()[:2]
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


def bind_socket(host: str, port: int) -> socket.socket:
    """A socket on that port, 0 for a free one (OSError that names both, if it is taken)."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio turns Nagle's algorithm off; without, every answer waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(error.errno, error.strerror, f"{host}:{port}") from error
    return listener
