"""Taking back at the desk, in a real browser: the last thing that was done, whatever it was, and nothing that others did."""

import pytest

from store.following import ledger
from tests.kit.browser import needed
from tests.kit.event_desk import post
from tests.kit.liveblog_page import TICKER, at_desk, edit, follow_match, row, says, stands

pytestmark = needed
WROTE = {"version", "updated_at", "editor", "sort"}
"""What every write changes."""


def content(document):
    return {name: value for name, value in document.items() if name not in WROTE}


def scorers(document):
    return [each["player"]["name"] for each in document["sport_event"]["players"]]


async def undo(page):
    await page.get_by_role("button", name="Undo", exact=True).click()


async def correct(page, name, scorer="Mats Kröger"):
    await edit(page, name)
    await page.get_by_label("Scorer").select_option(label=scorer)
    await page.get_by_role("button", name="Save").click()
    await says(page, "Saved.")


async def hand_back(page, name, field="Players"):
    await row(page, name).get_by_role("button", name="History").click()
    await row(page, name).get_by_role("button", name=f"Hand back: {field}").click()
    await says(page, "Handed back to the provider.")


async def delete(page, name):
    await row(page, name).get_by_role("button", name="History").click()
    await row(page, name).get_by_role("button", name="Delete", exact=True).click()
    await says(page, "Delete for good? A withdrawn post comes back as it was")
    await row(page, name).get_by_role("button", name="Delete for good").click()
    await says(page, "Deleted for good. As long as this tab is open, its words can be posted again")
    await row(page, name).wait_for(state="detached")


@pytest.mark.proof
async def test_the_words_of_a_deleted_post_are_posted_again_as_a_persons(desk, browser):
    """A new post with the old time; the provider's stays deleted, and its key in the ledger too, whatever it says next."""
    await follow_match(desk)
    before = await stands(desk, "egoal9")
    page = await at_desk(desk, browser)
    await delete(page, "egoal9")
    await page.get_by_role("link", name="Drafts").click()
    await page.get_by_role("link", name="All", exact=True).click()
    await page.locator("html[data-ready]").wait_for()
    await page.get_by_role("button", name="Post its words again").click()
    await says(page, "Posted again, as a new post of yours at its old time.")
    [made] = [each for each in (await desk.desk.show())["events"] if each["user_id"] == desk.account.id]
    assert made["local_id"] != "egoal9"
    assert (made["created_at"], made["local_status"]) == (before["created_at"], 0)
    assert [each["text"] for each in made["contents"]] == [each["text"] for each in before["contents"]]
    assert (made["sport_event"]["event_type"], scorers(made)) == ("soccer.goal", ["Ole Brandt"])
    await row(page, made["local_id"]).locator(".author").filter(has_text="You").wait_for()
    assert await row(page, made["local_id"]).get_by_role("button", name="Hand back").count() == 0

    rows = await desk.store.read(lambda conn: ledger.rows(conn, TICKER))
    assert [name for name, each in rows.items() if each.local_id == "egoal9"] == ["1"]
    assert made["local_id"] not in {each.local_id for each in rows.values()}
    _, known = await desk.desk.whole(refresh=1)
    assert known["egoal9"]["local_status"] == 100

    await undo(page)
    await says(page, "Undone: the post is a draft.")
    assert (await stands(desk, made["local_id"]))["local_status"] == 60


@pytest.mark.proof
async def test_a_field_that_was_handed_back_becomes_the_persons_again(desk, browser):
    """With the person's words, by the key; undone once more it says that nothing is left of it."""
    await follow_match(desk)
    page = await at_desk(desk, browser)
    await correct(page, "egoal9")
    await hand_back(page, "egoal9")
    assert scorers(await stands(desk, "egoal9")) == ["Ole Brandt"]
    await page.keyboard.press("u")
    await says(page, "Undone.")
    assert scorers(await stands(desk, "egoal9")) == ["Mats Kröger"]
    await row(page, "egoal9").get_by_text("Players: You").wait_for()
    await page.keyboard.press("u")
    await row(page, "egoal9").locator(".taken").wait_for(state="detached")
    assert scorers(await stands(desk, "egoal9")) == ["Ole Brandt"]
    await page.keyboard.press("u")
    await says(page, "There is nothing to undo.")
    assert page.complaints == [] or all("404" in each for each in page.complaints)


@pytest.mark.proof
async def test_one_thing_after_the_other_is_taken_back_until_all_is_as_it_was(desk, browser):
    """Pin, edit, unpin and withdraw of one post: in the end it says what it said at first."""
    await desk.desk.create(post("As it was", local_id="emine", headline="A first headline"))
    before = content(await stands(desk, "emine"))
    page = await at_desk(desk, browser)
    shown = row(page, "emine")
    await shown.get_by_role("button", name="Pin").click()
    await says(page, "Pinned.")
    await edit(page, "emine")
    await page.get_by_role("textbox", name="Headline").fill("A second headline")
    await page.get_by_role("textbox", name="Text").fill("Otherwise")
    await page.get_by_role("button", name="Save").click()
    await says(page, "Saved.")
    await shown.get_by_role("button", name="Unpin").click()
    await says(page, "Unpinned.")
    await shown.get_by_role("button", name="Withdraw").click()
    await says(page, "Withdrawn. Publish brings it back.")
    for expected in (
        {"local_status": 0, "highlight": ""},
        {"highlight": "sticky", "headline": "A second headline"},
        {"highlight": "sticky", "headline": "A first headline"},
        {"highlight": ""},
    ):
        version = (await stands(desk, "emine"))["version"]
        await undo(page)
        await page.locator(f'.row[data-post="emine"]:not([data-version="{version}"])').wait_for()
        now = await stands(desk, "emine")
        assert {name: now[name] for name in expected} == expected
    assert content(await stands(desk, "emine")) == before
    assert await page.locator("#undo").is_disabled()
    assert page.complaints == []


@pytest.mark.proof
async def test_what_others_have_changed_since_is_not_taken_back(desk, browser):
    """The page says so, and also of a post that is gone; their words stand."""
    await desk.desk.create(post("Ours", local_id="eours"))
    await desk.desk.create(post("Gone soon", local_id="egone"))
    page = await at_desk(desk, browser)
    await row(page, "egone").get_by_role("button", name="Pin").click()
    await says(page, "Pinned.")
    await row(page, "eours").get_by_role("button", name="Pin").click()
    await page.locator('.row[data-post="eours"][data-highlight="sticky"]').wait_for()
    await desk.desk.update("eours", {"highlight": "inplace", "headline": "Theirs"})
    await desk.desk.delete("egone")
    await undo(page)
    await says(page, "This cannot be undone any more: it has been changed since.")
    await undo(page)
    await says(page, "This cannot be undone any more: the post has been deleted.")
    now = await stands(desk, "eours")
    assert (now["highlight"], now["headline"]) == ("inplace", "Theirs")
