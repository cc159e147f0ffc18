"""A shoot-out and the result of a match wherever readers see the liveblog: page, list, card, structured data, feeds, frame."""

from __future__ import annotations

import json
import re
from functools import partial
from html import unescape

import pytest

from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import Change
from tests.kit import matchday
from tests.kit.event_desk import Desk
from tests.kit.matchday import pair
from tests.kit.shootout_page import cup, posts
from tests.kit.structured_rules import faults

PAGE = "/liveblogs/gcup"
FEED = "/api/embed/v4/feed/liveblog"
TICKER = "6c" * 12
LINE = "Hafenstadt win 3-2 on penalties"
TITLE = f"SV Hafenstadt – Alpenverein Bergheim: {LINE}"


async def add(server, document, events=()):
    await server.add(matchday.Liveblog("gcup", TICKER, document=document, events=events))


async def change(server, document):
    await server.store.write(partial(liveblogs.record, game_id=TICKER, change=Change(game=document)))


async def page_of(server, path=PAGE, **params):
    response = await server.http.get(path, params=params)
    assert response.status_code == 200, response.text
    return response.text


def marks_on(html):
    """Name → what its marks say, and the number beside them."""
    rows = re.findall(
        r'<ol aria-label="([^"]*)">((?:<li class="(?:scored|missed|open)">.*?</li>)+)</ol><b>(\d+)</b>', html
    )
    return {name: (re.findall(r'class="unseen">([^<]*)<', marks), int(count)) for name, marks, count in rows}


def line_on(html):
    found = re.search(r'<p class="result"[^>]*>(.*?)</p>', html)
    return found and unescape(re.sub("<[^>]+>", "", found[1]))


async def test_the_winner_is_named_wherever_the_title_stands(public):
    """In the title, the card of social networks, structured data, feeds, the frame, changes, and the list."""
    await add(public, cup(), posts())
    page = await page_of(public)
    (schema,) = (json.loads(each) for each in re.findall(r'<script type="application/ld\+json">(.*?)</script>', page))
    changes = (await public.http.get(PAGE, params={"fragment": 1, "refresh": 0})).json()
    feeds = [await page_of(public, f"{FEED}.{form}", liveblogId="gcup") for form in ("rss", "atom", "json")]

    assert f"<title>{TITLE}</title>" in page
    assert f'<meta property="og:title" content="{TITLE}">' in page
    assert (schema["headline"], schema["about"]["description"]) == (TITLE, LINE)
    assert faults(schema) == []
    assert changes["title"] == TITLE
    assert f"<title>{TITLE}</title>" in await page_of(public, "/embed/gcup")
    assert f"<title>{TITLE}</title>" in feeds[0]
    assert f"<title>{TITLE}</title>" in feeds[1]
    assert json.loads(feeds[2])["title"] == TITLE
    assert line_on(page) == line_on(await page_of(public, "/")) == LINE


async def test_ten_marks_say_who_scored(public):
    """Of each side in its order, also in words; the tally stands beside them and nowhere else in the head."""
    await add(public, cup(), posts())
    page = await page_of(public)
    home, away = marks_on(page)["Hafenstadt"], marks_on(page)["Bergheim"]

    assert home[1] == 3
    assert away[1] == 2
    assert [each.partition(" – ")[0] for each in home[0]] == [
        "Penalty 1: missed", "Penalty 2: scored", "Penalty 3: scored", "Penalty 4: missed", "Penalty 5: scored"]  # fmt: skip
    assert home[0][0] == "Penalty 1: missed – Kicker 1"
    assert len(away[0]) == 5
    assert page.count('role="group" aria-label="Penalty shoot-out"') == 1
    assert "Penalty shoot-out <b>" not in page


async def test_open_kicks_are_open(public):
    """From the first moment of the shoot-out on, until each is taken."""
    await add(public, cup(2, tally=None), posts(()))
    begins = marks_on(await page_of(public))
    assert [set(marks) for marks, _ in begins.values()] == [{f"Penalty {n}: not taken" for n in range(1, 6)}] * 2

    await change(public, cup(2, tally=(0, 0)))
    assert marks_on(await page_of(public)) == begins
    await change(public, cup(2, tally=(1, 0)))
    assert marks_on(await page_of(public)) == {}, "nobody knows which kick it was"
    assert line_on(await page_of(public)) is None


async def test_marks_that_contradict_the_tally_are_not_shown(public):
    """Where an editor hides a kick, or no provider reports any: the tally is what is known."""
    await add(public, cup(), posts())
    await Desk(public.http, liveblog="gcup").update("ekick4", {"local_status": 60})
    page = await page_of(public)

    assert marks_on(page) == {}
    assert "Penalty shoot-out <b>3-2</b>" in re.sub('<span class="whole">(.*?)</span>', r"\1", page)
    assert line_on(page) == LINE


