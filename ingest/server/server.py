"""The daemon's HTTP server: uvicorn in our loop, on connections that are bounded in number, bytes and time."""

from __future__ import annotations

import asyncio
import errno
import math
import resource
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import cast

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from config.errors import StartError
from config.sections import Server
from ingest.kit.process import OPERATIONS
from ingest.server.connection import Connection, as_response
from ingest.server.connection_limits import ConnectionLimits
from mapping.errors import NotFound, ServiceError
from providers.http_server import bind_socket, listening

log = structlog.get_logger(__name__)

FILES_ELSEWHERE = 512
"""Open files that are kept for databases, providers, webhooks and spare connections."""
UNSENT = 64 * 1024
"""Bytes that the kernel takes before the client is ready for them; by default it is megabytes for each that does not read."""


@asynccontextmanager
async def serving(
    app: ASGIApp, listener: socket.socket, limits: ConnectionLimits, settings: Server
) -> AsyncIterator[str]:
    """Serve `app` on the bound socket while the context is open and yield its address.

    Leaving the context stops accepting and lets requests under way finish, up to `settings.shutdown_grace` seconds.
    """

    class Counted(Connection):
        pass

    Counted.limits = limits
    if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # where it is known, those that are accepted inherit it
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)
    watching = asyncio.create_task(limits.watch(), name="connections")
    try:
        async with listening(
            Admission(app, limits),
            listener,
            http=Counted,
            proxy_headers=False,  # Admission reads them
            timeout_keep_alive=math.ceil(settings.keep_alive),
            timeout_graceful_shutdown=math.ceil(settings.shutdown_grace),
        ) as address:
            try:
                yield address
            finally:
                limits.stop()
    finally:
        limits.abort()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


def listener_of(server: Server) -> socket.socket:
    """The socket that requests come in by. Raises StartError with the key that has to change."""
    host, port = server.host, server.port
    try:
        return bind_socket(host, port)
    except (OSError, UnicodeError) as error:
        key = "server.port" if getattr(error, "errno", None) in {errno.EADDRINUSE, errno.EACCES} else "server.host"
        raise StartError(f"{key}: cannot listen on {host}:{port}: {getattr(error, 'strerror', error)}") from error


class Admission:
    """ASGI middleware outside everything: refuses what is beyond the limits, and counts those who come through proxies."""

    def __init__(self, app: ASGIApp, limits: ConnectionLimits) -> None:
        self._app = app
        self._limits = limits
        self._named: ASGIApp | None = None
        if limits.proxies:
            networks = [str(each) for each in limits.proxies]
            self._named = cast("ASGIApp", ProxyHeadersMiddleware(self._by_address, networks))  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = Connection.of(scope)
        try:
            if connection.refusal is not None:
                await self._excess(connection.refusal, scope, receive, _closing(send))
            elif self._named is not None:
                scope["client"] = (connection.address, 0)
                await self._named(scope, receive, send)
            else:
                await self._app(scope, receive, send)
        finally:
            connection.answered()

    async def _excess(self, refusal: ServiceError, scope: Scope, receive: Receive, send: Send) -> None:
        """What is served beyond the limits."""
        if scope["path"] in OPERATIONS:
            await self._app(scope, receive, send)
        else:
            self._limits.refused(refusal)
            await as_response(refusal)(scope, receive, send)

    async def _by_address(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the request by the address that a proxy names, if one does."""
        address = scope["client"][0]
        if address == Connection.of(scope).address:
            await self._app(scope, receive, send)
            return
        refusal = self._limits.begin(address)
        if refusal is not None:
            self._limits.warn(refusal)
            await self._excess(refusal, scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            self._limits.end(address)


def _closing(send: Send) -> Send:
    """`send` for the last response of a connection."""

    async def last(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
        await send(message)

    return last


def connections_that_fit(wanted: int) -> int:
    """Raise the process's own limit of open files as far as `wanted` connections need it; how many of them fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + FILES_ELSEWHERE
    most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if resource.RLIM_INFINITY != soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    fit = wanted if soft == resource.RLIM_INFINITY else min(wanted, max(soft - FILES_ELSEWHERE, soft // 2))
    if fit < wanted:
        log.warning("connections.limited", connections=fit, wanted=wanted, open_files=soft)
    return fit


def operations_only(app: ASGIApp) -> ASGIApp:
    """`app` without all but the operational paths."""

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPERATIONS:
            await as_response(NotFound("this process serves no requests"))(scope, receive, send)
            return
        await app(scope, receive, send)

    return limited
