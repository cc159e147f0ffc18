"""The adapter against a provider on the loopback interface: what it requests, and what it makes of the responses."""

import json

import pytest

from mapping.errors import BadBody
from providers.base import Known, Outcome, Selector
from providers.heim.adapter import HEIM
from tests.kit.opening import endpoint_of
from tests.providers.heim.feed import MATCH_ID, item, match, row, tree, wrapped
from tests.providers.loopback import answered, json_answer, upstream

MATCH, EVENTS, TEXT = f"/match/ma{MATCH_ID}", f"/match-event/ma{MATCH_ID}", f"/liveticker/co/ma{MATCH_ID}"
GOAL = row(1, "goal/head", 12, "home", 9)
GOOD = {
    MATCH: json_answer(wrapped(), 'ETag: "m1"', "Cache-Control: max-age=30"),
    EVENTS: json_answer([GOAL], 'ETag: "e1"'),
    TEXT: json_answer([item(5, 12, "Tor")], 'ETag: "t1"'),
}


class Session:
    """A provider and the adapter that polls it as a follower would."""

    def __init__(self, provider, adapter):
        self.provider, self.adapter, self.known, self.hints = provider, adapter, {}, {}

    async def poll(self, *, text=False, **answers):
        """One poll; `match=`, `events=`, `text_=` replace answers. Known and hints are carried on."""
        for name, path in (("match", MATCH), ("events", EVENTS), ("text_", TEXT)):
            if name in answers:
                self.provider.answers[path] = answers[name]
        self.provider.requests.clear()
        fetched = await self.adapter.fetch(MATCH_ID, self.known, text=text, hints=self.hints)
        self.hints = fetched.hints
        for answer in fetched.answers:
            if answer.outcome is not Outcome.FAILED:
                self.known[answer.resource] = Known(etag=answer.etag, digest=answer.digest, rows=answer.rows)
        return fetched


@pytest.fixture
async def session():
    async with upstream(dict(GOOD)) as provider:
        endpoint = endpoint_of(
            provider="heim", base_url=provider.url, username="newsroom", password="s3cr3t", timeout=30
        )
        adapter = HEIM.connect(endpoint)
        yield Session(provider, adapter)
        await adapter.aclose()


def outcomes(fetched):
    return {answer.resource: answer.outcome.value for answer in fetched.answers}


def error(fetched, resource):
    return next(answer.error for answer in fetched.answers if answer.resource == resource)


async def test_the_first_poll_brings_all_resources(session):
    """Match first, then events and text, each with body, validators and size; the match leads the answers."""
    fetched = await session.poll(text=True)
    answers = {answer.resource: answer for answer in fetched.answers}

    assert session.provider.paths[0] == MATCH
    assert sorted(session.provider.paths) == sorted([MATCH, EVENTS, TEXT])
    assert list(answers) == ["match", "match-event", "liveticker"]
    assert (answers["match"].etag, answers["match"].rows, answers["match"].fresh_for) == ('"m1"', 1, 30.0)
    assert json.loads(answers["match-event"].body) == [GOAL]
    assert len(answers["liveticker"].digest) == 64


@pytest.mark.parametrize(
    ("minute", "changes", "outcome"),
    [
        ("47", {}, "unchanged"),
        ("120", {}, "unchanged"),
        (None, {}, "changed"),
        ("", {}, "changed"),
        ("47", {"finished": "yes"}, "changed"),
    ],
    ids=["the next one", "a longer one", "gone", "empty", "beside something else"],
)
async def test_the_minute_that_runs_is_no_change(session, minute, changes, outcome):
    """Nobody reads it, only whether there is one: a body that differs in it alone is the one that is known."""
    await session.poll(match=json_answer(wrapped(current_minute="46")))
    fetched = await session.poll(match=json_answer(wrapped(current_minute=minute, **changes)))

    assert outcomes(fetched)["match"] == outcome


