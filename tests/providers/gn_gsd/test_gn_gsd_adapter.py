"""The adapter against real servers: what it requests, what it makes of the responses, and what it leaves alone."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import unquote

import pytest

from mapping.errors import (
    BadBody,
    InvalidRequest,
    MatchUnknown,
    ProviderRefused,
    UpstreamUnavailable,
)
from providers.base import Endpoint, Known, Outcome, Selector
from providers.gn_gsd.adapter import GN_GSD
from providers.replay import Line, Replay, ReplaySettings
from tests.kit.opening import endpoint_of
from tests.providers.gn_gsd.gsd import ACTIONS, MATCH_ID, lineups, match, named, race
from tests.providers.loopback import answered, json_answer, upstream

BASE = "/gsd/lookup/v1"
KEY = "k/e y&"
QUERY = "language=de-DE&api_key=k/e+y%26"
"""As it goes over the wire, where a slash in a query stays what it is."""
AT = "2025-06-14T17:30:00+00:00"


def endpoint(url: str, **changes: Any) -> Endpoint:
    return endpoint_of(**({"provider": "gn-gsd", "base_url": url + BASE, "api_key": KEY, "timeout": 2.0} | changes))


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


@pytest.mark.parametrize(
    "status", ["404 Not Found", "400 Bad Request", "401 Unauthorized", "403 Forbidden", "410 Gone"]
)
async def test_line_ups_that_the_provider_does_not_have_are_empty(status):
    """They are not there yet, or not booked; nothing about that is an error of the match."""
    async with upstream(good(lineups=answered(b"", status=status))) as provider, connected(provider.url) as adapter:
        first = await fetch(adapter)
        second = await fetch(adapter, first)

    assert [Outcome.CHANGED] * 3 == [each.outcome for each in first.answers]
    assert [Outcome.UNCHANGED] * 3 == [each.outcome for each in second.answers]
    assert b"{}" == first.answers[1].body


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


@pytest.mark.parametrize(
    ("resource", "body"),
    [
        ("lineups", {"lineups": [{"team": {"id": "GNHOME000000001"}}, {"team": {"id": "GNOTHER1"}}]}),
        ("lineups", {"lineups": {"homeParticipant": {"starters": []}, "awayParticipant": {"starters": []}}}),
        ("actions", {"actions": [ACTIONS[0] | {"participant": {"id": "GNOTHER1"}}, ACTIONS[1]]}),
        ("actions", {"actions": [ACTIONS[0] | {"participant": None}]}),
    ],
)
async def test_a_stray_team_or_none_is_no_other_match(resource, body):
    """What is odd about single rows is reported when they are read."""
    async with upstream(good(**{resource: json_answer(body)})) as provider, connected(provider.url) as adapter:
        fetched = await fetch(adapter)

    assert [Outcome.CHANGED] * 3 == [each.outcome for each in fetched.answers]


async def test_what_was_there_cannot_be_missing():
    """A 404 of line-ups or actions that were there is a fault, and the last good ones stand."""
    async with upstream(good()) as provider, connected(provider.url) as adapter:
        first = await fetch(adapter)
        for resource in ("lineups", "actions"):
            provider.answers[paths()[resource]] = answered(b"", status="404 Not Found")
        second = await fetch(adapter, first)

    assert {"actions": BadBody} == {each.resource: type(each.error) for each in second.failed}
    assert {"match", "actions"} == {each.resource for each in second.answers}


@pytest.mark.parametrize(
    "answer", [answered(b"", status="503 Busy"), answered(b"<html>"), answered(b""), answered(b"[]"), answered(b"{")]
)
async def test_a_creation_stands_without_line_ups_and_actions(answer):
    """Whatever they answer: the match is there, and the failures are reported."""
    async with upstream(good(lineups=answer, actions=answer)) as provider, connected(provider.url) as adapter:
        fetched = await fetch(adapter)
        found = adapter.translate(MATCH_ID, {each.resource: each.body for each in fetched.changed})

    assert [Outcome.CHANGED, Outcome.FAILED, Outcome.FAILED] == [each.outcome for each in fetched.answers]
    assert ("SV Nordhafen", ()) == (found.home.name, found.incidents)


async def test_broken_line_ups_do_not_slow_a_match_down():
    """Later polls go on as if they had not been requested; the actions' failure counts."""
    broken = answered(b"", status="500 Oops")
    async with upstream(good()) as provider, connected(provider.url) as adapter:
        first = await fetch(adapter)
        provider.answers[paths()["lineups"]] = broken
        without_lineups = await fetch(adapter, first)
        provider.answers[paths()["actions"]] = broken
        without_both = await fetch(adapter, first)

    assert ["match", "actions"] == [each.resource for each in without_lineups.answers]
    assert () == without_lineups.failed
    assert ["actions"] == [each.resource for each in without_both.failed]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (answered(b"", status="404 Not Found"), MatchUnknown),
        (answered(b"", status="401 Unauthorized"), ProviderRefused),
        (answered(b"", status="400 Bad Request"), MatchUnknown),
        (answered(b"", status="503 Busy"), UpstreamUnavailable),
        (json_answer({}), MatchUnknown),
        (json_answer([]), MatchUnknown),
        (json_answer({"match": {"homeParticipant": {}}}), MatchUnknown),
        (json_answer({"match": {"id": "GNOTHER"}}), BadBody),
        (answered(b"<html>"), BadBody),
    ],
)
async def test_without_the_match_nothing_more_is_requested(answer, error):
    """The match makes it: its failure is the answer, and comes first."""
    async with upstream(good(match=answer)) as provider, connected(provider.url) as adapter:
        fetched = await fetch(adapter)

    assert [error] == [type(each.error) for each in fetched.answers]
    assert [paths()["match"]] == provider.paths


