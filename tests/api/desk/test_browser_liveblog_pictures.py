"""Pictures at the desk, dropped and pasted as a browser does it: several at once, and those that cannot be taken."""

import base64

import pytest

from tests.kit.browser import needed
from tests.kit.liveblog_page import at_desk, says, writing
from tests.kit.pictures import picture

pytestmark = [needed, pytest.mark.proof]
GIVE = """(target, [kind, files, words]) => {
  const carried = new DataTransfer();
  for (const [name, type, content, more] of files) {
    const bytes = Uint8Array.from(atob(content), (each) => each.charCodeAt(0));
    carried.items.add(new File([bytes, new Uint8Array(more ?? 0)], name, { type }));
  }
  if (words) carried.setData("text/plain", words);
  const init = { bubbles: true, cancelable: true };
  const event = kind === "paste"
    ? new ClipboardEvent(kind, { ...init, clipboardData: carried }) : new DragEvent(kind, { ...init, dataTransfer: carried });
  return !target.dispatchEvent(event);
}"""
"""Dispatches what a browser does when files are dropped or pasted; true where the page has taken them.

A file is its name, type and content, and how many zeros stand behind that: a large one is made where it is needed.
"""
FIELDS = "What it shows"


def png(name, width=64, height=48):
    return name, "image/png", base64.b64encode(picture("png", width, height)).decode()


async def give(target, kind, *files, words=""):
    return await target.evaluate(GIVE, [kind, list(files), words])


async def new_post(page):
    await page.keyboard.press("c")
    await writing(page)


async def send(page):
    await page.locator("#post-form button[value='0']").click()


async def mine(desk):
    return [each for each in (await desk.desk.show())["events"] if each["user_id"] == desk.account.id]


async def test_several_pictures_are_dropped_at_once(desk, browser):
    """Each is uploaded and named by its file; each wants words on what it shows, and all are posted in their order."""
    page = await at_desk(desk, browser)
    await new_post(page)
    assert await give(page.locator("#text"), "drop", png("first.png"), png("second.png", 32, 32))
    await page.get_by_role("group", name="Pictures and videos: second.png").wait_for()
    fields = page.get_by_label(FIELDS)
    assert await fields.count() == 2
    await send(page)
    await says(page, "Say what the picture shows.")
    await fields.nth(0).fill("The harbour")
    await send(page)
    assert await page.evaluate("document.activeElement.value") == ""
    await fields.nth(1).fill("The stand")
    await send(page)
    await says(page, "Posted.")
    [made] = await mine(desk)
    assert [item["title"] for each in made["contents"] for item in each["items"]] == ["The harbour", "The stand"]
    assert [(each["width"], each["height"]) for each in made["media"]] == [(64, 48), (32, 32)]
    assert [each for each in page.complaints if "404" not in each] == []  # no file is kept here that could be shown


async def test_a_picture_is_pasted_while_somebody_types(desk, browser):
    """The words go where they went before: what has been uploaded does not take the focus from the text."""
    page = await at_desk(desk, browser)
    await new_post(page)
    await page.keyboard.type("Half a sen")
    assert await give(page.locator("#text"), "paste", png("pasted.png"))
    await page.get_by_label(FIELDS).wait_for()
    await page.keyboard.type("tence")
    assert await page.get_by_role("textbox", name="Text").inner_text() == "Half a sentence"
    await page.get_by_label(FIELDS).fill("Rain")
    await send(page)
    await says(page, "Posted.")
    [made] = await mine(desk)
    assert ["items" in each for each in made["contents"]] == [False, True]


async def test_words_are_pasted_as_words_though_a_picture_of_them_comes_along(desk, browser):
    """As a table from another program does; without what it looked like there."""
    page = await at_desk(desk, browser)
    await new_post(page)
    assert await give(page.locator("#text"), "paste", png("table.png"), words="1. Kiel 12")
    assert await page.get_by_role("textbox", name="Text").inner_text() == "1. Kiel 12"
    assert await page.get_by_label(FIELDS).count() == 0


async def test_an_upload_that_fails_is_tried_again(desk, browser):
    """While the service is away the words stay, nothing is sent by halves, and the file is still at hand."""
    page = await at_desk(desk, browser)
    await new_post(page)
    await page.keyboard.type("What I wrote")
    await page.route("**/upload", lambda route: route.abort())
    assert await give(page.locator("#text"), "paste", png("rain.png"))
    failed = page.get_by_role("alert").filter(has_text="rain.png could not be uploaded: the service cannot be reached.")
    await failed.wait_for()
    await page.unroute("**/upload")
    await failed.get_by_role("button", name="Try again").click()
    await page.get_by_label(FIELDS).fill("Rain")
    assert await failed.count() == 0
    assert await page.get_by_role("textbox", name="Text").inner_text() == "What I wrote"
    await send(page)
    await says(page, "Posted.")
    [made] = await mine(desk)
    assert len(made["media"]) == 1
