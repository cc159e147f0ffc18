"""Every page on a small and a large screen, light and dark: a row a page.

A new page of the desk or of readers needs one row here. The same holds for each: axe-core finds nothing, every target is
large enough for a finger, nothing needs scrolling sideways or moves for those who want it still, and the page complains of nothing.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pyotp
import pytest

from api.desk import comments_page, matches_page, openid_sign_in, queue_page
from api.desk.cookies import SESSION
from api.desk.desk_routes import DESK_ROUTES
from api.desk.handlers import CODE_STEP, SIGN_IN
from api.desk.liveblog_view import PATH as LIVEBLOG
from mapping.match.fixture import Fixture, FixtureStatus, NamedId
from providers.http_server import address_of, bind_socket, listening
from tests.api.conftest import NOW
from tests.api.desk.conftest import note_complaints
from tests.kit import matchday
from tests.kit.browser import AT_ONCE, SMALL, browsers, chromium, needed, violations
from tests.kit.followed import add_followed
from tests.kit.full_house import OWNER
from tests.kit.people import PASSWORD
from tests.kit.pictures import picture
from tests.kit.showing import cup, posts

__all__ = ["browsers", "chromium"]
pytestmark = [needed, pytest.mark.proof]

LEAGUE, TEAM = NamedId("12", "Bundesliga"), NamedId("5", "Sportverein Hafenstadt von 1893 und Umgebung")
DAY = (
    *(Fixture(match_id=f"{number}", sport="soccer", competition=LEAGUE, home=TEAM, away=TEAM, kickoff=NOW)
      for number in range(8, 12)),
    Fixture(match_id="t", sport="tennis", home=TEAM, status=FixtureStatus.LIVE, score=(2, 1), kickoff_open=True),
    Fixture(match_id="d", sport="darts", title="Premier League", status_word="warm-up", kickoff=NOW),
)  # fmt: skip
"""What a provider lists."""
LOOKS = {1280: "light", 390: "dark"}
"""Widths, and the colours at each."""
LOCALE = "de"
"""Its words are longer than the English ones, which all other tests of the browser read."""
ENDED = {"kind": "outbox", "message": "updates wait", "beganAt": NOW - 4000, "endedAt": NOW - 60}
COUNT = {"p50": 12, "p95": 40, "p99": 90, "count": 7}
FOLLOWED = {"match": "8315073", "endpoint": "heim", "status": "live", "silent": True, "failures": 2, "pending": True,
            "standingStill": 1, "lastGood": 1, "age": 12, "lastChange": 1, "nextPoll": 3, "saidToSeen": None,
            "seenToCommitted": COUNT}  # fmt: skip
ENDPOINT = {"name": "heim", "state": "answers", "cause": None, "demand": 0.4, "matches": 1, "lastGood": 1, "age": 3,
            "saidToSeen": COUNT, "seenToCommitted": None}  # fmt: skip
REPORT = {
    "process": {"version": "1", "role": "all", "host": "h", "pid": 1, "startedAt": NOW},
    "workers": 1,
    "matches": {"followed": 3},
    "followed": [FOLLOWED],
    "endpoints": [ENDPOINT],
    "webhooks": {"waiting": 2},
    "alarms": [ENDED, {**ENDED, "endedAt": None}],
    "missing": [
        {
            "teams": "A – B",
            "provider": "heim",
            "match": "7",
            "rule": "cup",
            "kickoff": NOW,
            "reason": "away",
            "since": NOW,
        }
    ],
}
"""What a process says of itself that has alarms and endpoints."""
APPEARS = """() => {
  for (const each of document.querySelectorAll(".bar > *")) each.hidden = false;
  for (const each of document.querySelectorAll(".news")) each.textContent = "3 new posts";
}"""
"""Shows what only appears when something happens."""
REFUSED = "Failed to load resource: the server responded with a status of 4"
"""What the browser says of a picture, as no file is kept here, and of a page that says what is wrong."""
SIGN_OUT = 'form[action$="sign-out"] button'
THUMB = """() => [...document.querySelectorAll(
    "#desk-liveblog :is(button, select, summary, input:not([type=file], [type=checkbox], [type=radio]))")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 43.9).map((each) => each.outerHTML)"""
"""Targets of the page on which people work with their thumbs, at 390 pixels, that are smaller than that."""


async def report() -> dict[str, Any]:
    return REPORT


async def nothing(page: Any) -> None: ...


async def appears(page: Any) -> None:
    await page.evaluate(APPEARS)


async def unfolded(page: Any) -> None:
    """An operation of the reference open, all others closed."""
    await page.locator(".opblock button").first.click(timeout=30_000)
    await page.locator(".responses-wrapper").first.wait_for(timeout=30_000)
    assert await page.locator(".opblock:not(.is-open)").count() > 1


async def ready(page: Any) -> None:
    await page.locator("html[data-ready]").wait_for()


async def of_one_post(page: Any) -> None:
    """Its history open, a draft deleted for good, and the match that is set by hand."""
    await ready(page)
    await page.locator('.row[data-post="egoal"]').press("h")
    draft = page.locator('.row[data-post="edraft-of-ours"]')
    await draft.press("h")
    await draft.locator('[data-action="delete"]').click()
    await draft.locator('[data-action="delete"]').click()
    await draft.wait_for(state="detached")
    await page.locator("#match summary").click()


async def writing(page: Any) -> None:
    """A form with everything in it that a post may hold, and a file that is none."""
    await ready(page)
    await page.locator("[data-rare]").click()
    await page.locator('[data-kind="soccer.goal"]').click()
    for kind in ("poll", "quote", "quiz"):
        await page.locator(f'#post-form [data-add="{kind}"]').click()
    for name, kind in (("notes.pdf", "application/pdf"), ("rain.png", "image/png")):
        file = {"name": name, "mimeType": kind, "buffer": picture("png", 64, 48)}
        await page.locator("#file").set_input_files(file)
    await page.get_by_role("alert").filter(has_text="notes.pdf").wait_for()


async def by_password(page: Any, password: str) -> None:
    await page.locator("#email").fill("editor@example.org")
    await page.locator("#password").fill(password)
    await page.keyboard.press("Enter")
    await page.locator("#password").wait_for(state="detached")


async def wrong_password(page: Any) -> None:
    await page.locator("#email").fill("editor@example.org")
    await page.locator("#password").fill("no password of anybody")
    await page.keyboard.press("Enter")
    await page.get_by_role("alert").wait_for()


async def second_factor(page: Any) -> None:
    """The secret of a second factor that is being set up."""
    await page.locator("#factor-password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    await page.locator("code.secret").wait_for()


async def recovery_codes(page: Any) -> None:
    """The second factor is set up: its recovery codes are shown."""
    await second_factor(page)
    secret = (await page.locator("code.secret").inner_text()).replace(" ", "")
    await page.locator("#code").fill(pyotp.TOTP(secret).at(NOW - 60))
    await page.keyboard.press("Enter")
    await page.locator("code.secret").nth(9).wait_for()


async def code_wanted(page: Any) -> None:
    """The password is right, and a code is wanted too."""
    root = page.url.partition("/desk")[0]
    await page.goto(f"{root}{SIGN_IN}")
    await by_password(page, PASSWORD)
    await page.goto(f"{root}/desk/account")
    await recovery_codes(page)
    assert await page.locator(SIGN_OUT).count() == 0, "it would be one of the session that has ended"
    await page.goto(f"{root}/desk/account")
    await page.locator(SIGN_OUT).click()
    await by_password(page, PASSWORD)
    await page.locator("#code").wait_for()


NO_PAGES = {
    matches_page.TABLE,
    comments_page.LISTED,
    queue_page.LISTED,
    openid_sign_in.BEGIN,
    openid_sign_in.BACK,
    f"{LIVEBLOG}/posts",
    f"{LIVEBLOG}/form",
    "/desk/session",
}
"""What is put into pages of the desk, and what leads to a provider's."""