async def test_the_competition_leads_to_the_text(session):
    """Its id is learned from the match and kept as a hint; without hints the match is requested unconditionally."""
    season = {"id": "77", "competition": {"id": "31", "name": "Hansepokal"}}
    session.provider.answers[f"/liveticker/co31/ma{MATCH_ID}"] = GOOD[TEXT]
    session.provider.answers[MATCH] = json_answer(wrapped(round={"id": "1", "season": season}), 'ETag: "m1"')
    await session.poll(text=True)
    session.hints = {}
    fetched = await session.poll(text=True)

    assert outcomes(fetched)["match"] == "unchanged"
    assert session.provider.requests[0].path == MATCH
    assert "if-none-match" not in session.provider.requests[0].headers
    assert session.provider.paths[-1] == f"/liveticker/co31/ma{MATCH_ID}" or TEXT not in session.provider.paths
    assert session.hints["competition"] == "31"


async def test_events_inside_the_match_spare_a_request(session):
    """They are an answer of their own: changed, unchanged and failed like any other resource."""
    inside = json_answer(wrapped(match_event=[GOAL]), 'ETag: "m9"')
    first = await session.poll(match=inside)
    paths = session.provider.paths
    second = await session.poll()
    third = await session.poll(match=json_answer(wrapped(match_event=[GOAL], attendance="5000")))
    emptied = await session.poll(match=json_answer(wrapped(match_event=[])))

    assert paths == [MATCH]
    assert outcomes(first) == {"match": "changed", "match-event": "changed"}
    assert outcomes(second) == {"match": "unchanged", "match-event": "unchanged"}
    assert outcomes(third) == {"match": "changed", "match-event": "unchanged"}
    assert isinstance(error(emptied, "match-event"), BadBody)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"  \n", b"<html><body>502</body></html>", b'[{"id": "1", "action": "goal"', b"\xff\xfe[", b'"text"',
        b"[NaN]", b"[" * 50_000 + b"]" * 50_000, b'{"a":' * 100 + b"1" + b"}" * 100, b"9" * 6000,
        json.dumps(wrapped()).encode(), json.dumps([item(5, 12, "Tor")]).encode(), b"[]", b"{}", b"[1, 2]",
    ],
)  # fmt: skip
async def test_what_is_not_the_events_is_a_fault_and_never_a_deletion(session, body):
    """Empty, HTML, cut off, wrong encoding, wrong type, too deep, another resource, or shrunken to nothing."""
    await session.poll()
    fetched = await session.poll(events=answered(body))

    assert outcomes(fetched) == {"match": "unchanged", "match-event": "failed"}
    assert type(error(fetched, "match-event")) is BadBody
    assert session.known["match-event"].rows == 1


OTHERS = {"id": "601", "name": "SC Fremd"}
STRAY = row(1, "goal/head", 12, "home", 9, team=OTHERS)


@pytest.mark.parametrize("rows", [[STRAY], [row(7, "match/game-start", 1), STRAY, STRAY | {"id": "2"}]])
async def test_the_events_of_another_match_are_a_fault(session, rows):
    """Nothing in them says whose they are but the teams, none of which plays here; a stray team among ours is no fault."""
    first = await session.poll(events=json_answer(rows))
    assert outcomes(first) == {"match": "changed", "match-event": "failed"}
    await session.poll(events=json_answer([GOAL]))
    fetched = await session.poll(events=json_answer(rows))
    mixed = await session.poll(events=json_answer([GOAL, STRAY | {"id": "3"}]))

    assert outcomes(fetched) == {"match": "unchanged", "match-event": "failed"}
    assert error(fetched, "match-event").message == "match-event: the answer is about another match"
    assert outcomes(mixed)["match-event"] == "changed"


async def test_the_text_of_another_match_is_a_fault(session):
    """Items that are bound to events of other teams alone; those that are bound to nothing belong to anybody."""
    await session.poll(text=True)
    foreign = item(6, 13, "fremd", {"id": "8", "team_id": "601", "action": "goal", "kind": "head"})
    fetched = await session.poll(text=True, text_=json_answer([foreign, item(7, 14, "frei")]))
    free = await session.poll(text=True, text_=json_answer([item(7, 14, "frei")]))

    assert outcomes(fetched) == {"match": "unchanged", "match-event": "unchanged", "liveticker": "failed"}
    assert error(fetched, "liveticker").message == "liveticker: the answer is about another match"
    assert outcomes(free)["liveticker"] == "changed"


