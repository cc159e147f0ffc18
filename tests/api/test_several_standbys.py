"""external.json and a match of three sources: the list of standbys is the whole list, in the order in which they lead."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.api.conftest import declared_database
from tests.kit.source_pair import failing
from tests.kit.source_service import AFTER, BEFORE, DESK, LIVEBLOG, SECOND_ID, THIRD_ID, source_service
from tests.kit.sqlite import copied_url
from tests.providers.heim.feed import MATCH_ID

SECOND, THIRD = {"provider": "second", "matchId": SECOND_ID}, {"provider": "third", "matchId": THIRD_ID}


@pytest.fixture
async def service(request, tmp_path):
    """A liveblog on the first source's match, which two others have too."""
    if getattr(request, "param", "sqlite") == "sqlite":
        url = copied_url(tmp_path / "sources.db", declared_database)
    else:
        url = request.getfixturevalue("postgres_url")
    async with source_service(url, third=True) as running:
        await running.create()
        yield running


BOTH = pytest.mark.parametrize(
    "service", ["sqlite", pytest.param("postgresql", marks=pytest.mark.proof)], indirect=True
)


def named(source):
    return [each["provider"] for each in source["sources"]]


def leader(source):
    (found,) = [each["provider"] for each in source["sources"] if each["leads"]]
    return found


async def lead_again(service, provider):
    """All sources are well; time passes until this one leads."""
    for _ in range(100):
        if leader(await service.source()) == provider:
            return
        await service.go_on()
    raise AssertionError(await service.source())


@BOTH
async def test_the_list_is_the_whole_list(service):
    """One step for each change of it, whatever else is changed in the same request, and none where it stays."""
    versions = [(await service.source())["version"]]
    lists = []
    for standby, more in (
        ([SECOND, THIRD], {"paused": True}),
        ([SECOND, THIRD], {"paused": True}),
        ([THIRD, SECOND], {"paused": False, "confirm": "two"}),
        ([THIRD], {}),
        ([], {}),
    ):
        source = await service.change(standby=standby, **more)
        versions.append(source["version"])
        lists.append(named(source))

    assert lists == [["heim", "second", "third"]] * 2 + [["heim", "third", "second"], ["heim", "third"], []]
    assert [after - before for before, after in pairwise(versions)] == [1, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("standby", "status", "field"),
    [
        ([SECOND, {"provider": "second", "matchId": "7"}], 422, "standby.1.provider"),
        ([SECOND, {"provider": "heim", "matchId": "7"}], 422, "standby.1.provider"),
        ([SECOND, {"provider": "third", "matchId": ""}], 422, "standby.1.matchId"),
        ([SECOND, {"provider": "teletext", "matchId": "7"}], 404, "standby.1.provider"),
        ([SECOND, THIRD, SECOND, THIRD], 422, "standby"),
    ],
)
async def test_what_cannot_stand_by_names_its_place_in_the_list(service, standby, status, field):
    before = await service.source()
    answer = await service.send(json={"standby": standby, "paused": True})

    assert (answer.status_code, answer.json()["field"]) == (status, field), answer.text
    assert await service.source() == before


async def test_another_match_names_its_place_and_leaves_the_rest_undone(service):
    """Whichever of the list it is: what was found before it does not stand by either."""
    match = service.process.more[0].match
    service.process.more[0].match = replace(match, home=match.away, away=match.home)
    before = await service.source()
    for standby, field in (([SECOND, THIRD], "standby.1.matchId"), ([THIRD, SECOND], "standby.0.matchId")):
        answer = await service.send(json={"standby": standby, "paused": True})
        assert (answer.status_code, answer.json()["field"]) == (422, field), answer.text
    assert await service.source() == before


async def test_a_third_source_is_added_while_both_others_are_away(service):
    """Of a source that stands by already nothing is requested: this is the moment at which a desk needs another one."""
    await service.change(standby=[SECOND])
    await service.go_on()
    service.process.second.error = failing()
    source = await service.change(standby=[SECOND, THIRD])

    assert named(source) == ["heim", "second", "third"]
    await service.go_on(20, first=False)
    assert leader(await service.source()) == "third"


async def test_a_standby_that_somebody_takes_off_meanwhile_does_not_come_back_unseen(service):
    """Conflict, which is tried again by whoever looks at the list as it is now."""
    await service.change(standby=[SECOND])
    fetch = service.process.more[0].fetch

    async def meanwhile(*args, **more):
        await service.change(standby=[])
        return await fetch(*args, **more)

    service.process.more[0].fetch = meanwhile
    answer = await service.send(json={"standby": [SECOND, THIRD]})

    assert (answer.status_code, answer.json()["code"], (await service.source())["sources"]) == (409, "conflict", [])


