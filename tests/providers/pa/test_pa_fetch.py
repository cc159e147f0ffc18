"""Polls of PA: errors with the status of a good answer, lists that are gone, other matches, and a key that shows nowhere."""

import pytest

from mapping.errors import BadBody, MatchUnknown, ProviderRefused
from providers.base import Outcome
from providers.contract.case import Case, known_of
from providers.contract.server import Reply
from providers.pa.adapter import PA
from tests.kit.contracts import PaContract as Contract
from tests.providers.pa.bodies import NOTATION, Bodies

ERRORS = {
    "No data available": MatchUnknown,
    "Competition alias or ID not valid or unrecognised": MatchUnknown,
    "Access to season is denied by client configuration.": ProviderRefused,
    "The server is on fire": BadBody,
}


def error(text, root="liveGames"):
    return f"<{root}><errors><error>{text}</error></errors></{root}>".encode()


def opened(sample=0):
    return Case(provider=PA, samples=Contract.samples).open(Contract.samples[sample])


def serve(server, method, body):
    """Answer this instead of what the method gives; the rest as it is."""
    server.server.spoil = lambda path: Reply(body=body) if f"/{method}/" in path else None


def by_resource(fetched):
    return {each.resource: each for each in fetched.answers}


@pytest.mark.parametrize("text", ERRORS)
async def test_an_error_comes_with_the_status_of_a_good_answer(text):
    """At first it is what it says, and under any root; a match that was there before is never gone by it."""
    for root in ("liveGames", "matches"):
        async with opened() as server:
            serve(server, "info", error(text, root))
            assert isinstance((await server.fetch()).answers[0].error, ERRORS[text])
            server.server.spoil = lambda _: None
            first = await server.fetch()
            serve(server, "info", error(text, root))
            (answer, *_) = (await server.fetch(known_of(first.answers), first.hints)).answers
            assert isinstance(answer.error, ProviderRefused if ERRORS[text] is ProviderRefused else BadBody)


@pytest.mark.parametrize(("method", "resource"), [("events", "events"), ("lineUpsEnhanced", "lineups")])
async def test_before_there_are_events_or_line_ups_there_are_none(method, resource):
    """By an error, or by an empty document; once there were some, such an answer is a fault."""
    for body in (error("No data available"), b"<matchEvents/>" if resource == "events" else error("No data available")):
        async with opened() as server:
            serve(server, method, body)
            empty = by_resource(await server.fetch())[resource]
            assert (empty.outcome, empty.rows) == (Outcome.CHANGED, 0)
            server.server.spoil = lambda _: None
            first = await server.fetch()
            assert by_resource(first)[resource].rows > 2
            serve(server, method, body)
            again = by_resource(await server.fetch(known_of(first.answers), first.hints))
            assert resource not in again if resource == "lineups" else isinstance(again[resource].error, BadBody)


async def test_events_and_line_ups_of_another_match_are_refused():
    """Events name their teams, line-ups their match."""
    bodies = Bodies("cup-tie-running")
    for side, team in zip(("homeTeam", "awayTeam"), ("1", "2"), strict=True):
        bodies.documents["events"]["matchEvents"]["teams"][side]["teamID"] = team
    bodies.documents["lineups"]["match"]["matchID"] = "1"
    for method, resource in (("events", "events"), ("lineUpsEnhanced", "lineups")):
        async with opened() as server:
            serve(server, method, NOTATION.write(bodies.documents[resource]))
            assert isinstance(by_resource(await server.fetch())[resource].error, BadBody)


async def test_line_ups_alone_never_delay_a_match():
    async with opened() as server:
        first = await server.fetch()
        server.server.spoil = lambda path: Reply(status=503) if "/lineUpsEnhanced/" in path else None
        again = await server.fetch(known_of(first.answers), first.hints)
        assert [each.resource for each in again.answers] == ["match", "events"]
        assert not again.failed
