"""A replay: which recordings it reads, how its time passes, and what it serves at each moment."""

import gzip
import json
from datetime import UTC, datetime, timedelta

import pytest

from providers.replay import RecordingError, Replay, ReplaySettings, moved_dates, read
from providers.replay.settings import parse_start
from providers.replay.timeline import Clock
from tests.providers.replay.samples import KICKOFF, Ticking, at, lines, match_body, row


def test_speed_multiplies_time():
    """At twenty times three seconds are a minute; a later change counts from then on."""
    ticking = Ticking()
    clock = Clock(20, monotonic=ticking.monotonic)
    ticking.seconds = 3
    assert clock.now() == 60

    clock.set_speed(1)
    ticking.seconds = 5

    assert clock.now() == 62


def test_a_paused_clock_stands():
    """Nothing passes in a pause, and nothing is caught up after it."""
    ticking = Ticking()
    clock = Clock(10, monotonic=ticking.monotonic)
    ticking.seconds = 1
    clock.pause()
    ticking.seconds = 100
    assert (clock.now(), clock.paused) == (10, True)

    clock.resume()
    ticking.seconds = 101

    assert (clock.now(), clock.paused) == (20, False)


def test_seek_goes_both_ways():
    """A jump sets the virtual second, before and behind the present one."""
    ticking = Ticking()
    clock = Clock(10, monotonic=ticking.monotonic)

    clock.seek(500)
    ticking.seconds = 1
    assert clock.now() == 510

    clock.seek(5)
    assert clock.now() == 5


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("0", ("first", 0.0)),
        ("90.5", ("first", 90.5)),
        ("kickoff", ("kickoff", 0.0)),
        ("kickoff-60", ("kickoff", -60.0)),
        ("end+5", ("end", 5.0)),
    ],
)
def test_a_start_is_a_mark_with_seconds(text, meant):
    """A start may count from the first answer, from kick-off and from the end."""
    assert meant == parse_start(text)


def test_dates_of_the_play_move_and_others_stay():
    """Kick-off, period, `created` and `tickertime` move in every written form; birthdays stay."""
    by = timedelta(days=365, hours=2)
    body = [
        match_body("1", "game-start", "2018-07-01 20:00:20"),
        row("1"),
        {"tickertime": "01.07.2018 20:01:02", "event": row("1", created="01.07.2018 20:15"), "created": ""},
    ]

    match, incident, text = moved_dates.move_dates(body, lambda instant: instant + by, lambda instant: instant + by)

    assert (match["match"]["match_date"], match["match"]["match_time"]) == ("01.07.2019", "22:00")
    assert match["match"]["current_period_start"] == "2019-07-01 22:00:20"
    assert match["match"]["referee"]["birthday"] == "29.10.1985"
    assert incident["created"] == "01.07.2019 22:15:17"
    assert (text["tickertime"], text["event"]["created"]) == ("01.07.2019 22:01:02", "01.07.2019 22:15")
    assert text["created"] == ""


def test_durations_survive_a_change_to_winter_time():
    """A summer match that is played in the night in which clocks go back keeps ninety minutes between its ends."""
    kickoff = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    move = moved_dates.shift_move(datetime(2018, 7, 1, 18, 0, tzinfo=UTC), kickoff)

    moved = moved_dates.move_dates(
        [{"created": "01.07.2018 20:00:00"}, {"created": "01.07.2018 21:30:00"}, {"created": "01.07.2018 22:31:00"}],
        move,
        move,
    )

    # 02:30 summer time, 03:00 winter time (one hour was repeated), 04:01
    assert [each["created"] for each in moved] == ["25.10.2026 02:30:00", "25.10.2026 03:00:00", "25.10.2026 04:01:00"]


def replay_of(recorded=None, ticking=None, **settings):
    ticking = ticking or Ticking()
    return Replay(
        lines() if recorded is None else recorded,
        ReplaySettings(**settings),
        monotonic=ticking.monotonic,
        wall=ticking.wall,
    )


def place(replay, kind="match-event", match_id="1"):
    entry = replay.shown(match_id, kind)
    return None if entry is None else entry.due


def test_the_first_answer_is_the_start():
    """By default the first recorded answer of a match is shown at once, and others at their distance from it."""
    ticking = Ticking()
    replay = replay_of(ticking=ticking, speed=10)
    assert (place(replay, "match"), place(replay)) == (0, None)

    ticking.seconds = 6.9
    assert place(replay) is None

    ticking.seconds = 7
    assert (place(replay, "match"), place(replay)) == (60, 70)