@dataclass(frozen=True)
class Screen:
    """A page at `path`. `role`: whose session opens it. `prepare`: what is done on it before it is looked at.

    `ours`: its layout is; that of the viewer of the reference is its makers', which only axe looks at.
    """

    path: str
    role: str | None = None
    prepare: Callable[[Any], Awaitable[None]] = nothing
    ours: bool = True


def desk(path: str = "", prepare: Callable[[Any], Awaitable[None]] = nothing, role: str = "editor") -> Screen:
    return Screen(f"/desk{path}", role, prepare)


SCREENS = {
    "liveblogs": Screen("/", prepare=appears),
    "liveblog": Screen("/liveblogs/gmatch1", prepare=appears),
    "one post": Screen("/liveblogs/gmatch1?show=goals&post=ekick&limit=2", prepare=appears),
    "shoot-out": Screen("/liveblogs/gcup", prepare=appears),
    "snippets": Screen("/liveblogs/gmatch1/snippets"),
    "frame": Screen("/embed/gmatch1"),
    "no page": Screen("/none"),
    "status": Screen("/status"),
    "reference": Screen("/docs", prepare=unfolded, ours=False),
    "sign-in": Screen("/desk/sign-in", prepare=wrong_password),
    "code of the app": Screen(CODE_STEP, prepare=code_wanted),
    "matches": desk(),
    "matches to come": desk("?show=others"),
    "second page of matches": desk("?limit=1&page=2"),
    "settings of a match": desk("/matches/gmatch1"),
    "matches of a day": desk("/matches/new"),
    "new liveblog": desk("/matches/new?provider=heim&kind=matchId&id=7"),
    "match by hand": desk("/new/match"),
    "topic": desk("/new/topic"),
    "archive": desk("/liveblogs", role="admin"),
    "queue": desk("/queue"),
    "comments": desk("/comments?status=approved"),
    "follow rules": desk("/rules?rule=league", role="admin"),
    "account": desk("/account"),
    "second factor": desk("/account", second_factor),
    "recovery codes": desk("/account", recovery_codes),
    "liveblog at the desk": desk("/liveblogs/gmatch1", of_one_post),
    "liveblog for viewers": desk("/liveblogs/gmatch1", ready, role="viewer"),
    "form of a post": desk("/liveblogs/gmatch1", writing),
}


