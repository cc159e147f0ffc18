"""The cache of translated rows spares reading them again, and never changes what is read."""

import json

import pytest

from providers.fault_collector import RowCache, RowKey, context_of
from providers.heim import events
from providers.heim.catalog import names_of
from providers.heim.translate import translate
from tests.kit.recordings import soccer_recordings
from tests.kit.sampling import sampled
from tests.kit.scripted import timeline
from tests.kit.sport_fixtures import FOLDER
from tests.providers.heim.feed import BERLIN

NAMES = names_of({})
CUP_FINAL = FOLDER / "soccer"
SHORT = "ma2309737"
"""The recording that every run plays; a soak plays all."""


def named(path):
    return path.name.partition(".")[0]


@pytest.fixture
def reads(monkeypatch):
    """Ids of the event rows that were read."""
    found, read_row = [], events.read_row

    def watched(value, *rest, **named):
        found.append(value["id"])
        return read_row(value, *rest, **named)

    monkeypatch.setattr(events, "read_row", watched)
    return found


def cup_final(match_id="1", **changed):
    """Bodies of the match under another id; `changed`: fields of its last goal."""
    texts = {name: (CUP_FINAL / f"cup-final.{name}.json").read_text("utf-8") for name in ("match", "match-event")}
    own = json.loads(texts["match"])["match"]["id"]
    bodies = {name: json.loads(text.replace(f'"{own}"', f'"{match_id}"')) for name, text in texts.items()}
    next(row for row in reversed(bodies["match-event"]) if row["action"] == "goal").update(changed)
    return {name: json.dumps(body).encode() for name, body in bodies.items()}


def translated(bodies, rows, *, match_id="1", names=NAMES):
    return translate(match_id, bodies, names=names, zone=BERLIN, rows=rows)


@pytest.mark.parametrize("path", sampled(soccer_recordings(), lambda path: SHORT not in path.name), ids=named)
def test_a_recorded_match_is_translated_to_the_same_with_the_cache_and_without(path):
    """Forth and back through its course, with room for all rows and with room for some."""
    match_id, snapshots = timeline(path)
    step = max(1, len(snapshots) // 20)
    roomy, tight = RowCache(2**25), RowCache(20_000)
    for bodies in [*snapshots[::step], *snapshots[:: -3 * step]]:
        match = translated(bodies, None, match_id=match_id)
        assert translated(bodies, roomy, match_id=match_id) == match
        assert translated(bodies, tight, match_id=match_id) == match
    assert len(roomy) > len(tight) > 0


def test_of_an_answer_with_one_new_row_that_row_alone_is_read(reads):
    """Sixty rows, one of them corrected."""
    rows = RowCache(2**25)
    translated(cup_final(), rows)
    reads.clear()
    match = translated(cup_final(minute="89"), rows)

    assert len(reads) == 1
    assert match == translated(cup_final(minute="89"), None)


def test_a_row_that_moves_is_not_read_again_and_has_its_new_place(reads):
    """A feed that puts the newest row first."""
    rows, bodies = RowCache(2**25), cup_final()
    translated(bodies, rows)
    reads.clear()
    turned = {**bodies, "match-event": json.dumps(json.loads(bodies["match-event"])[::-1]).encode()}
    match = translated(turned, rows)

    assert reads == []
    assert match == translated(turned, None)


def test_a_row_with_a_fault_is_read_from_each_answer(reads):
    """Its fault is reported each time."""
    rows, bodies = RowCache(2**25), cup_final(created="yesterday")
    first = translated(bodies, rows)
    reads.clear()
    second = translated(bodies, rows)

    assert len(reads) == 1
    assert first.faults == second.faults != ()


def test_a_row_under_other_names_is_another_row(reads):
    """Two endpoints of which one calls a field otherwise share the cache, and not the row."""
    rows, other = RowCache(2**25), {**NAMES, "added_minute": "extra"}
    translated(cup_final(extra="3"), rows)
    reads.clear()
    match = translated(cup_final(extra="3"), rows, names=other)

    assert len(reads) > 50
    assert match == translated(cup_final(extra="3"), None, names=other)


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), ("1", 1), (None, ""), ([], {})])
def test_values_that_python_takes_for_the_same_are_different_rows(one, other):
    """A flag that is sent as a number is a fault, and not the flag."""
    assert RowKey({"id": one}, b"").digest != RowKey({"id": other}, b"").digest


def test_what_has_not_been_used_for_longest_is_dropped():
    """Within the limit, whatever is put in."""
    keys = [RowKey({"id": str(number)}, context_of("any")) for number in range(30)]
    rows = RowCache(5000)
    for key in keys:
        rows.put(key, key)
        rows.get(keys[0])

    assert rows.get(keys[0]) is keys[0]
    assert rows.get(keys[1]) is None
    assert rows.get(keys[-1]) is keys[-1]
    assert len(rows) * (keys[-1].size + 200) <= 5000
