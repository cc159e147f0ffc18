"""The adapter against real servers: what it requests, what it makes of the responses, and what it leaves alone."""

from contextlib import asynccontextmanager
from typing import Any

import pytest

from mapping.errors import BadBody, MatchUnknown
from providers.base import Endpoint, Known, Outcome, Selector
from providers.gn_gsd.adapter import GN_GSD
from tests.kit.opening import endpoint_of
from tests.providers.gn_gsd.gsd import ACTIONS, MATCH_ID, lineups, match, named, race
from tests.providers.loopback import answered, json_answer, upstream

BASE = "/gsd/lookup/v1"
KEY = "k/e y&"
QUERY = "language=de-DE&api_key=k/e+y%26"
"""As it goes over the wire, where a slash in a query stays what it is."""


def endpoint(url: str, **changes: Any) -> Endpoint:
    return endpoint_of(**({"provider": "gn-gsd", "base_url": url + BASE, "api_key": KEY, "timeout": 20.0} | changes))


@asynccontextmanager
async def connected(url: str, **changes: Any):
    adapter = GN_GSD.connect(endpoint(url, **changes))
    try:
        yield adapter
    finally:
        await adapter.aclose()


def paths(match_id: str = MATCH_ID) -> dict[str, str]:
    """Resource → path with query, as it goes over the wire."""
    return {
        "match": f"{BASE}/matches/{match_id}?{QUERY}",
        "lineups": f"{BASE}/matches/{match_id}/lineups?{QUERY}",
        "actions": f"{BASE}/matches/{match_id}/actions?tags=MAIN&{QUERY}",
    }


def good(**changes: bytes) -> dict[str, bytes]:
    """Answers of a match that has everything; a change replaces the answer of a resource."""
    answers = {
        "match": json_answer(match()),
        "lineups": json_answer({"lineups": lineups()}),
        "actions": json_answer({"actions": ACTIONS}),
    } | changes
    return {paths()[resource]: answer for resource, answer in answers.items()}


def known(fetched: Any) -> dict[str, Known]:
    return {each.resource: Known(etag=each.etag, digest=each.digest, rows=each.rows) for each in fetched.answers}


async def fetch(adapter: Any, before: Any = None, match_id: str = MATCH_ID) -> Any:
    return await adapter.fetch(match_id, {} if before is None else known(before), text=False, hints={})


async def test_a_match_is_requested_with_key_language_and_main_actions():
    """All three resources, the match first, each with the documented query."""
    async with upstream(good()) as provider, connected(provider.url) as adapter:
        fetched = await fetch(adapter)

    assert [paths()[each] for each in ("match", "lineups", "actions")] == sorted(provider.paths, key=len)
    assert provider.paths[0] == paths()["match"]
    assert ["match", "lineups", "actions"] == [each.resource for each in fetched.answers]
    assert {Outcome.CHANGED} == {each.outcome for each in fetched.answers}
    assert [1, 28, 6] == [each.rows for each in fetched.answers]
    assert all(request.headers["accept"] == "application/json" for request in provider.requests)


async def test_actions_that_the_provider_does_not_have_yet_are_empty():
    """Before kick-off there may be no such resource."""
    answers = good(actions=answered(b"", status="404 Not Found"))
    async with upstream(answers) as provider, connected(provider.url) as adapter:
        fetched = await fetch(adapter)

    assert (Outcome.CHANGED, 0) == (fetched.answers[2].outcome, fetched.answers[2].rows)


FOREIGN = {
    "lineups": [
        {"lineups": [{"participant": {"id": f"GNOTHER{at}"}, "players": [{"id": "GNP1"}]} for at in "12"]},
        {"lineups": lineups() | {f"{side}Participant": {"id": f"GNOTHER{side}"} for side in ("home", "away")}},
    ],
    "actions": [{"actions": [ACTIONS[0] | {"participant": {"id": "GNOTHER1"}}, ACTIONS[5]]}],
}