@pytest.mark.parametrize("houses", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", SCREENS)
async def test_a_page_fits_every_screen_and_everybody(houses, browsers, name):
    """1280 pixels wide and light, 390 and dark; the table of doors says what is on it for whom, on either database."""
    screen, listener = SCREENS[name], bind_socket("127.0.0.1", 0)
    address, faults = address_of(listener), {}
    more = {"public_url": address, "public_feeds": True, "public_metrics": True, "parts": {"status": report}}
    async with houses.serve(**more) as server, listening(server.app, listener, **AT_ONCE):
        await server.add(matchday.Liveblog("gcup", "6c" * 12, OWNER, document=cup(), events=posts()))
        server.listed[OWNER], server.unreadable = DAY, 1
        await add_followed(server, 9, endpoint="heim")
        context = await browsers.new_context(locale=LOCALE, reduced_motion="reduce")
        if screen.role is not None:
            await context.add_cookies(
                [{"name": SESSION, "value": houses.house.sessions[screen.role].token, "url": address}]
            )
        page = await context.new_page()
        note_complaints(page)
        await page.goto(f"{address}{screen.path}")
        await screen.prepare(page)
        complaints = [each for each in page.complaints if REFUSED not in each]  # before axe does what no policy allows
        for width, scheme in LOOKS.items():
            await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            await page.set_viewport_size({"width": width, "height": 844})
            faults[width] = [await page.evaluate("document.getAnimations().length")]
            faults[width] += [await violations(page)] if screen.ours or scheme == "light" else []
            if screen.ours:
                wider = await page.evaluate("document.documentElement.scrollWidth") - width
                faults[width] += [await page.evaluate(SMALL), await page.evaluate(THUMB) if width == 390 else [], wider]
        await context.close()

    assert {width: found for width, found in faults.items() if any(found)} == {}
    assert complaints == []


def test_every_page_of_the_desk_has_a_row():
    """Whatever a route of the desk shows is in the table, but for parts of a page and the ways to another provider's."""
    rows = {screen.path.partition("?")[0] for screen in SCREENS.values()}
    pages = {route.path for route in DESK_ROUTES if route.method == "GET" and route.access == "desk"} - NO_PAGES

    assert [
        page for page in pages if not any(re.fullmatch(re.sub(r"{\w+}", r"[^/]+", page), row) for row in rows)
    ] == []
