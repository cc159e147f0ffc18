"""A liveblog at the desk in a real browser: every action by buttons on a small and a large screen, and by keys alone."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from store.accounts import accounts
from tests.api.desk.conftest import BOTH_DATABASES
from tests.kit import poison
from tests.kit.browser import needed
from tests.kit.desk_browser import opened
from tests.kit.event_desk import post
from tests.kit.liveblog_page import at_desk, enter, follow_match, row, says, writing
from tests.kit.pictures import picture

pytestmark = needed
HOSTILE = """() => [...document.querySelectorAll("#desk-liveblog *")]
  .flatMap((each) => [each, ...(each.shadowRoot?.querySelectorAll("*") ?? [])])
  .filter((each) => (each.localName === "script" && !each.src) || each.getAttributeNames().some((name) => name.startsWith("on")))
  .length"""
"""How many elements could run something."""


async def test_a_draft_is_seen_with_its_reason_and_published_in_one_click(desk, browser):
    """Undo takes it back; nothing needs scrolling sideways, and nothing runs against the policy."""
    await desk.desk.create(post("A draft of mine", local_id="emine", local_status=60))
    page = await at_desk(desk, browser)
    await row(page, "emine").locator(".state").filter(has_text="Draft – written as a draft").wait_for()
    await row(page, "emine").get_by_text("A draft of mine").wait_for()
    await row(page, "emine").get_by_role("button", name="Publish").click()
    await says(page, "Published.")
    assert await row(page, "emine").get_attribute("data-state") == "published"
    assert [each["local_status"] for each in (await desk.desk.show())["events"] if each["local_id"] == "emine"] == [0]

    await page.get_by_role("button", name="Undo").click()
    await says(page, "Undone.")
    assert await row(page, "emine").get_attribute("data-state") == "draft"
    assert page.complaints == []


@pytest.mark.proof
async def test_a_post_is_written_edited_pinned_withdrawn_and_deleted(desk, browser):
    """Each by its button; what is written in bold stays so, and the goal names its scorer."""
    page = await at_desk(desk, browser)
    await page.get_by_role("button", name="New post").click()
    await page.get_by_label("Kind of event").select_option("soccer.goal")
    await page.get_by_label("Minute").fill("61")
    await page.get_by_label("Team", exact=True).select_option(label="SV Hafenstadt")
    await page.get_by_label("Scorer").select_option(label="Ole Brandt")
    await page.get_by_role("textbox", name="Text").click()
    await page.get_by_role("button", name="Bold").click()
    await page.keyboard.type("What a goal!")
    await page.locator("#post-form button[value='0']").click()
    await says(page, "Posted.")
    [made] = [each for each in (await desk.desk.show())["events"] if each["user_id"] == desk.account.id]
    assert made["sport_event"]["event_type"] == "soccer.goal"
    assert made["sport_event"]["time_of_play"] == "61"
    assert made["sport_event"]["team"]["name"] == "SV Hafenstadt"
    assert [each["player"]["name"] for each in made["sport_event"]["players"]] == ["Ole Brandt"]
    assert "<b>What a goal!</b>" in made["contents"][0]["text"]

    shown = row(page, made["local_id"])
    await shown.get_by_role("button", name="Edit").click()
    await page.get_by_role("textbox", name="Headline").fill("The first")
    await page.get_by_label("Scorer").select_option(label="Mats Kröger")
    await page.get_by_role("button", name="Save").click()
    await says(page, "Saved.")
    await shown.get_by_role("button", name="Pin").click()
    await says(page, "Pinned.")
    await shown.get_by_role("button", name="Unpin").click()
    await says(page, "Unpinned.")
    await shown.get_by_role("button", name="Withdraw").click()
    await says(page, "Withdrawn.")
    await page.get_by_role("button", name="Undo").click()
    await says(page, "Undone.")
    [now] = [each for each in (await desk.desk.show())["events"] if each["local_id"] == made["local_id"]]
    assert (now["headline"], now["highlight"], now["local_status"]) == ("The first", "", 0)
    assert [each["player"]["name"] for each in now["sport_event"]["players"]] == ["Mats Kröger"]
    assert now["contents"] == made["contents"]

    await shown.get_by_text("Whose words, earlier").click()
    await shown.get_by_role("button", name="Delete", exact=True).click()
    await says(page, "Delete for good?")
    await shown.get_by_role("button", name="Delete for good").click()
    await says(page, "Deleted for good.")
    await shown.wait_for(state="detached")
    assert [each for each in page.complaints if "404" not in each] == []  # the timeline of a post that has none


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
    await page.get_by_text("Which one shall stand?").wait_for()
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


async def test_a_change_comes_without_a_reload_and_typing_is_not_disturbed(desk, browser):
    """A new post is there within moments while somebody writes another one; drafts come too."""
    page = await at_desk(desk, browser)
    await page.keyboard.press("n")
    await writing(page)
    await page.keyboard.type("Half a sen")
    await desk.desk.create(post("News of others", local_id="enews"))
    await desk.desk.create(post("A draft of others", local_id="enext", local_status=60))
    await row(page, "enews").wait_for()
    await row(page, "enext").wait_for()
    await page.keyboard.type("tence")
    assert await page.get_by_role("textbox", name="Text").inner_text() == "Half a sentence"


async def test_a_scorer_is_corrected_and_the_field_handed_back(desk, browser):
    """What a person changes becomes a person's, and the page says so before and after; handed back it is the provider's."""
    await follow_match(desk)
    page = await at_desk(desk, browser)
    shown = row(page, "egoal9")
    await row(page, "ecard9").get_by_text("the provider has taken it back").wait_for()
    await shown.get_by_role("button", name="Edit").click()
    await page.get_by_text("What you change becomes a person's").wait_for()
    await page.get_by_label("Scorer").select_option(label="Mats Kröger")
    await page.get_by_role("button", name="Save").click()
    await says(page, "Saved. A person's from now on: Players")
    await shown.get_by_text("changed by a person: Players").wait_for()
    await shown.get_by_text("Whose words, earlier").click()
    await (
        shown.get_by_role("row", name="Players").filter(has_text="Mats Kröger").filter(has_text="Ole Brandt").wait_for()
    )
    await shown.get_by_role("button", name="Hand back: Players").click()
    await says(page, "Handed back to the provider.")
    [now] = [each for each in (await desk.desk.show())["events"] if each["local_id"] == "egoal9"]
    assert [each["player"]["name"] for each in now["sport_event"]["players"]] == ["Ole Brandt"]
    assert await shown.locator(".taken").count() == 0


async def test_score_and_state_by_hand_say_that_they_are_a_persons(desk, browser):
    """And are the provider's again once they are handed back."""
    await follow_match(desk)
    page = await at_desk(desk, browser)
    await page.locator("#match-owner").filter(has_text="The provider's").wait_for()
    await page.locator("#match summary").click()
    before = (await desk.desk.show())["scoreboard"]["score"]
    await page.get_by_label("Score, home").fill("9")
    await page.get_by_label("State of play").select_option(label="Over")
    await page.get_by_role("button", name="Set by hand").click()
    await says(page, "Saved.")
    await page.locator("#match-owner").filter(has_text="A person's: the provider does not change it").wait_for()
    assert (await desk.desk.show())["scoreboard"]["score"]["home_score"] == "9"
    await page.get_by_role("button", name="Hand all back to the provider").click()
    await says(page, "Handed back")
    await page.locator("#match-owner").filter(has_text="The provider's").wait_for()
    assert (await desk.desk.show())["scoreboard"]["score"] == before


