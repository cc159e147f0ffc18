"""A shoot-out, the result of a match and the ranking of a race wherever readers see the liveblog."""

import re
from html import unescape

from api.page.liveblog_page import render_liveblog
from tests.kit import matchday
from tests.kit.event_desk import Desk
from tests.kit.harmless import read
from tests.kit.showing import cup, page_files, posts

PAGE = "/liveblogs/gcup"
TICKER = "6c" * 12
LINE = "Hafenstadt win 3-2 on penalties"


async def add(server, document, events=()):
    await server.add(matchday.Liveblog("gcup", TICKER, document=document, events=events))


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


async def test_marks_that_contradict_the_tally_are_not_shown(public):
    """Where an editor hides a kick, or no provider reports any: the tally is what is known."""
    await add(public, cup(), posts())
    await Desk(public.http, liveblog="gcup").update("ekick4", {"local_status": 60})
    page = await page_of(public)

    assert marks_on(page) == {}
    assert "Penalty shoot-out <b>3-2</b>" in re.sub('<span class="whole">(.*?)</span>', r"\1", page)
    assert line_on(page) == LINE


async def test_hostile_names_become_no_code(public):
    """Neither in the head nor in the list."""
    document = cup()
    document["scoreboard"]["home_team"] = {"name": "<script>alert(1)</script>"}
    await add(public, document, posts())
    for path in (PAGE, "/"):
        assert "<script>alert" not in await page_of(public, path)


RANKING = [
    {"position": 1, "player": {"name": "Max Muster"}, "team": {"name": "Team Nord"}, "time": "2:06:54.430", "gap": "+0"},
    {"position": 2, "player": {"name": "Eva Beispiel"}, "team": {"name": "Team Süd"}, "time": "2:07:13.907", "gap": "+19.477"},
    {"position": 3, "player": {"short_name": "Probe"}, "gap": "+1 lap"},
    {"player": {"name": "Ida Fall"}, "status": "DNF"},
    {"position": 5, "team": {"name": "Team West"}},
]  # fmt: skip


def race(**state):
    info = {"_type": "Svc::Model::GameStateInfo::RankedGameStateInfo", "gamestate": 1, "ranking": RANKING, **state}
    return {"meta_info": {"title": "Grand Prix"}, "state_info": info}


def html(game, locale="en"):
    return render_liveblog(game, [], page_files(locale), 0)


def test_no_text_of_a_ranking_becomes_code():
    """Names, teams, times, flags and laps may say anything."""
    evil = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
    entry = {"position": 1, "player": {"name": evil}, "team": {"name": evil}, "time": evil, "gap": evil, "status": evil}
    page = html(race(ranking=[entry, {**entry, "position": evil}], flag=evil, lap=1, total_laps=2))

    assert "<script" not in page
    assert "<img" not in page
    assert read(page).bad == []
    assert page.count("&lt;script&gt;") >= 7
