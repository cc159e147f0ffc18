"""The three feeds: what they hold, in which order, in formats that readers accept, and what caches may rely on."""

from dataclasses import replace
from email.utils import parsedate_to_datetime
from functools import partial
from xml.etree import ElementTree as ET

import pytest

from mapping.match.match import Match, Person, Side, Status
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from store.masterdata import masterdata
from tests.api.conftest import serving
from tests.kit import matchday, poison
from tests.kit.event_desk import CONTENT, photo
from tests.kit.feed_forms import ATOM, BASE, FORMATS, feed, html_of, ids
from tests.kit.harmless import active_parts


@pytest.fixture
async def derby(public):
    await public.add(matchday.derby())
    return public


@pytest.mark.parametrize(
    ("extension", "content_type"),
    [
        ("rss", "application/rss+xml; charset=utf-8"),
        ("atom", "application/atom+xml; charset=utf-8"),
        ("json", "application/json; charset=utf-8"),
    ],
)
async def test_the_content_types_are_those_of_the_interface(derby, extension, content_type):
    """Word for word."""
    assert (await feed(derby, extension)).headers["content-type"] == content_type


async def test_only_what_is_published_appears_newest_first(derby):
    """No draft, no deleted and no scheduled post; `desc` is the default order."""
    assert await ids(derby) == list(reversed(matchday.PUBLIC))
    assert await ids(derby, sort="asc") == list(matchday.PUBLIC)


async def test_titles_show_minute_incident_and_score(derby):
    """A headline outranks the incident, which outranks the first words of the text."""
    titles = {item["id"]: item["title"] for item in (await feed(derby)).json()["items"]}

    assert titles["equal"] == "45+2' Goal 1-1 – Ledeir Etlam (AVB)"
    assert titles["ewinner"] == "Hafenstadt turn the derby around"
    assert titles["eyellow"] == "26' Yellow card – Trah Mits (AVB)"
    assert titles["ekick"] == "Kick-off"
    assert titles["etext"] == "The wind picks up: high balls are a lottery now."


HEADED = {
    "emilestone": ({"highlight": "milestone", "contents": [matchday.text("It counts.")]}, ("Decided", "It counts.")),
    "eformer": ({"contents": [matchday.text("It counts.")]}, ("It counts.", "It counts.")),
    "epinned": ({"highlight": "sticky", "contents": [matchday.text("It counts.")]}, ("It counts.", "It counts.")),
    "eincident": ({"sport_event": matchday.incident("start", "Kick-off", "1'")}, ("1' Kick-off", "")),
    "eshown": ({"contents": [{"_type": f"{CONTENT}::PollContentBlock", "question": "Who?"}]}, ("Who?", "")),
    "ealone": ({}, ("Decided", "Decided")),
    "eempty": ({"contents": [matchday.text("<br>"), photo("javascript:x")]}, ("Decided", "Decided")),
}
"""Posts with a headline, and the title and text that readers see."""


@pytest.mark.parametrize("name", HEADED)
async def test_a_headline_is_a_milestones(public, name):
    """Of any other post it is the text where that has nothing else: in feeds, on the page and in structured data."""
    fields, (title, words) = HEADED[name]
    await public.add(matchday.Liveblog(events=(matchday.event(name, matchday.KICK_OFF, headline="Decided", **fields),)))
    (item,) = (await feed(public)).json()["items"]
    found = (await public.http.get("/api/embed/v4/prefetch/liveblog.json?liveblogId=gderby")).json()
    (update,) = found["schema"]["liveBlogUpdate"]
    headed = '<h2 class="headline"' in found["html"]

    assert (item["title"], update["headline"]) == (title, title)
    assert (words in item["content_html"], update["articleBody"]) == (True, words or title)
    assert headed is (name == "emilestone")
    assert ("Decided" in found["html"]) is (title == "Decided")


async def test_a_headline_does_not_swallow_the_incident(derby):
    """Where the title is a headline, the text says what happened and when."""
    (winner,) = (item for item in (await feed(derby)).json()["items"] if item["id"] == "ewinner")

    assert winner["content_html"].startswith("<p><strong>59&#x27; Goal 2-1</strong></p>")


