"""The provider: matches whose rows come, change and go, and an HTTP server with all the faults of one."""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING

import httpx

from tests.providers.heim.feed import encoded, row, wrapped

if TYPE_CHECKING:
    import random

    from tests.simulation.processes import Process

FAULTS = ("500", "429", "hangs", "cut", "empty", "html", "stale", "reset")


class Provider:
    """What is true of the matches."""

    def __init__(self, names: list[str], chance: random.Random) -> None:
        self.rows: dict[str, list[dict[str, object]]] = {name: [] for name in names}
        self._past: dict[str, bytes] = {}
        self._chance = chance
        self.changes = 0
        self.faults = 0.0
        """The part of the responses that are faults."""

    def change(self) -> None:
        """One match has a card more, one less, or another player was meant."""
        name = self._chance.choice(list(self.rows))
        rows = self.rows[name]
        self._past[name] = encoded(rows)
        self.changes += 1
        how = self._chance.random()
        if how < 0.25 and len(rows) > 1:  # a list that is empty again says nothing
            rows.pop(self._chance.randrange(len(rows)))
        elif how < 0.5 and rows:
            at = self._chance.randrange(len(rows))
            old = rows[at]
            rows[at] = row(int(str(old["id"])), "card/yellow", str(old["minute"]), "home", 1000 + self.changes)
        else:
            rows.append(row(10_000 + self.changes, "card/yellow", 1 + self.changes % 45, "home", 1000 + self.changes))

    def response(self, path: str) -> tuple[int, bytes, dict[str, str]] | str:
        """Status, body and headers; or the name of what happens instead."""
        kind, _, name = path.strip("/").partition("/ma")
        fault = self._chance.choice(FAULTS) if self._chance.random() < self.faults else ""
        if fault in {"hangs", "reset"}:
            return fault
        if fault in {"500", "429"}:
            return int(fault), b"", {"Retry-After": "3"}
        body = encoded(wrapped(id=name)) if kind == "match" else encoded(self.rows[name])
        if fault == "stale" and kind == "match-event":
            body = self._past.get(name, body)
        body = {"cut": body[: len(body) // 2], "empty": b"[]", "html": b"<html>try later</html>"}.get(fault, body)
        return 200, body, {"ETag": f'"{hashlib.sha256(body).hexdigest()[:16]}"', "Content-Type": "application/json"}


class Transport(httpx.AsyncBaseTransport):
    """The way of one process to the provider."""

    def __init__(self, process: Process, provider: Provider) -> None:
        self._process = process
        self._provider = provider

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The response after some time; a part of them never comes."""
        await self._process.runs()
        await asyncio.sleep(self._process.world.latency())
        found = self._provider.response(request.url.path)
        await self._process.runs()
        if found == "hangs":
            await asyncio.sleep(3600)
        if isinstance(found, str):
            raise httpx.ReadError("reset")
        status, body, headers = found
        if status == 200 and request.headers.get("if-none-match") == headers["ETag"]:
            return httpx.Response(304, headers=headers)
        return httpx.Response(status, headers=headers, stream=Body(body))


class Body(httpx.AsyncByteStream):
    """A body in two pieces."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self):
        half = len(self._body) // 2
        yield self._body[:half]
        yield self._body[half:]
