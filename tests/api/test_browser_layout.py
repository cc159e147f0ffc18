"""The page holds every sport, every end, the longest names and the end of every recorded match at every width.

Boxes are measured: nothing leaves the page, no word is broken inside, nothing lies upon something else.
"""

from itertools import product

import pytest

from api.http.static import file
from api.page.liveblog_page import render_liveblog
from api.page.load_liveblog import PageRequest
from api.page.posts import PageExtent
from api.view.key_moments import moments_of
from mapping.posts.key_moments import Kick
from tests.kit import matchday
from tests.kit.browser import needed
from tests.kit.matchday import pair
from tests.kit.showing import page_files

MEASURE = """() => {
  const faults = [], root = document.documentElement, width = root.clientWidth;
  const seen = (box) => box.width > 1 && box.height > 1, hidden = ".unseen, .unseen *, svg, svg *";
  if (root.scrollWidth > width) faults.push(`scrolls to ${root.scrollWidth}`);
  for (const each of document.querySelectorAll(`body *:not(${hidden})`)) {
    const box = each.getBoundingClientRect(), name = each.className || each.tagName;
    if (seen(box) && (box.left < -0.5 || box.right > width + 0.5)) faults.push(`${name} leaves the page`);
    const block = each.matches("p, h1, h2, h3, b, li, td") && getComputedStyle(each).display !== "inline";
    if (block && each.scrollWidth > each.clientWidth + 1) faults.push(`${name} overflows: ${each.textContent}`);
    const cuts = getComputedStyle(each).overflow !== "visible" && !each.matches("html, body, .slides, .body table");
    const more = each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1;
    if (cuts && more && seen(box)) faults.push(`${name} is cut off`);
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node; (node = walker.nextNode());) {
    const around = node.parentElement;
    if (around.matches(hidden) || !around.closest(".board, .sections, .moments h3, .incident, .headline, .squads")) continue;
    for (const { index, 0: word } of node.data.matchAll(/[^\\s-]+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1) faults.push(`broken: ${word}`);
    }
  }
  for (const each of document.querySelectorAll(".board, .board *, .post, .post *:not(.slides)")) {
    const cuts = getComputedStyle(each).overflowY !== "visible" && !each.matches(hidden);
    if (cuts && each.scrollHeight > each.clientHeight + 1) faults.push(`${each.className || each.tagName} is cut off`);
  }
  const board = ".board :is(.name, .score > span, .decided, .result, .shootout, .parts, .sets, .state, .facts, .podium li)";
  const parts = document.querySelectorAll(`.crest, ${board}, .sections > *`);
  const boxes = [...parts].map((each) => [each, each.getBoundingClientRect()]).filter(([, box]) => seen(box));
  for (const [at, [one, a]] of boxes.entries()) for (const [other, b] of boxes.slice(at + 1)) {
    const beside = Math.min(a.right, b.right) - Math.max(a.left, b.left) <= 1;
    const apart = beside || Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) <= 1;
    if (!apart) faults.push(`${one.className || one.tagName} lies upon ${other.className || other.tagName}`);
  }
  return faults;
}"""


def styled(inner, locale="en"):
    """A liveblog with its style sheet in a page, so that no server is needed."""
    style = file("api.page.static", "page.css").decode()
    return f'<!doctype html><html lang="{locale}"><title>A</title><style>{style}</style><body><main>{inner}</main></body></html>'


pytestmark = [needed, pytest.mark.proof]

EXTREMES = ((32, 320), (32, 768), (16, 320), (16, 1920))
SCREENS = (*EXTREMES, *product((16,), (360, 390, 560, 768, 1024, 1280)), *product((32,), (390, 1920)))
"""Pixels of the root's font and of width; the first four for every end."""
WIDEST = {"shoot-out", "five sets", "race"}
"""The ends that are measured on all of them: the longest boards of teams, of people and of a race."""
OPEN, CLOSE = (
    f"for (const each of document.querySelectorAll('details')) each.open = {form};" for form in ("true", "false")
)
"""What opens and closes all that folds."""
LONG = ("Borussia Mönchengladbach", "Wolverhampton Wanderers")
ARABIC = ("نادي الهلال السعودي", "نادي النصر")
PLAYERS = ("Anastasia Pavlyuchenkova", "Barbora Krejčíková / Kateřina Siniaková")
SOCCER = ("Half-time", "Full-time", "After extra time", "Penalty shoot-out")


def match(names, score, parts=(), *, decided="", state=None, **more):
    teams = {f"{side}_team": {"name": name} for side, name in zip(("home", "away"), names, strict=True)}
    board = {**teams, "score": score and {**score, "title": decided}, "scores": list(parts)}
    return matchday.document(
        meta_info={
            **teams,
            "title": " – ".join(names),
            "tournament": {"name": "UEFA Women’s Champions League"},
            "location": {"name": "Wankdorf-Stadion Bern"},
            "starts_at": matchday.KICK_OFF,
        },
        scoreboard=board,
        state_info=state or {"gamestate": 31},
        **more,
    )


