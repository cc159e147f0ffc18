"""A provider that counts its requests, for the limits of an endpoint."""

from __future__ import annotations

import asyncio

from providers.base import Answer, Fetched, Outcome
from tests.kit.opening import endpoint_of

GOOD = Answer(resource="match", outcome=Outcome.UNCHANGED)


class Provider:
    """Answers with what `does` says of the match: an error, seconds to take, or well."""

    id = "heim"
    text_resource = None
    translate = None

    def __init__(self, name="one"):
        self.endpoint = endpoint_of(provider="heim", base_url=f"http://{name}.invalid")
        self.does = {}
        self.requested = []
        self.at_once = self.most = 0

    async def fetch(self, match_id, known, *, text, hints):
        self.requested.append(match_id)
        what = self.does.get(match_id, self.does.get("*"))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await asyncio.sleep(what if isinstance(what, float) else 0)
        finally:
            self.at_once -= 1
        if isinstance(what, Exception):
            return Fetched(answers=(Answer(resource="match", outcome=Outcome.FAILED, error=what),))
        return Fetched(answers=(GOOD,))


class NoStore:
    """Nothing changes, so nothing is written but the health."""

    async def write(self, work):
        return None

    async def read(self, query):
        return ()