async def test_a_person_chooses_any_of_three(service):
    """The choice goes with its source, and is nobody's once that one is taken off."""
    await service.change(standby=[SECOND, THIRD])
    await service.go_on()
    for provider in ("third", "second", "heim"):
        assert (await service.change(leads=provider))["leads"] == provider
        await service.go_on()
        source = await service.source()
        assert (leader(source), next(each["reason"] for each in source["sources"] if each["leads"])) == (
            provider,
            "pinned",
        )
    await service.change(leads="third")
    assert (await service.change(standby=[THIRD, SECOND]))["leads"] == "third"
    assert (await service.change(standby=[SECOND]))["leads"] == "auto"
    await service.change(leads="heim")
    assert (await service.change(standby=[]))["leads"] == "auto"
    answer = await service.send(json={"leads": "third"})
    assert (answer.status_code, answer.json()["field"]) == (422, "leads")


@BOTH
async def test_both_others_fail_and_the_third_source_brings_the_goal_once(service):
    """Then they come back, and it is the same post under its one id; the timeline names who led."""
    await service.change(standby=[SECOND, THIRD])
    await service.go_on()
    service.process.second.error = failing()
    await service.go_on(30, first=False)
    assert leader(await service.source()) == "third"
    service.third_says(AFTER)
    await service.go_on(30, first=False)
    public = {each.local_id for each in await service.process.events(service.ticker_id)}
    assert (await service.process.game(service.ticker_id)).document["scoreboard"]["score"] is not None

    service.process.second.error = None
    service.second_says(AFTER)
    service.first_says(AFTER)
    await lead_again(service, "heim")

    assert {each.local_id for each in await service.process.events(service.ticker_id)} == public
    path = f"{LIVEBLOG}/{service.name}/external/timeline.json"
    timeline = (await service.server.http.get(path, auth=DESK)).json()
    assert [each["provider"] for each in timeline["leads"]] == ["third", "heim"]


async def test_a_goal_that_any_two_have_does_not_wait(service):
    """With `confirm`: the third source may be the one that says so too."""
    await service.change(standby=[SECOND, THIRD], confirm="two")
    await service.go_on()
    before = (await service.process.posted(service.ticker_id)).keys()
    service.first_says(AFTER)
    await service.go_on()
    assert (await service.process.posted(service.ticker_id)).keys() == before
    service.third_says(AFTER)
    await service.go_on()

    assert (await service.process.posted(service.ticker_id)).keys() - before == {"incident:5"}


async def test_a_contradiction_names_the_two_sources(service):
    await service.change(standby=[SECOND, THIRD])
    service.first_says(AFTER)
    service.second_says(AFTER)
    await service.go_on(40)
    said = {each["about"]: each["said"] for each in (await service.source())["disagreements"]}

    assert said["score"] == {"heim": "2:0", "third": "1:0"}
    service.third_says(AFTER)
    await service.go_on()
    assert (await service.source())["disagreements"] == []
    assert BEFORE != AFTER


async def test_a_liveblog_is_attached_with_three_sources_in_one_step_or_not_at_all(service):
    """Another match among the list attaches nothing; else it is one version, standbys and choice included."""
    assert (await service.send("external/detach.json")).status_code == 200
    before = (await service.process.game(service.ticker_id)).version
    match = {"provider": "heim", "matchId": MATCH_ID}
    right = service.process.more[0].match
    service.process.more[0].match = replace(right, home=right.away, away=right.home)
    refused = await service.send("external/attach.json", json={**match, "standby": [SECOND, THIRD]})
    assert (refused.status_code, refused.json()["field"]) == (422, "standby.1.matchId"), refused.text
    assert (await service.send()).status_code == 404
    assert (await service.process.game(service.ticker_id)).version == before

    service.process.more[0].match = right
    answer = await service.send("external/attach.json", json={**match, "standby": [SECOND, THIRD], "leads": "third"})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["version"], (await service.source())["leads"]) == (before + 1, "third")
    again = await service.send("external/attach.json", json={**match, "standby": [THIRD], "leads": "auto"})
    assert (again.json()["version"], named(await service.source())) == (before + 2, ["heim", "third"])
