"""createFromExternal with everything behind it: the answer, the defaults, and each error of the interface's table."""

import secrets
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.kit.creating import LINES, MATCH
from tests.kit.day import CREATE, ORGANIZATION, match_day, running
from tests.kit.sqlite import migrated_url

SEARCH = "/api/v5/write/ticker/search.json"
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def day(tmp_path_factory):
    """One for all tests whose provider answers."""
    async with match_day(lines=LINES, folder=tmp_path_factory.mktemp("day"), start_at="end", live=5) as running_day:
        yield running_day


async def refused(day, status: int, code: str, **body: Any) -> dict[str, Any]:
    """Send the body and check the error's shape."""
    answer = await day.client.post(CREATE, json={"provider": "heim", "matchId": MATCH, **body})
    refusal = answer.json()
    assert (status, code) == (answer.status_code, refusal["code"]), answer.text
    assert refusal["message"]
    assert {"code", "message", "retryable"} <= set(refusal) <= {"code", "message", "field", "retryable"}
    assert (status == 503) == refusal["retryable"]
    return refusal


async def test_a_match_becomes_a_liveblog(day):
    """Teams, squads, scoreboard, options and the posts so far are there in the answer, with what it is attached to."""
    game = await day.create(MATCH)

    assert "SV Nordhafen – FC Südtor" == game["meta_info"]["title"]
    assert ("1", "0") == tuple(game["scoreboard"]["score"][side] for side in ("home_score", "away_score"))
    assert ("aui", 45, 2, 15, 2) == tuple(
        game["options"][name]
        for name in (
            "timing_type",
            "regular_phase_length",
            "num_regular_phases",
            "overtime_phase_length",
            "num_overtime_phases",
        )
    )
    assert [11, 11] == [len(game["squads"][side]["lineup"]) for side in ("home", "away")]
    assert "Hafenstadion" == game["meta_info"]["location"]["name"]
    assert ["Kick-off", "Goal", "Yellow card"][:2] == [event["sport_event"]["title"] for event in game["events"]][:2]
    assert MATCH == game["external"]["selector"]["matchId"]
    assert 0 == game["external"]["feedHealth"]["match"]["failures"]


async def test_text_content_is_the_text_of_its_incident_or_a_post_of_its_own(day):
    """The narrative replaces our own sentence without the provider's headline; a standalone text is a post."""
    game = await day.create(MATCH, includeTextContent=True)

    goal = next(event for event in game["events"] if event.get("sport_event", {}).get("event_type") == "soccer.goal")
    standalone = [event for event in game["events"] if not event.get("sport_event")]
    assert "A header from close range." == goal["contents"][0]["text"]
    assert ["Welcome to the harbour."] == [event["contents"][0]["text"] for event in standalone]


async def test_an_idempotency_key_creates_once(day):
    """The same key with the same body gives the same liveblog; with another body it is a conflict."""
    headers = {"Idempotency-Key": "matchday-12"}
    body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True}
    one, two = [(await day.client.post(CREATE, json=body, headers=headers)).json() for _ in range(2)]
    other = await day.client.post(CREATE, json={**body, "locale": "de"}, headers=headers)

    assert one["local_id"] == two["local_id"]
    assert (409, "conflict") == (other.status_code, other.json()["code"])


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"provider": None}, 400, "provider"),
        ({"matchId": None}, 422, "matchId"),
        ({"matchId": 9000001}, 422, "matchId"),
        ({"matchId": "derby"}, 400, "matchId"),
        ({"locale": "xx"}, 422, "locale"),
        (
            {"autoPostConfiguration": {"excludeEvents": ["soccer.goal", "soccer.dance"]}},
            422,
            "autoPostConfiguration.excludeEvents.1",
        ),
        ({"autoPostConfiguration": {"excludeScoreboard": "perhaps"}}, 422, "autoPostConfiguration.excludeScoreboard"),
    ],
)
async def test_a_wrong_request_is_refused_with_its_field(day, body, status, field):
    """Missing data is 400, a document that cannot be is 422, and the field at fault is named as a path."""
    refusal = await refused(day, status, "invalid_request", **{"autoPostEnabled": True, **body})

    assert field == refusal["field"]


