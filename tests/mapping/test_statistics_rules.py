"""The pure rules of statistics: periods by the clock of a zone, salts, sketches of readers, and addresses of pages."""

import random
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapping.statistics.documents import NOWHERE, page_address
from mapping.statistics.periods import QUARTER, Calendar, calendar, day_slots, last_use, month_slots, month_span
from mapping.statistics.reader_sketch import EXACT, ReaderSketch, unite_sketches
from tests.kit.sampling import examples

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe",
         "Pacific/Chatham", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/Havana", "America/St_Johns")  # fmt: skip


@pytest.mark.parametrize(
    ("zone", "day", "hours", "twice"),
    [
        ("Europe/Berlin", Calendar(2026, 3, 29), 23, []),
        ("Europe/Berlin", Calendar(2026, 10, 25), 25, ["2026-10-25T02+02:00", "2026-10-25T02+01:00"]),
        ("America/New_York", Calendar(2026, 11, 1), 25, ["2026-11-01T01-04:00", "2026-11-01T01-05:00"]),
        ("Australia/Lord_Howe", Calendar(2026, 4, 5), 24.5, ["2026-04-05T01+11:00", "2026-04-05T01+10:30"]),
        ("America/Havana", Calendar(2026, 11, 1), 25, ["2026-11-01T00-04:00", "2026-11-01T00-05:00"]),
        ("Asia/Kathmandu", Calendar(2026, 11, 23), 24, []),
    ],
)
def test_days_are_as_long_as_the_clock_of_the_zone_makes_them(zone, day, hours, twice):
    """An hour that the clock shows twice is there twice, with its offsets; one that it skips is not there."""
    periods = day.periods(ZoneInfo(zone))

    assert (periods[-1].end - periods[0].start) / 3600 == hours
    assert [each.id for each in periods if len(each.id) > 13] == twice
    assert len({each.id for each in periods}) == len(periods)


def test_a_day_that_a_zone_never_had_is_in_no_list():
    """Samoa went from 29 to 31 December 2011."""
    days = [each.id for each in Calendar(2011, 12).periods(ZoneInfo("Pacific/Apia"))]
    assert ["2011-12-29", "2011-12-31"] == days[-2:]
    assert [] == Calendar(2011, 12, 30).periods(ZoneInfo("Pacific/Apia"))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ZONES), st.dates(date(2001, 1, 1), date(2040, 12, 30)), st.integers(0, 95))
def test_each_quarter_of_an_hour_is_in_the_period_that_the_clock_says(zone, day, quarter):
    """The clock of the zone is the naive model: year, month, day and hour of an instant name its one period."""
    at = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) + quarter * QUARTER
    local = datetime.fromtimestamp(at, ZoneInfo(zone))

    for wanted, length in (
        (Calendar(local.year), 7), (Calendar(local.year, local.month), 10), (Calendar(local.year, local.month, local.day), 13)
    ):  # fmt: skip
        periods = wanted.periods(ZoneInfo(zone))
        holding = [each for each in periods if each.start <= at < each.end]
        assert [each.id[:length] for each in holding] == [local.isoformat()[:length]]
        assert [each.start for each in periods[1:]] == [each.end for each in periods[:-1]]
        assert all(each.start % QUARTER == 0 for each in periods)


@pytest.mark.parametrize(
    "text", ["", "26", "1999", "2026-13", "2026-02-29", "2026-1", "2026-01-01T00", "\uff12\uff10\uff12\uff16", "3000"]
)
def test_what_is_no_date_is_refused(text):
    """Only years, months and days that exist are understood."""
    with pytest.raises(ValueError, match=r"expects|must be|out of range|day"):
        calendar(text)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ZONES), st.dates(date(2001, 1, 1), date(2040, 12, 30)), st.integers(0, 86399))
def test_one_salt_covers_each_day_and_month_of_each_zone(zone, day, second):
    """The salt of the UTC day in which a local day begins, and that of a month of the same name, hold all loads of the period."""
    at = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) + second
    local = datetime.fromtimestamp(at, ZoneInfo(zone))
    hours = Calendar(local.year, local.month, local.day).periods(ZoneInfo(zone))
    month = next(each for each in Calendar(local.year).periods(ZoneInfo(zone)) if each.start <= at < each.end)
    begins = datetime.fromtimestamp(hours[0].start, UTC).date().isoformat()

    assert [slot for salt, slot in day_slots(at) if salt == begins] == [at - at % QUARTER]
    within = [slot for salt, slot in month_slots(at) if salt == month.id]
    assert len(within) == 1
    assert month.start <= within[0] < month.end
    first, beyond = month_span(datetime.fromtimestamp(at, UTC).isoformat()[:7])
    own = [slot for salt, slot in month_slots(at) if month_span(salt) == (first, beyond)]
    assert len(own) == 1
    assert first <= own[0] < beyond
    assert all(
        at < last_use(salt) <= at + timedelta(days=34).total_seconds() for salt, _ in [*day_slots(at), *month_slots(at)]
    )


