"""The parts of a page that are lists and tables: key moments, sections, the sets of tennis, a race from its grid to its podium."""

import re
from html import unescape

from api.page.liveblog_page import render_liveblog
from api.page.match_facts import key_moments_html
from api.view.key_moments import KeyMoments
from mapping.posts.key_moments import KeyMoment
from mapping.sports.base import MomentType
from tests.kit import matchday
from tests.kit.harmless import read
from tests.kit.showing import changes, page_files


def entry(place, name, **more):
    return {
        "position": place,
        "player": {"name": name, "short_name": name.split()[-1], **more.pop("player", {})},
        **more,
    }


ORDER = [
    entry(1, "Max Verstappen", player={"number": "1"}, team={"name": "Red Bull"}, laps=31),
    entry(2, "Esteban Ocon", player={"number": "31"}, team={"name": "Alpine"}, gap="+2.1", laps=31),
    entry(3, "Pierre Gasly", gap="+1 lap", laps=30),
    entry(4, "Lando Norris"),
]


def race(ranking=ORDER, **state):
    return {
        "locale": "en",
        "sportstype": "motorsports",
        "meta_info": {"title": "Grand Prix"},
        "state_info": {"gamestate": 1, "ranking": ranking, **state},
    }


def words(html):
    """The text of a piece of HTML, with single blanks."""
    return " ".join(unescape(re.sub("<svg.*?</svg>|<[^>]+>", " ", html)).split())


def moment(number, phase="", kind="soccer.goal"):
    return KeyMoment(
        type=MomentType.GOAL,
        event_type=kind,
        local_id=f"e{number}",
        minute=f"{number}'",
        phase=phase,
        score=None,
        team="",
        player="",
        text=f"Moment {number}.",
    )


def section(html, name):
    found = re.search(rf'<(section|nav|header|table|ol) [^>]*class="{name}".*?</\1>', html, re.DOTALL)
    assert found, name
    return found[0]


def test_key_moments_stand_newest_first_in_groups():
    """By the parts of the match; a whistle without a part belongs to the part before it."""
    found = KeyMoments((moment(4, "First half"), moment(45), moment(50, "Second half"), moment(88, "Second half")), "")
    html = key_moments_html(found, page_files())

    assert re.findall(r"<h3>(.*?)</h3>", html) == ["Second half", "First half"]
    assert re.findall(r'href="\?post=(e\d+)', html) == ["e88", "e50", "e45", "e4"]
    assert "<details" not in html


async def test_the_sections_of_a_page_have_a_bar_with_the_score(public):
    """Links to what is there; a change of the score or the line-ups reaches it on open pages."""
    await public.add(matchday.derby())
    page = (await public.http.get("/liveblogs/gderby")).text
    bar = section(page, "sections")
    targets = re.findall(r'href="#([^"]+)"', bar)

    assert words(bar).split(" · ")[0] == "HAF 2 – 1 AVB Posts Key moments Line-up Share"
    assert set(targets) <= set(read(page).ids)
    _, changed = await changes(public, 0)
    assert changed["sections"] in page


def tennis(score, sets, **more):
    names = {f"{side}_team": {"name": name} for side, name in (("home", "Roger Federer"), ("away", "Rafael Nadal"))}
    info = more.pop("state", {"gamestate": 1})
    board = {
        **names,
        "score": matchday.pair(*score),
        "scores": [matchday.pair(*each, str(at)) for at, each in enumerate(sets, 1)],
    }
    return {
        "locale": "en",
        "sportstype": "tennis",
        "meta_info": {**names, "title": "Roger Federer – Rafael Nadal"},
        "scoreboard": {**board, **more},
        "state_info": info,
    }


def table(html):
    return [
        [words(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in re.findall("<tr.*?</tr>", section(html, "sets"))
    ]


def test_sets_are_a_table_with_the_winner():
    """A row for each side, a column for each set; who won is marked, and said to those who listen."""
    html = render_liveblog(
        tennis((2, 3), [(4, 6), (4, 6), (7, 6), (7, 6), (7, 9)], state={"gamestate": 31}), [], page_files(), 0
    )

    assert table(html) == [
        ["Name", "1", "2", "3", "4", "5"],
        ["ROG Roger Federer", "4", "4", "7", "7", "7"],
        ["RAF Rafael Nadal ✓ Winner", "6", "6", "6", "6", "9"],
    ]
    assert 'class="parts"' not in section(html, "board")


def rows(html):
    body = re.search(r'<section class="squad ranking">.*?</section>', html, re.DOTALL)[0]
    return [
        [words(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in re.findall("<tr.*?</tr>", body, re.DOTALL)
    ]


def test_the_running_order_has_numbers_gaps_and_laps():
    """As far as somebody gives them."""
    assert rows(render_liveblog(race(), [], page_files(), 0)) == [
        ["Place", "Name", "Laps", "Time"],
        ["1", "Max Verstappen 1 · Red Bull", "31", ""],
        ["2", "Esteban Ocon 31 · Alpine", "31", "+2.1"],
        ["3", "Pierre Gasly", "30", "+1 lap"],
        ["4", "Lando Norris", "", ""],
    ]


def test_the_podium_is_a_podium():
    """The first three, once it is over, with their places; a place that nobody holds ends it."""
    over = section(render_liveblog(race(gamestate=31), [], page_files(), 0), "podium")

    assert [words(each) for each in re.findall("<li.*?</li>", over)] == [
        "1 Verstappen Red Bull",
        "2 Ocon Alpine",
        "3 Gasly",
    ]
    assert 'class="podium"' not in render_liveblog(race(), [], page_files(), 0)
    tied = [ORDER[0], {**ORDER[1], "position": 1}]
    assert 'class="podium"' not in render_liveblog(race(tied, gamestate=31), [], page_files(), 0)
