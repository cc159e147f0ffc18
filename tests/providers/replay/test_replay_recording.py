"""Recordings are read as they are, and what cannot be replayed is named."""

import gzip
import json

import pytest

from providers.replay import RecordingError, read
from tests.providers.replay.samples import KICKOFF, at, lines

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
