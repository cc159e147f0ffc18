"""What strangers can make the desk do: every page and form by every role, by another organization, and full of hostile texts.

Pages and forms are those of the table of routes: a new one fails here until somebody says who may have it.
"""

from __future__ import annotations

from functools import partial
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import quote

import pytest

from api.desk.desk_routes import DESK_ROUTES
from api.routes import ROUTES
from mapping.desk.account_roles import AccountRole
from store.comments import comments
from store.comments.comments import NewComment
from tests.api.conftest import contents
from tests.api.desk.conftest import desk_on_a_port
from tests.kit import matchday, poison
from tests.kit.browser import needed
from tests.kit.followed import add_followed, draft
from tests.kit.people import PASSWORD, SignedInBrowser, add_account, session_of, signed_in, try_password

SECRET_WORDS = "Words of the house"
"""In every text that only the own organization may read."""
READS, WRITES = frozenset(AccountRole), frozenset({"editor", "admin"})


class Visit(NamedTuple):
    """What is sent to a page or form, and which roles it does something for; `lists`: strangers get it too, without our rows."""

    fields: dict[str, str]
    roles: frozenset[str] = READS
    lists: bool = False


VISITS = {
    ("GET", "/desk"): Visit({}, lists=True),
    ("GET", "/desk/matches/table"): Visit({}, lists=True),
    ("POST", "/desk/matches/act"): Visit({"pause": "gmatch1"}, WRITES),
    ("GET", "/desk/matches/new"): Visit({"attach": "gmatch1"}, WRITES),
    ("POST", "/desk/matches/new"): Visit(
        {"provider": "heim", "kind": "matchId", "id": "7", "attach": "gmatch1"}, WRITES
    ),
    ("GET", "/desk/matches/{liveblogId}"): Visit({}),
    ("POST", "/desk/matches/{liveblogId}/settings"): Visit({"paused": "yes"}, WRITES),
    ("POST", "/desk/matches/{liveblogId}/sources"): Visit({"choose": "yes", "leads": "auto", "confirm": "two"}, WRITES),
    ("POST", "/desk/matches/{liveblogId}/detach"): Visit({"confirmed": "yes"}, WRITES),
    ("GET", "/desk/comments"): Visit({}, WRITES, lists=True),
    ("GET", "/desk/comments/list"): Visit({}, WRITES, lists=True),
    ("POST", "/desk/comments/act"): Visit({"approve": "0" * 24}, WRITES),
    ("GET", "/desk/account"): Visit({}, lists=True),
    ("GET", "/desk/liveblogs/{liveblogId}"): Visit({}),
    ("GET", "/desk/liveblogs/{liveblogId}/posts"): Visit({}),
    ("GET", "/desk/liveblogs/{liveblogId}/form"): Visit({"post": "edraft"}),
    ("POST", "/desk/liveblogs/{liveblogId}/open"): Visit({"page": "one", "post": "edraft"}),
}
OF_ONESELF = {
    ("POST", "/desk/sign-out"): {},
    ("POST", "/desk/account/password"): {"password": PASSWORD, "new_password": "seven wet umbrellas"},
    ("POST", "/desk/account/second-factor"): {"act": "app", "password": PASSWORD},
    ("POST", "/desk/account/second-factor/confirm"): {"code": "000000"},
    ("POST", "/desk/account/end-session"): {"session": "theirs", "password": PASSWORD},
    ("POST", "/desk/account/end-everywhere"): {"password": PASSWORD},
}
"""Forms about one's own account, which name no other one."""
BEFORE = {
    ("GET", "/desk/sign-in"),
    ("POST", "/desk/sign-in"),
    ("GET", "/desk/sign-in/code"),
    ("POST", "/desk/sign-in/code"),
    ("GET", "/desk/sign-in/openid"),
    ("GET", "/desk/sign-in/openid/callback"),
}
"""For whoever is not signed in yet."""


def of_desk():
    return {(row.method, row.path) for row in ROUTES if row.access == "desk"}


async def fill(server, words=SECRET_WORDS):
    """A match with a post and a draft, and a comment that waits."""
    post = matchday.event("epost", matchday.KICK_OFF + 30, headline=words)
    await add_followed(server, 1, title=words, events=(draft("edraft"), post))
    new = NewComment(
        id="0" * 24, organization_id=matchday.ORGANIZATION, game_id=f"{1:024x}", channel_id="epost", parent_id=None,
        reader_id="reader1", author_name=words, author_image=None, text=words, status="pending",
    )  # fmt: skip
    await server.store.write(partial(comments.create, new=new, duplicate_period=0))


async def visit(browser, name, fields, **more):
    method, path = name
    path = path.replace("{liveblogId}", "gmatch1")
    if method == "GET":
        return await browser.send("GET", path, params=fields, **more)
    return await browser.submit(path, fields, **more)


def test_every_page_and_form_has_a_row():
    """Of the table of routes; and there is none elsewhere."""
    assert of_desk() == VISITS.keys() | OF_ONESELF.keys() | BEFORE
    assert of_desk() == {(row.method, row.path) for row in DESK_ROUTES if row.access == "desk"}


@pytest.mark.parametrize("role", AccountRole)
@pytest.mark.parametrize("name", VISITS, ids=" ".join)
async def test_a_role_gets_what_it_may_and_no_more(server, name, role):
    """What is not for the role is refused and changes nothing."""
    await fill(server)
    browser = await signed_in(server, await add_account(server.store, role=role))
    before = await contents(server)

    response = await visit(browser, name, VISITS[name].fields)

    if role in VISITS[name].roles:
        assert response.status_code in {200, 204, 303}, response.text
        if name[0] == "GET":
            assert await contents(server) == before
        return
    assert response.status_code in {403, 404, 409}
    assert await contents(server) == before
    assert server.requested == []


