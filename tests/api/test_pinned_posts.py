"""Pinned posts stand above all others, whatever has come since: on the page, in its changes, frame and prefetch, in no feed."""

import re
from html import unescape

import pytest

from api.page.load_liveblog import MOST_PINNED
from tests.kit import matchday
from tests.kit.event_desk import Desk
from tests.kit.harmless import read
from tests.kit.showing import LONG_AGO, fill, pin

PAGE = "/liveblogs/gderby"
PREFETCH = "/api/embed/v4/prefetch/liveblog.json"
FORMS = (PAGE, "/embed/gderby", PREFETCH)


@pytest.fixture
async def derby(public):
    await public.add(matchday.derby())
    return public


async def html_of(server, path, **params):
    response = await server.http.get(path, params={"liveblogId": "gderby", **params})
    assert response.status_code == 200, response.text
    return response.json()["html"] if path == PREFETCH else response.text


def ids_on(html):
    return [name for name in read(html).ids if name.startswith("e")]


def classes_of(html, name):
    return re.search(rf'<li id="{name}" class="([^"]*)"', html)[1].split()


@pytest.mark.parametrize(
    ("path", "highlight"), list(zip(FORMS, ("sticky", "stickyNoHighlight", "sticky"), strict=True))
)
async def test_a_pinned_post_stays_on_top_of_more_posts_than_a_page_has(derby, path, highlight):
    """It comes first and says so, once; what is not pinned any more goes back to its time."""
    await pin(derby, "epin", highlight)
    await fill(derby, 320 if path == PREFETCH else 60)
    html = await html_of(derby, path)

    assert ids_on(html)[:2] == ["epin", f"emany{319 if path == PREFETCH else 59:03}"]
    assert ids_on(html).count("epin") == 1
    assert {"post", "pinned"} <= set(classes_of(html, "epin"))
    assert ("highlighted" in classes_of(html, "epin")) == (highlight == "sticky")
    assert len(re.findall('<p class="pin">.*?Pinned</p>', html)) == 1
    await Desk(derby.http).update("epin", {"highlight": ""})
    html = await html_of(derby, path)
    assert "epin" not in ids_on(html)
    assert "Pinned" not in html


async def test_every_page_of_older_posts_has_it(derby):
    """By the links below the posts, too: on top of each page, each other post once."""
    await pin(derby, "epin")
    await fill(derby, 12)
    seen, address = [], f"{PAGE}?limit=5"
    for _ in range(20):
        html = (await derby.http.get(address)).text
        first, *others = ids_on(html)
        assert first == "epin"
        seen += others
        link = re.search('class="more"[^>]* href="([^"]*)"', html)
        if link is None:
            break
        address = f"{PAGE}{unescape(link[1])}"

    assert seen == [*(f"emany{n:03}" for n in reversed(range(12))), *reversed(matchday.PUBLIC)]
    assert ids_on((await derby.http.get(PAGE, params={"limit": 3, "post": "epin"})).text) == [
        "epin", "emany011", "emany010", "emany009"]  # fmt: skip


async def test_ten_are_on_top_and_older_ones_at_their_times(derby):
    """The newest of them; the others are no more than ordinary posts."""
    names = [f"epin{n:02}" for n in range(MOST_PINNED + 2)]
    for at, name in enumerate(names):
        await pin(derby, name, at=matchday.KICK_OFF - 100 + at)
    html = await html_of(derby, PAGE, limit=100)

    newest_first = list(reversed(names))
    assert ids_on(html) == [*newest_first[:MOST_PINNED], *reversed(matchday.PUBLIC), *newest_first[MOST_PINNED:]]
    assert classes_of(html, names[0]) == ["post", "on-text", "highlighted"]
    assert html.count('class="pin"') == MOST_PINNED


async def changes(server, refresh, **params):
    response = await server.http.get(PAGE, params={"fragment": 1, "refresh": refresh, **params})
    return response.json()


async def version_of(server):
    return (await Desk(server.http).delta())["version"]


async def test_changes_say_what_stands_on_top(derby):
    """In their order; a post that is pinned comes as such, one that is not any more without the word."""
    await pin(derby, "epin")
    known = await version_of(derby)
    await Desk(derby.http).update("etext", {"highlight": "sticky"})
    changed = await changes(derby, known)
    assert changed["pinned"] == ["etext", "epin"]
    assert [each["id"] for each in changed["posts"]] == ["etext"]
    assert "pinned" in classes_of(changed["posts"][0]["html"], "etext")

    known = await version_of(derby)
    await Desk(derby.http).update("etext", {"highlight": ""})
    changed = await changes(derby, known)
    assert changed["pinned"] == ["epin"]
    assert "Pinned" not in changed["posts"][0]["html"]
    assert (await changes(derby, known, show="goals"))["pinned"] == []


async def test_changes_bring_what_a_page_may_lack(derby):
    """Where one of more than ten goes, the next one takes its place, though it has not changed."""
    names = [f"epin{n:02}" for n in range(MOST_PINNED + 1)]
    for at, name in enumerate(names):
        await pin(derby, name, at=LONG_AGO + at)
    known = await version_of(derby)
    await Desk(derby.http).update(names[-1], {"highlight": ""})
    changed = await changes(derby, known)

    assert changed["pinned"] == list(reversed(names[:-1]))
    brought = {each["id"]: each["html"] for each in changed["posts"]}
    assert "pinned" in classes_of(brought[names[0]], names[0])


async def test_feeds_and_delta_keep_the_order_of_times(derby):
    """The interface has no other; the delta says how a post is highlighted."""
    await pin(derby, "epin")
    await fill(derby, 30)
    feed = (await derby.http.get("/api/embed/v4/feed/liveblog.json", params={"liveblogId": "gderby"})).json()
    delta = await Desk(derby.http).delta(limit=5)

    assert "epin" not in [each["id"] for each in feed["items"]]
    assert [each["local_id"] for each in delta["events"]] == [f"emany{n:03}" for n in range(29, 24, -1)]
