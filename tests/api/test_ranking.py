"""A race on its page: the ranking, the lap and the flag, in the language of the liveblog."""

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


def test_no_text_of_a_ranking_becomes_code():
    """Names, teams, times, flags and laps may say anything."""
    evil = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
    entry = {"position": 1, "player": {"name": evil}, "team": {"name": evil}, "time": evil, "gap": evil, "status": evil}
    page = html(race(ranking=[entry, {**entry, "position": evil}], flag=evil, lap=1, total_laps=2))

    assert "<script" not in page
    assert "<img" not in page
    assert read(page).bad == []
    assert page.count("&lt;script&gt;") >= 7
