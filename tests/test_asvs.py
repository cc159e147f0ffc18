"""`docs/asvs.md` says of each requirement of levels 1 and 2 what holds it: tests that exist, a reason, or that it is open."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.kit.repository import ROOT
from tests.kit.threats import NODE, names_in

VERSION = "5.0.0"
LEVELS = {1: 70, 2: 183}
"""Requirements of each level in that version of the standard."""
CHAPTERS = 17
WORDS = 12
"""The most words of what must hold, so that no sentence of the standard is copied."""
HEADING = re.compile(r"## V(\d+) \S.*")
COLUMNS = "| Requirement | Level | What must hold | Held by |"
ROW = re.compile(r"\| (\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| ([^|]+) \|")
REASONS = ("Not tested: ", "Not applicable: ", "Open: ")
FORMS = {"tests", *(reason.partition(":")[0] for reason in REASONS)}
EXCEPTION = "14.2.1"
"""Secrets in query strings: the interface demands them."""


def text():
    """The whole page."""
    return (ROOT / "docs" / "asvs.md").read_text(encoding="utf-8")


def rows():
    """(requirement, level, what must hold, what holds it) of each row."""
    lines = [line for line in text().splitlines() if line.startswith("|") and line != COLUMNS]
    found = [ROW.fullmatch(line) for line in lines if set(line) != {"|", "-"}]
    assert all(found), "a row of another form"
    return [(row[1], int(row[2]), row[3], row[4]) for row in found]


def number(requirement):
    """`1.2.10` as numbers, by which it stands behind `1.2.9`."""
    return tuple(map(int, requirement.split(".")))


def form_of(held):
    """Which of the four forms it is that holds a row."""
    return next((reason.partition(":")[0] for reason in REASONS if held.startswith(reason)), "tests")


def test_requirements_stand_once_and_in_the_order_of_the_standard():
    """No id is there twice, and each is greater than the one before it, by its numbers."""
    numbers = [number(requirement) for requirement, *_ in rows()]

    assert numbers == sorted(set(numbers))


def test_every_level_has_as_many_rows_as_the_standard():
    """Level 1 and level 2, whole; level 3 is not in the table."""
    assert Counter(level for _, level, _, _ in rows()) == LEVELS


def test_rows_stand_below_the_heading_of_their_chapter():
    """Each chapter has one heading, one head of a table, and its own requirements alone."""
    chapter, headings, heads = 0, [], 0
    for line in text().splitlines():
        if found := HEADING.fullmatch(line):
            chapter = int(found[1])
            headings.append(chapter)
        elif found := ROW.fullmatch(line):
            assert number(found[1])[0] == chapter, line
        heads += line == COLUMNS

    assert headings == list(range(1, CHAPTERS + 1))
    assert heads == CHAPTERS


def test_the_page_says_what_it_is_of():
    """The version, the licence and the address of the standard, and the exception that is documented."""
    opening = text().partition("\n## ")[0]

    assert opening.startswith("# ")
    assert all(each in opening for each in (VERSION, "CC BY-SA 4.0", "https://github.com/OWASP/ASVS", EXCEPTION))
    assert {form_of(held) for requirement, _, _, held in rows() if requirement == EXCEPTION} == {"Open"}


def test_all_forms_are_in_use():
    """A table in which nothing is open or nothing is tested would not have been read with care."""
    assert {form_of(held) for _, _, _, held in rows()} == FORMS


@pytest.mark.parametrize(("requirement", "level", "must", "held"), rows(), ids=[row[0] for row in rows()])
def test_each_requirement_names_tests_that_exist_or_a_reason(requirement, level, must, held):
    """A row is not empty, is short, and holds nothing but names of tests or one sentence behind one of the three words."""
    assert must == must.strip()
    assert 0 < len(must.split()) <= WORDS, (requirement, level)
    if (form := form_of(held)) != "tests":
        reason = held.removeprefix(f"{form}: ")
        assert len(reason.split()) >= 3
        assert reason.endswith(".")
        assert re.search(r"\.(?=\s+[A-Z])", reason) is None, "more than one sentence"
        return
    named = NODE.findall(held)
    assert named
    assert len(named) == len(set(named))
    assert re.fullmatch("(?:<br>)*", re.sub(NODE, "", held)), "something beside the names of tests"
    assert {f"{path}::{name}" for path, name in named if name not in names_in(path)} == set()


@pytest.mark.parametrize(
    "named",
    re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", " ".join(row[3] for row in rows() if form_of(row[3]) != "tests")),
    ids=lambda each: each[1] or each[0],
)
def test_what_a_reason_names_exists(named):
    """Files and tests that a sentence mentions on its way."""
    path, name = named

    assert (ROOT / path).is_file()
    assert not name or name in names_in(path)