async def test_more_than_five_kicks_have_marks_too(public):
    """Both sides have as many."""
    await add(public, cup(tally=(6, 5)), posts(("home x", "away x") * 5 + ("home x", "away -")))
    home, away = marks_on(await page_of(public)).values()

    assert (len(home[0]), len(away[0]), home[1], away[1]) == (6, 6, 6, 5)


async def test_kicks_are_no_goals(public):
    """In the filter of goals and the key moments, which have one line for all of them; they are drawn as what they are."""
    await add(public, cup(), posts())
    goals, page = await page_of(public, show="goals"), await page_of(public)
    moments = re.search('<section class="moments".*?</section>', page)[0]

    assert re.findall('<li id="(e[^"]*)"', goals) == ["efirst"]
    assert re.findall(r"post=(\w+)#", moments) == ["estart", "efirst"]
    assert "Penalty shoot-out: Hafenstadt against Bergheim, 3-2." in re.sub("<[^>]+>", "", moments)
    assert 'id="ekick4" class="post on-kick-scored of-home"' in page
    assert 'id="ekick1" class="post on-kick-missed of-home"' in page
    assert 'id="efirst" class="post on-goal of-home"' in page


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"tally": None, "score": (2, 1), "decided": ""}, "Hafenstadt win 2-1"),
        ({"tally": None, "score": (1, 3), "decided": "a.e.t."}, "Bergheim win 3-1 after extra time"),
        ({"tally": None, "decided": ""}, "Hafenstadt and Bergheim draw 1-1"),
        ({"tally": None}, None),
        ({"state": 1, "tally": None, "score": (2, 1), "decided": ""}, None),
        ({"state": 2}, None),
    ],
)
async def test_a_match_that_is_over_has_a_result(public, fields, line):
    """Won, drawn, or not known; none while it goes on, in the title neither."""
    await add(public, cup(**fields), ())
    page = await page_of(public)

    assert line_on(page) == line
    assert (f"Bergheim: {line}</title>" in page) if line else ("Bergheim</title>" in page)


async def test_a_match_that_was_broken_off_has_none(public):
    """Its score is no result; once the summary is gone, it is."""
    await add(public, cup(tally=None, score=(2, 1), decided="") | {"summary": "Abandoned"})
    assert line_on(await page_of(public)) is None
    await change(public, cup(tally=None, score=(2, 1), decided="") | {"summary": ""})
    assert line_on(await page_of(public)) == "Hafenstadt win 2-1"


async def test_an_abbreviation_is_no_name(public):
    """Where a short name is capitals alone, the name stands there."""
    document = cup(tally=None, score=(2, 1), decided="")
    document["scoreboard"]["home_team"] = {"name": "SV Hafenstadt", "short_name": "SVH"}
    await add(public, document)

    assert line_on(await page_of(public)) == "SV Hafenstadt win 2-1"


async def test_a_match_of_sets_is_won_in_sets(public):
    """In the title of its feed as well, which is that of a tennis match."""
    names = {f"{side}_team": {"name": name} for side, name in (("home", "Roger Federer"), ("away", "Rafael Nadal"))}
    sets = [pair(6, 4, "1st set"), pair(3, 6, "2nd set"), pair(4, 6, "3rd set")]
    document = cup(score=(1, 2)) | {"scoreboard": names | {"score": pair(1, 2), "scores": sets}, "meta_info": names}
    await public.add(matchday.Liveblog("gcup", TICKER, sportstype="tennis", document=document))

    assert line_on(await page_of(public)) == "Rafael Nadal wins 4-6, 6-3, 6-4"
    feed = json.loads(await page_of(public, f"{FEED}.json", liveblogId="gcup"))
    assert feed["title"].endswith(": Rafael Nadal wins 4-6, 6-3, 6-4")


async def test_a_race_has_a_winner(public):
    """The first of the ranking."""
    state = {"gamestate": 31, "ranking": [{"position": 1, "player": {"name": "Lando Norris"}}]}
    document = {"locale": "en", "meta_info": {"title": "Race"}, "state_info": state}
    await public.add(matchday.Liveblog("gcup", TICKER, sportstype="motorsports", document=document))
    page = await page_of(public)

    assert line_on(page) == "Lando Norris wins"
    assert "<title>Race: Lando Norris wins</title>" in page


async def test_hostile_names_become_no_code(public):
    """Neither in the head nor in the list."""
    document = cup()
    document["scoreboard"]["home_team"] = {"name": "<script>alert(1)</script>"}
    await add(public, document, posts())
    for path in (PAGE, "/"):
        assert "<script>alert" not in await page_of(public, path)
