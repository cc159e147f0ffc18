"""The order in which several workers take the tests."""

from types import SimpleNamespace

import pytest

from tests.conftest import pytest_collection_modifyitems

WORKER, ALONE = SimpleNamespace(workerinput={}), SimpleNamespace()


def items(long, others):
    """So many tests, in files of ten; the long ones stand together at the end."""
    made = []
    for number in range(others + long):
        marker = "long" if number >= others else None
        nodeid = f"tests/test_{number // 10}.py::test_{number}"
        made.append(SimpleNamespace(nodeid=nodeid, get_closest_marker=lambda name, own=marker: name == own))
    return made


@pytest.mark.parametrize(("long", "others"), [(30, 2000), (31, 61), (5, 1), (0, 7), (3, 0)])
def test_no_test_is_lost_and_the_long_ones_are_not_last(long, others):
    """Every test is there once; behind the last long one stands about a quarter of the others."""
    before = items(long, others)
    after = list(before)
    pytest_collection_modifyitems(WORKER, after)

    assert sorted(item.nodeid for item in before) == sorted(item.nodeid for item in after)
    places = [at for at, item in enumerate(after) if item.get_closest_marker("long")]
    assert not places or others < 40 or places[-1] <= 0.8 * len(after)
    assert not places or others < 40 or places[0] == 0


def test_one_process_alone_keeps_the_order_of_the_files():
    """Who runs a few tests sees them in the order in which they stand."""
    before = items(3, 40)
    after = list(before)
    pytest_collection_modifyitems(ALONE, after)

    assert before == after
