"""external.json and a match of three sources: the list of standbys is the whole list, in the order in which they lead."""

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.api.conftest import declared_database
from tests.kit.source_service import SECOND_ID, THIRD_ID, source_service
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