async def test_a_match_that_was_there_cannot_become_unknown():
    """An empty answer is a fault then, and never its end."""
    async with upstream(good()) as provider, connected(provider.url) as adapter:
        first = await fetch(adapter)
        provider.answers[paths()["match"]] = json_answer({})
        second = await fetch(adapter, first)

    assert BadBody is type(second.answers[0].error)


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


@pytest.mark.parametrize("ident", ["GS0005T000WhPtr", "a/b:c?d=é %2F", "123"])
async def test_an_id_is_one_segment_and_kept_as_it_is(ident):
    """Opaque, with its case; percent-encoded on the wire, once."""
    async with upstream() as provider, connected(provider.url, api_key=None) as adapter:
        match_id = await adapter.resolve(Selector("match", f" {ident} "))
        await fetch(adapter, match_id=match_id)

    (path,) = provider.paths
    sent = path.removeprefix(f"{BASE}/matches/").removesuffix("?language=de-DE")
    assert ident == match_id == unquote(sent)
    assert not {"/", "?"} & {*sent}


@pytest.mark.parametrize("ident", ["", " ", ".", "..", "x" * 65, "a\nb"])
@pytest.mark.parametrize("kind", ["match", "phase", "overall"])
async def test_what_cannot_be_an_id_is_refused_with_its_field(kind, ident):
    """Before any request."""
    async with connected("http://127.0.0.1:9") as adapter:
        with pytest.raises(InvalidRequest) as refused:
            await adapter.resolve(Selector(kind, ident))

    assert f"{kind}Id" == refused.value.field


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


async def test_the_matches_of_an_overall_may_stand_in_its_phases():
    """One level down."""
    body = {"overall": {"id": "GNALL", "phases": [phase(listed("A", "FINISHED", 1))["phase"]]}}
    path = f"{BASE}/overalls/GNALL?{QUERY}"
    async with upstream({path: json_answer(body)}) as provider, connected(provider.url) as adapter:
        assert "A" == await adapter.resolve(Selector("overall", "GNALL"))


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


@pytest.mark.parametrize("status", ["404 Not Found", "400 Bad Request"])
async def test_a_phase_that_the_provider_does_not_take_is_unknown(status):
    """Whether it says that there is none, or that the id cannot be."""
    path = f"{BASE}/phases/GNPHASE?{QUERY}"
    async with upstream({path: answered(b"", status=status)}) as provider, connected(provider.url) as adapter:
        with pytest.raises(MatchUnknown):
            await adapter.resolve(Selector("phase", "GNPHASE"))


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


async def test_a_replayed_match_is_read_like_a_live_one():
    """The replay server speaks the provider's format: addresses, key, validators."""
    recorded = [
        Line.of(AT, f"matches/{MATCH_ID}", match()),
        Line.of(AT, f"matches/{MATCH_ID}/lineups", {"lineups": lineups()}),
        Line.of(AT, f"matches/{MATCH_ID}/actions", {"actions": ACTIONS}),
        Line.of(AT, "phases/GNF057JFZJSXMEX", {"phase": race()}),
    ]
    async with Replay(recorded, ReplaySettings(start_at="end", api_key=KEY)).serve() as replay:
        async with connected(replay.url) as adapter:
            first = await fetch(adapter)
            second = await fetch(adapter, first)
            match_id = await adapter.resolve(Selector("phase", "GNF057JFZJSXMEX"))
        async with connected(replay.url, api_key="wrong") as stranger:
            refused = await fetch(stranger)

    assert [Outcome.CHANGED] * 3 == [each.outcome for each in first.answers]
    assert [Outcome.UNCHANGED] * 3 == [each.outcome for each in second.answers]
    assert "phase:GNF057JFZJSXMEX" == match_id
    assert ProviderRefused is type(refused.answers[0].error)


def test_there_is_no_text():
    """The provider has none, so no resource of it can fail alone."""
    assert GN_GSD.connect(endpoint("http://127.0.0.1:9")).text_resource is None


def test_a_wrong_name_is_refused_at_start():
    """Not first when a match is requested."""
    with pytest.raises(ValueError, match="unknown name"):
        GN_GSD.connect(endpoint("http://127.0.0.1:9", options={"names": {"acitons": "x"}}))
