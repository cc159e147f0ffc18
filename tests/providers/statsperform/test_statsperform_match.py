"""What Stats Perform sends becomes a match: halves by their number, minutes that run on, an own goal without a side."""

import json
import re

import pytest

from mapping.errors import BadBody
from mapping.match.match import Score, Status
from providers.base import Known
from providers.contract.case import Case, known_of
from providers.contract.server import Reply
from providers.naming import correct_names
from providers.statsperform.adapter import STATSPERFORM
from providers.statsperform.catalog import CATALOG, NAMES
from providers.statsperform.translate import translate
from tests.kit.contracts import DERBY
from tests.kit.contracts import StatsPerformContract as Contract
from tests.kit.opening import endpoint_of
from tests.kit.recordings import recorded
from tests.kit.statsperform_match import FOLDER, body
from tests.providers.loopback import answered, upstream


def read(match, match_id=DERBY, **names):
    table = correct_names(NAMES, {"names": names})
    return translate(match_id, {"match": json.dumps(match).encode()}, names=table)


def rows_of(match):
    return [(each.kind.partition(".")[2], each.minute, each.added, each.phase, each.side) for each in match.incidents]


def people(match, kind):
    return [[(who.role, who.person.name) for who in each.people] for each in match.incidents if each.kind == kind]


def changed(name="derby", **details):
    match = body(name)
    match["liveData"]["matchDetails"].update(details)
    return match


def test_a_final_with_a_shoot_out_in_the_order_of_play():
    final = read(body())
    assert rows_of(final) == [
        ("start", 1, None, 1, None),
        ("yellow-card", 11, None, 1, "away"),
        ("goal", 23, None, 1, "home"),
        ("yellow-card", 30, None, 1, "home"),
        ("goal", 39, None, 1, "home"),
        ("yellow-card", 41, None, 1, "away"),
        ("goal", 45, 2, 1, "away"),
        ("pause-halves", 45, None, 1, None),
        ("resume-halves", 46, None, 2, None),
        ("substitution", 46, None, 2, "away"),
        ("substitution", 52, None, 2, "home"),
        ("substitution", 55, None, 2, "away"),
        ("own-goal", 71, None, 2, "away"),
        ("yellow-red-card", 72, None, 2, "away"),
        ("substitution", 80, None, 2, "home"),
        ("goal", 90, 4, 2, "away"),
        ("yellow-card", 90, 4, 2, "away"),
        ("goal", 90, 6, 2, "away"),
        ("end-of-regular-play", 90, None, 2, None),
        ("start-overtime", 91, None, 3, None),
        ("goal", 98, None, 3, "home"),
        ("pause-overtime", 105, None, 3, None),
        ("resume-overtime", 106, None, 4, None),
        ("red-card", 118, None, 4, "home"),
        ("goal", 120, 2, 4, "away"),
        ("end-of-overtime", 120, None, 4, None),
        ("start-shootout", 120, None, 5, None),
        ("end", 120, None, 5, None),
    ]
    assert {each.kind for each in final.incidents} == set(CATALOG["soccer"])
    assert (final.status, final.score, final.shootout) == (Status.FINISHED, Score(4, 4), Score(4, 2))
    assert final.winner == "home"
    assert [(part.title, str(part.score)) for part in final.periods] == [
        ("half-time", "2:1"),
        ("full-time", "3:3"),
        ("extra-time", "4:4"),
    ]
    assert final.faults == ()


def test_people_have_the_names_of_the_line_ups():
    """The rows abbreviate them; somebody of the staff is no player."""
    final = read(body())
    assert people(final, "soccer.goal")[0] == [("scorer", "Kai Ebbe"), ("assist", "Tom Möwe")]
    assert people(final, "soccer.substitution")[0] == [("in", "Ivo Hecke"), ("out", "Jon Linde")]
    staff = [each.detail for each in final.incidents if each.kind == "soccer.yellow-card" and not each.people]
    assert staff == ["E. Forst"]
    assert [(each.name, each.position, each.number) for each in final.home.lineup[:3]] == [
        ("Ole Brandt", "keeper", "1"),
        ("Mats Kröger", "defense", "2"),
        ("Jan Deich", "defense", "3"),
    ]
    assert [each.name for each in final.home.bench] == ["Udo Pier", "Ivo"]
    assert (final.home.short_name, final.location.name, final.tournament.name) == (
        "Hafenstadt",
        "Hafenstadion",
        "Hansepokal",
    )


