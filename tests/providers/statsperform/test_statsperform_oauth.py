"""Signing in by OAuth: one token for all matches, renewed before it ends and once after a 401, and never shown."""

import asyncio
import logging
import re
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import httpx
import pytest

from mapping.errors import ProviderRefused, UpstreamUnavailable
from providers.base import Outcome
from providers.http_client import BROKEN, LATE, NOT_WELCOME, client_of
from providers.replay import Line, Replay, ReplaySettings
from providers.replay.recording import Source
from providers.statsperform.adapter import STATSPERFORM
from providers.statsperform.oauth import LEAD, NO_TOKEN, RETRY, SignedIn
from tests.kit.contracts import DERBY
from tests.kit.opening import endpoint_of
from tests.kit.statsperform_match import FOLDER
from tests.kit.virtual_time import in_virtual_time

OUTLET, SECRET = "outlet-0f-the-tests", "s3cret-0f-the-0utlet"
LIFE = 3600


def endpoint(url, secret=SECRET):
    names = {"token_address": f"{url}/oauth/token/{{key}}?_fmt=json&_rt=b"}
    place = {"base_url": f"{url}/soccerdata", "api_key": OUTLET, "password": secret}
    return endpoint_of(provider="statsperform", options={"names": names}, **place)


@asynccontextmanager
async def opened(secret=SECRET):
    """A replay that gives tokens for SECRET, and an adapter with this one."""
    path = f"match/…/{DERBY}?live=yes&lineups=yes"
    text = (FOLDER / "derby.match.json").read_text(encoding="utf-8")
    line = Line(datetime(2025, 6, 14, tzinfo=UTC), "match", text, source=Source("statsperform", DERBY, path))
    async with Replay([line], ReplaySettings(secret=SECRET)).serve() as replay:
        adapter = STATSPERFORM.connect(endpoint(replay.url, secret))
        try:
            yield replay, adapter
        finally:
            await adapter.aclose()


async def polled(adapter, polls=8):
    """The answers of so many polls at the same time."""
    found = await asyncio.gather(*(adapter.fetch(DERBY, {}, text=False, hints={}) for _ in range(polls)))
    return [each.answers[0] for each in found]


async def test_one_token_is_enough_for_all_matches_and_is_renewed_once_after_a_401():
    """However many polls wait for it."""
    async with opened() as (replay, adapter):
        for given in (1, 2):
            assert {each.outcome for each in await polled(adapter)} == {Outcome.CHANGED}
            assert replay.sign_in.given == given
            replay.sign_in.revoke()


async def test_neither_secret_nor_token_shows_anywhere(caplog):
    """In no log line, error or address, whether the sign-in takes them or not."""
    caplog.set_level(logging.DEBUG)
    shown, tokens = [], set()
    for secret in (SECRET, f"{SECRET}-of-yesterday"):
        async with opened(secret) as (replay, adapter):
            answers = await polled(adapter)
            shown += [f"{vars(adapter)} {each} {each.path} {each.heard!r} {each.error!r}" for each in answers]
            tokens |= replay.sign_in.tokens
        refused = [each.error for each in answers if each.error]
        assert bool(refused) is (secret != SECRET)
        assert {str(each) for each in refused} <= {f"{NOT_WELCOME} (its sign-in)"}
        assert all(isinstance(each, ProviderRefused) for each in refused)
    said = f"{shown}{caplog.text}"
    assert len(tokens) == 1
    assert not any(each in said for each in (SECRET, *tokens))


class SignIn:
    """Gives tokens `1`, `2`, … unless there is another `answer`; the feed takes all that are not `refused`."""

    def __init__(self):
        self.given, self.answer, self.refused, self.seen = 0, None, set(), []
        client = client_of(endpoint("https://provider.invalid"))
        client.opened = httpx.MockTransport(self.handle)
        self.transport = SignedIn(client, endpoint(""), "https://sign-in.invalid/{key}")

    async def handle(self, request):
        if request.method == "GET":
            self.seen.append(request.headers["Authorization"])
            return httpx.Response(401 if self.seen[-1] in self.refused else 200)
        assert (request.url.path, request.headers["Authorization"][:6]) == (f"/{OUTLET}", "Basic ")
        assert request.content == b"grant_type=client_credentials&scope=b2b-feeds-auth"
        self.given += 1
        return await self.answer() if self.answer else httpx.Response(200, json=self.token())

    def token(self):
        return {"access_token": str(self.given), "expires_in": str(LIFE)}

    async def get(self):
        return (await self.transport.handle_async_request(httpx.Request("GET", "https://feed.invalid"))).status_code


@in_virtual_time
async def test_a_token_is_renewed_before_it_ends_while_the_last_one_serves():
    sign_in = SignIn()
    await sign_in.get()
    await asyncio.sleep(LIFE - LEAD - 1)
    await sign_in.get()
    assert sign_in.given == 1
    await asyncio.sleep(2)
    await asyncio.gather(*(sign_in.get() for _ in range(5)))
    await sign_in.get()
    assert sign_in.seen == ["Bearer 1"] * 7 + ["Bearer 2"]


@in_virtual_time
async def test_a_feed_that_refuses_every_token_has_two_requests():
    sign_in = SignIn()
    sign_in.refused = {"Bearer 1", "Bearer 2"}
    assert await sign_in.get() == 401
    assert sign_in.seen == ["Bearer 1", "Bearer 2"]


async def never():
    await asyncio.sleep(LIFE)


async def broken_off():
    raise httpx.ReadError("gone")


def says(*status, **body):
    async def answer():
        return httpx.Response(*status, **body)

    return answer


TROUBLES = {
    "slow": (never, UpstreamUnavailable, f"{LATE} (its sign-in)"),
    "broken off": (broken_off, UpstreamUnavailable, f"{BROKEN} (its sign-in)"),
    "refuses": (says(401), ProviderRefused, f"{NOT_WELCOME} (its sign-in)"),
    "away": (says(503), UpstreamUnavailable, "the provider is unavailable (503) (its sign-in)"),
    "HTML": (says(200, html="<html>Maintenance</html>"), UpstreamUnavailable, NO_TOKEN),
    "no token": (says(200, json={"error": "none"}), UpstreamUnavailable, NO_TOKEN),
    "a list": (says(200, json=["token"]), UpstreamUnavailable, NO_TOKEN),
    "a strange token": (says(200, json={"access_token": "a\r\nb"}), UpstreamUnavailable, NO_TOKEN),
    "endless": (says(200, content=b" " * 100_000), UpstreamUnavailable, NO_TOKEN),
}


@pytest.mark.parametrize(("answer", "kind", "message"), TROUBLES.values(), ids=TROUBLES.keys())
def test_a_sign_in_in_trouble_is_named_and_requested_again_after_a_while(answer, kind, message):
    """By one match for all; while the last token is good it holds up nothing."""

    @in_virtual_time
    async def course():
        sign_in = SignIn()
        sign_in.answer = answer
        for tries in (1, 2):
            errors = await asyncio.gather(*(sign_in.get() for _ in range(5)), return_exceptions=True)
            errors += await asyncio.gather(sign_in.get(), return_exceptions=True)
            assert {(type(each), str(each)) for each in errors} == {(kind, message)}
            assert (sign_in.given, sign_in.seen) == (tries, [])
            await asyncio.sleep(RETRY)
        sign_in.answer = None
        assert await sign_in.get() == 200
        sign_in.answer = answer
        await asyncio.sleep(LIFE - LEAD / 2)
        assert await sign_in.get() == 200
        await asyncio.sleep(LEAD)
        with pytest.raises(kind, match=re.escape(message)):
            await sign_in.get()

    course()
