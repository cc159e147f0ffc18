"""Which product files seven journeys through the daemon enter: `python -m bench.journeys`.

A profiler counts the files whose functions run, each journey made once before so that what is made once is not counted:
an event update, the webhook of one, a poll that finds nothing new, one that does, createFromExternal, a feed from the cache
and a page after a change. Real API, store (SQLite), followers and provider; `--files` lists them.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import logging
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import structlog
from starlette.types import ASGIApp, Message

from api.app import create_app
from api.feeds.feed_selection import FEED_PATH
from api.http.request import Services
from bench.measure import Figure, table
from bench.polling import ORGANIZATION, bench_components, changing, follow
from bench.upstream import EVENTS, EVERY, NOTHING, upstream
from config import Settings
from config.sections import Limits, Webhooks
from ingest.daemon.build import Components
from ingest.guard.ssrf_guard import SsrfGuard
from ingest.kit.quarantine import Quarantine
from ingest.webhooks.dispatcher import Dispatcher
from mapping.belief.doubts import CONFIRMATIONS
from store.clients.service_keys import Keys
from store.database import Store
from store.files.disk import DiskFiles
from store.liveblogs.liveblogs import list_games
from store.webhooks import webhooks

ROOT = Path(__file__).parents[1]
PRODUCT = ("ingest", "providers", "mapping", "store", "api", "config")
TARGETS = {
    "event update": 36, "webhook": 30, "unchanged poll": 19, "changed poll": 82, "createFromExternal": 95,
    "cached feed": 18, "first page": 70,
}  # fmt: skip
Json = dict[str, Any]
CREDENTIALS = b"Basic " + base64.b64encode(f"cms:{'x' * 32}".encode())
EVENT = "/api/v5/write/event"
EXTERNAL = f"/apigw/sports/v2/{ORGANIZATION}/liveblog/createFromExternal"
MATCH = {"provider": "heim", "autoPostEnabled": True, "includeTextContent": True}
MOST_POLLS = 5 * EVERY
RECORDING = 0.3
"""Seconds in which a delivery is recorded, once its receiver has taken it."""
POST = {
    "_type": "Svc::Model::Event",
    "contents": [{"_type": "Svc::Model::Content::RichTextContentBlock", "text": "A fine move."}],
}


class Entered:
    """The product files whose functions are entered while `on`, in all threads that begin after it is made."""

    def __init__(self) -> None:
        self.on = False
        self._files: set[str] = set()
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    async def during(self, work: Callable[[], Awaitable[object]]) -> list[str]:
        """The files that `work` enters, by their path, sorted."""
        self._files, self.on = set(), True
        try:
            await work()
        finally:
            self.on = False
        own = (Path(each) for each in self._files if each.startswith(str(ROOT)))
        return sorted(str(path.relative_to(ROOT)) for path in own if path.relative_to(ROOT).parts[0] in PRODUCT)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if self.on and event == "call" and frame.f_code.co_name != "<module>":
            self._files.add(frame.f_code.co_filename)


async def request(app: ASGIApp, path: str, query: str, document: Json) -> Json:
    """The document in the response to a POST; ends the program where it is refused."""
    found: Json = json.loads(await response(app, "POST", path, query, json.dumps(document).encode()))
    return found


async def response(app: ASGIApp, method: str, path: str, query: str, body: bytes = b"") -> bytes:
    """The body of the response; ends the program where the request is refused."""
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(b"host", b"bench"), (b"authorization", CREDENTIALS)], "client": ("127.0.0.1", 1), "server": ("bench", 80),
    }  # fmt: skip
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    answer = b"".join(message.get("body", b"") for message in sent[1:])
    if sent[0]["status"] != 200:
        raise SystemExit(f"{path}: {sent[0]['status']} {answer.decode()}")
    return answer


def app_of(components: Components) -> ASGIApp:
    """The API over their store and importer."""
    services = Services(
        store=components.store,
        settings=Settings(limits=Limits(client_per_second=0, public_per_second=0)).listening_at("http://bench"),
        importer=components.importer,
        organizations={ORGANIZATION: "Bench"}.get,
        ready=dict,  # type: ignore[arg-type]
        clock=time.time,
        providers=components.registry.ids,
        event_types=components.registry.event_types,
        keys=Keys(media=b"k" * 32, readers=b"r" * 32, reader_ids=b"r" * 32),
        files=DiskFiles(Path("media")),
    )
    return create_app(services)


async def journeys(address: str, entered: Entered) -> dict[str, list[str]]:
    """The files of each journey."""
    async with bench_components(address) as components:
        app, numbers = app_of(components), count(1)
        await changing(address, NOTHING)
        await follow(components, 1)
        match = components.followers.matches[0]

        async def create() -> Json:
            return await request(app, EXTERNAL, "", {**MATCH, "matchId": str(6_000_000 + next(numbers))})

        async def poll() -> None:
            await components.followers.poll(match)

        game = await create()
        event = await request(app, f"{EVENT}/create.json", f"ticker_local_id={game['local_id']}", POST)

        async def update() -> None:
            body = {**POST, "headline": f"Change {next(numbers)}"}
            await request(app, f"{EVENT}/update.json", f"event_local_id={event['local_id']}", body)

        async def feed() -> None:
            await response(app, "GET", f"{FEED_PATH}.rss", f"liveblogId={game['local_id']}")

        async def page() -> None:
            await response(app, "GET", f"/liveblogs/{game['local_id']}", "")

        for _ in range(CONFIRMATIONS + 1):
            await poll()  # until nothing waits for a second answer
        found: dict[str, list[str]] = {}
        works = {"event update": update, "unchanged poll": poll, "createFromExternal": create, "cached feed": feed}
        for name, work in works.items():
            await work()
            found[name] = await entered.during(work)
        await page()
        await update()
        await asyncio.sleep(0.1)  # what goes on after its commit is not the page's
        found["first page"] = await entered.during(page)
        async with delivering(components.store) as deliver:
            await update()
            await deliver()
            await update()
            found["webhook"] = await entered.during(deliver)
        await changing(address, EVENTS)
        for _ in range(MOST_POLLS):
            before = match.changed_at, await versions(components)
            files = await entered.during(poll)
            if (match.changed_at, await versions(components)) != before:
                found["changed poll"] = files  # the last of several: what is made once has been made
            await asyncio.sleep(0.02)
        return found


@asynccontextmanager
async def delivering(store: Store) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """What delivers what is new to a receiver of this process, and records that."""
    taken = asyncio.Event()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]))
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        writer.close()
        taken.set()

    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
        new = {"organization_id": ORGANIZATION, "url": url, "secret": webhooks.new_secret(), "limit": 10}
        await store.write(partial(webhooks.subscribe, **new))
        settings = Webhooks(rate=0, allow_hosts=("127.0.0.1",))
        dispatcher = Dispatcher(store, SsrfGuard(settings), settings, quarantine=Quarantine())

        async def deliver() -> None:
            taken.clear()
            running = asyncio.create_task(dispatcher.run(alone=True))
            async with asyncio.timeout(10):
                await taken.wait()
            await asyncio.sleep(RECORDING)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

        yield deliver
        await dispatcher.stop()


async def versions(components: Components) -> int:
    """The versions of all liveblogs together."""
    games = await components.store.read(list_games)
    return sum(game.version for game in games)


async def run(*, files: bool) -> None:
    entered = Entered()
    async with upstream() as address:
        found = await journeys(address, entered)
    counts = {name: (len(paths), TARGETS[name]) for name, paths in found.items()}
    print(
        table(
            [
                Figure(name, f"{count} product files", f"≤ {most}", count <= most)
                for name, (count, most) in counts.items()
            ]
        )
    )
    for name, paths in found.items() if files else ():
        print(name, *(f"    {path}" for path in paths), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", action="store_true", help="list the files")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    asyncio.run(run(files=parser.parse_args().files))


if __name__ == "__main__":
    main()
