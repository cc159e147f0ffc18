"""`docs/threats.md` names for each threat the tests that hold it off, and each of them exists."""

from __future__ import annotations

import re

import pytest

from tests.kit.recordings import recordings_folder
from tests.kit.repository import ROOT
from tests.kit.threats import NODE, names_in

THREATS = 50
ROW = re.compile(r"\| (\d+) \| ([^|]+) \| ([^|]+) \|")
PENDING = "in work"
"""What a row says whose tests are still being written; it may not stay."""
REASON = "Not tested: "


def rows():
    """(number, what must hold, tests or reason) of each row."""
    lines = (ROOT / "docs" / "threats.md").read_text(encoding="utf-8").splitlines()
    found = [ROW.fullmatch(line) for line in lines if line.startswith("| ") and not line.startswith("| |")]
    assert all(found), "a row of another form"
    return [(int(row[1]), row[2], row[3]) for row in found]


def test_every_threat_has_its_row():
    """From the first to the last, each once and in order."""
    assert [number for number, _, _ in rows()] == list(range(1, THREATS + 1))


def test_the_list_of_threats_is_no_longer_than_the_table():
    """Where the list is at hand that the table answers, every threat that it numbers has its row."""
    listed = recordings_folder().parent / "threats.md"
    text = (
        listed.read_text(encoding="utf-8") if listed.is_file() else "".join(f"{n}. \n" for n in range(1, THREATS + 1))
    )
    numbers = [int(number) for number in re.findall(r"^(?:- \()?(\d+)[.)] ", text, re.MULTILINE)]

    assert numbers == [number for number, _, _ in rows()]


@pytest.mark.parametrize(("number", "must", "held"), rows(), ids=[str(number) for number, _, _ in rows()])
def test_each_threat_names_tests_that_exist_or_a_reason(number, must, held):
    """A row holds nothing but names of tests, or a reason of one sentence or more."""
    assert must.strip()
    assert held != PENDING, "its tests are still to be named"
    if held.startswith(REASON):
        assert len(held) > len(REASON) + 20
        return
    named = NODE.findall(held)
    assert named
    assert re.sub(NODE, "", held).replace("<br>", "") == "", "something beside the names of tests"
    assert {f"{path}::{name}" for path, name in named if name not in names_in(path)} == set()
