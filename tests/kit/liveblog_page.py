"""The desk's page of a liveblog in a browser: opened by somebody who may write, with the derby in it."""

from functools import partial

from api.desk.cookies import SESSION
from mapping.posts.reconcile import Entry, State
from store.accounts import sessions
from store.following import follow_rows, ledger
from store.liveblogs import liveblogs
from tests.api.desk.conftest import note_complaints
from tests.kit import matchday
from tests.kit.event_desk import post
from tests.kit.people import EMAIL, PASSWORD

PATH = "/desk/liveblogs/gderby"
TICKER = matchday.Liveblog().ticker_id
PERSON = {"_type": "Svc::Model::Player", "local_id": "pOle Brandt", "name": "Ole Brandt"}
GOAL = {
    "sportstype": "soccer",
    "event_type": "soccer.goal",
    "title": "Goal",
    "time_of_play": "61",
    "players": [{"event_player_type": "scorer", "event_player_title": "Scorer", "player": PERSON}],
}


async def at_desk(desk, browser, query=""):
    """The page, in the session of somebody who has signed in: the form is tested once, and its hash costs a second."""
    page = await opened(browser)
    await enter(desk, browser)
    await page.goto(f"{desk.address}{PATH}{query}")
    await page.locator("html[data-ready]").wait_for()
    return page


async def enter(desk, browser):
    """A session for the browser."""
    begin = partial(sessions.begin, account_id=desk.account.id, browser="Chromium", lasts=43_200)
    token = await desk.store.write(begin)
    await browser.add_cookies([{"name": SESSION, "value": token, "url": desk.address}])


def row(page, name):
    return page.locator(f'.row[data-post="{name}"]')


async def edit(page, name):
    """Open the form of a post."""
    await row(page, name).get_by_role("button", name="Edit").click()
    await page.locator(f'#post-form[data-post="{name}"]').wait_for()


async def writing(page):
    """The text of the form has the focus."""
    await page.locator("#text:focus").wait_for()


async def says(page, words):
    await page.locator("#said").filter(has_text=words).wait_for()


async def follow_match(server):
    """The derby follows a match: its provider has brought a goal of Ole Brandt, a withdrawn card, and a score of 2:1."""
    goal = (
        await server.desk.create(post("Goal for SV Hafenstadt! Brandt scores.", local_id="egoal9", sport_event=GOAL))
    )["local_id"]
    await server.desk.create(post("Yellow card: Brandt.", local_id="ecard9", local_status=60))
    found = {name: await server.store.read(partial(liveblogs.event, local_id=name)) for name in (goal, "ecard9")}

    def attach(unit):
        match = follow_rows.NewFollow(
            endpoint="heim:abc",
            provider="heim",
            organization_id=matchday.ORGANIZATION,
            match_id="1",
            sport="soccer",
            status="live",
        )
        follow = follow_rows.follow_for(unit, match)
        terms = {"sport": "soccer", "auto_post": True}
        follow_rows.attach(
            unit,
            follow_rows.Attachment(
                game_id=TICKER,
                follow_id=follow.id,
                organization_id=matchday.ORGANIZATION,
                provider="heim",
                match_id="1",
                selector={"kind": "match", "id": "1"},
                terms=terms,
            ),
        )
        game = liveblogs.require_game(unit.conn, TICKER)
        entries = [
            Entry(key="1", kind="soccer.goal", source="play", local_id=goal, said=said(found[goal])),
            Entry(
                key="2",
                kind="soccer.yellow-card",
                source="play",
                local_id="ecard9",
                state=State.WITHDRAWN,
                said=said(found["ecard9"]),
            ),
        ]
        ledger.begin(unit, TICKER, game.document)
        ledger.save(unit, TICKER, [ledger.row_of(each, 1) for each in entries])

    await server.store.write(attach)


def said(stored):
    """What the provider said last: what stands in the post, which nobody has changed."""
    return {name: value for name, value in stored.document.items() if name != "editor"}


async def stands(server, name):
    """A post as the write API shows it."""
    [found] = [each for each in (await server.desk.show())["events"] if each["local_id"] == name]
    return found


async def opened(browser):
    page = await browser.new_page()
    note_complaints(page)
    return page


async def sign_in(page, address, path="/desk"):
    """By the keyboard alone."""
    await page.goto(f"{address}{path}")
    await page.get_by_label("E-mail address").focus()
    await page.keyboard.type(EMAIL)
    await page.keyboard.press("Tab")
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Sign out", exact=True).wait_for(timeout=60_000)
