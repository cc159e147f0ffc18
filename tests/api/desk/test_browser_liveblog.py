"""A liveblog at the desk in a real browser: every action by buttons on a small and a large screen, and by keys alone."""

from functools import partial

import pytest

from tests.kit.browser import needed
from tests.kit.event_desk import post
from tests.kit.liveblog_page import at_desk, edit, row, says, writing

pytestmark = needed
SEVENTY_FIRST = """async (minute) => {
  Object.assign(document.querySelector("#match details").dataset, { started: Date.now() / 1000 - 4230, base: 0, length: 0 });
  while (minute.value !== "71") await new Promise((done) => setTimeout(done, 20));
}"""
"""The clock of the match runs, and the composer follows it."""


async def test_the_ten_most_frequent_actions_by_the_keyboard_alone(desk, browser):
    """New, next, previous, edit, publish, withdraw, pin, undo, score, send, close: and the list keeps the focus."""
    await desk.desk.create(post("A draft", local_id="emine", local_status=60))
    page = await at_desk(desk, browser)
    press = page.keyboard.press
    await press("c")
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
    await page.get_by_role("heading", name="Edit the post").wait_for(state="detached")
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


@pytest.mark.proof
async def test_a_goal_asks_for_its_team_a_quiz_for_its_answer_and_a_sentence_has_the_clocks_minute(desk, browser):
    """Refused beside what was written, until it is said; score and words of a goal are offered, and the store has them."""
    page = await at_desk(desk, browser)
    await page.evaluate(
        "Object.assign(document.querySelector('#match details').dataset, {started: Date.now() / 1000 - 4230})"
    )
    for words, field, wrong in (
        ("", "#team", "Which team has scored?"),
        ("A try", "input[type=radio] >> nth=0", "Which answer is right?"),
    ):
        await page.locator("#minute").evaluate(SEVENTY_FIRST)
        if words:
            await page.get_by_role("button", name="More", exact=True).click()
            await page.get_by_role("button", name="Quiz", exact=True).click()
            for name, answer in (("Question", "When?"), ("Answer 1", "1907"), ("Answer 2", "1913")):
                await page.get_by_label(name, exact=True).fill(answer)
        else:
            await page.get_by_role("button", name="Goal", exact=True).click()
        await page.keyboard.press("Control+Enter")
        await says(page, wrong)
        assert await page.locator(f"{field}").evaluate("each => each === document.activeElement")
        if words:
            await page.keyboard.press("Space")
        else:
            await page.get_by_label("Team").select_option(label="SV Hafenstadt")
            await page.get_by_label("Scorer").select_option(label="Ole Brandt")
        await page.keyboard.press("Control+Enter")
        await says(page, "Posted.")
        await page.locator("#post-form[data-post='']").wait_for()
    goal, quiz = sorted(
        (each for each in (await desk.desk.show())["events"] if each["user_id"] == desk.account.id),
        key=lambda each: each["sort"],
    )
    event = goal["sport_event"]
    assert [event["time_of_play"], event["team"]["name"], event["score"]["home_score"], event["score"]["away_score"]] == [
        "71", "SV Hafenstadt", "3", "1",
    ]  # fmt: skip
    assert goal["contents"][0]["text"] == "Goal for SV Hafenstadt! Ole Brandt makes it 3:1."
    assert (quiz["sport_event"]["time_of_play"], quiz["contents"][0]["options"][0]["correct"]) == ("71", True)
    assert page.complaints == []


async def test_what_two_people_and_the_machine_write_at_once_is_merged(desk, browser, browsers):
    """Other fields are taken over while somebody types; a field that both changed is a question, and nothing is lost."""
    await desk.desk.create(post("Theirs and mine", local_id="eboth"))
    page = await at_desk(desk, browser)
    await edit(page, "eboth")
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
    await edit(other, "eboth")
    await row(page, "eboth").get_by_text("Kim Example is editing this post").wait_for()
    await other.close()
    await page.locator("#also").filter(has_not_text="Kim").wait_for(state="attached")
