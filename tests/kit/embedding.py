"""What browser tests of embeds have in common: the API behind a real server, and a site of somebody else that embeds it."""

from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from starlette.responses import HTMLResponse

from providers.http_server import bind_socket, listening
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from tests.api.conftest import serving
from tests.kit import matchday
from tests.kit.event_desk import Desk

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "embed.html"
DOCUMENTED = "https://live.example.org"
"""The address of the service in the example."""
TICKER = matchday.Liveblog().ticker_id
OPEN = {"client_per_second": 0, "public_per_second": 0, "public_feeds": True}


class Service:
    """The API with its own address as public URL; it can go away and come back."""

    def __init__(self, server, **settings):
        self.server, self.settings = server, OPEN | settings
        self.port, self.address = 0, ""
        self._up = AsyncExitStack()

    async def start(self):
        listener = bind_socket("127.0.0.1", self.port)
        self.port = listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        running = await self._up.enter_async_context(
            serving(self.server.store, **self.settings, public_url=self.address)
        )
        self.desk, self.http = Desk(running.http), running.http
        await self._up.enter_async_context(
            listening(running.app, listener, timeout_graceful_shutdown=1, log_level="critical")
        )

    async def stop(self):
        await self._up.aclose()

    async def change(self, *events, **more):
        change = Change(events=tuple(events), **more)
        await self.server.store.write(partial(liveblogs.record, game_id=TICKER, change=change))


class OtherSite:
    """Pages of another origin, each under a strict policy that names the service alone."""

    def __init__(self, service):
        self.service, self.pages, self.policy = service, {}, strict(service.address)

    async def __call__(self, scope, receive, send):
        html = self.pages.get(scope["path"])
        status = 200 if html is not None else 404
        response = HTMLResponse(html or "", status, {"Content-Security-Policy": self.policy})
        await response(scope, receive, send)


def strict(address):
    kinds = ("script-src", "connect-src", "style-src", "img-src", "frame-src")
    return "; ".join(["default-src 'none'", *(f"{kind} {address}" for kind in kinds)])


def example(address):
    return EXAMPLE.read_text(encoding="utf-8").replace(DOCUMENTED, address)
