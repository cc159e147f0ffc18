"""Matches, tennis and races over the nights in which clocks change: everything happens in its order, at its instant."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from mapping.documents.import_options import ImportOptions
from mapping.posts.posts import in_order
from tests.kit.sport_fixtures import bare, encoded, event, session, who
from tests.kit.sport_fixtures import translated as translated_sport
from tests.providers.heim.feed import BERLIN, item, row, translated

NIGHTS = {
    "back": int(datetime(2026, 10, 25, 1, 0, tzinfo=UTC).timestamp()),
    "forward": int(datetime(2026, 3, 29, 1, 0, tzinfo=UTC).timestamp()),
}
BEGINS = range(-120, 61, 30)
"""Minutes from the change of clocks to the kick-off."""


def local(moment, form="%d.%m.%Y %H:%M:%S"):
    return datetime.fromtimestamp(moment, BERLIN).strftime(form)


def ascending(match, text=False):
    """The times of all that there is to be posted, in its order."""
    timed = in_order(match, ImportOptions(sport=match.sport, auto_post=True, text=text))
    times = [time for _, time in timed if time is not None]
    return times, all(earlier <= later for earlier, later in pairwise(times))


@pytest.mark.parametrize("begins", BEGINS)
@pytest.mark.parametrize("night", NIGHTS)
def test_a_match_over_the_night_stands_in_its_order(night, begins):
    """Cards of every seventh minute, the whistles, texts a minute later, kick-off and clock, whichever hour comes twice."""
    kickoff = NIGHTS[night] + 60 * begins
    minutes = [*range(3, 46, 7), *range(47, 91, 7)]
    moments = {minute: kickoff + 60 * (minute - 1 + 15 * (minute > 45)) for minute in (1, 45, 46, *minutes)}
    created = {minute: local(each) for minute, each in moments.items()}
    marks = {1: "game-start", 45: "first-half-end", 46: "second-half-start"}
    rows = [row(minute, f"match/{kind}", minute, created=created[minute]) for minute, kind in marks.items()]
    rows += [
        row(minute, "card/yellow", minute, "home", minute, created=created[minute])
        for minute in minutes
        if minute not in marks
    ]
    rows.sort(key=lambda each: int(each["minute"]))
    items = [item(each, each, f"Text {each}", tickertime=local(moments[each] + 60)) for each in moments]
    day, hour = local(kickoff, "%d.%m.%Y"), local(kickoff, "%H:%M")
    since = local(moments[46], "%Y-%m-%d %H:%M:%S")
    match = translated(rows, items, match_date=day, match_time=hour, current_period_start=since)
    times, ordered = ascending(match, text=True)

    assert ordered
    assert {each.minute: each.created_at for each in match.incidents} == {each: moments[each] for each in moments}
    assert sorted([*moments.values(), *(each + 60 for each in moments.values())]) == times
    assert (kickoff, moments[46]) == (match.kickoff, match.clock.phase_started_at)


@pytest.mark.parametrize("night", NIGHTS)
def test_a_race_over_the_night_stands_in_its_order(night):
    """The weather before it, then pit stops, every five minutes, none of which has a minute of play."""
    began = NIGHTS[night] + 60 * 7
    before, after = ([began + 60 * each for each in minutes] for minutes in (range(-115, 0, 5), range(5, 110, 5)))
    rows = [event(at + 1, "weather-info", created=local(each)) for at, each in enumerate(before)]
    rows += [event(50, "game-start", action="match", created=local(began + 60))]
    rows += [event(at + 51, "pit-stop", at + 1, created=local(each), **who(at)) for at, each in enumerate(after)]
    match = session(*rows, match_date=local(began, "%d.%m.%Y"), match_time=local(began, "%H:%M"))
    times, ordered = ascending(match)

    assert ordered
    assert [*before, began + 60, *after] == times
    assert began == match.kickoff


@pytest.mark.parametrize("night", NIGHTS)
def test_texts_of_tennis_over_the_night_stand_in_their_order(night):
    """Every three minutes, in the order in which they were written."""
    moments = [NIGHTS[night] + 60 * minute for minute in range(-90, 90, 3)]
    items = [item(at + 1, 0, f"Text {at}", tickertime=local(each)) for at, each in enumerate(moments)]
    match = translated_sport("1", {"match": bare(), "liveticker": encoded(items)})

    assert moments == sorted(each.created_at for each in match.comments)
    assert moments == [each.created_at for each in match.comments]
