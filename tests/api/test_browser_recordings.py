"""The end of every recorded match fits a phone and a desk: nothing is clipped, cut off or upon something else."""

from __future__ import annotations

import os

import pytest

from api.page.page import render_liveblog
from api.page.posts import PageExtent
from api.page.window import POSTS_SHOWN, PageRequest
from api.view.key_moments import moments_of
from mapping.confirm import confirm_answer
from mapping.import_options import ImportOptions
from mapping.parts import ALL_PARTS
from mapping.posts import wanted_posts
from mapping.prefill import game_document
from tests.kit.accessible import violations
from tests.kit.browser import needed
from tests.kit.browser_layout import MEASURE, styled
from tests.kit.showing import page_files
from tests.kit.watched import COURSES, NOBODY, Observed, course

pytestmark = [needed, pytest.mark.proof]

SCREENS = ((390, 16), (390, 32), (1280, 16))
"""Pixels of width and of the root's font."""
SHOTS = os.environ.get("MATCHWIRE_SHOTS")
"""A folder for screenshots, to be looked at."""
LOCALES = ("en", "de")
OPEN, CLOSE = (
    f"for (const each of document.querySelectorAll('details')) each.open = {form};" for form in ("true", "false")
)
"""What opens and closes all that folds."""
TIMES = 4
"""Answers until nothing of the end is in doubt."""


def ends(name):
    """The match as it was at the end of its recording."""
    found = course(name)
    observed, belief = Observed(found.provider, found.match_id), None
    for bodies in (*found.snapshots[-2:], *[found.snapshots[-1]] * TIMES):
        belief = confirm_answer(belief, observed.translate(bodies), good=ALL_PARTS)
    return belief.match


def page_of(match, locale):
    """The newest posts as the page shows them, the last of them pinned."""
    terms = ImportOptions(sport=match.sport, auto_post=True, text=True, locale=locale)
    game = game_document(match, terms, NOBODY)
    posts = [
        {"created_at": 0, **post.document, "local_id": f"e{at}", "sort": f"{at:06}"}
        for at, post in enumerate(wanted_posts(match, terms, NOBODY, block_id=lambda key, part: f"{key} {part}"))
    ]
    now = max([post["created_at"] for post in posts], default=0) + 60
    extent = PageExtent(PageRequest(), older=len(posts) > POSTS_SHOWN, pinned=posts[-1:])
    shown = posts[: -POSTS_SHOWN - 1 : -1]
    return render_liveblog(game, shown, page_files(locale), now, moments_of(game, posts), extent=extent)


async def measure(browser, screens_of):
    """What does not fit, of each match with what folds open and closed; `screens_of`: number and language → screens.

    What axe-core finds in the first match of a sport is among it.
    """
    page = await browser.new_page()
    session = await browser.new_cdp_session(page)
    faults, seen = {}, set()
    for number, name in enumerate(COURSES):
        match = ends(name)
        for locale in LOCALES:
            await page.set_content(styled(page_of(match, locale), locale))
            for width, size in screens_of(number, locale):
                await session.send("Page.setFontSizes", {"fontSizes": {"standard": size}})
                await page.set_viewport_size({"width": width, "height": 844})
                for form in (MEASURE, f"() => {{ {OPEN} return ({MEASURE})(); }}"):
                    if found := await page.evaluate(form):
                        faults[name, locale, width, size] = sorted(set(found))
                await page.evaluate(CLOSE)
                if SHOTS:
                    shot = f"{name}-{locale}-{width}-{size}.png".replace(" ", "-")
                    await page.screenshot(path=f"{SHOTS}/{shot}", full_page=True)
        if match.sport not in seen and (found := await violations(page)):
            faults[name, "axe"] = found
        seen.add(match.sport)
    return faults


def screens_in_turn(number, locale):
    """Every match on every screen, in the one language or in the other: the next match has them the other way round."""
    return [screen for at, screen in enumerate(SCREENS) if (at + number) % len(LOCALES) == LOCALES.index(locale)]


async def test_the_end_of_every_recording_fits_every_screen(browser):
    """In two languages in turn, also with text of twice the size; axe-core finds nothing in any sport."""
    assert await measure(browser, screens_in_turn) == {}


@pytest.mark.soak
async def test_the_end_of_every_recording_fits_every_screen_in_every_language(browser):
    """What every run looks at by halves."""
    assert await measure(browser, lambda _number, _locale: SCREENS) == {}
