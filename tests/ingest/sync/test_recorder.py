"""The recorder: what is polled can be played again, and whatever happens to the recording happens to nothing else."""

import gzip
import json
import os
import threading
import time
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from ingest.sync import recorder as recording
from ingest.sync.recorder import Recorder, Seen, line_of, name_of, redact
from providers.base import Answer, Outcome
from providers.replay import read_lines
from providers.replay.demo import demo_files
from providers.replay.recording import parse
from tests.kit.day import match_day
from tests.kit.opening import endpoint_of


def shown_to_readers(game: dict[str, Any]) -> tuple[Any, ...]:
    """Posts, score, state and title, without ids and times."""
    posts = [
        (
            (event.get("contents") or [{}])[0].get("text"),
            (event.get("sport_event") or {}).get("event_type"),
            (event.get("sport_event") or {}).get("time_of_play"),
        )
        for event in game["events"]
        if event["local_status"] == 0
    ]
    return (
        sorted(posts, key=str),
        game["scoreboard"]["score"],
        game["state_info"]["gamestate"],
        game["meta_info"]["title"],
    )


NOON = 1_795_262_400.0  # 2026-11-21T12:00:00Z
DAY = 86_400.0
HEIM = endpoint_of(
    provider="heim", base_url="http://127.0.0.1", username="newsroom", password='p4ss/w"rd', api_key="k3y-of-all"
)


class Clock:
    now = NOON

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def recorder(tmp_path, clock):
    made = []

    def make(**limits):
        made.append(Recorder(tmp_path, clock=clock, **{"retention": 7 * DAY, "max_bytes": 1_000_000, **limits}))
        return made[-1]

    yield make
    for each in made:
        each.close()


def answer(body, resource="match", outcome=Outcome.CHANGED):
    return Answer(resource=resource, outcome=outcome, body=body)


def files(folder):
    return sorted(folder.glob("*/*.jsonl.gz"))