def parts_of(titles, *scores):
    return [pair(*score, title) for title, score in zip(titles, scores, strict=True)]


def race(title, **state):
    drivers = ("Max Verstappen", "Andrea Kimi Antonelli", "Zhou Guanyu")
    ranking = [
        {
            "position": at,
            "player": {"name": name, "short_name": name.split()[-1], "number": str(60 + at)},
            "team": {"name": "Visa Cash App Racing Bulls"},
            "gap": "+1:23.456",
            "laps": 56,
        }
        for at, name in enumerate(drivers, 1)
    ]
    return {
        "locale": "en",
        "sportstype": "motorsports",
        "meta_info": {"title": title, "location": {"name": "Autodromo Nazionale"}, "starts_at": matchday.KICK_OFF},
        "state_info": {"ranking": ranking, **state},
    }


def kicks(home, away):
    """Kicks of both sides in turn, as the marks of a page have them: `x` went in, `-` did not."""
    taken = {"home": home, "away": away}
    return tuple(
        Kick(side=side, scored=taken[side][at] == "x", player="Pavlyuchenkova")
        for at in range(max(map(len, taken.values())))
        for side in taken
        if at < len(taken[side])
    )


KICKS = {"shoot-out": kicks("xxxx-xxxxxx-", "xxx-xxxxxxxx"), "first kicks": kicks("x-", "x")}
MATCHES = {
    "before": match(LONG, None, state={"gamestate": 0}),
    "running": match(("Bern", "Rom"), pair(0, 0), state=matchday.document()["state_info"]),
    "shoot-out": match(LONG, pair(1, 1), parts_of(SOCCER, (0, 1), (1, 1), (1, 1), (10, 11)), decided="pens"),
    "first kicks": match(LONG, pair(1, 1), parts_of(SOCCER, (0, 1), (1, 1), (1, 1), (1, 1)), state={"gamestate": 2}),
    "five sets": match(
        PLAYERS,
        pair(3, 2),
        parts_of(("1st set", "2nd set", "3rd set", "4th set", "5th set"), (7, 6), (6, 7), (7, 6), (6, 7), (13, 11)),
        sportstype="tennis",
    ),
    "overtime": match(
        ("Jacksonville Jaguars", "Washington Commanders"),
        pair(102, 100),
        parts_of(("Q1", "Q2", "Q3", "Q4", "OT"), (14, 21), (30, 28), (21, 24), (31, 23), (6, 4)),
        decided="OT",
    ),
    "right to left": match(ARABIC, pair(2, 1), parts_of(("Half-time",), (1, 1))),
    "running set": match(
        PLAYERS, pair(1, 0), parts_of(("1", "2"), (7, 6), (2, 1)), state={"gamestate": 1}, sportstype="tennis"
    ),
    "race": race("Großer Preis von Aserbaidschan", lap=51, total_laps=78, flag="red-flag", gamestate=1),
    "race over": race("24 Stunden auf dem Nürburgring", gamestate=31),
    "news": {"locale": "en", "meta_info": {"title": "Donaudampfschiff: the night of the council"}},
}


def afternoon():
    """The posts of a derby as pages show them."""
    return [
        each.document | {"local_id": each.local_id, "created_at": each.created_at} for each in matchday.afternoon()[:11]
    ]


def whole(document, events, key_moments=None):
    """The page of a liveblog with that document; its last post is pinned."""
    extent = PageExtent(PageRequest(), pinned=events[-1:])
    known = key_moments or moments_of(document, 3 * events)
    inner = render_liveblog(document, events, page_files(), matchday.KICK_OFF + 4000, known, extent=extent)
    return styled(inner)


async def faults_of(page, session, screens):
    """What does not fit these screens, with what folds open and closed."""
    faults = {}
    for size, width in screens:
        await session.send("Page.setFontSizes", {"fontSizes": {"standard": size}})
        await page.set_viewport_size({"width": width, "height": 900})
        found = [await page.evaluate(form) for form in (MEASURE, f"() => {{ {OPEN} return ({MEASURE})(); }}")]
        await page.evaluate(CLOSE)
        if any(found):
            faults[size, width] = sorted({each for both in found for each in both})
    return faults


async def test_every_end_of_every_sport_fits_every_screen(browser):
    """From 320 to 1920 pixels, also with text of twice the size; the home team comes first, whatever way its name is written."""
    page = await browser.new_page()
    session = await browser.new_cdp_session(page)
    faults = {}
    for name, document in MATCHES.items():
        known = moments_of(document, 3 * afternoon())._replace(kicks=KICKS.get(name, ()))
        await page.set_content(whole(document, afternoon(), known))
        faults[name] = await faults_of(page, session, SCREENS if name in WIDEST else EXTREMES)
        if name == "right to left":
            places = [await page.locator(f".team.of-{side}").bounding_box() for side in ("home", "away")]
            assert places[0]["x"] < places[1]["x"]

    assert {name: found for name, found in faults.items() if found} == {}
