"""The page of a liveblog: what it shows, to whom, and that no text on it can become code."""

import gzip
import json
import re
from html import unescape

import pytest

from api.http.static import version
from api.page.liveblog_page import render_liveblog
from api.view.key_moments import PlayerEvent, player_events_of
from mapping.locales import translator
from mapping.sports import SPORTS
from tests.kit import matchday, poison
from tests.kit.event_desk import DESK, Desk, post
from tests.kit.harmless import read
from tests.kit.showing import PAGE, changes, page_files
from tests.kit.streaming import STREAM, over_http


@pytest.fixture
async def derby(public):
    await public.add(matchday.derby())
    return public


async def test_the_page_shows_score_state_posts_and_squads(derby):
    """Everything a reader comes for; no draft."""
    response = await derby.http.get(PAGE)
    page = read(response.text)
    words = " ".join(" ".join(page.text).split())

    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "2 : 1" in words
    assert "Half-time 1-1" in words
    assert "Live 62'" in words
    assert "Hafenstadt turn the derby around" in words
    assert "Goal 2-1" in words
    assert "Goalkeeper" in words
    assert "Küstencup" in words
    assert [name for name in page.ids if name.startswith("e")] == list(reversed(matchday.PUBLIC))
    assert "Not for the public" not in words
    assert page.bad == []


def deeds_on(html):
    """Name → what is beside it in the line-ups, as it is read."""
    rows = re.findall(
        r'<li><b class="number">\d+</b><span><bdi>([^<]+?)</bdi> <span class="deeds">(.*?)</span></span>', html
    )
    return {
        name: " ".join(unescape(re.sub("<svg.*?</svg>|<[^>]+>", " ", player_events)).split())
        for name, player_events in rows
    }


async def test_the_line_ups_show_what_the_players_did(derby):
    """Who scored, was booked, came on and went off, with the minute; a change of a post changes them, on open pages too."""
    page = (await derby.http.get(PAGE)).text
    assert deeds_on(page) == {
        "Sören Dahl": "Goal 15'",
        "Malte Riedel": "Goal 59'",
        "Bo Martens": "In 49'",
        "Piet Janssen": "Out 49'",
        "Ledeir Etlam": "Goal 45+2'",
    }
    await Desk(derby.http).update("egoal", {"local_status": 60})
    _, changed = await changes(derby, 1)
    assert "Sören Dahl" not in deeds_on(changed["squads"])
    assert "Malte Riedel" in deeds_on(changed["squads"])


def test_a_shoot_out_adds_no_goals_to_the_line_ups():
    """A kick of the shoot-out is no goal of the match."""
    people = [{"event_player_type": "scorer", "player": {"name": "Dahl"}}]
    kick = {"sport_event": {"event_type": "soccer.goal", "title": "Goal", "time_of_play": "120", "players": people}}
    booked = {
        "sport_event": {
            "event_type": "soccer.yellow-card",
            "title": "Booking",
            "players": [{"event_player_type": "player", "player": {"local_id": "p1"}}, {"event_player_type": "fouled"}],
        }
    }
    begins = {"sport_event": {"event_type": "soccer.start-shootout"}}

    assert player_events_of(SPORTS["soccer"], [kick, booked, begins, kick, booked], translator("en")) == {
        "Dahl": (PlayerEvent("goal", "Goal", "120'"),),
        "p1": (PlayerEvent("yellow-card", "Booking", ""),),
    }


