"""external.json and the sources of a match: one stands by, is refused or taken off, a person chooses who leads."""

from dataclasses import replace

import pytest

from mapping.errors import MatchUnknown
from store.following import follow_rows
from tests.api.conftest import declared_database
from tests.kit.corrected_match import edit
from tests.kit.source_pair import failing, refused
from tests.kit.source_service import AFTER, FIRST_GOAL, KICK_OFF, SECOND_GOAL, SECOND_ID, bodies, source_service
from tests.kit.sqlite import copied_url
from tests.providers.heim.feed import MATCH_ID, person

STANDBY = [{"provider": "second", "matchId": SECOND_ID}]


@pytest.fixture
async def service(request, tmp_path):
    """A liveblog on the first source's match."""
    if getattr(request, "param", "sqlite") == "sqlite":
        url = copied_url(tmp_path / "sources.db", declared_database)
    else:
        url = request.getfixturevalue("postgres_url")
    async with source_service(url) as running:
        await running.create()
        yield running


BOTH = pytest.mark.parametrize(
    "service", ["sqlite", pytest.param("postgresql", marks=pytest.mark.proof)], indirect=True
)


def leading(source):
    return [each["provider"] for each in source["sources"] if each["leads"]]


async def follows(service):
    """Provider → whether its match is followed."""
    rows = await service.process.store.read(lambda conn: follow_rows.follows(conn, open_only=False))
    return {each.provider: each.closed_at is None for each in rows}


@BOTH
async def test_a_source_stands_by_with_one_step_and_a_second_time_with_none(service):
    """Both are followed from then on, and the answer says how each of them stands."""
    before = await service.source()
    after = await service.change(standby=STANDBY)
    again = await service.change(standby=STANDBY)
    await service.go_on()
    source = await service.source()

    assert (before["sources"], before["leads"], before["disagreements"]) == ([], "auto", [])
    assert (before["version"] + 1, after["version"]) == (after["version"], again["version"])
    assert leading(after) == ["heim"]
    assert await follows(service) == {"heim": True, "second": True}
    first, second = source["sources"]
    assert (first["matchId"], second["matchId"], second["status"]) == (MATCH_ID, SECOND_ID, "live")
    assert (first["reason"], first["trouble"], second["trouble"]) == ("first", None, None)
    assert None not in {first["lastGood"], second["lastGood"]}


@pytest.mark.parametrize(
    ("standby", "status", "field"),
    [
        ({"provider": "heim", "matchId": "9000002"}, 422, "standby.0.provider"),
        ({"provider": "teletext", "matchId": "1"}, 404, "standby.0.provider"),
        ({"provider": "gn-gsd", "matchId": "1"}, 404, "standby.0.provider"),
        ({"provider": "second"}, 422, "standby.0.matchId"),
        ({"provider": "second", "matchId": "a b"}, 422, "standby.0.matchId"),
        ({"provider": "second", "matchId": ""}, 422, "standby.0.matchId"),
    ],
)
async def test_what_cannot_stand_by_is_refused(service, standby, status, field):
    """With the field at fault, and nothing has changed."""
    before = await service.source()
    answer = await service.send(json={"standby": [standby], "paused": True})

    assert (answer.status_code, answer.json()["field"]) == (status, field), answer.text
    assert await service.source() == before
    assert await follows(service) == {"heim": True}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kickoff": 1_700_000_000}, "more than three hours apart"),
        ({"sport": "icehockey"}, "no standby sources for icehockey"),
        ({"turned": True}, "the other way round"),
    ],
)
async def test_another_match_is_refused(service, changes, words):
    """Of another day or sport, or with home and away turned."""
    match = service.process.second.match
    changes = {"home": match.away, "away": match.home} if "turned" in changes else changes
    service.process.second.match = replace(match, **changes)
    before = await service.source()
    answer = await service.send(json={"standby": STANDBY})

    assert (answer.status_code, answer.json()["field"]) == (422, "standby.0.matchId"), answer.text
    assert words in answer.json()["message"]
    assert await service.source() == before


