"""What a post may hold, written through the desk's own form: the store has the interface's form of it, and readers see it."""

import pytest

from tests.kit.browser import needed
from tests.kit.event_desk import CONTENT
from tests.kit.liveblog_page import at_desk, edit, row, says, stands, writing

pytestmark = [needed, pytest.mark.proof]
PUBLIC = True
LATER, LATER_STILL = "2026-10-01T18:30", "2026-10-02T20:15"
"""After the moment at which the tests' service stands, as the field for date and time writes it."""
SECONDS = {LATER: 1_790_879_400, LATER_STILL: 1_790_972_100}


async def new_post(page):
    await page.get_by_role("button", name="More", exact=True).click()
    await page.keyboard.press("Escape")
    await page.keyboard.press("c")
    await writing(page)


async def send(page):
    await page.locator("#post-form button[value='0']").click()


async def made_by(desk):
    [found] = [each for each in (await desk.desk.show())["events"] if each["user_id"] == desk.account.id]
    return found


async def readers_see(desk, browser):
    page = await browser.new_page()
    await page.goto(f"{desk.address}/liveblogs/gderby")
    await page.locator(".post").first.wait_for()
    return page


def without_ids(value):
    """A document without the ids that the service gives to parts."""
    if isinstance(value, list):
        return [without_ids(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: without_ids(each) for name, each in value.items() if name not in {"local_id", "id"}}


async def test_quote_embed_poll_and_quiz_are_written_and_changed(desk, browser):
    """Each has the interface's own form in the store, and readers see what was written."""
    page = await at_desk(desk, browser)
    await new_post(page)
    await page.keyboard.type("Read on")
    group = page.get_by_role("group")
    await page.get_by_role("button", name="Quote", exact=True).click()
    await page.get_by_label("What was said").fill("We kept going.")
    await page.get_by_label("Who said it").fill("The coach")
    await page.get_by_label("Where it was said").fill("At the harbour")
    await page.get_by_role("button", name="Embed", exact=True).click()
    await page.get_by_label("Address").fill("https://video.example.org/clip/7")
    await page.get_by_role("button", name="Poll", exact=True).click()
    poll = group.filter(has=page.get_by_text("Poll", exact=True)).last
    await poll.get_by_label("Question").fill("Who wins?")
    await poll.get_by_label("Answer 1").fill("Hafenstadt")
    await poll.get_by_label("Answer 2").fill("Bergheim")
    await poll.get_by_role("button", name="One more answer").click()
    await poll.get_by_label("Answer 3").fill("Nobody")
    await page.get_by_role("button", name="Quiz", exact=True).click()
    quiz = group.filter(has=page.get_by_text("Quiz", exact=True)).last
    await quiz.get_by_label("Question").fill("When was the first derby?")
    await quiz.get_by_label("Answer 1").fill("1907")
    await quiz.get_by_label("Answer 2").fill("1913")
    await quiz.get_by_label("This one is right").nth(1).check()
    await quiz.get_by_label("Explanation after the vote").fill("On the old pitch.")
    await send(page)
    await says(page, "Posted.")
    made = await made_by(desk)
    assert without_ids(made["contents"]) == [
        {"_type": f"{CONTENT}::RichTextContentBlock", "text": "Read on"},
        {"_type": f"{CONTENT}::QuoteContentBlock", "text": "We kept going.", "author": "The coach", "source": "At the harbour"},
        {"_type": f"{CONTENT}::WebEmbedContentBlock", "url": "https://video.example.org/clip/7"},
        {"_type": f"{CONTENT}::PollContentBlock", "question": "Who wins?",
         "options": [{"text": "Hafenstadt"}, {"text": "Bergheim"}, {"text": "Nobody"}]},
        {"_type": f"{CONTENT}::QuizContentBlock", "question": "When was the first derby?", "explanation": "On the old pitch.",
         "options": [{"text": "1907", "correct": False}, {"text": "1913", "correct": True}]},
    ]  # fmt: skip
    poll_id = made["contents"][3]["local_id"]

    await edit(page, made["local_id"])
    assert await page.get_by_label("What was said").input_value() == "We kept going."
    await page.get_by_label("Who said it").fill("Their coach")
    await page.get_by_label("Answer 3").fill("A draw")
    await page.get_by_role("button", name="Save").click()
    await says(page, "Saved.")
    after = await stands(desk, made["local_id"])
    assert after["contents"][1]["author"] == "Their coach"
    assert after["contents"][3]["local_id"] == poll_id
    kept = [each["id"] for each in made["contents"][3]["options"]]
    assert [(each["id"], each["text"]) for each in after["contents"][3]["options"]] == list(
        zip(kept, ("Hafenstadt", "Bergheim", "A draw"), strict=True)
    )

    public = await readers_see(desk, browser)
    there = public.locator(f"#{made['local_id']}")
    for words in (
        "We kept going.",
        "Their coach",
        "At the harbour",
        "Who wins?",
        "A draw",
        "When was the first derby?",
    ):
        await there.get_by_text(words).first.wait_for()
    assert await there.get_by_text("On the old pitch.").count() == 0
    assert page.complaints == []


async def test_a_post_is_scheduled_changed_and_taken_off_the_schedule(desk, browser):
    """Seen as scheduled, with its time; readers do not see it before somebody publishes it."""
    page = await at_desk(desk, browser)
    await page.emulate_media()
    offset = await page.evaluate("new Date().getTimezoneOffset() * 60")
    await new_post(page)
    await page.keyboard.type("Line-ups at half past six")
    await page.get_by_label("Publish at").fill(LATER)
    await send(page)
    await says(page, "Scheduled: it will be published at Oct 1, 2026, 6:30")
    made = await made_by(desk)
    assert (made["publish_at"], made["local_status"]) == (SECONDS[LATER] + offset, 0)
    shown = row(page, made["local_id"])
    await shown.locator(".state").filter(has_text="Scheduled for Oct 1, 2026, 6:30").wait_for()
    public = await readers_see(desk, browser)
    assert await public.locator(f"#{made['local_id']}").count() == 0

    await edit(page, made["local_id"])
    assert await page.get_by_label("Publish at").input_value() == LATER
    await page.get_by_label("Publish at").fill(LATER_STILL)
    await page.get_by_role("button", name="Save").click()
    await says(page, "Scheduled: it will be published at Oct 2, 2026, 8:15")
    assert (await stands(desk, made["local_id"]))["publish_at"] == SECONDS[LATER_STILL] + offset
    await page.get_by_role("button", name="Undo", exact=True).click()
    await says(page, "Undone.")
    assert (await stands(desk, made["local_id"]))["publish_at"] == SECONDS[LATER] + offset

    await page.get_by_role("link", name="Scheduled").click()
    await page.locator("html[data-ready]").wait_for()
    kinds = await page.locator(".row").evaluate_all("all => all.map((each) => each.dataset.state)")
    assert set(kinds) == {"scheduled"}
    await shown.get_by_role("button", name="Take off the schedule").click()
    await says(page, "No longer scheduled: it is a draft.")
    now = await stands(desk, made["local_id"])
    assert (now.get("publish_at"), now["local_status"]) == (None, 60)
    await shown.wait_for(state="detached")
    await page.get_by_role("button", name="Undo", exact=True).click()
    await says(page, "Undone.")
    await shown.locator(".state").filter(has_text="Scheduled for").wait_for()
    await shown.get_by_role("button", name="Publish now").click()
    await says(page, "Published.")
    now = await stands(desk, made["local_id"])
    assert (now.get("publish_at"), now["local_status"]) == (None, 0)
    await public.reload()
    await public.locator(f"#{made['local_id']}").get_by_text("Line-ups at half past six").wait_for()
    assert page.complaints == []
