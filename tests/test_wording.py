"""What our posts say is written down, in every language, and the page is made of the rows."""

from collections import Counter

import pytest

from mapping.sports import SPORTS
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