async def test_who_only_reads_has_nothing_to_press(desk, browser):
    """The page says why; keys that write do nothing."""
    await desk.store.write(partial(accounts.change, account_id=desk.account.id, role="reader"))
    page = await at_desk(desk, browser)
    await page.get_by_text("You may read here.").wait_for()
    assert await page.locator("[data-action], #new, #match-form").count() == 0
    await page.keyboard.press("n")
    assert await page.locator("#editor").is_hidden()


@pytest.mark.proof
async def test_no_text_of_a_liveblog_runs_or_breaks_the_page(desk, browser):
    """Markup and script in every field, also in the form and in what is edited: shown, never run."""
    await desk.add(poison.xss_liveblog())
    page = await opened(browser)
    ran = []
    page.on("dialog", lambda dialog: ran.append(dialog.message))
    await enter(desk, browser)
    await page.goto(f"{desk.address}/desk/liveblogs/gxss")
    await page.locator("html[data-ready]").wait_for()
    for name in ("exss", "ebare", "egoalxss"):
        await row(page, name).get_by_text("Whose words, earlier").click()
        await row(page, name).get_by_role("button", name="Edit").click()
        await page.locator(f'#post-form[data-post="{name}"]').wait_for()
        await page.get_by_role("button", name="Close").click()
        await page.locator("#editor").wait_for(state="hidden")
    assert await page.evaluate(HOSTILE) == 0
    assert ran == []
    assert [each for each in page.complaints if "inline" in each or "Refused to execute" in each] == []


async def test_pictures_are_pasted_with_what_they_show(desk, browser):
    """A picture waits until somebody says what it shows; then it is uploaded, posted, and read to who does not see it."""
    page = await at_desk(desk, browser)
    await page.get_by_role("button", name="New post").click()
    await page.locator("#file").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": picture("png", 64, 48)}
    )
    await page.get_by_label("What it shows").wait_for()
    await page.locator("#post-form button[value='0']").click()
    await says(page, "Say what the picture shows.")
    await page.get_by_label("What it shows").fill("The harbour in the rain")
    await page.get_by_label("Credit").fill("Kim")
    await page.locator("#post-form button[value='0']").click()
    await says(page, "Posted.")
    [made] = [each for each in (await desk.desk.show())["events"] if each["user_id"] == desk.account.id]
    [item] = made["contents"][0]["items"]
    assert (item["title"], item["credit"]) == ("The harbour in the rain", "Kim")
    assert made["media"][0]["url"].startswith("imageservice://")


@pytest.mark.proof
@BOTH_DATABASES
async def test_three_write_at_once_and_nothing_is_lost_or_posted_twice(desk, browser, browsers):
    """Two people in two browsers and the machine, on the same posts: every word that was saved stands, each post once."""
    await desk.desk.create(post("Base", local_id="eboth"))
    pages = [await at_desk(desk, browser), await at_desk(desk, await browsers.new_context(locale="en"))]

    async def write(page, number):
        for turn in range(3):
            await page.keyboard.press("n")
            await writing(page)
            await page.keyboard.type(f"Words {number} {turn}")
            await page.keyboard.press("Control+Enter")
            await page.keyboard.press("Control+Enter")
            await page.locator("#editor").wait_for(state="hidden")

    async def machine():
        for turn in range(6):
            await desk.desk.create(post(f"Machine {turn}"))
            await desk.desk.update("eboth", {"headline": f"Machine {turn}"})

    await asyncio.gather(write(pages[0], 0), write(pages[1], 1), machine())
    shown = [each["contents"][0]["text"] for each in (await desk.desk.show())["events"] if each["contents"]]
    for words in (
        *(f"Words {number} {turn}" for number in (0, 1) for turn in range(3)),
        *(f"Machine {turn}" for turn in range(6)),
    ):
        assert [words in each for each in shown].count(True) == 1, words