@pytest.mark.parametrize(
    ("resource", "body"), [(resource, body) for resource, bodies in FOREIGN.items() for body in bodies]
)
async def test_the_answer_of_another_match_is_a_fault(resource, body):
    """Line-ups and actions are known by their teams; at the first poll the match has named them already."""
    async with upstream(good(**{resource: json_answer(body)})) as provider, connected(provider.url) as adapter:
        first = await fetch(adapter)
        provider.answers.update(good())
        second = await fetch(adapter)
        provider.answers[paths()[resource]] = json_answer(body)
        third = await adapter.fetch(MATCH_ID, known(second), text=False, hints=second.hints)

    for fetched in (first, third):
        reported = {each.resource: each for each in fetched.answers}
        if fetched is third and resource == "lineups":  # alone they never hold a match up
            assert resource not in reported
        else:
            assert type(reported[resource].error) is BadBody
            assert reported[resource].error.message == f"{resource}: the answer is about another match"
        assert {each.outcome for name, each in reported.items() if name != resource} <= {
            Outcome.CHANGED,
            Outcome.UNCHANGED,
        }


async def test_what_was_there_cannot_be_missing():
    """A 404 of line-ups or actions that were there is a fault, and the last good ones stand."""
    async with upstream(good()) as provider, connected(provider.url) as adapter:
        first = await fetch(adapter)
        for resource in ("lineups", "actions"):
            provider.answers[paths()[resource]] = answered(b"", status="404 Not Found")
        second = await fetch(adapter, first)

    assert {"actions": BadBody} == {each.resource: type(each.error) for each in second.failed}
    assert {"match", "actions"} == {each.resource for each in second.answers}


async def test_a_single_goal_may_be_taken_back_but_not_all_at_once():
    """An empty list after one or two actions is believed (and confirmed by the next), after more it is a fault."""
    empty = json_answer({"actions": []})
    async with (
        upstream(good(actions=json_answer({"actions": ACTIONS[:1]}))) as provider,
        connected(provider.url) as adapter,
    ):
        one = await fetch(adapter)
        provider.answers[paths()["actions"]] = empty
        gone = await fetch(adapter, one)
        provider.answers[paths()["actions"]] = json_answer({"actions": ACTIONS})
        many = await fetch(adapter)
        provider.answers[paths()["actions"]] = empty
        refused = await fetch(adapter, many)

    assert (Outcome.CHANGED, 0) == (gone.answers[2].outcome, gone.answers[2].rows)
    assert BadBody is type(refused.answers[2].error)


@pytest.mark.parametrize("body", [{}, {"actions": None}])
async def test_an_answer_without_the_list_is_no_empty_list(body):
    """Before the first action it may stand for none; the only goal has not gone because nobody says anything of goals."""
    async with upstream(good(actions=json_answer(body))) as provider, connected(provider.url) as adapter:
        none = await fetch(adapter)
        provider.answers[paths()["actions"]] = json_answer({"actions": ACTIONS[:1]})
        one = await fetch(adapter, none)
        provider.answers[paths()["actions"]] = json_answer(body)
        silent = await fetch(adapter, one)

    assert [Outcome.CHANGED, Outcome.CHANGED] == [each.answers[2].outcome for each in (none, one)]
    assert BadBody is type(silent.answers[2].error)


def phase(*matches: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"phase": {"id": "GNPHASE", "names": named("Group Z"), "matches": list(matches), **more}}


def listed(ident: str, status: str, day: int) -> dict[str, Any]:
    info = {"scheduledStartTimeUTC": f"2025-06-{day:02}T16:00:00Z"}
    return {"id": ident, "status": status, "dateAndTimeInfo": info}