@pytest.mark.parametrize(
    "value", [[], {}, [GOAL], {"match": match(id="8")}, tree(match(id="8")), tree(), {"match": []}, {"error": "x"}, 5]
)
async def test_a_known_match_does_not_become_unknown_by_a_bad_answer(session, value):
    """An answer without the match, also one meant for another resource, is a fault."""
    await session.poll()
    fetched = await session.poll(match=json_answer(value))

    assert type(error(fetched, "match")) is BadBody


async def test_of_a_conference_only_the_own_text_is_taken(session):
    """The variant for several matches wraps the items and marks each with its match."""
    items = [item(5, 12, "unser") | {"match_id": MATCH_ID}, item(6, 12, "fremd") | {"match_id": "8"}]
    fetched = await session.poll(text=True, text_=json_answer({"match": [], "liveticker": items}))
    found = session.adapter.translate(MATCH_ID, {answer.resource: answer.body for answer in fetched.answers})

    assert [comment.html for comment in found.comments] == ["unser"]
    assert fetched.answers[-1].resource == session.adapter.text_resource
    assert fetched.answers[-1].rows == 1


ENDED = {"finished": "yes", "current_period": "game-end"}
OPEN = {"current_period": ""}
FIRST, SECOND, THIRD = ({"match_date": day} for day in ("01.06.2025", "08.06.2025", "15.06.2025"))


SILENT = {"current_period": "", "current_period_start": "", "finished": "no"}
SETS = [
    {"match_result": games, "match_result_at": number, "place": f"none_{side}"}
    for number, score in (("0", "0:0"), ("1", "2:1"))
    for side, games in zip(("home", "away"), score.split(":"), strict=True)
]


@pytest.mark.parametrize(
    ("sport", "matches", "chosen"),
    [
        ("1", [match(id="1", **ENDED, **FIRST)], "1"),
        ("1", [match(id="1", **ENDED, **FIRST), match(id="2", **SECOND), match(id="3", **OPEN, **THIRD)], "2"),
        ("1", [match(id="3", **OPEN, **THIRD), match(id="2", **OPEN, **SECOND), match(id="1", **ENDED, **FIRST)], "2"),
        ("1", [match(id="1", **ENDED, **FIRST), match(id="2", **ENDED, **SECOND)], "2"),
        ("5", [match(id="1", **SILENT, **FIRST, match_result=[]), match(id="2", **SILENT, **SECOND, match_result=SETS)], "2"),
        ("5", [match(id="1", **ENDED, **FIRST), match(id="2", **SILENT, **SECOND, match_result=[])], "2"),
        ("4", [match(id="1", **ENDED, **FIRST), match(id="2", **SECOND, current_period="third-third-start")], "2"),
        ("7", [match(id="2", **SECOND, current_period="third-quarter-end"), match(id="3", **OPEN, **THIRD)], "2"),
        ("264", [match(id="8", home=None, away=None, match_result=None, **SILENT, **FIRST)], "8"),
    ],
)  # fmt: skip
async def test_of_several_matches_the_running_the_next_or_the_last_is_meant(session, sport, matches, chosen):
    """Whatever is played; a phase is a round, an overall a season, and a session of a race is alone in its round."""
    session.provider.answers["/matches-by-round/ro4711"] = json_answer(tree(*matches, sport=sport))
    session.provider.answers["/matches-by-season/se77"] = json_answer(tree(*matches, sport=sport))

    assert await session.adapter.resolve(Selector("phase", "4711")) == chosen
    assert {await session.adapter.resolve(Selector("overall", each)) for each in ("77", "se77")} == {chosen}


async def test_names_are_corrected_by_the_endpoint():
    """An assumed resource gets its real name from the configuration."""
    async with upstream({"/round/7": json_answer(tree(match()))}) as provider:
        options = {"names": {"phase_resource": "round/{id}"}}
        adapter = HEIM.connect(endpoint_of(provider="heim", base_url=provider.url, options=options))
        found = await adapter.resolve(Selector("phase", "7"))
        await adapter.aclose()

    assert found == MATCH_ID
    assert "authorization" not in provider.requests[0].headers
