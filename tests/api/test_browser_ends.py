"""The end of every recorded match fits a phone and a desk: nothing is clipped, cut off or laid upon something else."""

from __future__ import annotations

import os

import pytest

from api.view.key_moments import moments_of
from tests.api.test_browser_layout import MEASURE, whole
from tests.kit.browser import needed
from tests.kit.watched import COURSES, Observed, course, shown

pytestmark = needed

SHOTS = os.environ.get("MATCHWIRE_SHOTS")
"""A folder for screenshots, to be looked at."""


async def the_end(name):
    """The document of the liveblog on the match, its posts with the newest last, and its key moments."""
    recorded = course(name)
    watched = Observed(recorded.provider, recorded.match_id)
    match = await watched.settle(recorded.snapshots[-1])
    documents = shown(match, watched.terms(match))
    game = documents.pop("") | {"local_id": "gend"}
    posts = [each | {"local_id": f"e{at}", "sort": f"{at:032}"} for at, each in enumerate(documents.values())]
    return game, posts, moments_of(game, posts)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(COURSES))
async def test_the_end_of_a_recording_fits(browser, name):
    """At 390 and at 1280 pixels, with a post that is pinned."""
    game, posts, key_moments = await the_end(name)
    page = await browser.new_page()
    await page.set_content(whole(game, posts, key_moments))
    faults = {}
    for width in (390, 1280):
        await page.set_viewport_size({"width": width, "height": 900})
        if found := await page.evaluate(MEASURE):
            faults[width] = sorted(set(found))
        if SHOTS:
            await page.emulate_media(color_scheme="dark" if width == 390 else "light")
            await page.screenshot(path=f"{SHOTS}/{name}-{width}.png".replace(" ", "-"))

    assert not faults, faults
