"""Rules for adapters that list the matches of a day; of one that does not, they want nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from mapping.errors import ServiceError
from mapping.match.fixture import FixtureList
from providers.base import FixtureLister
from providers.contract.case import KEY, MAX_BODY, PASSWORD, Case, Listing, Violation, expect
from providers.contract.matches import walk
from providers.contract.mutations import JSON, MUTATIONS, NULLED, ODD, POISONED, REMOVED, Hurt, hurt
from providers.contract.server import Reply, Server, serving

ERA = range(-3_000_000_000, 4_200_000_000)
LATER = timedelta(days=8)
"""So much later is another day, whatever the zone."""


@asynccontextmanager
async def _open_listing(case: Case, listing: Listing) -> AsyncIterator[tuple[Server, FixtureLister]]:
    """A server that answers the list, and an adapter that requests it."""
    async with serving(Server(listing.bodies, etags=False)) as server:
        adapter = case.connect(server.url)
        try:
            if isinstance(adapter, FixtureLister):
                yield server, adapter
            else:
                raise Violation("a list is given, and the adapter lists nothing")
        finally:
            await adapter.aclose()


async def _is_tested(case: Case) -> None:
    adapter = case.connect("http://127.0.0.1:9")
    await adapter.aclose()
    expect(case.listings or not isinstance(adapter, FixtureLister), "it lists matches, and no list of a day is given")


async def day(case: Case) -> None:
    await _is_tested(case)
    for listing in case.listings:
        async with _open_listing(case, listing) as (_, adapter):
            found = await adapter.fixtures(listing.day, listing.day)
            again = await adapter.fixtures(listing.day, listing.day)
        expect(found == again, f"{listing.day}: requested twice, two lists")
        ids = sorted(each.match_id for each in found.fixtures)
        expect(ids == sorted(listing.ids), f"{listing.day}: it lists {ids}")
        expect(not found.unreadable, f"{listing.day}: of its own list {found.unreadable} rows cannot be read")
        for path, value in walk("list", found):
            right = path.rpartition(".")[2] != "kickoff" or value is None or (type(value) is int and value in ERA)
            expect(right, f"{listing.day}: {path} is {value!r}")


async def errors(case: Case) -> None:
    for listing in case.listings:
        async with _open_listing(case, listing) as (server, adapter):
            for name, reply in _trouble(listing).items():
                server.spoil = partial(_always, reply)
                await _check_refusal(adapter, listing, name)
            body = max(listing.bodies.values(), key=len)
            server.spoil = partial(_always, Reply(body=body))
            if not listing.spans:
                await _check_refusal(adapter, replace(listing, day=listing.day + LATER), "another day's list")


def _trouble(listing: Listing) -> dict[str, Reply]:
    """What may come instead of a list."""
    body = max(listing.bodies.values(), key=len)
    bodies = {
        "HTML": b"<html>oops</html>", "nothing": b"", "half a list": body[: len(body) // 2], "null": b"null",
        "something else": b'{"unknown": [{}]}' if listing.notation is JSON else b"<unknown><row/></unknown>",
        "too much": b" " * (MAX_BODY + 1),
    }  # fmt: skip
    statuses = (301, 400, 401, 403, 404, 429, 500, 503)
    return {
        **{name: Reply(body=each) for name, each in bodies.items()},
        **{str(status): Reply(status=status) for status in statuses},
        "cut off": Reply(body=body, how="cut"),
        "a broken connection": Reply(how="break"),
    }


async def _check_refusal(adapter: FixtureLister, listing: Listing, name: str) -> None:
    try:
        found = await adapter.fixtures(listing.day, listing.day)
    except ServiceError as error:
        shown = f"{error!r} {error.message} {error.body()}"
        expect(KEY not in shown and PASSWORD not in shown, f"{name}: the error shows a credential")
        return
    raise Violation(f"{name} is a list of {len(found.fixtures)} matches")


async def survives(case: Case) -> None:
    for listing in case.listings:
        (path, body), *_ = sorted(listing.bodies.items(), key=lambda each: -len(each[1]))
        async with _open_listing(case, listing) as (server, adapter):
            for each in hurt({path: body}, (*MUTATIONS, *ODD, POISONED), 2, listing.notation, case.every):
                reply = Reply(body=each.bodies[path])
                server.spoil = partial(_in_place, server, body, reply)
                try:
                    found = await adapter.fixtures(listing.day, listing.day)
                except ServiceError:
                    continue
                _check_count(listing, each, found, _value(listing.notation.read(body), each))


def _always(reply: Reply, _: str) -> Reply:
    return reply


def _in_place(server: Server, body: bytes, reply: Reply, path: str) -> Reply | None:
    """The reply where that body would be sent."""
    return reply if server.body(path) == body else None


def _value(document: Any, each: Hurt) -> Any:
    for step in each.path:
        document = document[step]
    return document


def _check_count(listing: Listing, each: Hurt, found: FixtureList, value: object) -> None:
    """Violation where a match is missing and nothing says so. XML has nothing in the place of an empty list."""
    emptied = (
        each.how in {REMOVED.name, NULLED.name} and isinstance(value, list | dict) and listing.notation is not JSON
    )
    taken = each.corrects or emptied
    gone = len(listing.ids) - len(found.fixtures)  # a spoilt id may be another id
    expect(taken or found.unreadable or gone <= 0, f"{each}: {gone} matches are gone without a count")
    texts = "".join(str(each) for _, each in walk("list", found))
    expect("\x00" not in texts and "\x1b" not in texts, f"{each}: control characters come through")
