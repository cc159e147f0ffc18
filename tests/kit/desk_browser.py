"""Somebody at the desk in a real browser: screens, looks, signing in."""

from __future__ import annotations

import pytest

from tests.api.desk.conftest import note_complaints
from tests.kit.people import EMAIL, PASSWORD

WIDTHS = (390, pytest.param(1280, marks=pytest.mark.proof))


LOOKS = {"en": ((390, "light"), (1280, "dark")), "de": ((390, "dark"), (1280, "light"))}
"""Language → widths and colours in which axe looks at each page: every two of language, width and colour meet once."""


async def opened(browser, width, **more):
    page = await browser.new_page(**more)
    await page.set_viewport_size({"width": width, "height": 844})
    note_complaints(page)
    return page


async def sign_in(page, address, path="/desk"):
    """By the keyboard alone."""
    await page.goto(f"{address}{path}")
    await page.get_by_label("E-mail address").focus()
    await page.keyboard.type(EMAIL)
    await page.keyboard.press("Tab")
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Sign out", exact=True).wait_for(timeout=60_000)