@pytest.mark.parametrize("name", VISITS, ids=" ".join)
async def test_another_organization_gets_nothing(server, name):
    """Neither a word nor a change; what is there is refused as what is not."""
    await fill(server)
    browser = await signed_in(server, await add_account(server.store, role="admin", organization=matchday.OTHER))
    before = await contents(server)

    response = await visit(browser, name, VISITS[name].fields)

    assert response.status_code == 200 if VISITS[name].lists else response.status_code in {403, 404, 409}
    assert SECRET_WORDS not in response.text
    assert await contents(server) == before
    assert server.requested == []


@pytest.mark.parametrize("name", [*VISITS, *OF_ONESELF], ids=" ".join)
async def test_whoever_is_not_signed_in_gets_nothing(server, name):
    """Without a session, and with one that is made up."""
    await fill(server)
    await add_account(server.store)
    before = await contents(server)

    for browser in (SignedInBrowser(server.http, "made-up"), SignedInBrowser(server.http, "")):
        response = await visit(browser, name, {**VISITS.get(name, Visit({})).fields, **OF_ONESELF.get(name, {})})
        assert response.status_code in {303, 401}
        assert response.status_code == 401 or "sign-in" in response.headers["location"]
        assert response.text == ""
    assert await contents(server) == before


@pytest.mark.parametrize("name", OF_ONESELF, ids=" ".join)
async def test_a_form_about_an_account_reaches_ones_own_alone(server, name):
    """Whatever it says of others: their account, sessions and second factor stay."""
    other = await add_account(server.store, "lee@example.org")
    theirs = await signed_in(server, other)
    browser = await signed_in(server, await add_account(server.store))
    ids = {"account": other.id, "account_id": other.id, "email": other.email, "user": other.id}
    (session,) = [row for row in (await contents(server))["desk_sessions"] if row["account_id"] == other.id]
    before = [row for row in (await contents(server))["accounts"] if row["id"] == other.id]
    fields = {**ids, **OF_ONESELF[name]}

    await visit(browser, name, {**fields, "session": session["id"]} if "session" in fields else fields)

    after = await contents(server)
    assert (await theirs.send("GET", "/desk")).status_code == 200
    assert session in after["desk_sessions"]
    assert [row for row in after["accounts"] if row["id"] == other.id] == before
    assert not [row for row in after["second_factors"] if row["account_id"] == other.id]


@pytest.mark.parametrize("name", sorted(name for name in of_desk() if name[0] == "GET"), ids=" ".join)
async def test_no_page_is_shown_in_a_frame(server, name):
    """Of whatever site, by policy and by the older header, also where it only leads on or refuses."""
    await fill(server)
    browser = await signed_in(server, await add_account(server.store))
    for sent in (browser, SignedInBrowser(server.http, "made-up")):
        response = await visit(sent, name, {})
        if response.status_code == 404:
            continue  # of a way in that is not configured
        assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
        assert response.headers["x-frame-options"] == "DENY"


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
    account = await add_account(server.store, f"{poison.XSS}@example.org", role="admin", name=poison.XSS)
    response = await try_password(server, account.email, headers={"User-Agent": poison.XSS})
    return account, SignedInBrowser(server.http, session_of(response))


LIVEBLOGS = ("gxss", "gmatch1", "gpoison")
QUERIES = {
    "/desk": ("", "?show=others", "?q={xss}&provider={xss}"),
    "/desk/matches/table": ("?show=others", "?q={xss}"),
    "/desk/matches/new": (
        "?attach=gmatch1",
        "?provider=heim&kind=matchId&id=7",
        "?provider=heim&kind=matchId&id={xss}",
        "?provider={xss}&kind={xss}&id={xss}",
    ),
    "/desk/comments": ("", "?status=approved", "?status=rejected", "?status=hidden", "?liveblogId=gxss"),
    "/desk/comments/list": ("?status=approved",),
    "/desk/account": ("", "?done={xss}"),
    "/desk/sign-in": ("?next={xss}",),
    "/desk/sign-in/code": ("?next={xss}",),
    "/desk/liveblogs/{liveblogId}": ("", "?show=drafts", "?show=changed", "?show={xss}", "?after={xss}"),
    "/desk/liveblogs/{liveblogId}/posts": ("", "?mark={xss}"),
    "/desk/liveblogs/{liveblogId}/form": ("", "?post=exss", "?post=egoalxss", "?post={xss}"),
    "/desk/matches/{liveblogId}": ("", "?done={xss}"),
}


def addresses():
    """Of every page, with each liveblog and each query."""
    for method, path in sorted(of_desk()):
        if method != "GET" or "openid" in path:
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
    for name, row in VISITS.items():
        if name[0] == "POST":
            for liveblog in LIVEBLOGS:
                path = name[1].replace("{liveblogId}", liveblog)
                hostile = dict.fromkeys(
                    (*row.fields, "title", "locale", "provider", "kind", "id", "key", "back"), poison.XSS
                )
                response = await browser.submit(path, hostile)
                if found := running_in(response.text):
                    ran[path] = found

    assert ran == {}
    assert said > 25
    assert 500 not in statuses


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
