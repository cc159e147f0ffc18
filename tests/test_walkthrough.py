"""The walk-through of docs/for-newsrooms.md: its steps are walked on a demo match, its pictures are those that the steps take."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.kit.browser import needed
from tools.walkthrough import LARGEST, STEPS, TARGET, WIDTH, small, walk_through

pytestmark = pytest.mark.proof

DOCUMENT = TARGET.parent / "for-newsrooms.md"
SAID = {
    "publish a draft": "Published.",
    "correct a scorer": "Saved. Players locked: the provider won't change it",
    "hand the field back": "Handed back to the provider.",
    "pin a post": "Pinned.",
    "find out why a goal was late": "The provider\N{RIGHT SINGLE QUOTATION MARK}s time: its answers did not say it yet.",
}
"""Step → how what the page says begins, once it is done."""


def pictures():
    """The pictures of the desk that the document shows, in its order."""
    return re.findall(r"images/(desk-[a-z-]+\.png)", DOCUMENT.read_text(encoding="utf-8"))


@needed
async def test_a_newcomers_steps_lead_from_the_page_alone_to_what_the_document_shows():
    """Publish a draft, correct a scorer, hand a field back, pin, find out why a goal was late: by what the page calls them."""
    taken = {}
    said = await walk_through(taken.__setitem__)

    assert list(said) == list(SAID)
    assert [step for step, words in SAID.items() if not said[step].startswith(words)] == []
    assert list(taken) == pictures()
    assert all(len(small(picture)) <= LARGEST for picture in taken.values())


def test_the_pictures_are_there_and_small():
    """Each that the document shows, one for each step and one for the way in; none that it does not."""
    assert len(pictures()) == len(STEPS) + 1
    assert {path.name for path in TARGET.glob("desk-*.png")} == set(pictures())
    for name in pictures():
        content = Path(TARGET / name).read_bytes()
        assert len(content) <= LARGEST
        with Image.open(BytesIO(content)) as picture:
            assert picture.width <= WIDTH


def test_a_step_that_the_page_does_not_answer_is_not_in_the_document():
    """The document says each step in the words of the test."""
    text = DOCUMENT.read_text(encoding="utf-8").lower()
    assert [step for step in SAID if step not in text] == []