async def test_public_feeds_may_be_read_from_any_site(derby, store, auth):
    """Pages of other origins may fetch what is public, and nothing else."""
    assert (await feed(derby)).headers["access-control-allow-origin"] == "*"
    async with serving(store) as private:
        assert "access-control-allow-origin" not in (await feed(private, **auth)).headers


async def test_rss_is_what_readers_expect(derby):
    """One channel; each item has an opaque guid, an RFC 822 date, and HTML as its description."""
    root = ET.fromstring((await feed(derby, "rss")).content)

    assert (root.tag, root.get("version")) == ("rss", "2.0")
    channel = root.find("channel")
    assert channel.findtext("title") == "SV Hafenstadt – Alpenverein Bergheim"
    assert channel.findtext("link") == "https://live.example.org/blogs/liveblogs/gderby"
    assert channel.findtext("language") == "en"
    link = channel.find(f"{ATOM}link")
    assert (link.get("rel"), link.get("href")) == (
        "self",
        f"https://live.example.org/blogs{BASE}.rss?liveblogId=gderby",
    )
    item = channel.findall("item")[-1]
    assert item.find("guid").attrib == {"isPermaLink": "false"}
    assert item.findtext("guid") == "ekick"
    assert item.findtext("link") == "https://live.example.org/blogs/liveblogs/gderby#ekick"
    assert parsedate_to_datetime(item.findtext("pubDate")).timestamp() == matchday.KICK_OFF
    assert "The derby is under way" in item.findtext("description")


async def test_the_continue_event_is_included_on_request(derby):
    """By default the feed goes on after it."""
    assert await ids(derby, sort="asc", limit=2, continue_event_id="egoal") == ["eyellow", "etext"]
    with_it = await ids(derby, sort="asc", limit=2, continue_event_id="egoal", include_continue_event="true")
    assert with_it == ["egoal", "eyellow"]


async def test_a_deleted_event_still_marks_its_place(derby):
    """A reader may go on from an event that was taken back since, which is never shown."""
    assert await ids(derby, limit=1, continue_event_id="edeleted", include_continue_event="true") == ["ewinner"]


@pytest.mark.parametrize(
    ("params", "status", "field"),
    [
        ({"liveblogId": ""}, 400, "liveblogId"),
        ({"liveblogId": "gnone"}, 404, "liveblogId"),
        ({"limit": ""}, 400, "limit"),
        ({"sort": "up"}, 400, "sort"),
        ({"sort": ""}, 400, "sort"),
        ({"include_continue_event": "maybe"}, 400, "include_continue_event"),
        ({"delay": "-3"}, 400, "delay"),
        ({"continue_event_id": "eelsewhere"}, 400, "continue_event_id"),
    ],
)
async def test_wrong_parameters_are_named(derby, params, status, field):
    """Each with its name."""
    await derby.add(matchday.Liveblog(local_id="gelse", ticker_id="7d" * 12, events=(matchday.event("eelsewhere", 5),)))
    response = await feed(derby, **params)

    assert (response.status_code, response.json()["field"]) == (status, field)


@pytest.mark.parametrize("extension", FORMATS)
async def test_no_feed_holds_a_secret(server, auth, extension):
    """Self and next links are built anew, never from the request's URL."""
    await server.add(matchday.derby())

    response = await feed(server, extension, limit=3, **auth)

    assert matchday.SECRET not in response.text
    assert "client_" not in response.text


@pytest.mark.parametrize("extension", FORMATS)
async def test_an_unchanged_feed_is_304(derby, extension):
    """By strong ETag or by date; a change makes both outdated."""
    first = await feed(derby, extension)
    tag, date = first.headers["etag"], first.headers["last-modified"]
    assert tag.startswith('"')

    for headers in (
        {"If-None-Match": tag},
        {"If-None-Match": f'"other", W/{tag}'},
        {"If-None-Match": "*"},
        {"If-Modified-Since": date},
    ):
        again = await feed(derby, extension, headers=headers)
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)

    change = Change(events=(matchday.event("enew", matchday.KICK_OFF + 4280),))
    await derby.store.write(partial(liveblogs.record, game_id="6a" * 12, change=change))
    assert (await feed(derby, extension, headers={"If-None-Match": tag})).status_code == 200


