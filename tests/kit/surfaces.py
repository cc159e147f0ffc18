"""What a liveblog shows in every place where somebody reads it, as plain words."""

import html
import json
import re
from collections.abc import Mapping
from typing import Any

from api.page.share_links import CardFacts
from tests.kit.provider_service import ProviderService

Words = dict[str, str]

SURFACES = (
    "title", "scoreboard", "state", "newest post", "key moments", "recap", "feed title", "page", "structured data", "card",
)  # fmt: skip
STATES = {0: "before", 1: "running", 2: "shoot-out", 31: "over"}


async def read_words(service: ProviderService, name: str) -> Words:
    """Surface → what it shows of a liveblog. Cards are drawn by `card_words`."""
    game = await service.get("/api/v5/write/ticker/show.json", local_id=name)
    feed = await service.get("/api/embed/v4/feed/liveblog.json", liveblogId=name, limit="100")
    page = (await service.answer(f"/liveblogs/{name}")).text
    card = await service.answer(f"/liveblogs/{name}/card.png")
    ours = next(each for member, each in feed.items() if member.startswith("_"))
    return {
        "title": _plain(_between(page, "<title>", "</title>")),
        "scoreboard": scoreboard_words(game),
        "state": state_words(game),
        "newest post": newest_post_words(game),
        "key moments": " | ".join(f"{each['type']}: {each['text']}" for each in ours["key_events"]),
        "recap": ours["recap"],
        "feed title": feed["title"],
        "page": board_words(page),
        "structured data": structured_words(page),
        "card": card.text,
    }


def _between(page: str, opening: str, closing: str) -> str:
    _, _, rest = page.partition(opening)
    return rest.partition(closing)[0]


def _plain(markup: str) -> str:
    """The text of markup, as somebody reads it."""
    unseen = re.sub(
        r'<span class="unseen">.*?</span>|<h1.*?</h1>|<p class="facts">.*?</p>|<svg.*?</svg>',
        "",
        markup,
        flags=re.DOTALL,
    )
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", unseen)).split()).replace("( ", "(")


def scoreboard_words(game: Mapping[str, Any]) -> str:
    """The score with what stands beside it, then that of each part."""
    board = game.get("scoreboard") or {}
    parts = [board.get("score") or {}, *(board.get("scores") or ())]
    return ", ".join(
        " ".join(filter(None, (each.get("title"), f"{each['home_score']}:{each['away_score']}")))
        for each in parts
        if each.get("home_score")
    )


def state_words(game: Mapping[str, Any]) -> str:
    """Where the state says the match is, and whether it stands still."""
    state = game.get("state_info") or {}
    phase = f"part {state['recurrence']}" if state.get("recurrence") and state["gamestate"] == 1 else ""
    flags = [name for name, key in (("break", "is_break"), ("stopped", "timeout")) if state.get(key)]
    return ", ".join(filter(None, (STATES.get(state.get("gamestate", -1), ""), phase, *flags)))


def newest_post_words(game: Mapping[str, Any]) -> str:
    """The newest post in the order of play: its type, its title and its text."""
    public = sorted((each for each in game["events"] if each["local_status"] == 0), key=lambda each: each["sort"])
    if not public:
        return ""
    play, said = public[-1].get("sport_event") or {}, _plain((public[-1].get("contents") or [{}])[0].get("text", ""))
    kind = play.get("event_type", "").partition(".")[2]
    return ": ".join(filter(None, (kind, play.get("title"), said)))


def board_words(page: str) -> str:
    """What stands between the teams in the head of the page."""
    return _plain(_between(page, '<div class="middle">', "</section>").partition('<div class="team')[0]) or _plain(
        _between(page, '<header class="board"', "</header>").partition(">")[2]
    )


def structured_words(page: str) -> str:
    """Headline, status, and whether the coverage has ended."""
    data = json.loads(_between(page, '<script type="application/ld+json">', "</script>"))
    about = data.get("about") or {}
    status = about.get("eventStatus", "").rpartition("/")[2]
    ended = "coverage ended" if "coverageEndTime" in data else "coverage goes on"
    return ", ".join(filter(None, (data["headline"], status, ended)))


def card_words(facts: CardFacts, fonts: tuple[str, ...]) -> bytes:
    """The words of a card instead of a drawing of them."""
    del fonts
    words = " / ".join(
        filter(None, (facts.score or ("" if facts.sides else facts.title), facts.decided, facts.state, *facts.lines))
    )
    return words.encode()