def rows(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


def test_changed_answers_are_kept_as_the_replay_reads_them(recorder, tmp_path):
    """One line an answer, each once, in one file a match and day; no unchanged ones, no failures without an answer."""
    record = recorder()
    record(
        HEIM,
        "7",
        [answer(b'{\n "match": {"id": "7"}\r\n}'), answer(b"[]", "match-event"), answer(b"[1]", "liveticker")],
    )
    record(HEIM, "7", [answer(b"[]", "match-event"), answer(None, "match", Outcome.UNCHANGED)])
    record(HEIM, "8", [answer(b'{"match": {"id": "8"}}'), answer(None, "match-event", Outcome.FAILED)])
    record.close()

    seven, eight = files(tmp_path)
    assert [(line.kind, line.match_id, line.body) for line in read_lines(seven)] == [
        ("match", "7", {"match": {"id": "7"}}),
        ("match-event", "7", []),
        ("liveticker", "7", [1]),
    ]
    assert [line.at.timestamp() for line in read_lines(eight)] == [NOON]
    assert seven.parent.name == "2026-11-21"


@pytest.mark.parametrize(
    "text",
    [
        'p4ss/w"rd',
        "p4ss%2Fw%22rd",
        r"p4ss/w\"rd",
        "https://x.example/?api_key=k3y-of-all&a=1",
        "Basic bmV3c3Jvb206cDRzcy93InJk",
    ],
)
def test_secrets_are_taken_out(text):
    """However a body repeats what was sent with the request: plain, quoted, in an address, in a header."""
    kept = redact(f"[{text}]", HEIM)

    assert not [secret for secret in ("p4ss", "k3y", "bmV3c3") if secret in kept]
    assert "…" in kept


def test_names_of_files_are_safe_and_distinct(tmp_path):
    """Ids may be anything, and two endpoints may have a match of one id."""
    odd = Seen(HEIM, "../../etc/passwd", "match", NOON, b"{}")
    other = Seen(replace(HEIM, password="another"), "../../etc/passwd", "match", NOON, b"{}")

    assert (tmp_path / name_of(odd)).resolve().parent == (tmp_path / "2026-11-21").resolve()
    assert name_of(odd) != name_of(other)
    assert json.loads(line_of(odd))["resource"] == "match/ma../../etc/passwd"


@pytest.mark.parametrize(
    ("match_id", "resource", "kept"),
    [
        ("7", "match", ("match", "matches/7")),
        ("7", "lineups", ("lineups", "matches/7")),
        ("7", "actions", ("actions", "matches/7")),
        ("phase:9", "phase", ("phase", "phases/9")),
        ("overall:4", "overall", ("overall", "overalls/4")),
    ],
)
def test_each_provider_is_kept_as_its_replay_names_it(match_id, resource, kept):
    """A race of gn-gsd is a phase or an overall, and its recording is about that."""
    line = parse(line_of(Seen(replace(HEIM, provider="gn-gsd"), match_id, resource, NOON, b"\xef\xbb\xbf{}")))

    assert (line.kind, line.match_id, line.body) == (*kept, {})


def test_old_recordings_go(recorder, tmp_path, clock):
    """What is older than the retention is removed, at the start and once a day."""
    old = tmp_path / "2026-11-01" / "heim-1-00000000.jsonl.gz"
    old.parent.mkdir()
    old.write_bytes(b"x")
    os.utime(old, (NOON - 8 * DAY, NOON - 8 * DAY))
    record = recorder()
    record(HEIM, "7", [answer(b"[1]")])
    record.close()

    assert not old.exists()
    assert len(files(tmp_path)) == 1


def test_the_oldest_recordings_make_room(recorder, tmp_path, clock):
    """All together stay below `max_bytes`; the file that is written to is the last to go."""
    record = recorder(max_bytes=1024)
    for number in range(12):
        record(HEIM, str(number), [answer(os.urandom(150).hex().encode())])
        _written(record)
    record.close()

    assert sum(path.stat().st_size for path in files(tmp_path)) <= 1024
    assert any(path.name.startswith("heim-11-") for path in files(tmp_path))


def test_a_full_disk_only_loses_the_recording(recorder, tmp_path, monkeypatch):
    """Polls go on, one warning is logged, and what was lost is recorded when it is seen again."""
    append, broken = recording._append, [True]

    def full(path, data):
        if broken[0]:
            raise OSError(28, "No space left on device")
        append(path, data)

    monkeypatch.setattr(recording, "_append", full)
    with capture_logs() as logged:
        record = recorder()
        for number in range(3):
            record(HEIM, "7", [answer(b"[%d]" % number)])
            _written(record)
        broken[0] = False
        record(HEIM, "7", [answer(b"[2]")])
        record.close()

    assert [entry["event"] for entry in logged] == ["recording.lost", "recording.recovered"]
    assert logged[0]["cause"] == "No space left on device"
    assert [row["body"] for path in files(tmp_path) for row in rows(path)] == [[2]]


def test_half_a_write_leaves_no_trace(tmp_path, monkeypatch):
    """A file stays readable whatever the disk does to a write."""
    path = tmp_path / "day" / "a.jsonl.gz"
    recording._append(path, gzip.compress(b'{"at": 1}\n'))
    whole = path.read_bytes()
    with pytest.raises(OSError, match="full"):
        recording._append(path, Short(b"0123456789"))

    assert path.read_bytes() == whole


class Short(bytes):
    """Bytes of which the disk takes fewer than there are."""

    def __len__(self):
        return super().__len__() + 1


def test_a_slow_disk_blocks_nobody(recorder, monkeypatch):
    """Answers are taken at once; those that would wait in too large a queue are left out."""
    monkeypatch.setattr(recording, "WAITING_BYTES", 100)
    here, ready, writers = threading.get_ident(), threading.Event(), set()

    def slow(path, data):
        writers.add(threading.get_ident())
        assert threading.get_ident() == here or ready.wait(60)

    monkeypatch.setattr(recording, "_append", slow)
    with capture_logs() as logged:
        record = recorder()
        for number in range(50):
            record(HEIM, str(number), [answer(b"[%040d]" % number)])
        ready.set()
        record.close()

    assert writers
    assert here not in writers
    assert logged[0]["event"] == "recording.lost"


def _written(record):
    """Wait until nothing is waiting and the thread had time to write it."""
    while record._waiting:
        time.sleep(0.01)
    time.sleep(0.05)


@pytest.mark.proof
async def test_a_recorded_day_plays_again(tmp_path):
    """A whole match day, recorded from one replay and replayed from that recording, gives the same liveblog."""
    source = demo_files("en")[:1]
    folder = tmp_path / "recordings"
    kept = {"enabled": True, "folder": str(folder)}
    async with match_day(
        source, folder=_made(tmp_path / "a"), speed=1000, start_at="kickoff-60", live=0.1, recording=kept
    ) as day:
        match_id = next(iter(day.replay.matches))
        first = await _events(day, match_id)
    recorded = files(folder)
    async with match_day(recorded, folder=_made(tmp_path / "b"), speed=2, live=0.1) as again:
        second = await _events(again, match_id)

    assert len(first["events"]) > 10
    assert shown_to_readers(first) == shown_to_readers(second)
    assert not [path for path in folder.rglob("*") if path.suffix not in ("", ".gz")]


def _made(folder):
    folder.mkdir()
    return folder


async def _events(day, match_id):
    """The liveblog of the match when all is over."""
    created = await day.create(match_id, includeTextContent=True)
    await day.until_played()
    return (await day.until_quiet(created["local_id"]))[0]
