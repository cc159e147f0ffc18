"""Dates, times and names on pages: as the liveblog's language writes them, and no name turns what stands beside it."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from api.page.times import moment
from tests.kit import matchday

AT = 1_789_995_600  # Monday, 21 September 2026, 13:00 UTC
WRITTEN = {
    "en": "Sep 21, 2026, 13:00",
    "en-gb": "21 Sept 2026, 13:00",
    "de": "21.09.2026, 13:00",
    "fr-fr": "21 sept. 2026, 13:00",
    "nl-nl": "21 sep 2026, 13:00",
    "it-it": "21 set 2026, 13:00",
    "zh-tw": "2026年9月21日 13:00",
}


@pytest.mark.parametrize(("locale", "written"), WRITTEN.items())
def test_a_date_is_written_as_the_language_writes_it(locale, written):
    """With the zone where no script turns it into the reader's time."""
    html = moment(AT, "date", ZoneInfo("UTC"), locale)

    assert html == (
        f'<time datetime="2026-09-21T13:00:00Z" data-form="date">{written}</time><span class="zone"> UTC</span>'
    )
    assert moment(AT, "time", ZoneInfo("UTC"), locale).endswith('data-form="time">13:00</time>')


async def test_the_page_of_a_liveblog_has_its_language(public):
    """Not that of the service or of the reader."""
    await public.add(matchday.derby(locale="en-gb"))

    assert "21 Sept 2026, 13:00" in (await public.http.get("/liveblogs/gderby", headers={"Accept-Language": "de"})).text
