"""The external source after the creation: shown, changed, paused, attached, taken off and given fields back."""

import asyncio
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.kit.creating import LINES, MATCH
from tests.kit.day import ORGANIZATION, MatchDay, match_day
from tests.kit.external_source import LIVEBLOG, shown, source, standing_day

pytestmark = pytest.mark.asyncio(loop_scope="module")

WRITE = "/api/v5/write"
GAME = {
    "_type": "Svc::Model::Game",
    "organization_id": ORGANIZATION,
    "template_id": "soccer",
    "meta_info": {
        "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
        "title": "The editor's derby",
        "home_team": {"_type": "Svc::Model::Team", "name": "Nordhafen"},
        "away_team": {"_type": "Svc::Model::Team", "name": "Südtor"},
    },
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def day(tmp_path_factory):
    """One for all tests that let its match stand still."""
    async with standing_day(tmp_path_factory.mktemp("day"), live=0.25) as running_day:
        yield running_day


@pytest_asyncio.fixture(loop_scope="module")
async def own_day(tmp_path):
    """One whose match may go on."""
    async with standing_day(tmp_path) as running_day:
        yield running_day


def goes_on(day: MatchDay) -> None:
    """The match is played to its end."""
    day.replay.settle()


async def act(day: MatchDay, name: str, action: str, **body: Any) -> httpx.Response:
    return await day.client.post(f"{LIVEBLOG}/{name}/external/{action}.json", json=body)


def minutes(game: dict[str, Any], status: int = 0) -> list[str]:
    events = [event.get("sport_event") or {} for event in game["events"] if event["local_status"] == status]
    return [event["time_of_play"] for event in events if event.get("time_of_play")]


def untyped(value, path=""):
    """Where in a document an object stands that does not name its type first."""
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from untyped(each, f"{path}.{index}")
    if isinstance(value, dict):
        if next(iter(value), "") != "_type":
            yield path.lstrip(".")
        for name, each in value.items():
            yield from untyped(each, f"{path}.{name}")


async def test_external_is_part_of_show_search_compact_and_the_answer_of_modifications(own_day):
    """Each of them holds the connection with the health of the feed, every object of a type; the read of the public does not."""
    name = (await own_day.create(MATCH))["local_id"]
    change = {
        "_type": "Svc::Model::Modification::UpdateGameMetaInfoModification",
        "meta_info": {"_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo", "allow_comments": False},
    }
    modified = await own_day.client.post(
        f"{WRITE}/ticker/post_modifications.json", json={"local_id": name, "modifications": [change]}
    )
    compact = await own_day.client.get(f"{WRITE}/ticker/show.json", params={"local_id": name, "compact": "true"})
    search = await own_day.client.get(f"{WRITE}/ticker/search.json")
    delta = await own_day.client.get("/api/v6/ticker/show.json", params={"id": name})

    assert [200, 200] == [modified.status_code, search.status_code], modified.text
    games = [await own_day.show(name), modified.json(), compact.json(), *search.json()["objects"]]
    assert [MATCH] * 4 == [game["external"]["selector"]["matchId"] for game in games]
    assert [["external.feedHealth"]] * 4 == [list(untyped(game)) for game in games], "which has a name for each object"
    assert all("match" in game["external"]["feedHealth"] for game in games)
    assert "external" not in delta.json()["game"]


async def test_the_settings_of_a_liveblog_are_shown_and_changed_with_one_step(day):
    """What is absent is kept, each change is one step, and what changes nothing is none."""
    name = (await day.create(MATCH))["local_id"]
    before = await source(day, name)
    version = (await source(day, name, paused=True))["version"]
    after = await source(day, name, autoPostConfiguration={"excludeEvents": ["soccer.yellow-card"]}, paused=True)
    again = await source(day, name, autoPostConfiguration={"excludeEvents": ["soccer.yellow-card"]})

    assert (True, False, "en", False) == tuple(
        before[each] for each in ("autoPostEnabled", "includeTextContent", "locale", "paused")
    )
    assert {"excludeScoreboard": False, "excludeEvents": []} == before["autoPostConfiguration"]
    assert {"excludeScoreboard": False, "excludeEvents": ["soccer.yellow-card"]} == after["autoPostConfiguration"]
    assert (True, True, version + 1) == (after["autoPostEnabled"], after["paused"], after["version"])
    assert after == {**again, "feedHealth": after["feedHealth"]}  # polls go on, and a second may have passed
    assert ["soccer.yellow-card"] == (await day.show(name))["external"]["autoPost"]["excludeEvents"]


async def test_text_that_is_requested_later_is_delivered(day):
    """With `includeTextContent` the provider's commentary comes into a liveblog that was created without it."""
    name = (await day.create(MATCH))["local_id"]
    await source(day, name, includeTextContent=True)

    assert await shown(day, name, lambda game: "A header from close range." in str(game["events"]))


async def test_nothing_is_written_while_paused_and_everything_afterwards(own_day):
    """The match is followed, a goal falls, and the paused liveblog gets it when it goes on."""
    name, other = [(await own_day.create(MATCH))["local_id"] for _ in range(2)]
    version = (await source(own_day, name, paused=True))["version"]
    goes_on(own_day)
    await shown(own_day, other, lambda game: "50'" in minutes(game))
    paused = await own_day.show(name)
    await source(own_day, name, paused=False)

    assert (version, True) == (paused["version"], paused["external"]["paused"])
    assert "50'" not in minutes(paused)
    assert await shown(own_day, name, lambda game: "50'" in minutes(game))


async def test_a_liveblog_made_by_hand_is_put_on_a_match(own_day):
    """Teams, board and posts come from the match, the editor's title and post stay; it goes on following the match."""
    made = await own_day.client.post(f"{WRITE}/ticker/create.json", json=GAME)
    assert made.status_code == 200, made.text
    name, version = made.json()["local_id"], made.json()["version"]
    own = {"_type": "Svc::Model::Event", "headline": "Hello"}
    await own_day.client.post(f"{WRITE}/event/create.json", params={"ticker_local_id": name}, json=own)
    answer = await act(own_day, name, "attach", provider="heim", matchId=MATCH, autoPostEnabled=True)
    assert answer.status_code == 200, answer.text
    game = answer.json()

    assert version + 2 == game["version"], "one step for the post, one for the match"
    assert ("The editor's derby", "SV Nordhafen") == (
        game["meta_info"]["title"],
        game["meta_info"]["home_team"]["name"],
    )
    assert "1" == game["scoreboard"]["score"]["home_score"]
    assert {"15'", "33'"} <= set(minutes(game))
    assert "Hello" in [event["headline"] for event in game["events"]]
    assert MATCH == game["external"]["selector"]["matchId"]
    goes_on(own_day)
    assert await shown(own_day, name, lambda game: "50'" in str(game["events"]))

    again = await act(own_day, name, "attach", provider="heim", matchId=MATCH)
    assert again.json()["external"]["autoPost"]["enabled"], "what is absent is kept"


async def test_a_liveblog_that_is_taken_off_keeps_its_posts_and_gets_no_more(own_day):
    """Its posts are the editors', `external` is gone, and taking it off once more changes nothing."""
    name = (await own_day.create(MATCH))["local_id"]
    off = (await act(own_day, name, "detach")).json()
    goes_on(own_day)
    [last] = await own_day.until_quiet(name, quiet=0.5)
    again = (await act(own_day, name, "detach")).json()

    assert "external" not in off
    assert off["version"] == last["version"] == again["version"]
    assert "15'" in minutes(last)
    assert "50'" not in minutes(last)
    assert 404 == (await own_day.client.get(f"{LIVEBLOG}/{name}/external.json")).status_code


@pytest.mark.parametrize(
    ("path", "body", "status", "field"),
    [
        ("external/attach", {}, 400, "provider"),
        ("external/attach", {"provider": "teletext", "matchId": MATCH}, 404, "provider"),
        ("external/attach", {"provider": "heim"}, 422, "matchId"),
        ("external/attach", {"provider": "heim", "matchId": "404404"}, 404, None),
        ("external/attach", {"provider": "heim", "matchId": MATCH, "locale": "xx"}, 422, "locale"),
        ("external", {"provider": "teletext", "paused": True}, 404, "provider"),
        ("external", {"provider": "gn-gsd", "paused": True}, 422, "provider"),
    ],
)
async def test_what_cannot_be_attached_is_refused(day, path, body, status, field):
    """With the field at fault, and the liveblog stays as it is."""
    game = await day.create(MATCH)
    answer = await day.client.post(f"{LIVEBLOG}/{game['local_id']}/{path}.json", json=body)

    assert (status, field) == (answer.status_code, answer.json().get("field")), answer.text
    assert MATCH == (await day.show(game["local_id"]))["external"]["selector"]["matchId"]
    assert (await source(day, game["local_id"], provider="heim", locale="de"))["paused"] is False


async def test_a_liveblog_that_the_configuration_declares_cannot_be_taken_off_its_match(tmp_path):
    """409, and it follows its match as before: the configuration would put it on again."""
    declared = {"key": "derby", "organization": ORGANIZATION, "provider": "heim", "match_id": MATCH, "auto_post": True}
    async with match_day(lines=LINES, folder=tmp_path, start_at="0", liveblogs=[declared]) as day:
        async with asyncio.timeout(60):
            while not (found := (await day.client.get(f"{WRITE}/ticker/search.json")).json()["objects"]):
                await asyncio.sleep(0.1)
        name = found[0]["local_id"]
        answer = await act(day, name, "detach")
        after = await source(day, name)

    assert (409, "conflict") == (answer.status_code, answer.json()["code"]), answer.text
    assert MATCH == after["selector"]["matchId"]


async def test_a_match_of_another_sport_cannot_be_attached(day):
    """422, and the liveblog stays on no match, as it was."""
    made = (await day.client.post(f"{WRITE}/ticker/create.json", json={**GAME, "template_id": "icehockey"})).json()
    answer = await act(day, made["local_id"], "attach", provider="heim", matchId=MATCH)
    after = await day.show(made["local_id"])

    assert (422, "matchId") == (answer.status_code, answer.json()["field"]), answer.text
    assert made["version"] == after["version"]
    assert "external" not in after


async def test_if_match_holds_on_the_routes_that_change_what_is_taken_over(day):
    """With an older version the settings and what is given back are refused with 409; with the present one they are taken."""
    game = await day.create(MATCH, locale="de")
    name = game["local_id"]
    await source(day, name, paused=True)
    for path, body in (("external.json", {"locale": "en"}), ("external/handback.json", {})):
        stale, broken, version = str(game["version"]), "soon", str((await source(day, name))["version"])
        statuses = [
            (await day.client.post(f"{LIVEBLOG}/{name}/{path}", json=body, headers={"If-Match": each})).status_code
            for each in (stale, broken, version)
        ]
        assert [409, 400, 200] == statuses, path

    assert "en" == (await source(day, name))["locale"]


async def edit(day: MatchDay, event: str, **fields: Any) -> None:
    answer = await day.client.post(f"{WRITE}/event/update.json", params={"event_local_id": event}, json=fields)
    assert answer.status_code == 200, answer.text


async def test_a_field_of_a_post_and_a_whole_post_are_given_back(day):
    """One field, then the post, are as the provider says again, with one step each, and a second time without any."""
    game = await day.create(MATCH)
    name, goal = game["local_id"], next(event for event in game["events"] if "15'" in str(event))
    post = goal["local_id"]
    await edit(day, post, headline="Mine", sport_event={"title": "A beauty", "time_of_play": "16'"})

    async def given(**body: Any) -> tuple[int, str, str, str]:
        answer = await act(day, name, "handback", **body)
        assert answer.status_code == 200, answer.text
        event = next(each for each in answer.json()["events"] if each["local_id"] == post)
        block = event["sport_event"]
        return answer.json()["version"], event.get("headline") or "", block["title"], block["time_of_play"]

    version, *one = await given(events=[post], fields=["sport_event.title"])
    later, *whole = await given(events=[post])

    assert ["Mine", "Goal", "16'"] == one
    assert (version + 1, ["", "Goal", "15'"]) == (later, whole)
    assert later == (await given())[0]


async def test_the_score_is_given_back_and_follows_the_match_again(own_day):
    """A score by hand holds until it is handed back; from then on it is the match's, whose last goal is a row already."""
    name = (await own_day.create(MATCH))["local_id"]
    info = {"_type": "Svc::Model::ScoreInfo::TeamGameScoreInfo", "home_score": 7, "away_score": 0}
    change = {"_type": "Svc::Model::Modification::UpdateGameScoreInfoModification", "score_info": info}
    body = {"local_id": name, "modifications": [change]}
    assert (await own_day.client.post(f"{WRITE}/ticker/post_modifications.json", json=body)).status_code == 200
    goes_on(own_day)
    [by_hand] = await own_day.until_quiet(name, quiet=0.5)
    back = (await act(own_day, name, "handback", fields=["scoreboard"])).json()

    assert ("7", "2") == tuple(game["scoreboard"]["score"]["home_score"] for game in (by_hand, back))


@pytest.mark.parametrize(
    ("body", "field"), [({"fields": ["weather"]}, "fields.0"), ({"events": ["enobody"]}, "events.0")]
)
async def test_what_the_provider_never_brought_is_not_given_back(day, body, field):
    """422 with its path."""
    answer = await act(day, (await day.create(MATCH))["local_id"], "handback", **body)

    assert (422, field) == (answer.status_code, answer.json()["field"])
