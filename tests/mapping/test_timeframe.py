"""Time frames of the search: days, weeks and months of a time zone, also where the clock is moved."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from mapping.rules.timeframe import CURRENT, TIMEFRAMES, WEEKDAYS, TimeSpan, span
from tests.kit.interface_tables import OURS, enums

BERLIN = ZoneInfo("Europe/Berlin")
NOW = "2026-11-18T15:30"  # a Wednesday


def at(text, zone=BERLIN):
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp())


TABLE = {
    "today": ("2026-11-18", "2026-11-19"), "tomorrow": ("2026-11-19", "2026-11-20"),
    "thisweek": ("2026-11-16", "2026-11-23"), "nextweek": ("2026-11-23", "2026-11-30"),
    "thismonth": ("2026-11-01", "2026-12-01"), "nextmonth": ("2026-12-01", "2027-01-01"),
    "upcoming": (NOW, "2026-11-25"), "current": ("2026-11-18T03:30", "2026-11-18T15:30:01"), "future": (NOW, None),
    "monday": ("2026-11-23", "2026-11-24"), "tuesday": ("2026-11-24", "2026-11-25"),
    "wednesday": ("2026-11-18", "2026-11-19"), "thursday": ("2026-11-19", "2026-11-20"),
    "friday": ("2026-11-20", "2026-11-21"), "saturday": ("2026-11-21", "2026-11-22"),
    "sunday": ("2026-11-22", "2026-11-23"), "all": (None, None), "past": (None, NOW),
}  # fmt: skip


def test_every_frame_of_the_reference_is_in_the_table():
    """Eighteen, and no more."""
    assert set(TABLE) == set(TIMEFRAMES) == set(enums(OURS.read_text(encoding="utf-8"))["timeframe"])
    assert len(TABLE) == 18


@pytest.mark.parametrize("frame", TABLE)
def test_a_frame_is_what_the_table_says(frame):
    """On a Wednesday afternoon in Berlin."""
    start, end = (None if bound is None else at(bound) for bound in TABLE[frame])

    assert span(frame, at(NOW), BERLIN) == TimeSpan(start, end)


@pytest.mark.parametrize(
    ("now", "frame", "hours"),
    [
        ("2026-03-29T12:00", "today", 23),
        ("2026-03-28T12:00", "tomorrow", 23),
        ("2026-10-25T12:00", "today", 25),
        ("2026-10-25T12:00", "thisweek", 7 * 24 + 1),
        ("2026-03-26T12:00", "sunday", 23),
        ("2026-03-10T12:00", "thismonth", 31 * 24 - 1),
    ],
)
def test_days_are_as_long_as_they_are(now, frame, hours):
    """The day on which the clock is moved has 23 or 25 hours."""
    found = span(frame, at(now), BERLIN)

    assert found.end - found.start == hours * 3600


def test_a_day_begins_in_its_zone():
    """The same instant is another day elsewhere; where midnight does not exist, the day begins when the clock jumps."""
    instant = at("2026-11-18T23:30", ZoneInfo("UTC"))
    santiago = ZoneInfo("America/Santiago")

    assert span("today", instant, ZoneInfo("Asia/Tokyo")).start == at("2026-11-19", ZoneInfo("Asia/Tokyo"))
    jump = span("today", at("2026-09-06T12:00", santiago), santiago)
    assert jump.end - jump.start == 23 * 3600


def test_months_pass_the_year():
    """December is followed by January."""
    assert span("nextmonth", at("2026-12-31T23:59"), BERLIN) == TimeSpan(at("2027-01-01"), at("2027-02-01"))


@pytest.mark.parametrize("day", range(7))
def test_a_weekday_is_the_next_one_today_included(day):
    """Seven weekdays are the seven days from today, each once."""
    now = at(f"2026-11-{16 + day}T08:00")
    starts = sorted(span(name, now, BERLIN).start for name in WEEKDAYS)

    assert starts == [at(f"2026-11-{16 + day + offset}") for offset in range(7)]
    assert span(WEEKDAYS[day], now, BERLIN) == span("today", now, BERLIN)


def test_past_and_future_are_everything():
    """Each instant is in one of them; what has just begun is current."""
    now = at(NOW)
    for instant in (now - CURRENT - 1, now - 1, now, now + 1):
        assert span("past", now, BERLIN).holds(instant) != span("future", now, BERLIN).holds(instant)
    assert span("current", now, BERLIN).holds(now)
    assert not span("current", now, BERLIN).holds(now - CURRENT - 1)
