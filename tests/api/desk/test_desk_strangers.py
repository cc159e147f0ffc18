"""What strangers can make the desk do by what they write: hostile texts on every page, and forms that name another account.

Who may see and send what is the table of tests/tables/test_doors.py.
"""

from html.parser import HTMLParser
from urllib.parse import quote

import pytest

from mapping.match.fixture import Fixture, NamedId
from store.comments import comments
from store.comments.comments import NewComment
from tests.api.conftest import contents
from tests.api.desk.conftest import desk_on_a_port
from tests.kit import matchday, poison
from tests.kit.browser import needed
from tests.kit.doors import BY_NAME, DOORS
from tests.kit.followed import add_followed, draft
from tests.kit.full_house import MISSING
from tests.kit.people import SignedInBrowser, add_account, session_of, signed_in, try_password

FORMS = [name for name, route in BY_NAME.items() if route.method == "POST" and route.access == "desk"]
OF_ONESELF = [name for name in FORMS if "/account/" in name or name.endswith("/sign-out")]
"""Forms about one's own account, which name no other one."""


@pytest.mark.parametrize("name", OF_ONESELF)
async def test_a_form_about_an_account_reaches_ones_own_alone(server, name):
    """Whatever it says of others: their account, sessions and second factor stay."""
    other = await add_account(server.store, "lee@example.org")
    theirs = await signed_in(server, other)
    browser = await signed_in(server, await add_account(server.store))
    ids = {"account": other.id, "account_id": other.id, "email": other.email, "user": other.id}
    (session,) = [row for row in (await contents(server))["desk_sessions"] if row["account_id"] == other.id]
    before = [row for row in (await contents(server))["accounts"] if row["id"] == other.id]
    fields = {**ids, **DOORS[name].sends(MISSING).form}

    await browser.submit(BY_NAME[name].path, {**fields, "session": session["id"]} if "session" in fields else fields)

    after = await contents(server)
    assert (await theirs.send("GET", "/desk")).status_code == 200
    assert session in after["desk_sessions"]
    assert [row for row in after["accounts"] if row["id"] == other.id] == before
    assert not [row for row in after["second_factors"] if row["account_id"] == other.id]


class Running(HTMLParser):
    """Names what would run: handlers, addresses that are scripts, scripts without a file, elements that nobody has written."""

    FOREIGN = frozenset({"iframe", "object", "embed", "base", "math"})
    OWN = ("../", "https://live.example.org/blogs/media/")

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.found += [f"{tag} {name}" for name in values if name.startswith("on") or name == "style"]
        self.found += [
            f"{tag} {name}"
            for name, value in attrs
            if (value or "").strip().lower().startswith(("javascript:", "data:"))
        ]
        foreign = tag in self.FOREIGN or (tag == "img" and not (values.get("src") or "").startswith(self.OWN))
        if foreign or (tag == "script" and not values.get("src")):
            self.found.append(tag)


def running_in(html):
    parser = Running()
    parser.feed(html)
    return parser.found


def test_what_would_run_is_found():
    """By the judge of the tests below."""
    found = running_in(f"<p>{poison.XSS}</p><a href=' JavaScript:x'>")

    assert {"script", "img", "img onerror", "svg onload", "a href"} <= set(found)


async def fill_with_poison(server):
    """Hostile texts in each field of each document: of a match, its posts, an account, its browser, comments, a preview."""
    hostile = poison.xss_liveblog()
    await server.add(hostile)
    document = {**hostile.document}
    await add_followed(
        server, 1, document=document, title=poison.XSS, provider=poison.XSS, events=(draft("ewaits"),),
        endpoint=poison.XSS, terms={"title": poison.XSS, "locale": poison.XSS},
    )  # fmt: skip

    def write(unit):
        poison.insert(unit)
        for number, status in enumerate(("pending", "approved", "rejected", "hidden")):
            new = NewComment(
                id=f"{number:024x}", organization_id=matchday.ORGANIZATION, game_id=hostile.ticker_id, channel_id="exss",
                parent_id=None, reader_id=poison.XSS, author_name=poison.XSS, author_image=f"https://x.example/{poison.XSS}",
                text=poison.XSS, status=status,
            )  # fmt: skip
            comments.create(unit, new, duplicate_period=0)

    await server.store.write(write)
    spoken = ("title", "competition", "location", "homeTeam", "awayTeam", "sportstype", "homeScore", "awayScore")
    server.previewed |= dict.fromkeys(spoken, poison.XSS)
    named = NamedId(poison.XSS, poison.XSS)
    parts = dict.fromkeys(("competition", "home", "away"), named)
    words = dict.fromkeys(("season", "round", "title", "status_word", "gender", "age_class"), poison.XSS)
    server.listed[matchday.ORGANIZATION] = (
        Fixture(match_id=poison.XSS, sport="soccer", **parts, **words),
        Fixture(match_id="7", sport=poison.XSS, title=poison.XSS),
    )
    account = await add_account(server.store, f"{poison.XSS}@example.org", role="admin", name=poison.XSS)
    response = await try_password(server, account.email, headers={"User-Agent": poison.XSS})
    return account, SignedInBrowser(server.http, session_of(response))