@pytest.mark.parametrize(("start", "due"), [("0", 0), ("kickoff", 0), ("kickoff-30", -30), ("end", -1200)])
def test_a_start_shows_the_latest_answer_before_it(start, due):
    """What happened before the start is there already."""
    assert due == place(replay_of(start_at=start), "match")


def test_steps_show_one_answer_after_the_other():
    """Without a clock nothing is shown before the first step, and every step shows exactly the next answer."""
    replay = replay_of(step=True)
    assert place(replay, "match") is None

    shown = [replay.step() for _ in range(len(lines()))]

    assert [line.resource for line in lines()] == [line.resource for line in shown]
    assert replay.finished
    assert replay.step() is None


def test_restart_plays_again_now():
    """After a restart the first answer is shown, its dates are those of the new start, and faults are off."""
    ticking = Ticking()
    replay = replay_of(ticking=ticking, speed=60)
    before = replay.document(replay.shown("1", "match"))["match"]["match_time"]
    replay.faults.add("500")
    ticking.seconds = 3600
    assert replay.finished

    replay.restart()

    after = replay.document(replay.shown("1", "match"))["match"]["match_time"]
    assert (before, after) == ("16:09", "17:09")
    assert (replay.finished, replay.faults.active) == (False, ())


GOOD = {"at": "2018-07-01T20:00:00+02:00", "resource": "match/ma1", "body": {"match": {}}}


def written(folder, *rows, name="match.jsonl"):
    path = folder / name
    text = "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return path


def test_an_answer_that_was_not_json_stays_text(tmp_path):
    """A raw line keeps what the provider sent, also nothing at all."""
    raw = {"at": GOOD["at"], "resource": "match-event/ma1", "raw": ""}

    line = read([written(tmp_path, raw)])[0].lines[0]

    assert (line.is_json, line.text) == (False, "")


CUT = {
    "recorded_at": "2016-02-05T20:44:03+01:00",
    "competition": {"id": "3", "sport_id": "5"},
    "season": {"id": "4"},
    "round": {"id": "6"},
    "match": {"id": "9", "match_date": "05.02.2016", "match_time": "20:30"},
}


def test_a_row_that_was_cut_from_a_list_is_the_match_in_its_tree(tmp_path):
    """The other form of recordings is served as the list resource that it came from, and knows its kick-off."""
    recording = read([written(tmp_path, CUT)])[0]
    (line,) = recording.lines

    assert ("match", "9") == (line.kind, line.match_id)
    assert [
        {**CUT["competition"], "season": [{"id": "4", "round": [{"id": "6", "match": [CUT["match"]]}]}]}
    ] == line.body
    assert "2016-02-05T20:30:00+01:00" == recording.kickoff.astimezone(line.at.tzinfo).isoformat()


@pytest.mark.parametrize(
    ("row", "reported"),
    [
        ("{", "not JSON"),
        ([], "not an object"),
        ({**GOOD, "at": "yesterday"}, "ISO 8601"),
        ({**GOOD, "at": "2018-07-01T20:00:00"}, "no offset"),
        ({**GOOD, "at": None}, "`at`"),
        ({**CUT, "match": None}, "`match`"),
        ({**CUT, "match": {"id": 9}}, "`recorded_at`"),
        ({**CUT, "recorded_at": "yesterday"}, "ISO 8601"),
        ({**GOOD, "resource": "standings/se1"}, "standings"),
        ({**GOOD, "raw": ""}, "exactly one"),
        ({"at": GOOD["at"], "resource": "match/ma1"}, "exactly one"),
        ({"at": GOOD["at"], "resource": "match/ma1", "raw": {}}, "`raw`"),
    ],
)
def test_a_wrong_line_is_named_by_file_and_line(tmp_path, row, reported):
    """The error says which file, which line, and what is wrong there."""
    path = written(tmp_path, GOOD, row)

    with pytest.raises(RecordingError) as caught:
        read([path])

    assert f"{path}, line 2: " in str(caught.value)
    assert reported in str(caught.value)


def test_the_kickoff_is_what_the_match_says(tmp_path):
    """Kick-off comes from the last good answer of the match, and from the first instant where none says it."""
    rows = [{"at": line.at.isoformat(), "resource": line.resource, "body": line.body} for line in lines()[:4]]

    assert read([written(tmp_path, *rows)])[0].kickoff == KICKOFF
    assert at(10) == read([written(tmp_path, rows[2])])[0].kickoff
