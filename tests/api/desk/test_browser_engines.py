"""The desk and the readers' page in Firefox and WebKit; the other browser tests look at Chromium."""

import base64
import os

import pytest

from tests.kit.event_desk import post
from tests.kit.other_engines import CONTROL, ENGINES, ENTER, is_missing
from tests.kit.people import EMAIL, PASSWORD
from tests.kit.pictures import picture

PUBLIC = True
pytestmark = pytest.mark.proof
TEXT = "Svc::Model::Content::RichTextContentBlock"
FOCUSED = "document.activeElement.dataset.post"
CHOOSE_PICTURE = """(() => {{
  const bytes = Uint8Array.from(atob("{picture}"), (each) => each.charCodeAt(0)), files = new DataTransfer();
  files.items.add(new File([bytes], "stand.png", {{ type: "image/png" }}));
  const input = document.querySelector("#file");
  input.files = files.files;
  return input.dispatchEvent(new Event("change", {{ bubbles: true }}));
}})()"""
"""No engine's driver opens the system's dialogue of files; from its choice on, all is as with a person."""


def says(words):
    return f"document.querySelector('#said').textContent.includes({words!r})"


def has_post(words):
    return f"[...document.querySelectorAll('article')].some((each) => each.textContent.includes({words!r}))"


@pytest.mark.parametrize("name", ENGINES)
async def test_an_editor_writes_and_a_reader_sees_it(desk, name):
    """Sign in; write with bold, list and picture; publish a draft and undo it; answer a question. Readers have it live."""
    if is_missing(name) and "CI" not in os.environ:
        pytest.skip(f"no {name} on this machine")
    await desk.desk.create(post("A draft of a colleague", local_id="emine", local_status=60))
    async with ENGINES[name]() as page:
        await page.go(f"{desk.address}/desk/sign-in")
        await page.click("[name=email]")
        await page.type(EMAIL)
        await page.click("[name=password]")
        await page.type(PASSWORD)
        await page.keys(ENTER)
        await page.holds("document.querySelector('[name=account]')")
        await page.go(f"{desk.address}/desk/liveblogs/gderby")
        await page.holds("document.documentElement.dataset.ready !== undefined")

        await page.click("#text")
        await page.type("By keys")
        await page.keys(CONTROL, "a")
        await page.click("[data-rare]")
        for tool in ("bold", "insertUnorderedList"):
            await page.click(f"[data-tool={tool}]")
        await page.evaluate(CHOOSE_PICTURE.format(picture=base64.b64encode(picture("png", 64, 48)).decode()))
        await page.click("#blocks input[data-alternative]")
        await page.type("The stand")
        await page.keys(CONTROL, ENTER)
        await page.holds(says("Posted."))
        [mine] = [each for each in (await desk.desk.show())["events"] if each["user_id"] == desk.account.id]
        text, shown = mine["contents"]
        assert (text["text"].replace("<br>", ""), shown["_type"]) == (
            "<ul><li><b>By keys</b></li></ul>",
            "Svc::Model::Content::MultiMediaContentBlock",
        )

        for _ in range(30):
            if await page.evaluate(FOCUSED) == "emine":
                break
            await page.keys("j")
        await page.keys("p")
        await page.holds(says("Published."))
        await page.keys("u")
        await page.holds(says("Undone."))

        await page.keys("e")
        await page.click("#post-form[data-post=emine] #text")
        await page.type("Mine")
        await desk.desk.update("emine", {"contents": [{"_type": TEXT, "text": "Theirs"}]})
        await page.click("fieldset.both button")
        await page.keys(CONTROL, ENTER)
        await page.holds(says("Saved."))
        [kept] = [each for each in (await desk.desk.show())["events"] if each["local_id"] == "emine"]
        assert kept["contents"][0]["text"] == "A draft of a colleagueMine"

        await page.go(f"{desk.address}/liveblogs/gderby")
        await page.holds(has_post("By keys"))
        await desk.desk.create(post("Live, to everybody", local_id="elive"))
        await page.holds(has_post("Live, to everybody"))
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.complaints == []