async def test_the_fragment_is_the_part_that_changes(derby):
    """The same HTML that the page wraps, with an ETag of its own."""
    page = await derby.http.get(PAGE)
    fragment = await derby.http.get(PAGE, params={"fragment": "1"})

    assert fragment.text in page.text
    assert "<html" not in fragment.text
    again = await derby.http.get(PAGE, params={"fragment": "1"}, headers={"If-None-Match": fragment.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_a_page_asks_for_what_changed_since_its_version(derby):
    """Posts as the page shows them, None for those that it must forget; drafts say nothing of themselves."""
    desk = Desk(derby.http)
    nothing, _ = await changes(derby, 1)
    assert (nothing.status_code, nothing.content) == (204, b"")
    await desk.create(post("Level!", local_id="enew"))
    await desk.delete("etext")
    await desk.update("egoal", {"local_status": 60})
    await desk.update("edraft", {"headline": "Secret"})

    response, changed = await changes(derby, 1)
    shown = {each["id"]: each["html"] for each in changed["posts"]}
    page = (await derby.http.get(PAGE)).text
    assert {name: changed[name] for name in ("since", "version", "more", "status")} == {
        "since": 1, "version": 5, "more": False, "status": 0,
    }  # fmt: skip
    assert set(shown) == {"enew", "etext", "egoal", "edraft"}
    assert (shown["etext"], shown["egoal"], shown["edraft"]) == (None, None, None)
    assert "Secret" not in response.text
    for html in (shown["enew"], changed["board"], changed["squads"], f'aria-label="{changed["label"]}"'):
        assert html in page
    assert 'data-version="5"' in page
    assert (
        await derby.http.get(
            PAGE, params={"fragment": "1", "refresh": "1"}, headers={"If-None-Match": response.headers["etag"]}
        )
    ).status_code == 304


async def test_a_version_of_the_future_begins_anew(derby):
    """As after a backup was put back: everything, and the page knows it."""
    _, changed = await changes(derby, 99)

    assert (changed["since"], changed["version"]) == (0, 1)
    assert {each["id"] for each in changed["posts"]} == set(matchday.PUBLIC)


def ids_on(html):
    return [name for name in read(html).ids if name.startswith("e")]


def links_of(html, name):
    """The addresses of the links with this class, or within the element with it."""
    part = re.search(rf'<nav class="{name}".*?</nav>|<a class="{name}"[^>]*>', html)
    return [unescape(each) for each in re.findall('href="([^"]*)"', part[0])] if part else []


async def test_filters_are_links(derby):
    """Each shows its kind of posts without a script, page by page; what changes on such a page is of its kind too."""
    await Desk(derby.http).update("etext", {"highlight": "milestone"})
    newest = list(reversed(matchday.PUBLIC))
    page = (await derby.http.get(PAGE)).text
    assert links_of(page, "filters") == ["?", "?show=key", "?show=goals", "?show=text"]
    expected = {
        "all": newest,
        "key": ["ewinner", "ered", "ehalf", "equal", "etext", "egoal"],
        "goals": ["ewinner", "equal", "egoal"],
        "text": ["equote", "etext"],
    }
    for show, ids in expected.items():
        found, address = [], f"?show={show}&limit=2"
        while address:
            html = (await derby.http.get(f"{PAGE}{address}")).text
            assert 1 <= len(ids_on(html)) <= 2
            found += ids_on(html)
            address = next(iter(links_of(html, "more")), None)
        assert found == ids
        _, changed = await changes(derby, 0, show=show) if show != "all" else await changes(derby, 0)
        assert {each["id"] for each in changed["posts"] if each["html"]} == set(ids)
    assert (await derby.http.get(f"{PAGE}?show=nonsense")).status_code == 400
    assert 'aria-current="true">Goals<' in (await derby.http.get(f"{PAGE}?show=goals")).text
    empty = (await derby.http.get(f"{PAGE}?show=text&continue_event_id=ekick")).text
    assert "Nothing posted yet" in empty


async def test_a_permalink_arrives_at_its_post(derby):
    """Also where the post is older than what the page shows at first; one that nobody may read leads to the newest posts."""
    page = (await derby.http.get(PAGE)).text
    assert 'href="?post=egoal#egoal"' in page
    for name, ids, newer in (
        ("ewinner", ["ewinner", "ered"], []),
        ("egoal", ["egoal", "ekick"], ["?limit=2&"]),
        ("ekick", ["ekick"], ["?limit=2&"]),
        ("edraft", ["ewinner", "ered"], []),
        ("enone", ["ewinner", "ered"], []),
    ):
        html = (await derby.http.get(PAGE, params={"limit": 2, "post": name, "show": "text" if newer else "all"})).text
        assert (ids_on(html), bool(links_of(html, "newer"))) == (ids, bool(newer))
        assert f'data-newer="{int(bool(newer))}"' in html
    [address] = links_of((await derby.http.get(f"{PAGE}?limit=2")).text, "more")
    assert 'data-newer="1"' in (await derby.http.get(f"{PAGE}{address}")).text


async def test_nothing_inline_may_run(derby):
    """The policy allows the page's own files alone, and the page needs no more."""
    policy = (await derby.http.get(PAGE)).headers["content-security-policy"]

    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "set-cookie" not in (await derby.http.get(PAGE)).headers


@pytest.mark.parametrize("name", ["page.js", "liveblog.js", "page.css", "icon.svg"])
async def test_what_the_page_loads_is_served(derby, name):
    """With a type, and 304 when unchanged."""
    response = await derby.http.get(f"/static/{name}")
    again = await derby.http.get(f"/static/{name}", headers={"If-None-Match": response.headers["etag"]})

    assert (response.status_code, again.status_code) == (200, 304)
    assert response.headers["x-content-type-options"] == "nosniff"


async def test_what_is_loaded_by_its_version_may_be_kept_forever(derby):
    """By any site; another version, or none, is revalidated soon, and loads the others of its own."""
    found = version("api.page.static")
    kept = {
        path: (await derby.http.get(f"/static/{path}embed.js")).headers["cache-control"]
        for path in (f"{found}/", "0123456789abcdef/", "")
    }
    response = await derby.http.get(f"/static/{found}/liveblog.js")

    assert list(kept.values()) == ["public, max-age=31536000, immutable", "public, max-age=300", "public, max-age=300"]
    assert response.headers["access-control-allow-origin"] == "*"
    assert len(gzip.compress((await derby.http.get("/static/embed.js")).content + response.content)) < 20 * 1024


async def test_any_site_may_read_what_is_public(derby, server):
    """The fragment, its changes, their errors and the server's clock; where a secret was sent, no other site may."""
    allowed, named = "access-control-allow-origin", {"client_id": "reader"}
    for params in ({"fragment": "1"}, {"fragment": "1", "refresh": "1"}, {"fragment": "x"}):
        headers = (await derby.http.get(PAGE, params=params)).headers
        assert headers[allowed] == "*"
        assert {"Date", "ETag", "Retry-After"} <= set(headers["access-control-expose-headers"].split(", "))
    assert (await derby.http.head(STREAM, params={"liveblogId": "gderby"})).headers[allowed] == "*"
    assert (await derby.http.get("/liveblogs/gnone")).headers[allowed] == "*"

    assert (await server.http.get(PAGE, params=named)).headers[allowed] == "*"
    assert allowed not in (await server.http.get(PAGE, auth=DESK)).headers
    for refused in ({}, {"client_id": "nobody"}):
        response = await server.http.get(PAGE, params=refused)
        assert (response.status_code, response.headers[allowed]) == (401, "*"), "a script learns why"
    assert allowed not in (await server.http.get(PAGE, auth=("desk", "wrong"))).headers


@pytest.mark.parametrize("name", ["nothing.js", "__init__.py", "..%2fpage.py", "%2e%2e", ""])
async def test_no_other_file_is_served(derby, name):
    """Neither code nor anything outside the folder."""
    assert (await derby.http.get(f"/static/{name}")).status_code == 404


async def test_no_text_becomes_code(public):
    """Script in every text of game, squads and posts: nothing on the page can run."""
    await public.add(poison.xss_liveblog())
    response = await public.http.get("/liveblogs/gxss")
    page = read(response.text)

    assert response.status_code == 200
    assert page.bad == []
    assert response.text.count("exss") >= 1
    assert "alert(1)" in "".join(page.text)


async def test_no_text_of_a_change_becomes_code(public):
    """Script in every text of a liveblog: what an open page is sent, requested and streamed, cannot run when it is put in."""
    await public.add(poison.xss_liveblog())
    _, changed = await changes(public, 0, page="/liveblogs/gxss")
    async with over_http(public.app) as http:
        params = {"liveblogId": "gxss", "html": "1", "refresh": "0"}
        async with http.stream("GET", STREAM, params=params) as response:
            line = await anext(each async for each in response.aiter_lines() if each.startswith("data: "))
    streamed = json.loads(line.removeprefix("data: "))

    for found in (changed, streamed):
        posts = {each["id"]: each["html"] for each in found["posts"]}
        assert set(posts) == {"exss", "ebare", "egoalxss"}
        for html in (*posts.values(), found["board"], found["moments"], found["squads"]):
            shown = read(html)
            assert shown.bad == []
            assert "alert(1)" in "".join(shown.text)


async def test_poisoned_events_break_no_page(public):
    """The neighbours of an event that cannot be shown are there."""
    await public.store.write(poison.insert)
    response = await public.http.get("/liveblogs/gpoison")

    assert response.status_code == 200
    assert set(matchday.PUBLIC) <= set(read(response.text).ids)


def test_a_news_liveblog_has_a_title_and_no_teams():
    """No scoreboard without teams, and a word where nothing is posted."""
    game = {"meta_info": {"title": "Council night"}}

    html = render_liveblog(game, [], page_files(), 0)

    assert '<h1 dir="auto">Council night</h1>' in html
    assert "teams" not in html
    assert "Nothing posted yet" in html
