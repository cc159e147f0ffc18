"""Local times of nights in which clocks change: rows and minutes say which of two instants each of them means."""

from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from providers.local_times import ClockChange, TimedRow, change_within, settle_times

BERLIN, NEW_YORK, LORD_HOWE = (ZoneInfo(name) for name in ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe"))
BACK = [
    (BERLIN, datetime(2026, 10, 25, 1, 0, tzinfo=ZoneInfo("UTC")), -3600),
    (NEW_YORK, datetime(2026, 11, 1, 6, 0, tzinfo=ZoneInfo("UTC")), -3600),
    (LORD_HOWE, datetime(2026, 4, 4, 15, 0, tzinfo=ZoneInfo("UTC")), -1800),
]
FORWARD = [(BERLIN, datetime(2026, 3, 29, 1, 0, tzinfo=ZoneInfo("UTC")), 3600)]
NIGHTS = [(zone, int(at.timestamp()), seconds) for zone, at, seconds in (*BACK, *FORWARD)]
NAMED = [f"{zone.key} {'back' if seconds < 0 else 'forward'}" for zone, _, seconds in NIGHTS]


def read(moment, zone):
    """The instant as it is read off its local time, which says nothing of the hour that comes twice."""
    return int(datetime.fromtimestamp(moment, zone).replace(fold=0).timestamp())


def resolved(moments, zone, *, minutes=None, kickoff=None):
    rows = {at: TimedRow(read(each, zone), minutes[at] if minutes else None) for at, each in enumerate(moments)}
    change = change_within([each.moment for each in rows.values()], zone)
    return list(
        (settle_times(rows, change, kickoff) if change else {at: row.moment for at, row in rows.items()}).values()
    )


@pytest.mark.parametrize(("zone", "at", "seconds"), NIGHTS, ids=NAMED)
@pytest.mark.parametrize("begins", range(-150, 61, 15))
def test_every_minute_of_a_match_is_where_it_was(zone, at, seconds, begins):
    """Whenever in the night it begins, five minutes late: from the first minute on where the kick-off is not in doubt itself."""
    start = at + 60 * begins
    minutes = [1, 8, 15, 22, 31, 45, 46, 52, 63, 70, 82, 90]
    moments = [start + 60 * (minute + 4 + 15 * (minute > 45)) for minute in minutes]

    doubtful = len(ClockChange(at, seconds).readings(read(start, zone))) > 1 and seconds < 0
    for known in range(len(moments) if doubtful else 1, len(moments) + 1):
        assert moments[:known] == resolved(moments[:known], zone, minutes=minutes, kickoff=read(start, zone))


@pytest.mark.parametrize(("zone", "at", "seconds"), NIGHTS, ids=NAMED)
def test_rows_without_minutes_keep_their_order(zone, at, seconds):
    """Those of a race: a time that falls back behind the row before is in the second of both hours."""
    moments = [at + 60 * each for each in range(-200, 200, 7)]
    found = resolved(moments, zone)

    assert all(earlier < later for earlier, later in pairwise(found))
    assert moments == found


def test_a_clock_that_is_not_set_forward_goes_on():
    """A provider's times in the hour that is left out, and the hours after it, as its clock shows them."""
    _, at, _ = NIGHTS[-1]
    minutes = [1, 12, 25, 40, 50, 70, 88]
    moments = [at - 1800 + 60 * (minute + 15 * (minute > 45)) for minute in minutes]
    winter = timedelta(hours=1)
    local = [datetime.fromtimestamp(each, ZoneInfo("UTC")).replace(tzinfo=None) + winter for each in moments]
    rows = {at: TimedRow(int(each.replace(tzinfo=BERLIN).timestamp()), minutes[at]) for at, each in enumerate(local)}
    change = change_within([each.moment for each in rows.values()], BERLIN)

    assert change is not None
    assert moments == list(settle_times(rows, change, at - 1800).values())
