"""Somebody at the desk in a real browser: signing in, and what the page complains of."""

from tests.api.desk.conftest import note_complaints
from tests.kit.people import EMAIL, PASSWORD


async def opened(browser):
    page = await browser.new_page()
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
