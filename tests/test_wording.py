"""What our posts say is written down, in every language, and the page is made of the rows."""

from collections import Counter

import pytest

from api.feeds.feed import item_of
from api.page.posts import post
from mapping.sports import SPORTS
from tests.kit.showing import page_files
from tools import wording


def test_the_page_of_wording_is_up_to_date():
    """After a change of row, catalogue or sentence: python -m tools.wording."""
    assert wording.document() == wording.TARGET.read_text(encoding="utf-8")


@pytest.mark.parametrize("sport", SPORTS.values(), ids=lambda sport: sport.id)
def test_every_sentence_of_a_sport_is_on_the_page(sport):
    """No two rows of the page say the same in English: each case leads to a sentence of its own."""
    published = Counter((case.kind.id, case.how, wording.published(case, "en")) for case in wording.cases(sport))

    assert [row for row, times in published.items() if times > 1] == []


@pytest.mark.parametrize("locale", wording.LOCALES)
def test_every_sentence_begins_with_a_capital(locale):
    """A name such as `van der Hoorn` is written with a capital where it opens a sentence."""
    texts = [wording.published(case, locale)[1] for sport in SPORTS.values() for case in wording.cases(sport)]

    assert [text for text in texts if text[0].islower() or any(f"{mark} van " in text for mark in "!?.")] == []


def shown(case, locale):
    """A case's post in a feed, and on the page."""
    return shown_event(wording.event_of(case, locale), locale)


def shown_event(event, locale):
    files = page_files(locale)
    return item_of(event, "", locale, (), files.images).html, post({"locale": locale}, event, files)


@pytest.mark.parametrize("locale", wording.LOCALES)
def test_no_sentence_has_a_line_of_players_below_it(locale):
    """Our sentences name everybody who took part, in feeds and on the page; a text that names nobody has the line."""
    for case in (case for sport in SPORTS.values() for case in wording.cases(sport)):
        assert all('class="players"' not in html for html in shown(case, locale)), (case.kind.id, case.how)

    event = wording.event_of(next(wording.cases(SPORTS["soccer"])), locale)
    event["contents"][0]["text"] = "?"
    feed, page = shown_event(event, locale)
    assert "van der Hoorn" in feed
    assert 'class="players"' in page


@pytest.mark.parametrize("locale", wording.LOCALES)
def test_half_time_of_extra_time_has_its_score(locale):
    """In feeds and on the page, for every sport with such a half-time."""
    cases = [case for sport in SPORTS.values() for case in wording.cases(sport) if case.kind.score_of == "extra-half"]
    known = [case for case in cases if case.match.score is not None]

    assert known
    for case in known:
        feed, page = shown(case, locale)
        assert any(f"1{mark}1" in feed and f"1{mark}1" in page for mark in "-:比")


@pytest.mark.parametrize(("locale", "time"), [("en", "1:15.650"), ("de", "1:15,650"), ("zh-tw", "1:15.650")])
def test_a_lap_time_has_the_decimal_mark_of_the_language(locale, time):
    """As the seconds of a pit stop have."""
    cases = [case for case in wording.cases(SPORTS["motorsports"]) if case.kind.id == "motorsports.fastest-lap"]

    assert time in wording.published(cases[0], locale)[1]