def test_both_shapes_of_an_answer_are_one_match():
    single = body("derby-running")
    assert read({"match": [single]}) == read(single)


@pytest.mark.parametrize(
    ("details", "status", "phase", "in_break"),
    [
        ({"periodId": 1}, Status.LIVE, 1, False),
        ({"periodId": 10}, Status.BREAK, 1, True),
        ({"periodId": 2}, Status.LIVE, 2, False),
        ({"periodId": 11}, Status.BREAK, 2, True),
        ({"periodId": 3}, Status.LIVE, 3, False),
        ({"periodId": 13}, Status.BREAK, 4, True),
        ({"periodId": 5}, Status.SHOOTOUT, 4, False),
        ({"periodId": 77}, Status.LIVE, 2, False),
        ({"periodId": None}, Status.LIVE, 2, False),
    ],
)
def test_the_state_of_a_match_that_is_played_is_that_of_its_part(details, status, phase, in_break):
    match = read(changed("derby-running", **details))
    assert (match.status, match.clock.phase, match.clock.in_break) == (status, phase, in_break)


def test_what_nobody_knows_is_a_fault_and_takes_nothing_back():
    """An unknown part keeps the marks, an unknown type its row, an unreadable id the whole list."""
    match = read(changed("derby-running", periodId=77))
    assert {"period:soccer.start", "period:soccer.end"} <= match.unreadable
    strange = body("derby-running")
    strange["liveData"]["goal"][0]["type"] = "XG"
    assert "incident:2300000001" in read(strange).unreadable
    strange["liveData"]["goal"][1]["optaEventId"] = None
    assert read(strange).withdrawal_blocked == {"match"}


def test_an_own_goal_is_the_scorers_sides_and_else_the_one_whose_score_stayed():
    """Nobody says whose the `contestantId` of an own goal is, so it is not read."""
    match = body()
    own = next(each for each in match["liveData"]["goal"] if each["type"] == "OG")
    for contestant in ("4hafen5team1home2fixture33", "4wald5team2away1fixture333", "nobody"):
        own["contestantId"] = contestant
        assert [each.side for each in read(match).incidents if each.kind == "soccer.own-goal"] == ["away"]
    own["scorerId"] = "somebodyelse00000000000000"
    assert [each.side for each in read(match).incidents if each.kind == "soccer.own-goal"] == ["away"]


def test_the_score_of_extra_time_may_count_from_either_beginning():
    match = body()
    match["liveData"]["matchDetails"]["scores"]["et"] = {"home": 1, "away": 1}
    assert [str(each.score) for each in read(match).periods] == ["2:1", "3:3", "4:4"]
    match["liveData"]["matchDetails"]["scores"]["et"] = {"home": 2, "away": 0}
    wrong = read(match)
    assert [each.title for each in wrong.periods] == ["half-time", "full-time"]
    assert [each.field for each in wrong.faults] == ["scores.et"]


def test_a_substitution_is_known_by_who_goes_and_comes():
    first, again = read(body()), body()
    again["liveData"]["substitute"].reverse()
    assert [each.key for each in read(again).incidents] == [each.key for each in first.incidents]
    assert "incident:sub-aplayer05fixture0000000-aplayer12fixture0000000" in {each.key for each in first.incidents}


def test_an_hour_that_is_not_fixed_is_open():
    match = body("derby-planned")
    del match["matchInfo"]["time"]
    assert (read(match).kickoff, read(match).kickoff_open) == (1749859200, True)


def test_names_can_be_corrected():
    other = body("derby-running")
    other["liveData"]["matchDetails"]["matchStatus"] = "Live"
    other["liveData"]["goal"][0]["type"] = "GOAL"
    match = read(other, status_running="Live")
    assert match.status is Status.LIVE
    assert [each.reason for each in match.faults] == ["unknown type 'GOAL'"]


