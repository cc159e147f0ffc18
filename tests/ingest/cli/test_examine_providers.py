"""What the doctor says of providers: one that wants credentials gets them, and only who has sent some is refused."""

import asyncio

from config import Settings
from ingest.cli.examine_providers import examine_providers
from providers.replay import Replay, ReplaySettings

PASSWORD = "the provider's password"


def settings(url, password):
    provider = {"base_url": url, "username": "newsroom", "password": password}
    keyed = {"base_url": f"{url}/gsd", "api_key": PASSWORD}
    return Settings.model_validate({"organizations": {
        "desk": {"name": "Desk", "providers": {"heim": provider, "gn-gsd": keyed}},
    }})  # fmt: skip


async def test_credentials_that_the_provider_takes_are_not_refused():
    """The right password is no fault and the wrong one is; a key that was not sent is none either."""
    async with Replay([], ReplaySettings(user="newsroom", password=PASSWORD)).serve() as replay:
        right = await asyncio.to_thread(examine_providers, settings(replay.url, PASSWORD))
        wrong = await asyncio.to_thread(examine_providers, settings(replay.url, "another one"))

    assert [(each.outcome, each.detail.rpartition(": ")[2]) for each in right] == [
        ("ok", "answered 404"),
        ("ok", "answered 401"),
    ]
    assert [(each.outcome, each.detail.rpartition(": ")[2]) for each in wrong] == [
        ("fault", "it refuses the credentials (401)"),
        ("ok", "answered 401"),
    ]
