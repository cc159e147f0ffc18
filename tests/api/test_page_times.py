"""Dates, times and names on pages: as the liveblog's language writes them, and no name turns what stands beside it."""

from zoneinfo import ZoneInfo

import pytest

from api.page.liveblog_page import render_liveblog
from api.page.page_frame import moment, with_territory
from api.view.key_moments import moments_of
from mapping.documents.import_options import ImportOptions
from mapping.liveblog.prefill import game_document
from mapping.match.match import Incident, Involved, Match, Person, Score, Side, Status
from mapping.posts.posts import wanted_posts
from tests.kit import matchday
from tests.kit.showing import page_files
from tests.kit.watched import NOBODY

AT = 1_789_995_600  # Monday, 21 September 2026, 13:00 UTC
WRITTEN = (
    ("en", "en_US", "Sep 21, 2026, 13:00"),
    ("en-gb", "en_GB", "21 Sept 2026, 13:00"),
    ("de", "de_DE", "21.09.2026, 13:00"),
    ("fr-fr", "fr_FR", "21 sept. 2026, 13:00"),
    ("nl-nl", "nl_NL", "21 sep 2026, 13:00"),
    ("it-it", "it_IT", "21 set 2026, 13:00"),
    ("zh-tw", "zh_TW", "2026年9月21日 13:00"),
)


@pytest.mark.parametrize(("locale", "territory", "written"), WRITTEN)
def test_a_date_is_written_as_the_language_writes_it(locale, territory, written):
    """With the zone where no script turns it into the reader's time; social networks get the territory, too."""
    html = moment(AT, "date", ZoneInfo("UTC"), locale)

    assert html == (
        f'<time datetime="2026-09-21T13:00:00Z" data-form="date">{written}</time><span class="zone"> UTC</span>'
    )
    assert moment(AT, "time", ZoneInfo("UTC"), locale).endswith('data-form="time">13:00</time>')
    assert with_territory(locale) == territory


ARABIC, HEBREW = "نادي النصر", "מכבי חיפה"


def isolated(name):
    return f"\u2068{name}\u2069"


def test_our_sentences_isolate_names_that_run_from_right_to_left():
    """In posts, key moments and the recap, wherever the name stands; others are left as they are."""
    home, away = Side(ext_id="1", name=ARABIC), Side(ext_id="2", name="Bern")
    scorer = Person(ext_id="7", name=HEBREW)
    goal = Incident(
        key="incident:1",
        kind="soccer.goal",
        order=1,
        minute=5,
        side="home",
        people=(Involved(role="scorer", person=scorer),),
        score=Score(1, 0),
        created_at=AT,
    )
    match = Match(
        provider="heim",
        match_id="1",
        sport="soccer",
        status=Status.LIVE,
        home=home,
        away=away,
        score=Score(1, 0),
        incidents=(goal,),
        kickoff=AT,
    )
    terms = ImportOptions(sport="soccer", auto_post=True)
    game = game_document(match, terms, NOBODY)
    (post,) = wanted_posts(match, terms, NOBODY, block_id=lambda key, part: f"{key} {part}")
    written = post.document["contents"][0]["text"]
    moments = moments_of(game, [{**post.document, "local_id": "e1"}])

    assert game["meta_info"]["title"] == f"{isolated(ARABIC)} – Bern"
    for words in (written, moments.moments[0].text, moments.recap):
        assert isolated(HEBREW) in words
        assert HEBREW not in words.replace(isolated(HEBREW), "")
        assert ARABIC not in words.replace(isolated(ARABIC), "")
        assert isolated("Bern") not in words
    assert moments.moments[0].text == written
    html = render_liveblog(game, [{**post.document, "local_id": "e1", "created_at": AT}], page_files(), AT, moments)
    assert f'<h1 class="unseen" dir="auto">{isolated(ARABIC)} – Bern</h1>' in html


def test_names_stand_by_themselves_in_lists_and_posts_find_their_direction():
    """`bdi` around people and teams, `dir=auto` where people write."""
    game = matchday.document()
    game["squads"]["home"]["lineup"][0]["name"] = ARABIC
    people = (("Scorer", HEBREW),)
    goal = matchday.event(
        "e1",
        AT,
        headline="H",
        highlight="milestone",
        sport_event=matchday.incident("goal", "Goal", "5'", side={"name": ARABIC}, people=people),
        contents=[matchday.text("<p>!</p>"), matchday.QUOTE],
    )
    html = render_liveblog(game, [goal.document | {"local_id": "e1", "created_at": AT}], page_files(), AT)

    for shown in (
        f"<bdi>{ARABIC}</bdi>",
        f'<p class="players"><bdi>{ARABIC}</bdi> · Scorer: <bdi>{HEBREW}</bdi></p>',
        '<h2 class="headline" dir="auto">H</h2>',
        '<div dir="auto"><p>!</p></div>',
        '<blockquote dir="auto">',
        "<bdi>Stadion am Kai</bdi>",
    ):
        assert shown in html
