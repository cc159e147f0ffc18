"""A provider that counts its requests, for the limits of an endpoint."""

import asyncio

from ingest.kit.quarantine import Quarantine
from ingest.sync.followed_match import FollowedMatch
from ingest.sync.follower import Followers
from mapping.match.match import Status
from providers.base import Answer, Fetched, Outcome
from tests.kit.opening import endpoint_of
from tests.kit.settings import LIMITS, polling

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


def followed(provider, name, **fields):
    """A running match of that provider."""
    known = {"text": False, "known": {}, "hints": {}, "status": Status.LIVE, "kickoff": 0}
    return FollowedMatch(id=f"f{name}", match_id=f"{name}", endpoint=provider.endpoint.key, **{**known, **fields})


def followers_of(provider, matches, *, store=None, clock=lambda: 0.0, lease=lambda: True, **pace):
    """Followers of these matches, none of which is due yet."""
    store, endpoints = store or NoStore(), {provider.endpoint.key: provider}
    made = Followers(
        store, endpoints, polling(**pace), LIMITS, clock=clock, new_id=str, lease=lease, quarantine=Quarantine()
    )
    made._matches.update((match.id, match) for match in matches)
    return made