@pytest.mark.parametrize("size", [0, 1, 100, EXACT, EXACT + 1, 5_000, 50_000, 300_000])
def test_a_sketch_counts_readers_exactly_while_few_and_within_three_percent_beyond(size):
    """Whether they come at once, twice, or from sketches that are stored and united."""
    chance = random.Random(size)
    hashes = {chance.getrandbits(64) for _ in range(size)}
    halves = ReaderSketch(), ReaderSketch()
    for at, each in enumerate(hashes):
        halves[at % 2].add({each})
    whole = unite_sketches([ReaderSketch(each.to_bytes()) for each in (*halves, halves[0])])

    assert whole.count() == pytest.approx(size, rel=0 if size <= EXACT else 0.03)
    assert not whole.add(hashes)
    assert len(whole.to_bytes()) <= 1 + 8 * EXACT + 4096
    assert ReaderSketch(whole.to_bytes()).count() == whole.count()


@pytest.mark.parametrize("stored", [b"x", b"e123", b"h", b"hnonsense"])
def test_bytes_that_are_no_sketch_are_refused(stored):
    """A row that somebody has altered does not become a number."""
    with pytest.raises(ValueError, match="no sketch"):
        ReaderSketch(stored)


@pytest.mark.parametrize(
    ("url", "origin", "location"),
    [
        ("https://Example.ORG", "https://example.org", "https://example.org/"),
        ("https://example.org:443/a/b/?q=1#x", "https://example.org", "https://example.org/a/b"),
        ("http://example.org:8080/", "http://example.org:8080", "http://example.org:8080/"),
        ("https://kim:secret@example.org/a", "https://example.org", "https://example.org/a"),
        (
            "https://müller.example/größe",
            "https://xn--mller-kva.example",
            "https://xn--mller-kva.example/gr%C3%B6%C3%9Fe",
        ),
        ("https://example.org./a//b", "https://example.org", "https://example.org/a/b"),
        ("http://[2001:db8::1]:80/a", "http://[2001:db8::1]", "http://[2001:db8::1]/a"),
        ("https://example.org/%41?name=Kim", "https://example.org", "https://example.org/%41"),
    ],
)
def test_spellings_of_a_page_are_one_address(url, origin, location):
    """Users, queries and fragments, which may name a person, are gone; what is normal stays as it is."""
    assert page_address(url) == (origin, location)
    assert page_address(location) == (origin, location)
    assert page_address(origin).origin == origin


@pytest.mark.parametrize(
    "url",
    ["", "example.org", "javascript:alert(1)", "file:///etc", "https://", "https://a b/", "https://x:99999/", "https://x:y/",
     "https://[::1", "https://-a.example", "https://a..b", "about:blank", "https://xn--a/", "https://www.xn--\u00fc.example/",
     "http://example.org:0/", "http://1.2.3/", "https://" + "a" * 3000, "https://\x00"],
)  # fmt: skip
def test_what_is_no_web_page_is_nowhere(url):
    """It is counted without an origin."""
    assert page_address(url) == NOWHERE


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://[2001:DB8:0:0::1]:8443/derby", "https://[2001:db8::1]:8443"), ("http://[::1]/", "http://[::1]"),
        ("http://[::1%25eth0]/", ""), (f"http://[::1%{'a' * 1900}]/", ""), (f"http://[{'1' * 1900}::]/", ""),
        ("http://[v1.fe80::a]/", ""), ("https://999.999.999.999/", ""), ("https://2130706433/", ""),
        ("https://0x7f.1/", ""), ("https://192.0.2.7/a", "https://192.0.2.7"),
    ],
)  # fmt: skip
def test_an_origin_is_a_host_that_can_be_one(url, origin):
    """Addresses are read by a library: one with a zone, or a number that is no address, is nowhere."""
    assert page_address(url).origin == origin


@settings(max_examples=examples(300))
@given(st.text(max_size=2100) | st.from_regex(r"https?://\[[0-9a-f:%.]{0,60}\]/.{0,40}", fullmatch=True))
def test_whatever_a_page_reports_its_address_fits_into_an_index(text):
    """Origin and page together are shorter than a row of an index of PostgreSQL may be, whatever was sent."""
    for url in (text, f"https://{text}", f"https://a.example/{text}"):
        place = page_address(url)
        assert len(place.origin.encode()) + len(place.location.encode()) <= 2400
