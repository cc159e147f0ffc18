"""Key moments and recap as readers get them: of all posts, whatever page is shown, and as true as the posts are now."""

from dataclasses import replace
from functools import partial

from mapping.documents.scalars import LocalStatus
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from tests.kit import matchday
from tests.kit.feed_forms import feed

GAME = "6a" * 12
DERBY = ["egoal", "equal", "ehalf", "ered", "ewinner"]


async def extension(server, **params):
    response = await feed(server, **params)
    assert response.status_code == 200, response.text
    return response.json()["_matchwire"]


async def names(server, **params):
    return [each["local_id"] for each in (await extension(server, **params))["key_events"]]


async def write(server, *events, **fields):
    change = Change(events=events, **fields)
    await server.store.write(partial(liveblogs.record, game_id=GAME, change=change))


def texts(document):
    return {each["local_id"]: each["text"] for each in document["key_events"]}


async def test_a_json_feed_has_the_key_moments_and_a_recap(public):
    """Oldest first, each with its post, minute, score after it, team, player and one sentence."""
    await public.add(matchday.derby())
    found = await extension(public)

    assert [each["local_id"] for each in found["key_events"]] == DERBY
    assert found["key_events"][0] == {
        "type": "goal",
        "event_type": "soccer.goal",
        "local_id": "egoal",
        "url": "https://live.example.org/blogs/liveblogs/gderby#egoal",
        "time_of_play": "15'",
        "score": {"home_score": "1", "away_score": "0"},
        "team": "HAF",
        "player": "Sören Dahl",
        "text": "Goal for HAF! Sören Dahl makes it 1-0 (assist: Kai Lüders).",
    }
    assert [each["type"] for each in found["key_events"]] == ["goal", "goal", "break", "sent-off", "goal"]
    assert texts(found)["ehalf"] == "Half-time: HAF 1-1 AVB."
    assert texts(found)["ewinner"] == "Hafenstadt turn the derby around"
    assert found["recap"] == (
        "2nd half: HAF against AVB, 2-1. Goals: 1-0 Sören Dahl 15', 1-1 Ledeir Etlam 45+2', 2-1 Malte Riedel 59'."
        " Sent off: Trah Mits (AVB) 53'."
    )


async def test_key_moments_do_not_depend_on_the_page(public):
    """Every page of the feed, of any size and in either order, has the same."""
    await public.add(matchday.derby())
    whole = await extension(public)

    for params in ({"limit": 1}, {"sort": "asc", "limit": 2}, {"continue_event_id": "etext"}):
        assert await extension(public, **params) == whole


async def test_key_moments_change_with_the_version_that_changes_a_post(public):
    """A goal that is taken back, corrected or edited is so in the next answer; drafts and waiting posts do not count."""
    await public.add(matchday.derby())

    events = {each.local_id: each for each in matchday.afternoon()}
    await write(public, replace(events["ewinner"], local_status=LocalStatus.DELETED))
    assert await names(public) == DERBY[:-1]
    assert "Riedel" not in (await extension(public))["recap"]

    block = {**events["equal"].document["sport_event"], "score": matchday.pair(0, 1)}
    edited = events["egoal"].document | {"headline": "A screamer", "highlight": "milestone"}
    await write(
        public,
        replace(events["equal"], document=events["equal"].document | {"sport_event": block}),
        replace(events["egoal"], document=edited),
        matchday.event("edraft", matchday.KICK_OFF + 5000, status=60, sport_event=block),
        matchday.event("elater", matchday.KICK_OFF + 5000, publish_at=2**40, sport_event=block),
    )
    found = await extension(public)
    assert [each["local_id"] for each in found["key_events"]] == DERBY[:-1]
    assert texts(found)["egoal"] == "A screamer"
    assert texts(found)["ehalf"] == "Half-time: HAF 0-1 AVB."

    await write(public, replace(events["ered"], document=events["ered"].document | {"sport_event": None}))
    assert await names(public) == ["egoal", "equal", "ehalf"]


async def test_the_page_and_an_article_list_the_key_moments(public):
    """Newest first, as links to their posts, also to one that is older than what the page shows; with the recap above."""
    await public.add(matchday.derby())
    page = (await public.http.get("/liveblogs/gderby")).text
    article = (await public.http.get("/api/embed/v4/prefetch/liveblog.json?liveblogId=gderby")).json()
    changes = (await public.http.get("/liveblogs/gderby?fragment=1&refresh=0")).json()

    section = changes["moments"]
    assert section in page
    assert section.index("#ewinner") < section.index("#ered") < section.index("#egoal")
    assert '<p class="recap">2nd half: HAF against AVB, <span class="whole">2-1</span>.' in section
    assert 'href="https://live.example.org/blogs/liveblogs/gderby?post=egoal#egoal"' in article["html"]
    assert article["schema"]["abstract"].startswith("2nd half: HAF against AVB, 2-1.")
