"""A shoot-out and the result of a match wherever readers see the liveblog: page, list, card, structured data, feeds, frame."""

import re
from html import unescape

from tests.kit import matchday
from tests.kit.event_desk import Desk
from tests.kit.showing import cup, posts

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