LIVEBLOGS = ("gxss", "gmatch1", "gpoison")
QUERIES = {
    "/desk": ("", "?show=others", "?q={xss}&provider={xss}"),
    "/desk/matches/table": ("?show=others", "?q={xss}"),
    "/desk/matches/new": (
        "",
        "?q={xss}",
        "?day={xss}",
        "?attach=gmatch1",
        "?provider=heim&kind=matchId&id=7",
        "?provider=heim&kind=matchId&id={xss}",
        "?provider={xss}&kind={xss}&id={xss}",
    ),
    "/desk/liveblogs": ("", "?q={xss}", "?when={xss}"),
    "/desk/new/match": ("",),
    "/desk/new/topic": ("",),
    "/desk/comments": ("", "?status=approved", "?status=rejected", "?status=hidden", "?liveblogId=gxss"),
    "/desk/rules": ("", "?rule={xss}"),
    "/desk/queue": ("", "?kind=pen", "?kind={xss}", "?page={xss}"),
    "/desk/queue/list": ("",),
    "/desk/comments/list": ("?status=approved",),
    "/desk/account": ("", "?done={xss}"),
    "/desk/session": ("",),
    "/desk/sign-in": ("?next={xss}",),
    "/desk/sign-in/code": ("?next={xss}",),
    "/desk/liveblogs/{liveblogId}": ("", "?show=drafts", "?show=changed", "?show={xss}", "?after={xss}"),
    "/desk/liveblogs/{liveblogId}/posts": ("", "?mark={xss}"),
    "/desk/liveblogs/{liveblogId}/form": ("", "?post=exss", "?post=egoalxss", "?post={xss}"),
    "/desk/matches/{liveblogId}": ("", "?done={xss}"),
}


def addresses():
    """Of every page, with each liveblog and each query."""
    pages = (route.path for route in BY_NAME.values() if route.access == "desk" and route.method == "GET")
    for path in pages:
        if "openid" in path:
            continue
        for name in LIVEBLOGS if "{" in path else ("",):
            for query in QUERIES[path]:
                yield path.replace("{liveblogId}", name) + query.replace("{xss}", quote(poison.XSS))


async def test_nothing_of_the_corpus_runs_on_any_page(server):
    """Every field of every document, every page and every answer to a form: shown as text, or not at all."""
    _, browser = await fill_with_poison(server)
    ran, said, statuses = {}, 0, set()
    for address in addresses():
        response = await browser.send("GET", address)
        statuses.add(response.status_code)
        said += "&lt;script&gt;alert(1)" in response.text or "\\u003cscript" in response.text
        if response.headers.get("content-type", "").startswith("text/html") and (found := running_in(response.text)):
            ran[address] = found
    for name in [each for each in FORMS if each not in OF_ONESELF and "/sign-in" not in each]:
        for liveblog in LIVEBLOGS:
            path, sent = BY_NAME[name].path.replace("{liveblogId}", liveblog), DOORS[name].sends(MISSING).form
            hostile = dict.fromkeys((*sent, "title", "locale", "provider", "kind", "id", "key", "back"), poison.XSS)
            response = await browser.submit(path, hostile)
            if found := running_in(response.text):
                ran[path] = found

    assert ran == {}
    assert said > 25
    assert 500 not in statuses


@pytest.mark.proof
@needed
async def test_nothing_of_the_corpus_runs_in_a_browser(store, browsers):
    """With the scripts of the pages, which put the texts in anew; a policy that has to step in is a fault too."""
    async with desk_on_a_port(store) as (server, address, _):
        account, _ = await fill_with_poison(server)
        browser = await signed_in(server, account)
        context = await browsers.new_context(locale="en", viewport={"width": 1280, "height": 900})
        await context.add_cookies([{"name": "matchwire-desk", "value": browser.token, "url": address}])
        page = await context.new_page()
        ran = []
        page.on("dialog", lambda dialog: ran.append(dialog.message))
        page.on("console", lambda message: ran.append(message.text) if "Security Policy" in message.text else None)
        shown = 0
        for each in addresses():
            if "/list" in each or "/table" in each or "/posts" in each or "/form" in each:
                continue  # parts, which the pages load
            await page.goto(f"{address}{each}")
            shown += "alert(1)" in await page.locator("body").inner_text()
            hostile = await page.evaluate(
                """() => [...document.querySelectorAll("*")].filter((each) =>
                [...each.attributes].some(({ name, value }) => name.startsWith("on") || /^\\s*javascript:/i.test(value))
                || (each.localName === "script" && !each.src)).map((each) => each.outerHTML.slice(0, 200))"""
            )
            assert hostile == [], each
        await context.close()

    assert ran == []
    assert shown > 10
