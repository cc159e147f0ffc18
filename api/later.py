"""An ASGI app that is loaded when it is needed, beside the event loop, which goes on meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send


class Later:
    """Stands for the app that `make` gives, in a thread; `make` is called once, however many wait for it."""

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._make = make
        self._app: ASGIApp | None = None
        self._loading = asyncio.Lock()

    async def load(self) -> ASGIApp:
        """The app. What `make` raises is raised here, and the next one tries again."""
        async with self._loading:
            if self._app is None:
                self._app = await asyncio.to_thread(self._make)
        return self._app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app or await self.load()
        await app(scope, receive, send)