def opened():
    return Case(provider=STATSPERFORM, samples=Contract.samples).open(Contract.samples[0])


async def polled(server, match, known, hints):
    """One poll whose answer is this match."""
    server.server.spoil = lambda _: Reply(body=json.dumps(match).encode())
    return await server.fetch(known, hints)


async def test_a_list_that_had_rows_and_is_not_there_is_a_fault():
    """After more than two; one or two may have been a mistake, and then all of them are taken back."""
    gone, few = body(), body()
    del gone["liveData"]["card"]
    few["liveData"]["card"] = few["liveData"]["card"][:2]
    async with opened() as server:
        first = await server.fetch()
        (answer,) = (await polled(server, gone, known_of(first.answers), first.hints)).answers
        assert isinstance(answer.error, BadBody)
        fewer = await polled(server, few, known_of(first.answers), first.hints)
        (answer,) = (await polled(server, gone, known_of(fewer.answers), fewer.hints)).answers
        assert answer.error is None


@pytest.mark.parametrize(
    ("name", "goals", "cards", "changes", "score"),
    [
        (
            "event",
            [("goal", 74, None, "home"), ("goal", 87, None, "away"), ("goal", 90, 6, "home")],
            [
                ("yellow-card", 11),
                ("yellow-card", 69),
                ("yellow-card", 71),
                ("yellow-red-card", 72),
                ("yellow-card", 90),
            ],
            9,
            Score(2, 1),
        ),
        (
            "tracking",
            [
                ("goal", 5, None, "away"),
                ("goal", 21, None, "away"),
                ("goal", 45, 2, "home"),
                ("goal", 55, None, "home"),
            ],
            [("yellow-card", 41), ("yellow-card", 76), ("yellow-card", 90), ("yellow-card", 90)],
            7,
            Score(2, 2),
        ),
    ],
)
def test_what_was_recorded_is_what_happened(name, goals, cards, changes, score):
    """The truth was read off the bodies by hand."""
    raw = recorded(f"statsperform/statsperform_{name}_ma1.json").read_bytes()
    match = translate(json.loads(raw)["matchInfo"]["id"], {"match": raw}, names=correct_names(NAMES, {}))
    rows = rows_of(match)
    assert [(kind, minute, added, side) for kind, minute, added, _, side in rows if "goal" in kind] == goals
    assert [(kind, minute) for kind, minute, *_ in rows if "card" in kind] == cards
    assert sum(kind == "substitution" for kind, *_ in rows) == changes
    assert (match.score, match.status, match.faults) == (score, Status.FINISHED, ())
    assert [len(side.lineup) for side in match.sides] == [11, 11]


PATH = f"/match/outlet/{DERBY}?live=yes&lineups=yes&_rt=b&_fmt=json"
RUNNING = (FOLDER / "derby-running.match.json").read_bytes()


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        (re.sub(rb'"matchTime": 58', b'"matchTime": 101', RUNNING), "unchanged"),
        (re.sub(rb'"matchTime": 58,', b"", RUNNING), "changed"),
        (re.sub(rb'"matchTime": 58', b'"matchTime": 59', RUNNING).replace(b'"Playing"', b'"Played"'), "changed"),
    ],
    ids=["it runs", "it is gone", "beside something else"],
)
async def test_the_minute_that_runs_is_no_change(after, outcome):
    """Nobody reads it: a body that differs in it alone is the one that is known."""
    assert json.loads(after) != json.loads(RUNNING)
    async with upstream({}) as provider:
        adapter = STATSPERFORM.connect(endpoint_of(provider="statsperform", base_url=provider.url, api_key="outlet"))
        known = {}
        for body in (RUNNING, after):
            provider.answers[PATH] = answered(body, "Content-Type: application/json")
            fetched = await adapter.fetch(DERBY, known, text=False, hints={})
            [answer] = fetched.answers
            known = {answer.resource: Known(etag=answer.etag, digest=answer.digest, rows=answer.rows)}
        await adapter.aclose()

    assert answer.outcome == outcome