async def test_an_organization_without_the_provider_is_403(tmp_path):
    """A provider that the organization has not booked is refused."""
    organizations = {ORGANIZATION: {"name": "Example Newsroom"}}
    async with match_day(lines=LINES, folder=tmp_path, organizations=organizations) as day:
        await refused(day, 403, "forbidden")


async def test_an_unknown_provider_is_404(day):
    """So is a route that does not exist."""
    refusal = await refused(day, 404, "not_found", provider="teletext")

    assert "provider" == refusal["field"]
    assert 404 == (await day.client.post(CREATE + "/more", json={})).status_code


async def test_who_is_ready_does_not_wait_for_a_provider_of_declared_liveblogs(tmp_path):
    """The provider is down, so what is declared cannot be there; all else is served, and search says what is there."""
    access = {"base_url": "http://127.0.0.1:9", "text_content": True}
    organizations = {ORGANIZATION: {"name": "Example Newsroom", "providers": {"heim": access}}}
    derby = {"key": "derby", "organization": ORGANIZATION, "provider": "heim", "match_id": MATCH, "title": "The derby"}
    async with match_day(folder=tmp_path, organizations=organizations, liveblogs=[derby]) as day:
        ready = await day.client.get("/readyz")
        game = {"_type": "Svc::Model::Game", "organization_id": ORGANIZATION, "template_id": "news", "meta_info":
            {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": "Storm"}}  # fmt: skip
        await day.client.post("/api/v5/write/ticker/create.json", json=game)
        found = [(await day.client.get(SEARCH, params={"q": name})).json()["total"] for name in ("derby", "storm")]

    assert (ready.status_code, ready.json()["ready"]) == (200, True)
    assert found == [0, 1]


async def test_an_unexpected_error_is_500_without_detail(day, monkeypatch, failed_requests):
    """The caller learns that it was us, and nothing else."""
    monkeypatch.setattr("ingest.sync.import_match.game_document", lambda *_: 1 / 0)
    refusal = await refused(day, 500, "internal")

    assert "division" not in refusal["message"]
    assert "division" in failed_requests.pop()


OTHER = "5f0c1de2a1b2c3d4e5f60719"


@pytest.mark.parametrize("first", [ORGANIZATION, OTHER])
async def test_text_is_refused_to_the_organization_without_it_and_delivered_to_the_other(tmp_path, first):
    """Whichever of two organizations on one endpoint stands first in the config: 400 for one, its text for the other."""
    async with match_day(lines=LINES, folder=tmp_path, start_at="end") as day:
        booked = {ORGANIZATION: True, OTHER: False}
        organizations = {
            name: {"name": name, "providers": {"heim": {"base_url": day.replay.url, "text_content": booked[name]}}}
            for name in sorted(booked, key=lambda each: each != first)
        }
        client = {"secret": secrets.token_urlsafe(24), "organizations": [*booked], "scopes": ["external", "read"]}
        database = {"url": migrated_url(tmp_path / "two.db")}
        tables = {"organizations": organizations, "clients": {"cms": client}, "database": database}
        settings = type(day.settings).model_validate(day.settings.model_dump() | tables)
        body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True, "includeTextContent": True}
        async with (
            running(settings) as address,
            httpx.AsyncClient(base_url=address, auth=("cms", client["secret"]), trust_env=False, verify=False) as http,
        ):
            answers = {name: await http.post(CREATE.replace(ORGANIZATION, name), json=body) for name in booked}

    assert {ORGANIZATION: 200, OTHER: 400} == {name: answer.status_code for name, answer in answers.items()}
    assert "includeTextContent" == answers[OTHER].json()["field"]
    assert "Welcome to the harbour." in answers[ORGANIZATION].text
