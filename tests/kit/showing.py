"""What tests of the pages' and feeds' files have in common: posts that show files, and the addresses that readers get."""

from functools import partial
from zoneinfo import ZoneInfo

from api.page.page_context import UP, PageContext
from api.view.post_files import Images
from mapping.locales import translator
from mapping.rules.media_address import ImageOptions, ImageRequest, image_path
from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs import liveblogs
from tests.kit import matchday
from tests.kit.event_desk import Desk, post, text
from tests.kit.matchday import pair
from tests.kit.settings import configured

KEY = b"k" * 32
CONTENT = "Svc::Model::Content"


PAGE = "/liveblogs/gderby"


LONG_AGO = matchday.KICK_OFF - 7200
TICKER = matchday.Liveblog().ticker_id


SIDES = {
    f"{side}_team": {"name": name, "short_name": short}
    for side, name, short in (("home", "SV Hafenstadt", "Hafenstadt"), ("away", "Alpenverein Bergheim", "Bergheim"))
}
KICKS = ("home -", "away -", "away x", "home x", "away x", "home x", "away -", "home -", "away -", "home x")


def page_files(locale="en", *, consent=True):
    """As the page of a liveblog in that language writes its files."""
    return PageContext(
        Images(KEY, UP, matchday.ORGANIZATION), translator(locale), configured(consent=consent), ZoneInfo("UTC")
    )


def proxied(url, **options):
    """The path of the proxy for an image of the tests' organization."""
    return image_path(KEY, ImageRequest(matchday.ORGANIZATION, url, ImageOptions(**options)))


def item(file, **fields):
    kind = "VideoMediaContent" if file["subtype"] == "v" else "ImageMediaContent"
    return {"_type": f"{CONTENT}::{kind}", "media_local_id": file["local_id"], **fields}


def block(*items, **fields):
    return {"_type": f"{CONTENT}::MultiMediaContentBlock", "local_id": "bmedia", "items": list(items), **fields}


def file(name, url, subtype="i", **fields):
    return {"_type": "Svc::Model::Media", "local_id": name, "subtype": subtype, "url": url, "local_status": 0, **fields}


def showing(name, *files, at=matchday.KICK_OFF, items=None, block_fields=None, **fields):
    """A post that shows the files, each by a plain item unless `items` are given."""
    shown = items if items is not None else [item(each) for each in files]
    return matchday.event(name, at, media=list(files), contents=[block(*shown, **(block_fields or {}))], **fields)


async def add(server, *events, **document):
    await server.add(matchday.Liveblog(document=matchday.document(**document), events=events))


async def changes(server, refresh, page=PAGE, **params):
    response = await server.http.get(page, params={"fragment": "1", "refresh": refresh, **params})
    return response, response.json() if response.status_code == 200 else None


async def fill(server, count=40, at=matchday.KICK_OFF + 9000):
    """So many posts at the end, newest last."""
    writes = [
        EventWrite.new(local_id=f"emany{n:03}", document={"contents": [text("Now")]}, created_at=at + n)
        for n in range(count)
    ]
    change = Change(events=tuple(writes))
    await server.store.write(partial(liveblogs.record, game_id=TICKER, change=change))


async def pin(server, name, highlight="sticky", at=LONG_AGO):
    await Desk(server.http).create(post(f"How to follow {name}", local_id=name, created_at=at, highlight=highlight))


def board(tally=(3, 2), score=(1, 1), decided="pens", **more):
    parts = [pair(1, 1, "Full-time"), *([] if tally is None else [pair(*tally, "Penalty shoot-out")])]
    return SIDES | {"score": pair(*score) | {"title": decided}, "scores": parts} | more


def cup(state=31, **more):
    board_, fields = board(**more), {"meta_info": SIDES | {"title": "SV Hafenstadt – Alpenverein Bergheim"}}
    return matchday.document(scoreboard=board_, state_info={"gamestate": state}, squads={}, **fields)


def posts(kicks=KICKS):
    """A goal of the match, the start of the shoot-out, and its kicks as the service posts them."""
    at, teams = matchday.KICK_OFF + 7500, {side: SIDES[f"{side}_team"] for side in ("home", "away")}
    found = [matchday.goal("efirst", matchday.KICK_OFF + 900, "15'", teams["home"], score=pair(1, 0), words="A goal.")]
    found.append(matchday.incident_post("estart", at, "start-shootout", "Penalty shoot-out", "Now for penalties."))
    taken = dict.fromkeys(("home", "away"), 0)
    for number, kick in enumerate(kicks, 1):
        side, outcome = kick.split()
        taken[side] += 1
        scored = outcome == "x"
        kind, said = ("goal", "scored") if scored else ("penalty-kick-missed", "missed")
        people = (("Player", f"Kicker {number}"),)
        title = f"Penalty {taken[side]} of 5: {said}"
        event = matchday.incident_post(
            f"ekick{number}", at + number, kind, title, "A kick.", side=teams[side], people=people
        )
        event.document["sport_event"]["phase"] = {"name": "Penalty shoot-out"}
        found.append(event)
    return tuple(found)