@pytest.mark.parametrize(
    ("error", "status", "field"),
    [
        (failing(), 503, "standby.0.provider"),
        (refused(), 403, "standby.0.provider"),
        (MatchUnknown("no such match"), 404, "standby.0.matchId"),
    ],
)
async def test_a_provider_that_does_not_give_the_match_changes_nothing(service, error, status, field):
    """Neither the standby nor what was to be changed beside it."""
    service.process.second.error = error
    before = await service.source()
    answer = await service.send(json={"standby": STANDBY, "paused": True, "confirm": "two"})

    assert (answer.status_code, answer.json().get("field")) == (status, field), answer.text
    assert await service.source() == before


@pytest.mark.parametrize(
    ("rest", "status", "field"),
    [
        ({"leads": "gn-gsd"}, 422, "leads"),
        ({"autoPostConfiguration": {"excludeEvents": ["soccer.weather"]}}, 422, None),
    ],
)
async def test_no_source_stands_by_where_the_rest_of_the_change_is_refused(service, rest, status, field):
    before = await service.source()
    answer = await service.send(json={"standby": STANDBY, **rest})

    assert answer.status_code == status, answer.text
    assert field in {None, answer.json()["field"]}
    assert await service.source() == before
    assert await follows(service) == {"heim": True}


@BOTH
async def test_a_standby_is_taken_off(service):
    """With one step; its match is followed no longer, and taking it off again is no step."""
    before = await service.change(standby=STANDBY)
    after = await service.change(standby=[])
    again = await service.change(standby=[])

    assert (after["sources"], after["version"]) == ([], before["version"] + 1)
    assert again["version"] == after["version"]
    assert await follows(service) == {"heim": True, "second": False}


async def test_what_the_standby_brought_stays_once_when_it_is_taken_off(service):
    """A goal that it had first is the first source's own from then on: the same post."""
    await service.change(standby=STANDBY)
    await service.go_on()
    await service.switched()
    service.second_says(AFTER)
    await service.go_on(first=False)
    brought = {each.local_id for each in await service.process.events(service.ticker_id)}
    await service.change(standby=[])
    service.first_says(AFTER)
    await service.go_on(60)

    after = await service.process.posted(service.ticker_id)
    assert {each.local_id for each in await service.process.events(service.ticker_id)} == brought
    assert [each["sport_event"]["time_of_play"] for key, each in after.items() if key == "incident:5"] == ["50'"]


async def test_a_person_chooses_who_leads(service):
    """It leads within moments whatever happens, and with `auto` whoever is well does; the choice is a step."""
    before = await service.change(standby=STANDBY)
    await service.go_on()
    chosen = await service.change(leads="second")
    again = await service.change(leads="second")
    await service.go_on()
    source = await service.source()

    assert (before["version"] + 1, chosen["version"]) == (chosen["version"], again["version"])
    assert (chosen["leads"], leading(source)) == ("second", ["second"])
    assert source["sources"][1]["reason"] == "pinned"
    assert source["sources"][1]["since"]
    assert (await service.change(leads="auto"))["leads"] == "auto"
    await service.change(leads="heim")
    await service.go_on()
    assert leading(await service.source()) == ["heim"]


async def test_if_match_holds_where_a_source_stands_by(service):
    """With an older version nothing stands by; with the present one it does, and the rest of the change too."""
    old = (await service.source())["version"]
    now = (await service.change(paused=True))["version"]
    body = {"standby": STANDBY, "paused": False}
    stale = await service.send(json=body, headers={"If-Match": str(old)})

    assert (stale.status_code, (await service.source())["sources"]) == (409, [])
    assert await follows(service) == {"heim": True}
    taken = await service.send(json=body, headers={"If-Match": str(now)})
    assert (taken.status_code, taken.json()["paused"], leading(taken.json())) == (200, False, ["heim"])
    for wanted in ({"standby": []}, {"leads": "second"}):
        stale = await service.send(json=wanted, headers={"If-Match": str(now)})
        assert stale.status_code == 409, wanted


async def test_if_match_holds_although_somebody_writes_while_the_provider_is_awaited(service):
    """The version is compared once more when the source is to stand by."""
    now = (await service.source())["version"]
    fetch = service.process.second.fetch

    async def meanwhile(*args, **more):
        await service.change(paused=True)
        return await fetch(*args, **more)

    service.process.second.fetch = meanwhile
    stale = await service.send(json={"standby": STANDBY}, headers={"If-Match": str(now)})

    assert (stale.status_code, (await service.source())["sources"]) == (409, [])


