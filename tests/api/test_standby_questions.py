"""Which match is to stand by, where that is not sure: a person sees the question and answers it."""

from functools import partial

import pytest

from store.following import follow_rows, rule_matches
from store.following.rule_standbys import SearchKey, note
from store.following.source_links import list_links
from tests.api.conftest import declared_database
from tests.kit.desk import a_person
from tests.kit.followed import CANDIDATE
from tests.kit.matchday import ORGANIZATION
from tests.kit.source_service import DESK, SECOND_ID, source_service
from tests.kit.sqlite import copied_url
from tests.providers.heim.feed import MATCH_ID

QUESTION = {
    "match": {**CANDIDATE, "matchId": MATCH_ID, "home": {"id": "9", "name": "SV Hafenstadt"}},
    "candidates": [{**CANDIDATE, "matchId": SECOND_ID}],
}


@pytest.fixture
async def service(tmp_path):
    """A rule's liveblog, of which a person is to say which match of the second source is the same."""

    def plant(unit):
        attachment = follow_rows.attachment(unit.conn, running.ticker_id)
        rule_matches.claim(unit, attachment, rule="league", covering=lambda _: None)
        note(unit, SearchKey(ORGANIZATION, running.ticker_id, "second"), "open", None, QUESTION)

    async with source_service(copied_url(tmp_path / "sources.db", declared_database)) as running:
        await running.create()
        await running.process.store.write(plant)
        yield running


@pytest.mark.parametrize(
    ("answer", "status", "left", "sources", "links"),
    [
        ({"provider": "second", "matchId": SECOND_ID}, 200, 0, ["heim", "second"], 3),
        ({"provider": "second", "matchId": None}, 200, 0, [], 0),
        ({"provider": "second", "matchId": "5"}, 422, 1, [], 0),
        ({"provider": "gn-gsd", "matchId": SECOND_ID}, 404, 1, [], 0),
        ({"provider": "second"}, 422, 1, [], 0),
    ],
)
async def test_an_answer_is_one_of_the_candidates_or_none(service, answer, status, left, sources, links):
    """What is the same by the answer is known from then on; the same answer once more finds no question."""
    path = f"/apigw/sports/v2/{ORGANIZATION}/standby-questions.json"

    async def questions():
        return (await service.server.http.get(path, auth=DESK)).json()["objects"]

    (before,) = await questions()
    answered = await service.send("external/standby.json", json=answer)
    after = [each["provider"] for each in (await service.source())["sources"]]
    again = await service.send("external/standby.json", json=answer)
    known = await service.process.store.read(partial(list_links, organization_id=ORGANIZATION))
    assert (before["match"]["matchId"], before["candidates"][0]["matchId"]) == (MATCH_ID, SECOND_ID)
    assert (answered.status_code, len(await questions()), after, len(known)) == (status, left, sources, links), (
        answered.text
    )
    assert again.status_code == (404 if status == 200 else status)


@pytest.mark.parametrize(("match_id", "sources"), [(SECOND_ID, ["heim", "second"]), ("", [])])
async def test_the_queue_of_the_desk_asks_and_answers(service, match_id, sources):
    """By the same operation; the same answer once more is refused, and nothing waits any more."""
    browser = await a_person(service.server)
    value = f"{service.name} second {match_id}"
    assert f'value="{value}"' in (await browser.send("GET", "/desk/queue")).text
    answers = [(await browser.submit("/desk/queue/act", {"same": value})).status_code for _ in range(2)]
    assert answers == [303, 409]
    assert [each["provider"] for each in (await service.source())["sources"]] == sources
    assert 'name="same"' not in (await browser.send("GET", "/desk/queue?kind=same")).text
