"""Receivers of webhooks in a simulation: what each was sent and what it accepted, with seeded delays and refusals."""

from __future__ import annotations

import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping

from ingest.webhooks.attempt import NoResponse, Response


class SimulatedReceivers:
    """All receivers. `arrived` is called for each request that reached one, before it is answered."""

    def __init__(self, seeded: random.Random, arrived: Callable[[str, int], None]) -> None:
        self.faulty = False
        self.down: set[str] = set()
        """URLs of those that do not answer."""
        self.sent: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self.accepted: dict[str, set[tuple[str, int]]] = defaultdict(set)
        """By URL: liveblog and version."""
        self._seeded = seeded
        self._arrived = arrived

    def on_behalf_of(self, organization_id: str) -> SimulatedReceivers:
        """Stands for the guard on addresses, which lets everything through here."""
        del organization_id
        return self

    async def take(self, url: str, body: bytes) -> Response:
        await asyncio.sleep(self._seeded.uniform(0.002, 0.2))
        document = json.loads(body)
        version = (str(document["ticker_id"]), int(document["version"]))
        self._arrived(*version)
        self.sent[url].add(version)
        fault = self._seeded.random() if self.faulty else 1.0
        if url in self.down or fault < 0.05:
            raise NoResponse
        if fault < 0.12:
            return Response(self._seeded.choice((500, 503, 404)), "2")
        self.accepted[url].add(version)
        await asyncio.sleep(self._seeded.uniform(0.002, 0.1))
        if fault < 0.2:  # it has it, and nobody learns of that
            raise NoResponse
        return Response(204, "")


class SimulatedReceiverClient:
    """Stands for `ingest.webhooks.attempt.ReceiverClient`; the guard is the receivers themselves."""

    def __init__(self, guard: SimulatedReceivers, url: str, *, connections: int) -> None:
        del connections
        self._receivers = guard
        self._url = url

    async def post(self, headers: Mapping[str, str], body: bytes) -> Response:
        del headers
        return await self._receivers.take(self._url, body)

    async def close(self) -> None:
        return
