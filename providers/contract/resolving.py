"""Rules before the first poll: what a provider says of itself, how it connects, and which match an id means."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import quote

from mapping.errors import InvalidRequest, NotFound, ServiceError, UpstreamUnavailable
from mapping.match.match import ALL_PARTS
from mapping.sports import SPORTS
from providers.base import Selector
from providers.contract.case import Case, Opened, expect
from providers.contract.server import Reply

PROVIDER = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
TYPE = re.compile(r"[a-z-]+")
IMPOSSIBLE = ("", " ", "1\n2", "1" * 300)
"""Ids that no provider can mean."""

LEADING_ELSEWHERE = ("../1", "1/../2", "1?x=1", "1#x", "1&x=1", "%31", "é")
"""Ids that lead a request elsewhere unless they are refused, or quoted where ids may be anything."""

TROUBLE = (
    (Reply(status=404), (NotFound,)),
    (Reply(status=401), (ServiceError,)),
    (Reply(status=503), (UpstreamUnavailable,)),
    (Reply(body=b"<html>oops</html>"), (UpstreamUnavailable,)),
    (Reply(body=b"[]"), (ServiceError,)),
    (Reply(body=b'{"unknown": [{}]}'), (ServiceError,)),
)
CLOSED_WITHIN = 2.0
"""Seconds."""


async def form(case: Case) -> None:
    provider = case.provider
    expect(PROVIDER.fullmatch(provider.id), f"the id {provider.id!r} is not lower-case words joined by '-'")
    expect(set(provider.scoreboard) == set(provider.catalog), "catalogue and scoreboard name different sports")
    expect(isinstance(provider.text_sports, frozenset), "text_sports is not a frozenset")
    for sport, kinds in provider.catalog.items():
        expect(isinstance(kinds, tuple), f"{sport}: event types are a tuple")
        expect(len(set(kinds)) == len(kinds), f"{sport}: an event type stands twice")
        for kind in kinds:
            space, _, name = kind.partition(".")
            expect(space == sport and TYPE.fullmatch(name), f"{kind} is no event type of {sport}")


async def order(case: Case) -> None:
    for sport, kinds in case.provider.catalog.items():
        listed = case.order.get(sport) or (SPORTS[sport].catalog if sport in SPORTS else ())
        known = [kind for kind in kinds if kind in listed]
        expect(known == [kind for kind in listed if kind in known], f"{sport}: event types in another order")


async def quiet(case: Case) -> None:
    async with case.open(case.samples[0]) as opened:
        adapter = opened.adapter
        expect(adapter.id == case.provider.id, f"the adapter is called {adapter.id!r}")
        expect(adapter.endpoint.base_url.startswith(opened.server.url), "the adapter has another endpoint")
        resource = adapter.text_resource
        expect(resource is None or isinstance(resource, str), "text_resource is no name")
        carriers = adapter.carried_by
        expect(carriers.keys() <= ALL_PARTS and all(carriers.values()), "carried_by is no table of parts and resources")
        await asyncio.sleep(0)
        expect(not opened.server.requests, "connecting alone made a request")


async def closing(case: Case) -> None:
    sample = case.samples[0]
    unused = case.connect("http://127.0.0.1:9")
    await unused.aclose()
    async with case.open(sample) as opened:
        await opened.fetch()
        await opened.adapter.aclose()
        try:
            async with asyncio.timeout(CLOSED_WITHIN):
                while opened.server.connections:  # noqa: ASYNC110 -- the other end of a socket sends no event
                    await asyncio.sleep(0.01)
        except TimeoutError:
            expect(kept=False, otherwise="connections stay open after aclose")


async def forms(case: Case) -> None:
    for sample in case.samples:
        async with case.open(sample) as opened:
            named = [Selector("match", form) for form in (sample.match_id, *sample.forms)]
            for selector in (*named, *sample.selectors):
                found = await opened.adapter.resolve(selector)
                expect(found == sample.match_id, f"{selector.kind} {selector.id!r} leads to {found!r}")


async def malformed(case: Case) -> None:
    async with case.open(case.samples[0]) as opened:
        await opened.fetch()
        usual = set(opened.server.requests)
        opened.server.requests.clear()
        for given in IMPOSSIBLE:
            found = await _resolve_id(opened, given)
            expect(found is None, f"{given!r} was taken for the match {found!r}")
        for given in LEADING_ELSEWHERE:
            found = await _resolve_id(opened, given)
            expect(not opened.server.requests, f"{given!r} was requested")
            if found is not None:
                await _requested_safely(opened, found, usual)


async def _resolve_id(opened: Opened, given: str) -> str | None:
    """The match that an id is taken for, None where it is refused."""
    try:
        return await opened.adapter.resolve(Selector("match", given))
    except InvalidRequest as error:
        expect(error.field == "matchId", f"{given!r}: the error names {error.field!r}, not matchId")
    return None


UNQUOTED = ("", "!$&'()*+,;=:@")
"""Signs that a segment of a path may leave as they are: none, or all that RFC 3986 allows."""


async def _requested_safely(opened: Opened, match_id: str, usual: set[str]) -> None:
    """Ids that may be anything stand in the path as one quoted segment."""
    await opened.adapter.fetch(match_id, {}, text=opened.sample.text, hints={})
    quoted = {path.replace(opened.sample.match_id, quote(match_id, safe=safe)) for path in usual for safe in UNQUOTED}
    odd = set(opened.server.requests) - quoted
    opened.server.requests.clear()
    expect(not odd, f"{match_id!r} was requested as {', '.join(odd)}")


async def errors(case: Case) -> None:
    for sample in case.samples:
        for selector in sample.selectors:
            for reply, kinds in TROUBLE:
                await _check_trouble(case, sample.name, selector, reply, kinds)


async def _check_trouble(
    case: Case, name: str, selector: Selector, reply: Reply, kinds: tuple[type[ServiceError], ...]
) -> None:
    sample = next(each for each in case.samples if each.name == name)
    async with case.open(sample) as opened:
        opened.server.spoil = lambda _: reply
        try:
            await opened.adapter.resolve(selector)
        except kinds:
            return
        except ServiceError as error:
            expect(kept=False, otherwise=f"{selector.kind}: {reply.status} is {type(error).__name__}")
        expect(not opened.server.requests, f"{selector.kind}: an answer of {reply.status} was taken for good")
