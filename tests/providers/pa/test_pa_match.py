"""What PA sends becomes a match: no whistles, rows in any order, twins, own goals, and what is deleted or gone."""

import pytest

from mapping.errors import BadBody, MatchUnknown, ProviderRefused
from mapping.match.match import Score, Status
from providers.base import Outcome
from providers.contract.case import Case, known_of
from providers.contract.server import Reply
from providers.naming import correct_names
from providers.pa.adapter import PA
from providers.pa.catalog import CATALOG, NAMES
from providers.pa.translate import translate
from tests.kit.contracts import PaContract as Contract
from tests.kit.recordings import recorded
from tests.providers.pa.bodies import NOTATION, Bodies, find, people, rows_of

TABLE = correct_names(NAMES, {})


def test_a_cup_tie_with_a_shoot_out_in_the_order_of_play():
    match = Bodies().read()
    assert rows_of(match) == [
        ("start", 1, None, 1, None),
        ("yellow-card", 11, None, 1, "away"),
        ("goal", 23, None, 1, "home"),
        ("yellow-card", 30, None, 1, "home"),
        ("goal", 39, None, 1, "home"),
        ("goal", 45, 2, 1, "away"),
        ("pause-halves", 45, None, 1, None),
        ("resume-halves", 46, None, 2, None),
        ("substitution", 46, None, 2, "away"),
        ("substitution", 52, None, 2, "home"),
        ("own-goal", 71, None, 2, "away"),
        ("yellow-red-card", 72, None, 2, "away"),
        ("penalty-kick-missed", 76, None, 2, "home"),
        ("goal", 90, 4, 2, "away"),
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
    assert {each.kind for each in match.incidents} == set(CATALOG["soccer"])
    assert (match.status, match.score, match.shootout, match.winner) == (
        Status.FINISHED, Score(4, 4), Score(3, 1), "home",
    )  # fmt: skip
    assert [(part.title, str(part.score)) for part in match.periods] == [
        ("half-time", "2:1"),
        ("full-time", "3:3"),
        ("extra-time", "4:4"),
    ]
    assert match.faults == ()


def test_people_have_the_names_of_the_line_ups():
    """Those of rows are without accents, and some with the surname first."""
    match = Bodies().read()
    assert people(find(match, "4400003")) == [("scorer", "Kai Ebbe"), ("assist", "Tom Möwe")]
    assert people(find(match, "4400009")) == [("scorer", "Ron Birke")]
    assert people(find(match, "4400010")) == [("in", "Ben Eiche"), ("out", "Jon Linde")]
    assert [(each.name, each.position) for each in match.home.lineup[:2]] == [
        ("Ole Brandt", "keeper"),
        ("Mats Kröger", "defense"),
    ]
    bodies = Bodies()
    bodies.documents["lineups"] = {"lineUps": {"errors": {"error": ["No data available"]}}}
    assert people(find(bodies.read(), "4400009")) == [("scorer", "Birke Ron")]


@pytest.mark.parametrize(
    ("word", "over"), [("FT", True), ("ETFT", True), ("PTFT", True), ("PT", False), ("ETFTPT", False), ("FTPT", False)]
)
def test_a_result_ends_a_match_but_not_before_its_shoot_out(word, over):
    bodies = Bodies("cup-tie-running")
    bodies.row.update({"matchStatus": word, "result": "Yes"})
    match = bodies.read()
    assert (match.status is Status.FINISHED) is over
    assert ("soccer.end" in {each.kind for each in match.incidents}) is over


def test_full_time_without_a_result_promises_neither_end_nor_break():
    """Otherwise the mark of one would be taken back when the other comes."""
    bodies = Bodies("cup-tie-running")
    bodies.row["matchStatus"] = "FT"
    assert [each for each in rows_of(bodies.read()) if each[0].startswith("end")] == []
    bodies.row["matchStatus"] = "FTET"
    assert [each[0] for each in rows_of(bodies.read()) if each[0].startswith("end")] == ["end-of-regular-play"]


def test_a_status_between_two_polls_follows_from_the_order():
    bodies = Bodies("cup-tie-running")
    bodies.row["matchStatus"] = "ETSHS"
    marks = [each.kind for each in bodies.read().incidents if each.marks_period]
    assert marks == [
        "soccer.start", "soccer.pause-halves", "soccer.resume-halves", "soccer.end-of-regular-play",
        "soccer.start-overtime", "soccer.pause-overtime", "soccer.resume-overtime",
    ]  # fmt: skip


def test_a_shoot_out_without_extra_time_has_no_marks_of_it():
    bodies = Bodies("cup-tie-running")
    bodies.row["matchStatus"] = "PT"
    assert "soccer.start-overtime" not in {each.kind for each in bodies.read().incidents}
    bodies.add("4400050", "foul", "93:00")
    assert "soccer.start-overtime" in {each.kind for each in bodies.read().incidents}


@pytest.mark.parametrize(
    ("day", "hour", "moment", "is_open"),
    [
        ("14/06/2025", "17:00", 1749916800, False),  # 16:00 UTC
        ("18/01/2025", "15:00", 1737212400, False),  # 15:00 UTC
        ("30/03/2025", "14:00", 1743339600, False),  # the day on which clocks are set forward: 13:00 UTC
        ("14/06/2025", "00:00", 1749855600, True),
        ("14/06/2025", "", 1749855600, True),
    ],
)
def test_times_are_those_of_london(day, hour, moment, is_open):
    bodies = Bodies("cup-tie-planned")
    bodies.row.update({"date": day, "koTime": hour})
    match = bodies.read()
    assert (match.kickoff, match.kickoff_open) == (moment, is_open)


@pytest.mark.parametrize(
    ("clock", "added", "minute", "more", "part"),
    [
        ("0:24", "0:00", 1, None, 1), ("38:00", "0:00", 38, None, 1), ("45:00", "2:10", 45, 3, 1),
        ("45:01", "0:00", 46, None, 2), ("86:26", "0:00", 87, None, 2), ("90:01", "0:00", 91, None, 3),
        ("105:00", "0:41", 105, 1, 3), ("120:00", "1:29", 120, 2, 4),
    ],
)  # fmt: skip
def test_minutes_are_rounded_up_and_added_time_is_apart(clock, added, minute, more, part):
    """Whatever `matchTime` shows, which can lack the added part."""
    bodies = Bodies("cup-tie-running")
    bodies.add("4400050", "booking", clock, added, matchTime="(105)")
    found = find(bodies.read(), "4400050")
    assert (found.minute, found.added, found.phase) == (minute, more, part)


def test_a_penalty_comes_twice_and_is_one_goal():
    match = Bodies().read()
    assert find(match, "4400007") is None
    assert (find(match, "4400008").method, find(match, "4400008").score) == ("penalty", Score(2, 0))
    bodies = Bodies()
    bodies.event("4400007")["normalTime"] = "38:02"  # its clock may differ
    assert bodies.read().faults == ()
    bodies.remove("4400008")
    assert [each.reason for each in bodies.read().faults] == ["a penalty without its goal"]


def test_a_dismissal_is_a_second_yellow_card_if_a_booking_of_the_player_stands():
    """One that is deleted, or another player's, or that came later, is none."""
    bodies = Bodies()
    assert find(bodies.read(), "4400014").kind == "soccer.yellow-red-card"
    bodies.event("4400002")["status"] = "deleted"
    assert find(bodies.read(), "4400014").kind == "soccer.red-card"
    bodies.event("4400002").update(status="active", normalTime="80:00")
    assert find(bodies.read(), "4400014").kind == "soccer.red-card"


def test_an_assist_belongs_to_the_nearest_goal_of_its_side():
    bodies = Bodies()
    bodies.event("4400004")["normalTime"] = "22:13"
    assert people(find(bodies.read(), "4400003"))[-1] == ("scorer", "Kai Ebbe")
    bodies.event("4400004")["normalTime"] = "22:29"
    assert people(find(bodies.read(), "4400003"))[-1] == ("assist", "Tom Möwe")
    bodies.event("4400004")["players"]["player1"]["teamID"] = "8802"
    assert people(find(bodies.read(), "4400003"))[-1] == ("scorer", "Kai Ebbe")


def test_deleted_rows_are_left_out_and_any_other_status_is_active():
    bodies = Bodies("cup-tie-running")
    for status, is_there in (("deleted", False), ("active", True), ("foobar", True), ("", True)):
        bodies.event("4400009")["status"] = status
        match = bodies.read()
        assert (find(match, "4400009") is not None) is is_there
        assert (match.faults, match.withdrawal_blocked) == ((), frozenset())


def test_no_score_after_a_goal_is_guessed():
    """One goal that cannot be read would make all later ones wrong."""
    bodies = Bodies("cup-tie-running")
    bodies.event("4400003")["normalTime"] = "soon"
    match = bodies.read()
    assert [each.score for each in match.incidents if each.kind == "soccer.goal"] == [None] * 3
    assert match.score == Score(2, 1)


def test_the_tally_of_a_shoot_out_is_in_its_kicks_else_in_the_comment():
    bodies = Bodies()
    bodies.remove(*(f"44000{number}" for number in range(30, 36)))
    assert bodies.read().shootout == Score(3, 1)
    bodies.row["comments"] = "Waldau win 5-4 on penalties"
    match = bodies.read()
    assert (match.shootout, match.winner) == (Score(4, 5), "away")


def test_names_can_be_corrected():
    bodies = Bodies()
    bodies.event("4400015")["eventType"] = "penalty off target"
    assert find(bodies.read(), "4400015") is None
    assert find(bodies.read(penalty_missed="penalty off target"), "4400015").kind == "soccer.penalty-kick-missed"


def recording(name):
    return recorded(f"pa/{name}.xml").read_bytes()


def planned(match_id, home, away, status="FT", result="Yes", score=("0", "0")):
    """A body of the match for recordings that have its events or line-ups alone."""
    sides = zip(("homeTeam", "awayTeam"), (home, away), score, strict=True)
    teams = "".join(f'<{tag} teamID="{team}"><teamName>{team}</teamName><score>{goals}</score></{tag}>'
                    for tag, team, goals in sides)  # fmt: skip
    return f"""<matches><match matchID="{match_id}" date="13/06/2016" koTime="14:00"><result>{result}</result>
        <matchStatus>{status}</matchStatus>{teams}</match></matches>""".encode()


def test_recorded_events_are_what_happened():
    """The truth was read off the body by hand: 1:0 in the 87th minute, one card, six substitutions."""
    bodies = {"match": planned("3888465", "999", "6318", score=("1", "0")), "events": recording("match-events-3888465")}
    match = translate("3888465", bodies, names=TABLE)
    assert rows_of(match) == [
        ("start", 1, None, 1, None),
        ("pause-halves", 45, None, 1, None),
        ("resume-halves", 46, None, 2, None),
        ("yellow-card", 61, None, 2, "away"),
        ("substitution", 62, None, 2, "home"),
        ("substitution", 70, None, 2, "home"),
        ("substitution", 75, None, 2, "away"),
        ("substitution", 82, None, 2, "home"),
        ("substitution", 86, None, 2, "away"),
        ("goal", 87, None, 2, "home"),
        ("substitution", 88, None, 2, "away"),
        ("end", 90, None, 2, None),
    ]
    goal = find(match, "22306972")
    assert (people(goal), goal.score) == ([("scorer", "Gerard Pique"), ("assist", "Andres Iniesta")], Score(1, 0))
    assert people(find(match, "22306955")) == [("in", "Rodriguez Pedro"), ("out", "Manuel Agudo Nolito")]
    assert match.faults == ()


def test_what_is_not_known_keeps_the_marks():
    bodies = Bodies("cup-tie-running")
    bodies.row["matchStatus"] = "XYZ"
    match = bodies.read()
    assert (match.status, [each.field for each in match.faults]) == (Status.LIVE, ["matchStatus"])
    assert {"period:soccer.start", "period:soccer.end"} <= match.unreadable


def test_a_row_without_a_type_is_kept_by_its_id_and_one_without_an_id_blocks():
    bodies = Bodies("cup-tie-running")
    del bodies.event("4400009")["eventType"]
    match = bodies.read()
    assert "incident:4400009" in match.unreadable
    assert match.withdrawal_blocked == frozenset()
    bodies.event("4400003")["eventID"] = ""
    assert bodies.read().withdrawal_blocked == {"events"}


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
