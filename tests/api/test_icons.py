"""Every event type has a drawing that distinguishes it from the others."""

from collections import defaultdict

from api.page.icons import icon, icon_of, marks_period
from mapping.sports import SPORTS


def test_every_event_type_of_every_sport_has_a_drawing_of_its_own():
    """No two look alike, but for those that begin, interrupt or end a period in the same way."""
    alike = defaultdict(set)
    for kind in (kind for sport in SPORTS.values() for kind in sport.kinds):
        assert icon_of(kind.id), kind.id
        alike[icon(kind.id)].add(kind.id)

    shared = [ids for ids in alike.values() if len(ids) > 1]
    assert [ids for ids in shared if not all(map(marks_period, ids))] == []
    assert all(len({each.rpartition(".")[2].partition("-")[0] for each in ids}) == 1 for ids in shared)


def test_an_unknown_type_has_a_flag_and_a_text_a_pen():
    """Providers may send what no sport has a row for."""
    assert icon("icehockey.power-play") == icon("anything")
    assert icon("") != icon("anything")