async def test_a_liveblog_is_attached_with_a_standby_and_a_choice_in_one_request(service):
    """The answer is the liveblog as it is then; what cannot stand by attaches nothing."""
    assert (await service.send("external/detach.json")).status_code == 200
    match = {"provider": "heim", "matchId": MATCH_ID}
    for standby, more in (
        ({"provider": "heim", "matchId": "7"}, {}),
        ({"provider": "teletext", "matchId": "7"}, {}),
        (STANDBY[0], {"leads": "gn-gsd"}),
    ):
        answer = await service.send("external/attach.json", json={**match, "standby": [standby], **more})
        assert answer.status_code in {404, 422}, answer.text
        assert (await service.send()).status_code == 404

    answer = await service.send("external/attach.json", json={**match, "standby": STANDBY, "leads": "second"})
    source = await service.source()

    assert answer.status_code == 200, answer.text
    assert (answer.json()["version"], source["leads"]) == (source["version"], "second")
    assert [each["provider"] for each in source["sources"]] == ["heim", "second"]
    off = await service.send("external/attach.json", json={**match, "standby": []})
    assert (off.status_code, (await service.source())["sources"]) == (200, [])


@BOTH
async def test_a_standby_that_gets_a_new_id_goes_on_leading(service):
    """Its provider's list is new, with other ids of its rows, and lacks a goal in its first answer: nothing is taken back."""
    process = service.process
    await service.change(standby=STANDBY)
    await service.go_on()
    await service.switched()
    service.second_says(AFTER)
    await service.go_on(first=False)
    before = [(each.local_id, each.document) for each in await process.events(service.ticker_id)]
    again = {each.key: each.key if each.marks_period else f"{each.key}9" for each in process.second.match.incidents}
    whole = [replace(each, key=again[each.key]) for each in process.second.match.incidents]
    process.second.match = replace(process.second.match, match_id="z77", incidents=tuple(whole[:-1]))
    version = (await service.change(standby=[{"provider": "second", "matchId": "z77"}]))["version"]
    await process.poll(failing=frozenset({"match", "match-event"}))
    process.second.match = replace(process.second.match, incidents=tuple(whole))
    for _ in range(4):
        await process.poll(failing=frozenset({"match", "match-event"}))
        await process.watch.look()

    assert leading(await service.source()) == ["second"]
    assert before == [(each.local_id, each.document) for each in await process.events(service.ticker_id)]
    assert version == (await service.source())["version"]


@BOTH
@pytest.mark.parametrize("deleted", ["incident:2", "incident:second/second/z2"])
async def test_of_two_posts_of_one_goal_the_deleted_one_stays_deleted_and_the_other_one_stays(service, deleted):
    """The second source had it of somebody else and much later, and corrects itself; then the lead changes."""
    process, once = service.process, bodies(KICK_OFF, FIRST_GOAL, score="2:0")
    service.first_says(once)
    service.second_says(
        bodies(KICK_OFF, {**SECOND_GOAL, "id": "2", "content": "1:0", "person": person(11)}, score="2:0")
    )
    await service.change(standby=STANDBY)
    await service.go_on()
    await service.switched()
    await service.go_on(first=False)
    twice = {each.key: each.local_id for each in (await process.ledger(service.ticker_id)).values()}
    await edit(process, service.ticker_id, deleted, local_status=100)
    (left,) = {twice["incident:2"], twice["incident:second/second/z2"]} - {twice[deleted]}

    for corrected, leads in ((once, "auto"), (once, "heim"), (AFTER, "heim"), (AFTER, "second")):
        service.second_says(corrected)
        service.first_says(corrected)
        await service.change(leads=leads)
        await service.go_on(20)
        goals = await goals_of(service)
        assert goals[left] == "15'"
        assert twice[deleted] not in goals
        assert len(goals) == (2 if corrected is AFTER else 1)


async def goals_of(service):
    """`local_id` → minute of each goal that is public."""
    events = [
        (each.local_id, each.document.get("sport_event", {}))
        for each in await service.process.events(service.ticker_id)
    ]
    return {name: event["time_of_play"] for name, event in events if event.get("event_type") == "soccer.goal"}