@pytest.mark.parametrize(
    ("matches", "expected"),
    [
        ([listed("A", "FINISHED", 1), listed("B", "IN_PROGRESS", 3), listed("C", "NOT_STARTED", 2)], "B"),
        ([listed("A", "FINISHED", 1), listed("B", "NOT_STARTED", 5), listed("C", "NOT_STARTED", 4)], "C"),
        ([listed("A", "FINISHED", 1), listed("B", "FINISHED", 3), listed("C", "FINISHED", 2)], "B"),
        ([listed("A", "POSTPONED", 9), {"id": 7}, {"no": "id"}, None], "7"),
    ],
)
async def test_of_several_matches_the_running_then_the_next_then_the_last_is_meant(matches, expected):
    """The same rule for every provider."""
    path = f"{BASE}/phases/GNPHASE?{QUERY}"
    async with upstream({path: json_answer(phase(*matches))}) as provider, connected(provider.url) as adapter:
        assert expected == await adapter.resolve(Selector("phase", "GNPHASE"))


async def test_a_phase_without_matches_is_a_race_of_its_own():
    """It is resolved to itself and followed alone."""
    path = f"{BASE}/phases/GNF057JFZJSXMEX?{QUERY}"
    async with upstream({path: json_answer({"phase": race()})}) as provider, connected(provider.url) as adapter:
        match_id = await adapter.resolve(Selector("phase", "GNF057JFZJSXMEX"))
        assert match_id == await adapter.resolve(Selector("match", match_id))
        fetched = await fetch(adapter, match_id=match_id)
        found = adapter.translate(match_id, {each.resource: each.body for each in fetched.answers})

    assert [path, path] == provider.paths
    assert ["phase"] == [each.resource for each in fetched.answers]
    assert (match_id, "cycling", "Tour of the Coast \u2013 Stage 5") == (found.match_id, found.sport, found.title)
    assert [
        ("Jan Muster1", "1", "Team Dune"),
        ("Jan Muster2", "2", "Team Dune"),
        ("Jan Muster11", "11", "Team Tide"),
    ] == [(each.person.name, each.person.number, each.team.name) for each in found.race.ranking]


async def test_a_phase_of_soccer_without_matches_is_404():
    """There is nothing in it that could be followed."""
    body = phase(sport={"names": named("Football")})
    async with (
        upstream({f"{BASE}/phases/GNPHASE?{QUERY}": json_answer(body)}) as provider,
        connected(provider.url) as adapter,
    ):
        with pytest.raises(MatchUnknown):
            await adapter.resolve(Selector("phase", "GNPHASE"))


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", "en-GB"), ("en-au", "en-GB"), ("de", "de-DE"), ("fr-fr", "fr-FR"), ("zh-tw", "zh-HK"), ("pt-BR", "pt-BR"),
     ("", "en-GB"), ("tlh", "en-GB")],
)  # fmt: skip
async def test_the_feed_is_requested_in_the_endpoints_language(language, expected):
    """As far as the feed has it; else in English."""
    async with upstream() as provider, connected(provider.url, language=language) as adapter:
        await fetch(adapter)

    assert f"language={expected}&" in provider.paths[0]


async def test_paths_are_corrected_by_the_config():
    """The conflict about the base path is settled by its setting, everything else by the table of names."""
    names = {"match_resource": "v2/match/{id}?full=1"}
    async with upstream() as provider, connected(provider.url, options={"names": names}) as adapter:
        await fetch(adapter)

    assert [f"{BASE}/v2/match/{MATCH_ID}?full=1&{QUERY}"] == provider.paths


@pytest.mark.parametrize("status", ["404 Not Found", "400 Bad Request"])
async def test_a_phase_that_the_provider_does_not_take_is_unknown(status):
    """Whether it says that there is none, or that the id cannot be."""
    path = f"{BASE}/phases/GNPHASE?{QUERY}"
    async with upstream({path: answered(b"", status=status)}) as provider, connected(provider.url) as adapter:
        with pytest.raises(MatchUnknown):
            await adapter.resolve(Selector("phase", "GNPHASE"))
