"""A liveblog at the desk in a real browser: every action by buttons on a small and a large screen, and by keys alone."""

from functools import partial

from tests.kit.browser import needed
from tests.kit.event_desk import post
from tests.kit.liveblog_page import at_desk, row, says, writing

pytestmark = needed


async def test_the_ten_most_frequent_actions_by_the_keyboard_alone(desk, browser):
    """New, next, previous, edit, publish, withdraw, pin, undo, score, send, close: and the list keeps the focus."""
    await desk.desk.create(post("A draft", local_id="emine", local_status=60))
    page = await at_desk(desk, browser)
    press = page.keyboard.press
    await press("n")
    await writing(page)
    await page.keyboard.type("By keys")
    await press("Control+Enter")
    await says(page, "Posted.")
    [mine] = [each for each in (await desk.desk.show())["events"] if each["user_id"] == desk.account.id]
    focused = partial(page.evaluate, "document.activeElement.dataset.post ?? document.activeElement.id")
    assert await focused() == mine["local_id"]

    await press("j")
    assert await focused() != mine["local_id"]
    await press("k")
    assert await focused() == mine["local_id"]
    await press("s")
    await says(page, "Pinned.")
    await press("x")
    await says(page, "Withdrawn.")
    await press("u")
    await says(page, "Undone.")
    await press("e")
    await page.get_by_role("heading", name="Edit the post").wait_for()
    await press("Escape")
    await page.locator("#editor").wait_for(state="hidden")
    assert await focused() == mine["local_id"]
    while await focused() != "emine":
        await press("j")
    await press("p")
    await says(page, "Published.")
    await press("g")
    assert await focused() == "score-home"
    await page.keyboard.press("Control+A")
    await page.keyboard.type("7")
    await press("Control+Enter")
    await says(page, "Saved.")
    game = await desk.desk.show()
    assert game["scoreboard"]["score"]["home_score"] == "7"
    assert [each["highlight"] for each in game["events"] if each["local_id"] == mine["local_id"]] == ["sticky"]
    assert page.complaints == []


async def test_what_two_people_and_the_machine_write_at_once_is_merged(desk, browser, browsers):
    """Other fields are taken over while somebody types; a field that both changed is a question, and nothing is lost."""
    await desk.desk.create(post("Theirs and mine", local_id="eboth"))
    page = await at_desk(desk, browser)
    await row(page, "eboth").get_by_role("button", name="Edit").click()
    text = page.get_by_role("textbox", name="Text")
    await text.fill("My words")
    await desk.desk.update("eboth", {"headline": "Their headline"})
    await page.locator("#meanwhile").filter(has_text="taken over: Headline").wait_for()
    assert await page.get_by_role("textbox", name="Headline").input_value() == "Their headline"
    assert await text.inner_text() == "My words"

    stored = await desk.desk.update(
        "eboth", {"contents": [{"_type": "Svc::Model::Content::RichTextContentBlock", "text": "Theirs"}]}
    )
    assert stored["contents"][0]["text"] == "Theirs"
    await page.locator("legend").filter(has_text="Keep yours or theirs?").wait_for()
    await page.get_by_role("button", name="Mine: My words").click()
    await page.get_by_role("button", name="Save").click()
    await says(page, "Saved.")
    [now] = [each for each in (await desk.desk.show())["events"] if each["local_id"] == "eboth"]
    assert now["headline"] == "Their headline"
    assert now["contents"][0]["text"] == "My words"
    assert page.complaints == []


async def test_it_is_seen_who_else_is_here_and_what_they_edit(desk, browser, browsers):
    """Another browser of the same service; it goes when the page closes."""
    await desk.desk.create(post("Somebody edits this", local_id="eboth"))
    page = await at_desk(desk, browser)
    other = await at_desk(desk, await browsers.new_context(locale="en"))
    await page.locator("#also").filter(has_text="Also here: Kim Example").wait_for()
    await row(other, "eboth").get_by_role("button", name="Edit").click()
    await row(page, "eboth").get_by_text("Kim Example is editing this post").wait_for()
    await other.close()
    await page.locator("#also").filter(has_not_text="Kim").wait_for(state="attached")