@pytest.mark.parametrize("since", ["yesterday", "", "Mon, 99 Sep 2026 14:12:20 GMT", "Mon, 21 Sep 2020 14:12:20 GMT"])
async def test_a_date_that_is_none_or_old_is_no_condition(derby, since):
    """The feed comes in full."""
    assert (await feed(derby, headers={"If-Modified-Since": since})).status_code == 200


async def test_a_date_is_given_only_once_its_second_is_over(derby):
    """Within that second another change could follow, which a reader with this date would miss."""
    first = await feed(derby)
    changed = parsedate_to_datetime(first.headers["last-modified"]).timestamp()

    derby.now = changed + 0.5
    assert "last-modified" not in (await feed(derby)).headers


@pytest.mark.parametrize("extension", FORMATS)
async def test_head_has_the_headers_and_no_body(derby, extension):
    """The same ETag and length."""
    full = await feed(derby, extension)
    head = await derby.http.head(f"{BASE}.{extension}?liveblogId=gderby")

    assert (head.status_code, head.content) == (200, b"")
    assert [head.headers[name] for name in ("etag", "content-length")] == [
        full.headers[name] for name in ("etag", "content-length")
    ]


@pytest.mark.parametrize("extension", FORMATS)
async def test_the_html_in_feeds_is_harmless(public, extension):
    """Script in any text of a post comes out escaped or not at all."""
    await public.add(poison.xss_liveblog())
    response = await feed(public, extension, liveblogId="gxss")

    found = html_of(response, extension)
    assert len(found) >= 2
    assert [active_parts(html) for html in found] == [[]] * len(found)


async def test_players_named_by_id_alone_are_shown_by_name(public):
    """References of posts are resolved from master data, and a new name shows within seconds."""
    people = (Person(ext_id="p1", name="Ole Brandt"),)
    sides = Side(ext_id="t1", name="SV Hafenstadt", lineup=people), Side(ext_id="t2", name="Bergheim")

    def imported(name):
        home = replace(sides[0], lineup=(Person(ext_id="p1", name=name),))
        match = Match(provider="heim", match_id="1", sport="soccer", status=Status.LIVE, home=home, away=sides[1])
        return partial(masterdata.import_match, owner_id=matchday.ORGANIZATION, source="heim", match=match)

    known = await public.store.write(imported("Ole Brandt"))
    block = matchday.incident("goal", "Goal", "3'", people=(("Scorer", "?"),))
    block["players"][0]["player"] = {"_type": "Svc::Model::Player", "_id": known.players["p1"]}
    event = matchday.event("egoal", matchday.KICK_OFF, sport_event=block)
    await public.add(matchday.Liveblog(events=(event,)))
    assert "Scorer: <bdi>Ole Brandt</bdi>" in (await feed(public)).text

    await public.store.write(imported("Ole Brandt-Diaz"))
    public.ticks += 5.1

    assert "Scorer: <bdi>Ole Brandt-Diaz</bdi>" in (await feed(public)).text


@pytest.mark.parametrize(("locale", "score"), [("en", "1-1"), ("de", "1:1"), ("fr-fr", "1-1"), ("", "1-1")])
async def test_scores_in_titles_are_written_as_in_texts(public, locale, score):
    """One format of scores in each locale: feeds, page and summary have that of the sentences."""
    await public.add(matchday.derby(locale=locale))
    titles = {item["id"]: item["title"] for item in (await feed(public)).json()["items"]}
    page = await public.http.get("/liveblogs/gderby")

    assert titles["equal"].startswith(f"45+2' Goal {score} ")
    assert f"Goal <b>{score}</b>" in page.text


async def test_the_title_of_an_own_goal_names_no_player_of_the_other_team(public):
    """Where the scorer plays for another team than the one that the goal counts for, the title has the team alone."""
    block = matchday.incident("goal", "Goal", "3'", side=matchday.HOME, people=(("Own goal", "Ole Brandt"),))
    block["players"][0]["player"]["team_local_id"] = matchday.AWAY["local_id"]
    await public.add(matchday.Liveblog(events=(matchday.event("egoal", matchday.KICK_OFF, sport_event=block),)))
    (item,) = (await feed(public)).json()["items"]

    assert item["title"] == "3' Goal – HAF"
    assert '<p class="players">Own goal: <bdi>Ole Brandt</bdi></p>' in item["content_html"]
