"""A race on its page: the ranking, the lap and the flag, in the language of the liveblog."""

from __future__ import annotations

import re

import pytest

from api.page.page import render_liveblog
from tests.kit.harmless import read
from tests.kit.showing import page_files

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


def rows(page):
    """The texts of the cells, row by row."""
    found = re.findall(r"<tr>(.*?)</tr>", re.sub("</?bdi>", "", page))
    return [
        [re.sub("<[^>]*>", "|", cell).strip("|") for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)]
        for row in found
    ]


def test_the_ranking_stands_beside_the_posts():
    """Place, who and for whom; the winner's time, the others' distance, or why there is none."""
    assert rows(html(race())) == [
        ["Place", "Name", "Time"],
        ["1", "Max Muster|Team Nord", "2:06:54.430"],
        ["2", "Eva Beispiel|Team Süd", "+19.477"],
        ["3", "Probe", "+1 lap"],
        ["", "Ida Fall", "DNF"],
        ["5", "Team West", ""],
    ]


def test_the_words_are_those_of_the_liveblogs_language():
    """Heading, columns, lap and flag."""
    page = html(race(lap=45, total_laps=69, flag="safety-car"), "de")

    assert rows(page)[0] == ["Platz", "Name", "Zeit"]
    assert "<h2>Reihenfolge im Rennen</h2>" in page
    assert "<b>Runde 45/69</b><b>Safety-Car</b>" in page


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        ({"lap": 3}, "<b>Lap 3</b>"),
        ({"lap": 3, "flag": "green-flag"}, '<p class="parts"><b>Lap 3</b></p>'),
        ({"lap": 69, "total_laps": 69, "flag": "chequered-flag", "gamestate": 31}, "Finished</p><ol class"),
        ({"flag": "red-flag"}, '<p class="parts"><b>Red flag</b></p>'),
        ({"flag": "white-flag"}, "<b>White flag</b>"),
    ],
)
def test_the_head_shows_lap_and_flag(state, shown):
    """A flag that only says that the race goes on is not repeated, and after the end there is neither."""
    assert shown in html(race(**state))


def test_without_places_it_is_a_start_list():
    """Before the start everybody is named, and nobody is first."""
    page = html(race(ranking=[{"player": {"name": "Ida Fall"}, "team": {"name": "Team Nord"}}]))

    assert "<h2>Start list</h2>" in page
    assert rows(page) == [["Place", "Name"], ["", "Ida Fall|Team Nord"]]


@pytest.mark.parametrize("ranking", [None, [], "first", [{}], [None, 7], [{"position": 1}]], ids=str)
def test_nobody_named_is_no_table(ranking):
    """Whatever a client wrote into the open document."""
    page = html(race(ranking=ranking))

    assert "<table" not in page
    assert 'class="squads"' not in page


def test_no_text_of_a_ranking_becomes_code():
    """Names, teams, times, flags and laps may say anything."""
    evil = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
    entry = {"position": 1, "player": {"name": evil}, "team": {"name": evil}, "time": evil, "gap": evil, "status": evil}
    page = html(race(ranking=[entry, {**entry, "position": evil}], flag=evil, lap=1, total_laps=2))

    assert "<script" not in page
    assert "<img" not in page
    assert read(page).bad == []
    assert page.count("&lt;script&gt;") >= 7
