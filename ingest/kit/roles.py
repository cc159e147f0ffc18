"""What a process does: everything, or one half of it where several processes share a PostgreSQL database."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from api.http.errors import error_response
from mapping.errors import NotFound

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

OPERATIONS = frozenset({"/livez", "/readyz", "/metrics", "/status", "/status.json"})
"""Paths that every process serves."""


class Role(StrEnum):
    ALL = "all"
    API = "api"
    WORKER = "worker"

    @property
    def works(self) -> bool:
        """Follows matches, creates what is declared, delivers, publishes, tidies up."""
        return self is not Role.API

    @property
    def serves(self) -> bool:
        """Serves the API, feeds and pages."""
        return self is not Role.WORKER


def operations_only(app: ASGIApp) -> ASGIApp:
    """`app` without all but the operational paths."""

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPERATIONS:
            await error_response(NotFound("this process serves no requests"))(scope, receive, send)
            return
        await app(scope, receive, send)

    return limited
